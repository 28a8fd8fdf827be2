# SPDX-License-Identifier: Apache-2.0
"""Trains a digit classifier, saves it in MXNet's files, reloads it, and looks into the files.

``python -m scripts.demo``; `scripts/demo` is the same where there is bash.
"""

from scripts.environment import PYTHON, call, install


def main() -> None:
    install("image,demo")
    # Images of 8 × 8 pixels give a second thread nothing to do but wait.
    call([PYTHON, "examples/digits.py"], OMP_NUM_THREADS="1")
    files = "demo-output/digits-symbol.json", "demo-output/digits-0010.params"
    call([PYTHON, "-m", "mxnova", "inspect", *files])


if __name__ == "__main__":
    main()
