# SPDX-License-Identifier: Apache-2.0
"""The share of lines that tests run, with floors: ``python -m scripts.cover [ROOM …]``, or ``all``.

A room's floor holds for the tests that mirror it, without those of other rooms, which run most of
it as well. ``all`` measures the whole package by all unit tests, in as many processes as there are
cores; its floor is `fail_under` of pyproject.toml. Tests marked `slow` are left out. The exit
status is 1 below a floor. Needs the packages of .github/coverage.txt.
"""

import sys
from typing import NamedTuple

from scripts.environment import PYTHON, call

QUICK = "not slow and not huge"


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
    """Runs the unit tests over the package; exits below the floor."""
    core = "sysmon" if sys.version_info >= (3, 12) else "ctrace"  # the interpreter's own is quick
    run = ["-m", "pytest", "-n", "auto", "-q", "--cov=mxnova", "--cov-report=", "-m", QUICK]
    call([PYTHON, *run, "tests/unit"], OMP_NUM_THREADS="1", PYTHONPATH="src", COVERAGE_CORE=core)
    call([PYTHON, "-m", "coverage", "report", "--format=total"])


def measure(package: str, tests: tuple[str, ...], floor: int) -> None:
    """Runs tests and prints the share of lines that they ran; exits below the floor."""
    run = ["-m", "coverage", "run", f"--source={package}", "-m", "pytest", "-n", "0", "-q"]
    call([PYTHON, *run, "-m", QUICK, *tests], OMP_NUM_THREADS="1", PYTHONPATH="src")
    print(package, end=": ", flush=True)
    report = ["-m", "coverage", "report", "--format=total", f"--fail-under={floor}"]
    call([PYTHON, *report])


if __name__ == "__main__":
    main(sys.argv[1:])
