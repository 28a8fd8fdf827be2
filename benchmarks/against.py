# SPDX-License-Identifier: Apache-2.0
"""``python -m benchmarks.against [REVISION]``: this checkout beside an earlier one, in turns.

The earlier revision, by default the last release, is checked out under build/against. Each turn
runs a subject of `benchmarks` there and then here, each in processes of its own; compared are the
medians over the turns. A machine that is slow for a while slows both.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).parents[1]
SUBJECTS = ("import_time", "params", "dispatch", "autograd", "inference")
Times = dict[str, list[float]]  # case -> seconds of each turn


def main(
    revision: Annotated[str | None, typer.Argument(help="Default: the last tag v*.")] = None,
    subject: Annotated[
        list[str] | None, typer.Option(help=f"Default: {', '.join(SUBJECTS)}; repeatable.")
    ] = None,
    turns: Annotated[int, typer.Option(min=1)] = 3,
    limit: Annotated[float, typer.Option(help="Exit with 1 beyond this median ratio.")] = 1.15,
    smoke: Annotated[bool, typer.Option(help="Tiny sizes: shows only that it runs.")] = False,
) -> None:
    """Compare the speed of this checkout with that of an earlier revision."""
    before = checkout(revision or last_release())
    slow = []
    for name in subject or SUBJECTS:
        times: dict[Path, Times] = {before: defaultdict(list), ROOT: defaultdict(list)}
        for _ in range(turns):
            for folder, cases in times.items():
                for case, seconds in measured(folder, name, smoke).items():
                    cases[case].append(seconds)
        if show(name, ratios(times[before], times[ROOT])) > limit:
            slow.append(name)
    if slow:
        raise SystemExit(f"slower than {limit} times: {', '.join(slow)}")


def last_release() -> str:
    """The newest tag of a release that is an ancestor of this checkout's parent."""
    command = ["git", "describe", "--tags", "--abbrev=0", "--match", "v*", "HEAD^"]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if found.returncode:
        raise SystemExit("no release has a tag v* here: name a revision")
    return found.stdout.strip()


def checkout(revision: str) -> Path:
    """The folder of a revision's files."""
    folder = ROOT / "build" / "against" / revision.replace("/", "-")
    if not folder.exists():
        folder.mkdir(parents=True)
        archive = subprocess.run(
            ["git", "archive", revision], cwd=ROOT, stdout=subprocess.PIPE, check=True
        )
        subprocess.run(["tar", "-x", "-C", folder], input=archive.stdout, check=True)
    return folder


def measured(folder: Path, subject: str, smoke: bool) -> dict[str, float]:
    """Case -> median of the seconds that mxnova takes, by the revision in `folder`."""
    with tempfile.TemporaryDirectory() as output:
        command = [sys.executable, "-m", "benchmarks", subject, "--peer", "mxnova"]
        command += ["--rounds", "1", "--output", output, *(["--smoke"] if smoke else [])]
        environ = {**os.environ, "PYTHONPATH": str(folder / "src")}
        done = subprocess.run(
            command, cwd=folder, env=environ, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise SystemExit(f"{subject} in {folder}: status {done.returncode}\n{done.stderr}")
        outcome = json.loads((Path(output) / f"{subject}.json").read_text("utf-8"))
    stats = {result["case"]: result["stats"].get("mxnova") for result in outcome["results"]}
    return {case: found["median"] for case, found in stats.items() if found}


def ratios(before: Times, now: Times) -> dict[str, float]:
    """Case -> how many times as long it takes now, of the cases that both have."""
    return {
        case: statistics.median(now[case]) / statistics.median(before[case])
        for case in now
        if case in before
    }


def show(subject: str, found: dict[str, float]) -> float:
    """Prints the ratios and returns their median; 1 where there are none."""
    median = statistics.median(found.values()) if found else 1.0
    table = Table(title=f"{subject}: median time {median:.2f}", title_justify="left")
    table.add_column("case")
    table.add_column("time now / before", justify="right")
    for case, ratio in sorted(found.items(), key=lambda item: -item[1]):
        table.add_row(case, f"{ratio:.2f}")
    Console(width=100).print(table)
    return median


if __name__ == "__main__":
    typer.run(main)
