# SPDX-License-Identifier: Apache-2.0
"""What packages of MXNet's time have to be told about an environment of today."""

from __future__ import annotations

from types import ModuleType
from typing import Any, NoReturn

from mxnova import _import_module

from .import_hooks import when_imported

__all__ = ["adapt_when_imported"]


def _gluoncv_without_torch(check: ModuleType) -> None:
    """Tells GluonCV that there is no PyTorch, so that it goes on with MXNet.

    It works with MXNet, PyTorch below 2, or both, and refuses to be imported beside the newer one
    that mxnova brings.
    """

    def _require_pytorch_version(*versions: Any) -> NoReturn:
        raise ImportError("the PyTorch here is mxnova's; GluonCV's own models for it need 1.x")

    check._require_pytorch_version = _require_pytorch_version  # type: ignore[attr-defined]


def _with_pool(multiprocessing: ModuleType) -> None:
    """MXNet imports `multiprocessing.pool`; Sockeye names it without importing it itself."""
    if hasattr(multiprocessing, "__path__"):  # not a file of the program's, of this name
        _import_module(f"{multiprocessing.__name__}.pool")


class _SavesRagged(ModuleType):
    """NumPy, but for `save`, which takes lists of arrays of unequal lengths as before 1.24."""

    def __init__(self, numpy: ModuleType) -> None:
        super().__init__(numpy.__name__)
        self._numpy = numpy

    def __getattr__(self, name: str) -> Any:
        return getattr(self._numpy, name)

    def save(self, file: Any, arr: Any, **options: Any) -> None:
        """Saves a list of arrays as an array of them."""
        if isinstance(arr, list):
            arrays = self._numpy.empty(len(arr), object)
            for i, array in enumerate(arr):
                arrays[i] = array
            arr = arrays
        self._numpy.save(file, arr, **options)


def _sockeye_saves_ragged(data_io: ModuleType) -> None:
    """Lets Sockeye save the order of its data, whose buckets are of unequal lengths."""
    data_io.np = _SavesRagged(data_io.np)  # type: ignore[attr-defined]


def _operators_are_listed(package: ModuleType) -> None:
    """Makes all functions of operators on arrays.

    Minpy goes through ``mx.nd.__dict__``, which has those that somebody asked for.
    """
    operators = _import_module("mxnova.ndarray")
    for name in dir(operators):
        getattr(operators, name)


_ADAPTED = {
    "gluoncv.check": _gluoncv_without_torch,
    "minpy.array_variants.mxnet": _operators_are_listed,
    "multiprocessing": _with_pool,
    "sockeye.data_io": _sockeye_saves_ragged,
}


def adapt_when_imported() -> None:
    """Adapts each of the packages as soon as it is imported."""
    for name, action in _ADAPTED.items():
        when_imported(name, action)
