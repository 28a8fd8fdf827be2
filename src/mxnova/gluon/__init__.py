# SPDX-License-Identifier: Apache-2.0
"""Networks as objects: blocks, parameters, layers, losses, data, training."""

from __future__ import annotations

from typing import Any

from mxnova import _import_module

__all__ = [
    "Block",
    "Constant",
    "DeferredInitializationError",
    "HybridBlock",
    "Parameter",
    "ParameterDict",
    "SymbolBlock",
    "Trainer",
    "block",
    "contrib",
    "data",
    "loss",
    "model_zoo",
    "nn",
    "parameter",
    "rnn",
    "tensor_types",
    "trainer",
    "utils",
]

_NAMES = {  # name here -> module that defines it
    "Block": "block",
    "Constant": "parameter",
    "DeferredInitializationError": "parameter",
    "HybridBlock": "block",
    "Parameter": "parameter",
    "ParameterDict": "parameter",
    "SymbolBlock": "block",
    "Trainer": "trainer",
    "tensor_types": "parameter",
}


def __getattr__(name: str) -> Any:
    if name in _NAMES:
        value = getattr(_import_module(f"{__name__}.{_NAMES[name]}"), name)
    elif name in __all__:
        value = _import_module(f"{__name__}.{name}")
    else:
        from ..core.base.doors import leave
        from ..core.base.mxnet_names import MissingName

        try:
            raise MissingName(__name__, name, __dir__)
        except MissingName as error:
            leave(error)
            raise
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
