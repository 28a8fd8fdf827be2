# SPDX-License-Identifier: Apache-2.0
"""Processes that start at once: forks of one that has only imported mxnova, and has no threads."""

from __future__ import annotations

import contextlib
import io
import multiprocessing
import sys
import traceback
from multiprocessing.connection import Connection

CLEAN_PROCESSES = multiprocessing.get_context("spawn" if sys.platform == "win32" else "forkserver")
CLEAN_PROCESSES.set_forkserver_preload(["mxnova.gluon", "mxnova.module", "mxnova.kvstore"])


def printed_by(program: str) -> str:
    """What a program of Python prints that runs in such a process, or the error that ends it."""
    ours, theirs = CLEAN_PROCESSES.Pipe(duplex=False)
    process = CLEAN_PROCESSES.Process(target=_run, args=(theirs, program))
    process.start()
    theirs.close()
    try:
        printed: str = ours.recv()
    finally:
        process.join()
    return printed


def _run(pipe: Connection, program: str) -> None:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        try:
            exec(program, {"__name__": "__main__"})
        except Exception:  # noqa: BLE001 - told to the test
            traceback.print_exc(file=printed)
    pipe.send(printed.getvalue())
