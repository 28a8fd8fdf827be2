# SPDX-License-Identifier: Apache-2.0
"""MXNet 1.x on today's Python: ``import mxnova as mx``.

Submodules and names are imported when first used: ``import mxnova`` loads neither torch nor OpenCV.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
from typing import Any

__version__ = "1.0.0rc1"


def _import_module(name: str) -> Any:
    """As `importlib.import_module`, which tests of programs patch."""
    __import__(name)
    return sys.modules[name]


# fmt: off
_MODULES = {  # name here -> module
    "attribute": "attribute", "autograd": "autograd", "base": "base", "callback": "callback",
    "checkpoint": "checkpoint",
    "context": "context", "contrib": "contrib", "elastic": "elastic", "engine": "engine",
    "error": "error",
    "executor": "executor", "executor_manager": "executor_manager", "formats": "formats",
    "gluon": "gluon", "image": "image", "img": "image", "init": "initializer",
    "initializer": "initializer", "io": "io", "kv": "kvstore", "kvstore": "kvstore",
    "libinfo": "libinfo", "library": "library",
    "log": "log", "lr_scheduler": "lr_scheduler", "metric": "metric",
    "mod": "module", "model": "model", "module": "module", "mon": "monitor", "monitor": "monitor",
    "name": "name", "nd": "ndarray", "ndarray": "ndarray", "notebook": "notebook",
    "np": "numpy", "npx": "numpy_extension",
    "numpy": "numpy", "numpy_extension": "numpy_extension", "onnx": "onnx",
    "operator": "operator",
    "opt": "optimizer", "optimizer": "optimizer", "predictor": "predictor", "profiler": "profiler",
    "random": "random", "recordio": "recordio", "registry": "registry", "rnd": "random",
    "rnn": "rnn", "rtc": "rtc", "runtime": "runtime", "sym": "symbol", "symbol": "symbol",
    "symbol_doc": "symbol_doc",
    "test_utils": "test_utils", "torch_module": "torch_module", "util": "util",
    "visualization": "visualization", "viz": "visualization",
}
_NAMES = {  # name here -> module that defines it
    "AttrScope": "attribute", "Context": "context", "Executor": "executor",
    "MXNetError": "base", "Predictor": "predictor", "cpu": "context", "cpu_pinned": "context",
    "current_context": "context", "from_torch": "torch_module", "gpu": "context",
    "gpu_memory_info": "context", "is_np_array": "util", "is_np_shape": "util", "np_array": "util",
    "np_shape": "util", "num_gpus": "context", "open_model": "artefacts", "set_np_shape": "util",
    "quantize": "quantization", "to_torch": "torch_module", "use_np": "util",
    "use_np_array": "util", "use_np_shape": "util",
}
# fmt: on


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        value: Any = _loaded(_MODULES[name])
    elif name in _NAMES:
        value = getattr(_loaded(_NAMES[name]), name)
    elif name == "__all__":
        value = [*_MODULES, *_NAMES]
    else:
        from .core.base.doors import leave
        from .core.base.mxnet_names import MissingName

        try:
            raise MissingName(__name__, name, __dir__)
        except MissingName as error:
            leave(error)
            raise
    globals()[name] = value
    return value


def _loaded(module: str) -> Any:
    """A module, loaded as a whole: in part, its operators and torch's extension would be there."""
    from .core.base.gc_pause import loading
    from .core.base.interrupts import deferred_interrupts

    with deferred_interrupts(), loading():
        return _import_module(f"{__name__}.{module}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES, *_NAMES})


def _finish_imports() -> None:
    """Waits until other threads have imported what they are importing of this package.

    A child that is forked meanwhile would have the lock of a module, but not the thread that
    unlocks it: its own import of the module would wait for ever.
    """
    # The locks are those of modules that are looked for, and not among sys.modules yet.
    locked = getattr(getattr(importlib, "_bootstrap", None), "_module_locks", ())
    for name in [n for n in [*sys.modules, *locked] if n.startswith(f"{__name__}.")]:
        with contextlib.suppress(Exception):  # that thread's to raise
            _import_module(name)


if hasattr(os, "register_at_fork"):
    # What has handlers of forks itself comes first: one that is added while a fork waits is asked
    # to release the lock that it was never asked to take.
    for _module in ("logging", "concurrent.futures.thread"):
        _import_module(_module)
    os.register_at_fork(before=_finish_imports)


def _take_part() -> None:
    """What a process does that was started as a server or as the scheduler of a distributed job.

    As in MXNet, its program gets no further than this import. A server has nothing to do: workers
    share the values.
    """
    role = os.environ.get("DMLC_ROLE")
    if role == "scheduler":
        _import_module(f"{__name__}.kvstore.distributed.rendezvous").serve()
    if role in ("scheduler", "server"):
        sys.exit()


_take_part()
