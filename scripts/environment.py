# SPDX-License-Identifier: Apache-2.0
"""The environment .venv, which the scripts install mxnova in and run its programs from.

``python -m scripts.environment EXTRA,…`` installs it, and `scripts/install` where there is bash.

Only the standard library is imported: the scripts run before anything is installed, on any system.
"""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VENV = ROOT / ".venv"
PROGRAMS = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = PROGRAMS / ("python.exe" if os.name == "nt" else "python")


def install(extras: str) -> None:
    """Makes .venv with the interpreter that runs this, or uses the one there; installs mxnova.

    Args:
        extras: of the project, separated by commas.
    """
    quiet = ["--quiet"]
    if not has_pip():
        venv.create(VENV, clear=True, with_pip=True, symlinks=os.name != "nt")
        quiet = []  # the first time, downloads take minutes: show them
    pip = [PYTHON, "-m", "pip", "install", *quiet, "-c", "constraints.txt"]
    call([*pip, "-e", f".[{extras}]"])


def has_pip() -> bool:
    """Whether .venv is there and whole."""
    if not PYTHON.exists():
        return False
    command = [PYTHON, "-m", "pip", "--version"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def call(command: list[str | Path], **variables: str) -> None:
    """Runs a command in the checkout, with .venv's programs found first; exits where it fails.

    Args:
        command: the program and its arguments.
        variables: of the environment, besides this process's.
    """
    path = os.pathsep.join([str(PROGRAMS), os.environ.get("PATH", "")])
    environment = {**os.environ, "PATH": path, **variables}
    sys.stdout.flush()
    status = subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode
    if status:
        sys.exit(status)


if __name__ == "__main__":
    install(sys.argv[1])
