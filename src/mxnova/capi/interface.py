# SPDX-License-Identifier: Apache-2.0
"""cffi, which reads and writes C's memory."""

from __future__ import annotations

from typing import Any

__all__ = ["MODULE", "NAMES", "NULL", "close", "enter", "ffi", "leave", "settle"]

MODULE = "_mxnova_capi"  # what the library is called in Python

ffi: Any
settle: Any = None  # functions of gate.c and start.c, which tell what they do
enter: Any = None
leave: Any = None
close: Any = None
NAMES: frozenset[str] = frozenset()  # of the functions that the library has
try:
    _library = __import__(MODULE)
    ffi, settle = _library.ffi, _library.lib.mxnova_settle
    enter, leave = _library.lib.mxnova_enter, _library.lib.mxnova_leave
    close = _library.lib.mxnova_close
    NAMES = frozenset(name for name in dir(_library.lib) if name.startswith(("MX", "NN")))
except ImportError:  # read outside of the library, where C's own types are enough
    from _cffi_backend import FFI

    ffi = FFI()

NULL: Any = ffi.NULL
