# SPDX-License-Identifier: Apache-2.0
"""MXNet 1.x on today's Python: ``import mxnova as mx``.

Submodules and names are imported when first used: ``import mxnova`` loads neither torch nor OpenCV.
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

# fmt: off
_MODULES = {  # name here -> module
    "attribute": "attribute", "autograd": "autograd", "base": "base", "context": "context",
    "contrib": "contrib", "engine": "engine", "error": "error", "executor": "executor",
    "formats": "formats", "model": "model", "name": "name", "nd": "ndarray",
    "ndarray": "ndarray", "operator": "operator",
    "opt": "optimizer", "optimizer": "optimizer", "predictor": "predictor", "profiler": "profiler",
    "random": "random", "recordio": "recordio", "rnd": "random", "runtime": "runtime",
    "sym": "symbol", "symbol": "symbol", "test_utils": "test_utils", "util": "util",
}
_NAMES = {  # name here -> module that defines it
    "AttrScope": "attribute", "Context": "context", "Executor": "executor",
    "MXNetError": "base", "Predictor": "predictor", "cpu": "context", "cpu_pinned": "context",
    "current_context": "context", "gpu": "context", "gpu_memory_info": "context",
    "is_np_array": "util", "is_np_shape": "util", "np_array": "util", "np_shape": "util",
    "num_gpus": "context", "set_np_shape": "util", "use_np": "util", "use_np_array": "util",
    "use_np_shape": "util",
}
# fmt: on


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        value: Any = importlib.import_module(f"{__name__}.{_MODULES[name]}")
    elif name in _NAMES:
        value = getattr(importlib.import_module(f"{__name__}.{_NAMES[name]}"), name)
    else:
        from .core.base.mxnet_names import MissingName

        raise MissingName(__name__, name, __dir__)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES, *_NAMES})
