# SPDX-License-Identifier: Apache-2.0
"""Importing, as whole processes."""

from __future__ import annotations

import functools
import subprocess
import sys
from collections.abc import Callable

from benchmarks.subject import Case, Options, Skip, Subject

PROGRAMS = {
    "python alone": {"mxnova": "pass", "torch": "pass", "mxnet": "pass"},
    "the package": {"mxnova": "import mxnova", "torch": "import torch", "mxnet": "import mxnet"},
    "files": {
        "mxnova": "import mxnova.recordio, mxnova.formats.params",
        "mxnet": "import mxnet.recordio",
    },
    "arrays": {
        "mxnova": "import mxnova; mxnova.nd.zeros((1,))",
        "torch": "import torch; torch.zeros((1,))",
        "mxnet": "import mxnet; mxnet.nd.zeros((1,))",
    },
    "symbols": {"mxnova": "import mxnova.symbol", "mxnet": "import mxnet.symbol"},
}


def cases(peer: str, options: Options) -> dict[str, Callable[[], Case]]:
    return {
        name: functools.partial(_case, programs[peer])
        for name, programs in PROGRAMS.items()
        if peer in programs
    }


def _case(program: str) -> Case:
    command = [sys.executable, "-c", program]
    first = subprocess.run(command, stderr=subprocess.PIPE, check=False)
    if first.returncode:
        raise Skip(first.stderr.decode(errors="replace").strip().splitlines()[-1])
    return Case(lambda: subprocess.run(command, check=True))


SUBJECT = Subject(
    "Start of a process that imports …", ("mxnova", "torch", "mxnet"), cases, rounds=5, turn=0
)
