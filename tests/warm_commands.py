# SPDX-License-Identifier: Apache-2.0
"""Commands of mxnova in forks of one process that has imported everything: 0.1 s instead of 2.

``python -m tests.warm_commands`` takes lines of JSON, each a `_Command`, and answers with its status.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
SECONDS = 240  # of a command
WARM = [
    "mxnova.cli", "mxnova.convert.proof", "mxnova.gluon", "mxnova.module", "mxnova.onnx",
    "mxnova.predictor", "mxnova.quantization", "mxnova.symbol",
]  # fmt: skip
# What must be known when Python starts, and threads of OpenMP.
ENVIRONMENT = {
    "PYTHONPATH": str(ROOT / "src"), "PYTHONIOENCODING": "utf-8", "OMP_NUM_THREADS": "1"
}  # fmt: skip


class _Command(NamedTuple):
    """What is run, with the files that are its standard streams."""

    words: Sequence[str]
    folder: str
    environment: Mapping[str, str]
    streams: Sequence[str]


class WarmCommands:
    """Runs ``mxnova`` with words, as a process of its own."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def run(
        self, words: Sequence[str], folder: Path, environment: Mapping[str, str], stdin: str
    ) -> subprocess.CompletedProcess[str]:
        """Its status, and what it says."""
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.warm_commands"],
                cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                env={**os.environ, **ENVIRONMENT},
            )  # fmt: skip
        assert self._process.stdin and self._process.stdout
        with tempfile.TemporaryDirectory() as place:
            streams = [Path(place, name) for name in ("stdin", "stdout", "stderr")]
            for stream in streams:
                stream.write_text(stdin if stream.name == "stdin" else "", "utf-8")
            command = _Command(words, str(folder), environment, [*map(str, streams)])
            self._process.stdin.write(json.dumps(command) + "\n")
            self._process.stdin.flush()
            status = int(self._process.stdout.readline())
            said = [stream.read_text("utf-8") for stream in streams[1:]]
        return subprocess.CompletedProcess(words, status, *said)

    def close(self) -> None:
        if self._process is not None:
            self._process.communicate()


def warm_up() -> None:
    """Imports what commands and pages need, so that forks of this process need not."""
    for name in WARM:
        importlib.import_module(name)
    gc.freeze()


class _Fork(BaseException):
    """Leaves all functions of a fork, which then does its work and ends as a program does."""


def _serve() -> None:
    warm_up()
    answers = os.fdopen(os.dup(1), "w")
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            raise _Fork(line)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), file=answers, flush=True)


def _become(command: _Command) -> None:
    """The process that runs the command."""
    signal.alarm(SECONDS)
    for number, stream in enumerate(command.streams):
        file = os.open(stream, os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_APPEND)
        os.dup2(file, number)
        os.close(file)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115 - of the whole process
    os.chdir(command.folder)
    os.environ.clear()
    os.environ.update(command.environment)
    sys.path[0] = command.folder
    sys.argv = ["mxnova", *command.words]


if __name__ == "__main__":
    command = None
    try:
        _serve()
    except _Fork as fork:
        command = _Command(*json.loads(str(fork)))
    if command is not None:
        _become(command)
        from mxnova.cli import main

        main()
