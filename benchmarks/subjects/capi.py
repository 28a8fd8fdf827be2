# SPDX-License-Identifier: Apache-2.0
"""The C interface: a program in C, beside Python's `Predictor` and the same program with MXNet."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.inputs import import_mx, normal
from benchmarks.models.networks import INPUT_SHAPES, convolutional, resnet50
from benchmarks.models.symbol_net import SymbolNet, array_parameters
from benchmarks.subject import Case, Options, Skip, Subject

SOURCE = Path(__file__).with_name("capi_client.c")
HEADERS = Path(__file__).parents[2] / "src" / "mxnova" / "capi" / "include"
PYTHON = "mxnova-python"
ADDITIONS = 1000
FIRST_ANSWER = """
import sys
import numpy as np
import mxnova as mx
symbol, params, data, *shape = sys.argv[2:]
shape = (1, *map(int, shape))
predictor = mx.Predictor(symbol, params, {"data": shape})
predictor.predict(data=np.fromfile(data, np.float32).reshape(shape))
"""


def cases(peer: str, options: Options) -> dict[str, Callable[[], Case]]:
    network = convolutional if options.smoke else resnet50
    makers: dict[str, Callable[[str, Options], Case]] = {
        "10x10 add": functools.partial(_add, "add"),
        "10x10 add into an array": functools.partial(_add, "add-into"),
        "ResNet-50, batch 1": functools.partial(_predict, network),
        "a process to its first answer": _first_answer,
    }
    if peer == PYTHON:
        makers = {name: maker for name, maker in makers.items() if "add" not in name}
    return {name: functools.partial(maker, peer, options) for name, maker in makers.items()}


# The program in C ---------------------------------------------------------------------------------


@functools.cache
def _client(peer: str, folder: str) -> str:
    """The program, linked with the library of `peer`."""
    library, made = _library(peer, folder), os.path.join(folder, f"client-{peer}")
    command = ["cc", "-O2", "-std=gnu99", str(SOURCE), f"-I{HEADERS}", str(library), "-o", made]
    options = [f"-Wl,-rpath,{library.parent}", "-Wl,--allow-shlib-undefined"]
    try:
        subprocess.run([*command, *options], check=True, stderr=subprocess.PIPE)
    except FileNotFoundError:
        raise Skip("no C compiler") from None
    return made


def _library(peer: str, folder: str) -> Path:
    if peer == "mxnet":
        return Path(import_mx(peer).libinfo.find_lib_path()[0])
    from mxnova.capi.build import build

    return build(os.path.join(folder, "capi")).library


class _Client:
    """The program, running.

    Args:
        command: what starts it.
        runs: how many it is asked for at once.
    """

    def __init__(self, command: list[str], runs: int) -> None:
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._runs = runs

    def __call__(self) -> None:
        self._asked(self._runs)

    def values(self) -> list[np.ndarray]:
        """What comes out."""
        self._asked(1)
        return [np.array(self._asked(0).split(), np.float32)]

    def _asked(self, runs: int) -> str:
        process = self._process
        if process.stdin is None or process.stdout is None:
            raise RuntimeError("the program has no pipes")
        process.stdin.write(f"{runs}\n")
        process.stdin.flush()
        line = process.stdout.readline()
        if not line:
            raise RuntimeError(f"the program ended with status {process.wait()}")
        return line


def _add(what: str, peer: str, options: Options) -> Case:
    runs = 10 if options.smoke else ADDITIONS
    client = _Client([_client(peer, options.directory), what], runs)
    return Case(client, output=client.values, items=runs)


# Models -------------------------------------------------------------------------------------------


def _saved(network: Any, peer: str, options: Options) -> list[str]:
    """The files of a model and of its input, and the sizes of the input: arguments of programs."""
    mx = import_mx(peer)
    prefix = os.path.join(options.directory, f"{network.__name__}-{peer}")
    symbol = network(SymbolNet(mx), mx.sym.Variable("data"))
    mx.model.save_checkpoint(prefix, 0, symbol, *array_parameters(mx, network))
    _data_for(network).tofile(f"{prefix}.data")
    sizes = map(str, INPUT_SHAPES[network])
    return [f"{prefix}-symbol.json", f"{prefix}-0000.params", f"{prefix}.data", *sizes]


def _data_for(network: Any) -> np.ndarray:
    return normal("data", (1, *INPUT_SHAPES[network]))


def _predict(network: Any, peer: str, options: Options) -> Case:
    arguments = _saved(network, peer, options)
    if peer == PYTHON:
        import mxnova as mx

        data = _data_for(network)
        predictor = mx.Predictor(*arguments[:2], {"data": data.shape})
        return Case(
            lambda: predictor.predict(data=data),
            output=lambda: [predictor.predict(data=data)[0].ravel()],
        )
    client = _Client([_client(peer, options.directory), "predict", *arguments], 1)
    return Case(client, output=client.values)


def _first_answer(peer: str, options: Options) -> Case:
    if peer == PYTHON:
        command = [sys.executable, "-c", FIRST_ANSWER]
    else:
        command = [_client(peer, options.directory)]
    command += ["predict", *_saved(convolutional, peer, options)]
    return Case(lambda: subprocess.run(command, input=b"1", check=True, stdout=subprocess.DEVNULL))


SUBJECT = Subject(
    "The C interface, in a program in C",
    ("mxnova", PYTHON, "mxnet"),
    cases,
    rounds=5,
    turn=0.5,
    targets={
        ("10x10 add", "mxnet"): 1.0,
        ("10x10 add into an array", "mxnet"): 1.0,
        ("ResNet-50, batch 1", PYTHON): 1.05,
    },
)
