# SPDX-License-Identifier: Apache-2.0
"""Importing, and a saved model's first answer, as whole processes."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

from benchmarks.inputs import import_mx
from benchmarks.models.networks import INPUT_SHAPES, convolutional, face_points, resnet50
from benchmarks.models.symbol_net import SymbolNet, array_parameters
from benchmarks.subject import Case, Options, Skip, Subject, runtime_of

COMPILED = {
    "first answer, ResNet-50, compiled": resnet50,
    "first answer, MTCNN's det3, compiled": face_points,
}
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
    # torch: its import alone, which any answer takes but a compiled model's
    "first answer": {"mxnova": "{load}", "torch": "import torch", "mxnet": "{load}"},
    **{
        case: {"mxnova": "{compiled}", "torch": "import torch", "mxnet": "{load}"}
        for case in COMPILED
    },
}
LOAD = """
import {mx} as mx
symbol, arguments, states = mx.model.load_checkpoint({prefix!r}, 0)
executor = symbol.simple_bind(mx.cpu(), grad_req="null", data={shape})
executor.copy_params_from(arguments, states)
executor.forward()[0].asnumpy()
"""
LOAD_COMPILED = """
import mxnova as mx, numpy as np
predictor = mx.Predictor.load({path!r}, threads={threads})
predictor.predict(data=np.zeros({shape}, np.float32))
"""


def cases(peer: str, options: Options) -> dict[str, Callable[[], Case]]:
    return {
        name: functools.partial(_case, programs[peer], peer, _network(name, options), options)
        for name, programs in PROGRAMS.items()
        if peer in programs
    }


def _network(case: str, options: Options) -> Any:
    return convolutional if options.smoke else COMPILED.get(case, convolutional)


def _case(program: str, peer: str, network: Any, options: Options) -> Case:
    if program == "{load}":
        program = _load(peer, network, options)
    elif program == "{compiled}":
        program = _load_compiled(peer, network, options)
    command = [sys.executable, "-c", program]
    first = subprocess.run(command, stderr=subprocess.PIPE, check=False)
    if first.returncode:
        raise Skip(first.stderr.decode(errors="replace").strip().splitlines()[-1])
    return Case(lambda: subprocess.run(command, check=True))


def _load(peer: str, network: Any, options: Options) -> str:
    """A program that answers with a model that is saved here."""
    prefix, shape = _saved(peer, network, options)
    return LOAD.format(mx=runtime_of(peer), prefix=prefix, shape=shape)


def _load_compiled(peer: str, network: Any, options: Options) -> str:
    """The same with what ``mxnova compile`` makes of it."""
    prefix, shape = _saved(peer, network, options)
    path = f"{prefix}.mxnova"
    sizes = ",".join(map(str, shape))
    command = [sys.executable, "-m", "mxnova", "compile", prefix, "-s", f"data={sizes}"]
    subprocess.run([*command, "--force", "-o", path], check=True, stdout=subprocess.DEVNULL)
    return LOAD_COMPILED.format(path=path, threads=options.threads, shape=shape)


def _saved(peer: str, network: Any, options: Options) -> tuple[str, tuple[int, ...]]:
    """Prefix of a checkpoint, and its input's shape."""
    mx = import_mx(peer)
    symbol = network(SymbolNet(mx), mx.sym.Variable("data"))
    prefix = os.path.join(options.directory, f"{network.__name__}-{peer}")
    mx.model.save_checkpoint(prefix, 0, symbol, *array_parameters(mx, network))
    return prefix, (1, *INPUT_SHAPES[network])


SUBJECT = Subject(
    "Start of a process that imports …",
    ("mxnova", "torch", "mxnet"),
    cases,
    rounds=5,
    turn=0,
    targets={
        ("first answer", "torch"): 1.3,
        ("first answer", "mxnet"): 0.9,
        **{(case, "torch"): 0.35 for case in COMPILED},
        **{(case, "mxnet"): 0.25 for case in COMPILED},
    },
)
