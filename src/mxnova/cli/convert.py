# SPDX-License-Identifier: Apache-2.0
"""``mxnova convert``: models as files of other programs, and back."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
from collections.abc import Callable, Iterator
from typing import Any

from ..core.base.collector import loading
from ..core.base.printable import printable
from .shapes import shapes_of

__all__ = ["convert"]


def convert(options: argparse.Namespace) -> None:
    """Writes the files, and prints their paths and the proof.

    Args:
        options: source, target, to, epoch, shape, dtype, opset, force, json.
    """
    shapes = shapes_of(options.shape)
    with progress() as tell:
        tell("start")
        with loading():
            from ..convert import convert as convert_model
        done = convert_model(
            options.source,
            options.target,
            to=options.to,
            epoch=options.epoch,
            shapes=shapes,
            dtype=options.dtype,
            opset=options.opset,
            force=options.force,
            tell=tell,
        )
    if options.json:
        sys.stdout.write(json.dumps(done._asdict()) + "\n")
        return
    sys.stdout.write("".join(f"{printable(path)}\n" for path in done.files))


@contextlib.contextmanager
def progress() -> Iterator[Callable[[str], Any]]:
    """A function that says what is done next: on a terminal, beside a bar."""
    if not sys.stderr.isatty():
        yield lambda text: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
    from rich.text import Text

    columns = TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda text: bar.update(task, description=Text(text).plain)
