# SPDX-License-Identifier: Apache-2.0
"""How much of a room its own tests run, with a floor: ``python -m scripts.cover [ROOM …]``.

A room's floor holds for the tests that mirror it, without those of other rooms, which run most of
it as well; tests marked `slow` are left out. The exit status is 1 if a room is below.
``python -m scripts.cover all`` runs all tests but the slow ones over the whole package and shows
the figure, without a floor. Needs coverage.py: .github/coverage.txt.
"""

import sys
from typing import NamedTuple

from scripts.environment import PYTHON, call


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
        measure("mxnova", ("tests",), 0)
        return
    unknown = [name for name in arguments if name not in ROOMS]
    if unknown:
        sys.exit(f"no room {unknown[0]!r}; there are {', '.join(ROOMS)}, and all")
    for name in arguments or ROOMS:
        measure(*ROOMS[name])


def measure(package: str, tests: tuple[str, ...], floor: int) -> None:
    """Runs tests and prints the share of lines that they ran; exits below the floor."""
    run = ["-m", "coverage", "run", f"--source={package}", "-m", "pytest", "-n", "0", "-q"]
    call(
        [PYTHON, *run, "-m", "not slow and not huge", *tests], OMP_NUM_THREADS="1", PYTHONPATH="src"
    )
    print(package, end=": ", flush=True)
    report = ["-m", "coverage", "report", "--format=total", f"--fail-under={floor}"]
    call([PYTHON, *report])


if __name__ == "__main__":
    main(sys.argv[1:])
