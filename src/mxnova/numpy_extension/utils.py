# SPDX-License-Identifier: Apache-2.0
"""Files of arrays, and waiting."""

from __future__ import annotations

from typing import Any

from ..base import c_handle_array, c_str, c_str_array, check_call, py_str
from ..core.nd.numpy_array import ndarray
from ..core.nd.wrapping import viewed_as
from ..ndarray import load as _load
from ..ndarray import save as _save
from ..ndarray import waitall
from ..util import is_np_array, is_np_shape

__all__ = [
    "c_handle_array",
    "c_str",
    "c_str_array",
    "check_call",
    "is_np_array",
    "is_np_shape",
    "load",
    "py_str",
    "save",
    "waitall",
]


def save(file: str, arr: Any) -> None:
    """Writes an array, a list or a dict of arrays in MXNet's format; see `mx.nd.save`.

    Args:
        file: the name of the file.
        arr: an array, a list of arrays, or arrays by name.

    Example:
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "a.params")
        >>> mx.npx.save(path, {"w": mx.np.ones(2)})
        >>> os.path.getsize(path) > 0
        True
    """
    _save(file, arr)


def load(file: str) -> Any:
    """Load the arrays of a file, like `mx.nd.load`, with NumPy's semantics.

    Args:
        file: the name of the file.

    Example:
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "a.params")
        >>> mx.npx.save(path, mx.np.ones(2))
        >>> mx.npx.load(path)[0]
        array([1., 1.])
    """
    loaded: Any = _load(file)
    if isinstance(loaded, dict):
        return {name: viewed_as(array, ndarray) for name, array in loaded.items()}
    return [viewed_as(array, ndarray) for array in loaded]
