# SPDX-License-Identifier: Apache-2.0
"""All functions of the C interface, and their start."""

from __future__ import annotations

import atexit
import concurrent.futures.thread
import signal  # noqa: F401 - it takes over Ctrl-C when it is first imported, which `settle` undoes
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

from ..core.base import env
from ..core.base.handles import end_all
from .entry_points import FUNCTIONS, failed, refuse
from .interface import NAMES, close, ffi, settle

__all__ = ["finish", "load_all", "start"]

# Each family makes its functions C's when it is imported.
_FIRST = (
    "autograd",
    "cached_op",
    "environment",
    "executor",
    "files",
    "inference",
    "ndarray",
    "operators",
    "predict",
    "symbol",
    "views",
)
_COMPILED = ("predict",)  # of MXNOVA_COMPILED: without torch
# Families that a program which predicts has no need of: a sixth of the time that it starts in.
_LATER = (
    "cuda_kernels",
    "custom_operators",
    "data_iterators",
    "exchange",
    "graph",
    "key_value_stores",
    "legacy",
    "packed",
    "profiling",
    "pushing",
    "record_files",
    "rewriting",
)


def start() -> None:
    """Connects C's functions with Python's."""
    for family in _COMPILED if env.get("MXNOVA_COMPILED") else _FIRST:
        import_module(f"{__package__}.{family}")
    for name in NAMES:
        _connect(name, FUNCTIONS.get(name) or _first_call(name))
    atexit.register(_end)  # while what objects need to end is still there
    settle()


def _end() -> None:
    close()
    end_all()


def finish() -> None:
    """Does what Python does at its end, in a program that it was started in."""
    concurrent.futures.thread._python_exit()  # joins threads of pools, which decode images
    atexit._run_exitfuncs()
    sys.stdout.flush()


def load_all() -> None:
    """Connects the functions of all families."""
    for family in _FIRST + _LATER:
        import_module(f"{__package__}.{family}")
    for name in NAMES - FUNCTIONS.keys():
        refuse(name, "mxnova does not have this function")
    for name in NAMES:
        _connect(name, FUNCTIONS[name])


def _first_call(name: str) -> Callable[..., Any]:
    """Stands for a function whose family is loaded when it is first called."""

    def call(*arguments: Any) -> Any:
        load_all()
        return FUNCTIONS[name](*arguments)

    return call


def _connect(name: str, function: Callable[..., Any]) -> None:
    if name in _WITHOUT_STATUS:
        ffi.def_extern(name=name)(function)
    else:
        ffi.def_extern(name=name, error=-1, onerror=failed)(function)


_WITHOUT_STATUS = {"MXGetLastError", "NNGetLastError", "NNAPISetLastError"}
