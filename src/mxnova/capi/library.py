# SPDX-License-Identifier: Apache-2.0
"""All functions of the C interface, and their start."""

from __future__ import annotations

import atexit
import signal  # noqa: F401 - it takes over Ctrl-C when it is first imported, which `settle` undoes

from ..core.base.handles import end_all
from . import (  # noqa: F401 - each makes its functions C's
    autograd,
    cached_op,
    cuda_kernels,
    custom_operators,
    data_iterators,
    environment,
    exchange,
    executor,
    files,
    graph,
    inference,
    key_value_stores,
    legacy,
    legacy_operators,
    ndarray,
    operators,
    packed,
    predict,
    profiling,
    pushing,
    record_files,
    rewriting,
    symbol,
    views,
)
from .border import FUNCTIONS, failed, refuse
from .declarations import declarations
from .interface import ffi, settle

__all__ = ["start"]

for _name in declarations().functions.keys() - FUNCTIONS.keys():
    refuse(_name, "mxnova does not have this function")


def start() -> None:
    """Connects C's functions with Python's."""
    for name, function in FUNCTIONS.items():
        if name in _WITHOUT_STATUS:
            ffi.def_extern(name=name)(function)
        else:
            ffi.def_extern(name=name, error=-1, onerror=failed)(function)
    atexit.register(end_all)  # while what objects need to end is still there
    settle()


_WITHOUT_STATUS = {"MXGetLastError", "NNGetLastError", "NNAPISetLastError"}
