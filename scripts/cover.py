# SPDX-License-Identifier: Apache-2.0
"""The share of lines that tests run, with floors: ``python -m scripts.cover [ROOM …]``, or ``all``.

A room's floor holds for the tests that mirror it, without those of other rooms, which run most of
it as well. ``all`` measures the whole package by the unit tests and the recorded programs of MXNet,
in as many processes as there are cores, and prints the share of each package; its floor is
`fail_under` of pyproject.toml. Tests marked `slow` are left out, and child processes are not seen.
The first tests start programs: 5 % of them take half of the time. The exit status is 1 below a
floor. Needs the packages of .github/coverage.txt.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from typing import NamedTuple

from scripts.environment import PYTHON, ROOT, call

QUICK = "not slow and not huge"
WHOLE = ("tests/unit", "tests/conformance")


class Room(NamedTuple):
    """A package, the tests that mirror it, and the least share of its lines in percent."""

    package: str
    tests: tuple[str, ...]
    floor: int


ROOMS = {
    "formats": Room("mxnova.formats", ("tests/unit/formats", "tests/unit/test_recordio.py"), 86),
    "graph": Room("mxnova.core.graph", ("tests/unit/graph",), 91),
    "initializer": Room("mxnova.initializer", ("tests/unit/test_initializer.py",), 96),
    "io": Room("mxnova.io", ("tests/unit/io",), 93),
    "metric": Room("mxnova.metric", ("tests/unit/test_metric.py",), 95),
    "model_zoo": Room("mxnova.gluon.model_zoo", ("tests/unit/gluon/model_zoo",), 75),
    "optimizer": Room("mxnova.optimizer", ("tests/unit/optimizer",), 92),
}


def main(arguments: list[str]) -> None:
    if arguments == ["all"]:
        measure_all()
        return
    unknown = [name for name in arguments if name not in ROOMS]
    if unknown:
        sys.exit(f"no room {unknown[0]!r}; there are {', '.join(ROOMS)}, and all")
    for name in arguments or ROOMS:
        measure(*ROOMS[name])


def measure_all() -> None:
    """Runs the tests of the whole package, and prints its parts; exits below the floor."""
    core = "sysmon" if sys.version_info >= (3, 12) else "ctrace"  # the interpreter's own is quick
    run = [
        "-m",
        "pytest",
        "-n",
        "auto",
        "-q",
        "--cov=mxnova",
        "--cov-report=",
        "--cov-fail-under=0",
    ]
    call(
        [PYTHON, *run, "-m", QUICK, *WHOLE],
        OMP_NUM_THREADS="1",
        PYTHONPATH="src",
        COVERAGE_CORE=core,
    )
    print_parts()
    call([PYTHON, "-m", "coverage", "report", "--format=total"])


def print_parts() -> None:
    """Prints the share of each package of mxnova, the least first."""
    command = [PYTHON, "-m", "coverage", "json", "-q", "--fail-under=0", "-o", "-"]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    run, lines = Counter[str](), Counter[str]()
    for path, found in json.loads(done.stdout)["files"].items():
        parts = path.replace("\\", "/").partition("mxnova/")[2].split("/")[:-1]
        name = ".".join(parts[: 2 if parts[:1] in (["core"], ["gluon"]) else 1]) or "modules"
        run[name] += found["summary"]["covered_lines"]
        lines[name] += found["summary"]["num_statements"]
    for name in sorted(filter(lines.get, lines), key=lambda name: run[name] / lines[name]):
        print(f"{name:20} {100 * run[name] / lines[name]:5.1f} % of {lines[name]:6,}")


def measure(package: str, tests: tuple[str, ...], floor: int) -> None:
    """Runs tests and prints the share of lines that they ran; exits below the floor."""
    run = ["-m", "coverage", "run", f"--source={package}", "-m", "pytest", "-n", "0", "-q"]
    call([PYTHON, *run, "-m", QUICK, *tests], OMP_NUM_THREADS="1", PYTHONPATH="src")
    print(package, end=": ", flush=True)
    report = ["-m", "coverage", "report", "--format=total", f"--fail-under={floor}"]
    call([PYTHON, *report])


if __name__ == "__main__":
    main(sys.argv[1:])
