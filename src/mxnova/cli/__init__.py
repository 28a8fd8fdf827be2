# SPDX-License-Identifier: Apache-2.0
"""The command line: ``mxnova inspect``, ``predict``, ``plot``, ``run``, ``im2rec`` and others."""

from __future__ import annotations

import gc
import os
import sys
from types import SimpleNamespace

from ..core.base.console import escape_output
from ..core.base.errors import MXNetError
from ..core.base.printable import printable
from .program import options_of
from .traceback import wants_all_frames

__all__ = ["main"]


def main() -> None:
    """Entry point: bad files and arguments end in one line on standard error and status 1 or 2.

    Commands that compare have 1 for a difference.

    What a program that ``mxnova run`` runs raises passes through, as it would leave Python.

    Raises:
        SystemExit: the status is not 0.
    """
    options = options_of(sys.argv[1:]) or _parsed(sys.argv[1:])
    if options.command in ("run", "predict", "serve", "launch"):  # our process, and its children
        os.environ.setdefault("MXNOVA_TUNE_PROCESS", "1")
    if options.command in ("convert", "quantize", "verify"):
        # Waiting threads of OpenMP took 4 times the work.
        os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    status = _run(options) if options.command == "run" else _act(options)
    if options.command != "run":  # whose programs end as under Python
        gc.freeze()  # at its end Python would look through all that was imported again: 0.3 s
    if status:
        sys.exit(status)


def _parsed(argv: list[str]) -> SimpleNamespace:
    from .arguments import parse

    return parse(argv)


def _act(options: SimpleNamespace) -> int:
    """Run a command; return its status."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    with escape_output():
        return _act_or_fail(options)


def _act_or_fail(options: SimpleNamespace) -> int:
    try:
        status = options.act(options)
        sys.stdout.flush()
    except BrokenPipeError:  # who read our output has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 1
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        if wants_all_frames():
            raise
        return _fail(_text_of(error), options.failed)
    return status or 0


def _run(options: SimpleNamespace) -> int:
    from .run import CannotStartError

    try:
        options.act(options)
    except CannotStartError as error:
        return _fail(str(error), 2)
    return 0


def _text_of(error: Exception) -> str:
    if isinstance(error, MXNetError):
        return str(error)
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{os.fsdecode(error.filename)}: {error.strerror}"
    if isinstance(error, OSError):
        return str(error)
    if isinstance(error, MemoryError):
        return "there is not enough memory"
    text = f"{type(error).__name__}: {error}"
    return f"{text} (a fault of mxnova's: MXNOVA_TRACEBACK=full shows where)"


def _fail(text: str, status: int) -> int:
    print("error:", printable(" ".join(text.splitlines())), file=sys.stderr)  # noqa: T201
    return status
