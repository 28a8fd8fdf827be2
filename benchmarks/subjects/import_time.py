# SPDX-License-Identifier: Apache-2.0
"""Importing, and a saved model's first answer, as whole processes."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from collections.abc import Callable

from benchmarks.inputs import import_mx
from benchmarks.models.networks import INPUT_SHAPES, convolutional
from benchmarks.models.symbol_net import SymbolNet, array_parameters
from benchmarks.subject import Case, Options, Skip, Subject, runtime_of

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
    # torch: its import alone, which any answer takes
    "first answer": {"mxnova": "{load}", "torch": "import torch", "mxnet": "{load}"},
}
LOAD = """
import {mx} as mx
symbol, arguments, states = mx.model.load_checkpoint({prefix!r}, 0)
executor = symbol.simple_bind(mx.cpu(), grad_req="null", data={shape})
executor.copy_params_from(arguments, states)
executor.forward()[0].asnumpy()
"""


def cases(peer: str, options: Options) -> dict[str, Callable[[], Case]]:
    return {
        name: functools.partial(_case, programs[peer], peer, options)
        for name, programs in PROGRAMS.items()
        if peer in programs
    }


def _case(program: str, peer: str, options: Options) -> Case:
    if program == "{load}":
        program = _load(peer, options)
    command = [sys.executable, "-c", program]
    first = subprocess.run(command, stderr=subprocess.PIPE, check=False)
    if first.returncode:
        raise Skip(first.stderr.decode(errors="replace").strip().splitlines()[-1])
    return Case(lambda: subprocess.run(command, check=True))


def _load(peer: str, options: Options) -> str:
    """A program that answers with a model that is saved here."""
    mx = import_mx(peer)
    symbol = convolutional(SymbolNet(mx), mx.sym.Variable("data"))
    prefix = os.path.join(options.directory, f"model-{peer}")
    mx.model.save_checkpoint(prefix, 0, symbol, *array_parameters(mx, convolutional))
    shape = (1, *INPUT_SHAPES[convolutional])
    return LOAD.format(mx=runtime_of(peer), prefix=prefix, shape=shape)


SUBJECT = Subject(
    "Start of a process that imports …",
    ("mxnova", "torch", "mxnet"),
    cases,
    rounds=5,
    turn=0,
    targets={("first answer", "torch"): 1.3, ("first answer", "mxnet"): 0.9},
)
