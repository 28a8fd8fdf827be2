# SPDX-License-Identifier: Apache-2.0
"""What MXNet kept apart: mixed precision, quantization, text, SVRG; old names of operators.

Modules are imported when first used.
"""

from __future__ import annotations

from typing import Any

from mxnova import _import_module

from ..core.base.doors import door
from ..core.base.mxnet_names import missing_name

_MODULES = {  # name here -> module
    "amp": "amp",
    "autograd": "autograd",
    "io": "io",
    "nd": "ndarray",
    "ndarray": "ndarray",
    "onnx": "onnx",
    "quant": "quantization",
    "quantization": "quantization",
    "svrg_optimization": "svrg_optimization",
    "sym": "symbol",
    "symbol": "symbol",
    "tensorboard": "tensorboard",
    "text": "text",
}

__all__ = sorted(_MODULES)


@door
def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise missing_name(__name__, name, __dir__)
    value = _import_module(f"{__name__}.{_MODULES[name]}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(_MODULES)
