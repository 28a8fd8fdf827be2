# SPDX-License-Identifier: Apache-2.0
"""Sets up, checks and tests; arguments go to pytest: ``python -m scripts.test -k recordio``.

``python -m scripts.test quick``: style, layers and the tests that the changes since main concern,
in a minute. ``python -m scripts.test gpu``: recorded programs and samples of operators, on a GPU.
Both install nothing. `scripts/test` is the same where there is bash.
"""

import sys

from scripts import check
from scripts.environment import PYTHON, call, install

ON_GPU = [
    "tests/conformance",
    "tests/unit/op",
    "tests/unit/test_rtc.py::test_on_a_gpu",
    "tests/unit/exec/backends/test_inductor.py",
]


def main(arguments: list[str]) -> None:
    # One torch thread for each of the two workers.
    if arguments[:1] == ["quick"]:
        check.main(["quick"])
        quick = ["-n", "2", "-x", "-p", "tests.quick", *arguments[1:]]
        call([PYTHON, "-m", "pytest", *quick], OMP_NUM_THREADS="1", PYTHONPATH="src")
    elif arguments[:1] == ["gpu"]:
        gpu = ["-n", "4", *ON_GPU, *arguments[1:]]
        call([PYTHON, "-m", "pytest", *gpu], MXNOVA_TEST_CONTEXT="gpu(0)", PYTHONPATH="src")
    else:
        install("dev")
        check.main([])
        call([PYTHON, "-m", "pytest", "-n", "2", *arguments], OMP_NUM_THREADS="1")


if __name__ == "__main__":
    main(sys.argv[1:])
