# SPDX-License-Identifier: Apache-2.0
"""Conversion of user input to named arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import ndarray as nd
from ..core.base.errors import ArgumentTypeError, AssertedError, MXNetError, shown
from ..ndarray.sparse import CSRNDArray

__all__: list[str] = []


def _init_data(data: Any, allow_empty: bool, default_name: str) -> list[tuple[str, Any]]:
    """Arrays with names, sorted by them where they are given in a dictionary.

    Args:
        data: an array, a list of arrays, arrays by name, or None.
        allow_empty: whether there may be none.
        default_name: of an array without one; several are ``_0_<name>`` and so on.
    """
    if data is None:
        data = []
    if isinstance(data, (np.ndarray, nd.NDArray, CSRNDArray)):
        data = [data]
    if not isinstance(data, (list, dict)):
        expected = "must be an array, a list of arrays, or arrays by name"
        raise ArgumentTypeError(f"NDArrayIter: {default_name}={shown(data)}: {expected}")
    if not data and not allow_empty:
        raise AssertedError(f"NDArrayIter: {default_name}={shown(data)}: there is no array")
    if isinstance(data, list):
        several = len(data) > 1
        names = (f"_{i}_{default_name}" if several else default_name for i in range(len(data)))
        return [(name, _array(name, value)) for name, value in zip(names, data, strict=True)]
    return [(name, _array(name, data[name])) for name in sorted(data)]


def _array(name: str, value: Any) -> Any:
    if isinstance(value, (nd.NDArray, CSRNDArray)):
        return value
    try:
        return nd.array(value)
    except (MXNetError, TypeError, ValueError) as error:
        text = f"NDArrayIter: {name}: a {type(value).__name__} is no array: {error}"
        raise ArgumentTypeError(text) from None


def _has_instance(data: list[tuple[str, Any]], dtype: type | tuple[type, ...]) -> bool:
    """Whether one of the arrays is of a class."""
    return any(isinstance(array, dtype) for _, array in data)


def _getdata_by_idx(data: list[tuple[str, Any]], idx: Any) -> list[tuple[str, Any]]:
    """The arrays with their rows in another order."""
    return [(name, _rows(array, idx)) for name, array in data]


def _rows(array: Any, idx: Any) -> Any:
    if isinstance(array, CSRNDArray):
        return nd.sparse.array(array.asscipy()[idx], ctx=array.ctx)
    return nd.take(array, nd.array(idx, dtype="int64", ctx=array.ctx))
