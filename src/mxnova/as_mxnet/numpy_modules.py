# SPDX-License-Identifier: Apache-2.0
"""The modules that NumPy moved or dropped since MXNet's time, for programs that import them."""

from __future__ import annotations

import os
import pickle
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from .import_hooks import add_missing, when_imported

__all__ = ["add_modules"]

_OF_LIB = "arraypad arraysetops function_base index_tricks nanfunctions polynomial shape_base"
_OF_LIB += " twodim_base type_check ufunclike utils"
_MOVED = {  # module -> NumPy's module today
    "numpy.linalg.linalg": "numpy.linalg._linalg",
    "numpy.fft.helper": "numpy.fft._helper",
    "numpy.testing.utils": "numpy.testing",
    **{f"numpy.lib.{name}": f"numpy.lib._{name}_impl" for name in _OF_LIB.split()},
}
_DROPPED = {  # module -> functions that left it with NumPy
    "numpy.lib.arraysetops": ("in1d",),
    "numpy.lib.function_base": ("msort", "trapz"),
    "numpy.lib.shape_base": ("row_stack",),
    "numpy.lib.type_check": ("asfarray",),
}


def add_modules(numpy: ModuleType) -> None:
    """Gives NumPy's modules their former names, as soon as their packages are imported."""
    for package in dict.fromkeys(name.rpartition(".")[0] for name in _MOVED):
        when_imported(package, _add_to)
    if not hasattr(numpy, "compat"):
        compat = _compat()
        setattr(numpy, "compat", compat)  # noqa: B010 - NumPy's stubs know no such name
        sys.modules |= {"numpy.compat": compat, "numpy.compat.py3k": compat}


def _add_to(package: ModuleType) -> None:
    for name, now in _MOVED.items():
        if name.rpartition(".")[0] == package.__name__ and now in sys.modules:
            module = sys.modules.setdefault(name, sys.modules[now])
            add_missing(package, {name.rpartition(".")[2]: module})
            top = vars(sys.modules["numpy"])  # which `add_names` has completed
            add_missing(module, {n: top[n] for n in _DROPPED.get(name, ()) if n in top})


def _compat() -> ModuleType:
    """What `numpy.compat` had for programs of Python 2 and 3."""

    def asbytes(s: Any) -> bytes:
        return s if isinstance(s, bytes) else str(s).encode("latin1")

    def asstr(s: Any) -> str:
        return s.decode("latin1") if isinstance(s, bytes) else str(s)

    def is_pathlib_path(obj: Any) -> bool:
        return isinstance(obj, Path)

    def getexception() -> BaseException | None:
        return sys.exc_info()[1]

    compat = ModuleType("numpy.compat")
    functions = {f.__name__: f for f in (asbytes, asstr, is_pathlib_path, getexception)}
    types = {"long": int, "integer_types": (int,), "basestring": str, "unicode": str}
    types |= {"bytes": bytes, "os_PathLike": os.PathLike, "os_fspath": os.fspath}
    vars(compat).update(functions, **types, asunicode=asstr, pickle=pickle, py3k=compat)
    return compat
