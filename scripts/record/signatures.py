# SPDX-License-Identifier: Apache-2.0
"""Records names and signatures of MXNet's public API; run it with an interpreter that has MXNet.

    python scripts/record/signatures.py tests/data/api

A module's names are those it lists and the functions and classes it defines, without the halves of
operators that compute gradients. A signature is a list of [name] and [name, default as text].
"""

from __future__ import annotations

import importlib
import inspect
import json
import os
import sys
from pathlib import Path

import mxnet

MODULES = """
attribute autograd base context contrib.autograd contrib.ndarray contrib.symbol engine error
executor name operator profiler random runtime test_utils util
callback initializer kvstore kvstore.base kvstore.kvstore libinfo log lr_scheduler metric monitor
optimizer optimizer.contrib optimizer.optimizer registry
gluon gluon.block gluon.parameter gluon.trainer gluon.loss gluon.utils
gluon.nn gluon.nn.activations gluon.nn.basic_layers gluon.nn.conv_layers
gluon.rnn gluon.rnn.rnn_cell gluon.rnn.rnn_layer
gluon.data gluon.data.dataloader gluon.data.dataset gluon.data.sampler
gluon.data.vision gluon.data.vision.datasets gluon.data.vision.transforms
gluon.model_zoo.model_store gluon.model_zoo.vision
gluon.contrib.cnn gluon.contrib.data gluon.contrib.data.sampler gluon.contrib.data.text
gluon.contrib.estimator gluon.contrib.nn gluon.contrib.rnn
image.image
ndarray ndarray.contrib ndarray.image ndarray.linalg ndarray.ndarray ndarray.random
ndarray.sparse ndarray.utils ndarray._internal
symbol symbol.contrib symbol.image symbol.linalg symbol.random symbol.sparse symbol.symbol
symbol._internal
""".split()  # noqa: SIM905 - a table to read
PREFIX = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
IGNORED = {"__init__", "__del__", "__module__", "__dict__", "__weakref__", "__doc__", "__slots__"}


def signature(function) -> list[list[str]] | None:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (ValueError, TypeError):
        return None
    return [[PREFIX.get(p.kind, "") + p.name, *default(p)] for p in parameters]


def default(parameter) -> list[str]:
    """A plain default as Python writes it, any other by its name; nothing where there is none.

    The home folder of whoever records is ~.
    """
    value = parameter.default
    if value is parameter.empty:
        return []
    if isinstance(value, type) or " at 0x" in repr(value):
        return [getattr(value, "__name__", type(value).__name__)]
    return [repr(value).replace(os.path.expanduser("~"), "~")]


def is_shown(name: str, module) -> bool:
    value = getattr(module, name)
    if not (inspect.isfunction(value) or inspect.isclass(value)) or "_backward" in name:
        return False
    if name in getattr(module, "__all__", ()):
        return True
    return name[0] != "_" and value.__module__ == module.__name__


def members(cls) -> dict[str, list[list[str]] | None]:
    """What the class adds to those of its bases that are recorded themselves."""
    found = {}
    for base in reversed(cls.__mro__):
        if base.__module__.startswith("mxnet") and (base is cls or home(base) not in MODULES):
            found.update(vars(base))
    named = {n for n, v in found.items() if v is not None and n not in IGNORED}
    shown = {n for n in named if n[0] != "_" or n.startswith("__")}
    return {n: signature(getattr(cls, n)) if callable(getattr(cls, n)) else None for n in shown}


def home(cls) -> str:
    return cls.__module__.removeprefix(f"{mxnet.__name__}.")


def described(value, module: str):
    """A signature; of a class its members too, once: where it is defined."""
    if inspect.isclass(value):
        if home(value) in MODULES and home(value) != module:
            return None
        return {"init": signature(value.__init__), "members": dict(sorted(members(value).items()))}
    return signature(value)


def main(folder: Path) -> None:
    table = {}
    for name in sorted(MODULES):
        module = importlib.import_module(f"{mxnet.__name__}.{name}")
        names = sorted(n for n in dir(module) if is_shown(n, module))
        table[name] = {n: described(getattr(module, n), name) for n in names}
    lines = [
        f"{json.dumps(module)}: {{\n"
        + ",\n".join(f"{json.dumps(n)}: {json.dumps(v)}" for n, v in names.items())
        + "\n}"
        for module, names in table.items()
    ]
    (folder / "signatures.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
