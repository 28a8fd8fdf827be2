# SPDX-License-Identifier: Apache-2.0
"""``python -m benchmarks [SUBJECT ...]``."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)

from benchmarks.harness import NoSuchCase, run
from benchmarks.report import save, show
from benchmarks.subject import SUBJECTS, Options, find


def main(
    subjects: Annotated[
        list[str] | None, typer.Argument(metavar="[SUBJECT]...", help=", ".join(SUBJECTS))
    ] = None,
    mxnet_python: Annotated[
        str | None, typer.Option(envvar="MXNET_PYTHON", help="Python that can import MXNet 1.9.1.")
    ] = None,
    threads: Annotated[int, typer.Option(min=1, help="Threads of one computation.")] = 2,
    rounds: Annotated[int | None, typer.Option(min=1, help="Turns of each peer.")] = None,
    peer: Annotated[list[str] | None, typer.Option(help="Only this peer; repeatable.")] = None,
    case: Annotated[
        list[str] | None, typer.Option(help="Only cases whose names contain this; repeatable.")
    ] = None,
    smoke: Annotated[bool, typer.Option(help="Tiny sizes: shows only that it runs.")] = False,
    output: Annotated[Path, typer.Option(help="Folder for the JSON files.")] = Path("bench-output"),
) -> None:
    """Compare the speed of mxnova with torch, MXNet and ONNX Runtime."""
    unknown = sorted(set(subjects or ()) - set(SUBJECTS))
    if unknown:
        raise typer.BadParameter(
            f"no subject {', '.join(unknown)}; there are {', '.join(SUBJECTS)}"
        )
    _check_peers(subjects or SUBJECTS, peer or ())
    output.mkdir(parents=True, exist_ok=True)
    console = Console(width=None if sys.stdout.isatty() else 132)
    for name in subjects or SUBJECTS:
        with _progress(console) as bar:
            task = bar.add_task(name, what="")
            try:
                outcome = run(
                    name,
                    Options(threads, smoke),
                    mxnet_python=mxnet_python,
                    peers=peer or (),
                    rounds=rounds,
                    only=case or (),
                    scratch=output,
                    progress=functools.partial(_advance, bar, task),
                    keep=functools.partial(save, folder=output),
                )
            except NoSuchCase as error:
                raise typer.BadParameter(str(error)) from None
        show(outcome, console)
        console.print(f"{save(outcome, output)}{os.linesep}", highlight=False)


def _check_peers(subjects: Sequence[str], wanted: Sequence[str]) -> None:
    """Whether all peers that are wanted take part somewhere."""
    there = list(dict.fromkeys(peer for name in subjects for peer in find(name).peers))
    unknown = sorted(set(wanted) - set(there))
    if unknown:
        raise typer.BadParameter(f"no peer {', '.join(unknown)}; there are {', '.join(there)}")


def _advance(bar: Progress, task: TaskID, done: int, total: int, what: str) -> None:
    bar.update(task, completed=done, total=total, what=what)


def _progress(console: Console) -> Progress:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[what]}"),
    )
    return Progress(*columns, console=console, transient=True)


if __name__ == "__main__":
    typer.run(main)
