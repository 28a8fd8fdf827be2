# SPDX-License-Identifier: Apache-2.0
"""The array of ``mx.np``, and its functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..autograd import is_recording
from ..base import c_array, c_array_buf, check_call
from ..core.base.doors import door
from ..core.base.errors import ArgumentTypeError, shown
from ..core.nd.array import NDArray
from ..core.nd.creation import array as legacy_array
from ..core.nd.creation import from_numpy
from ..core.nd.interop import as_numbers
from ..core.nd.numpy_array import ARRAYS, ndarray
from ..core.nd.wrapping import viewed_as
from ..core.numpy.methods import functions
from ..core.op.dtypes import torch_dtype
from ..core.runtime.context import Context, current_context
from ..util import set_module, wrap_np_binary_func, wrap_np_unary_func

_FUNCTIONS = functions(ARRAYS)
globals().update(_FUNCTIONS)
FUNCTIONS = list(_FUNCTIONS)
__all__ = [
    "array",
    "c_array",
    "c_array_buf",
    "check_call",
    "current_context",
    "from_numpy",
    "is_recording",
    "ndarray",
    "set_module",
    "wrap_np_binary_func",
    "wrap_np_unary_func",
    *FUNCTIONS,
]


@door
def array(object: Any, dtype: Any = None, ctx: Context | None = None) -> ndarray:
    """An array of numbers.

    Args:
        object: an array of any kind, a number, or nested lists of numbers and arrays; NumPy makes
            numbers of what is none: NaN of None, where the type has it.
        dtype: element type; default: that of an array, else float32.
        ctx: where; default: the current context.

    Raises:
        ArgumentTypeError: there is something else in it.

    Example:
        >>> np.array([[1, 2], [3, 4]])
        array([[1., 2.],
               [3., 4.]])
    """
    if isinstance(object, NDArray):
        copied: Any = object.copy() if ctx is None else object.copyto(ctx)
        made: Any = viewed_as(copied, ndarray)
        typed: ndarray = made if dtype is None else made.astype(dtype)
        return typed
    if dtype is None:
        dtype = object.dtype if isinstance(object, (np.ndarray, np.generic)) else np.float32
    try:
        values = as_numbers(_values(object), torch_dtype(dtype))
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise ArgumentTypeError(f"array: object={shown(object)}: {error}") from None
    made = legacy_array(values.reshape(-1), ctx, dtype)
    array: ndarray = viewed_as(made, ndarray).reshape(values.shape)
    return array


def _values(value: Any) -> Any:
    """Nested lists with the values of the arrays among them."""
    if isinstance(value, NDArray):
        return value.asnumpy()
    return [_values(v) for v in value] if isinstance(value, (list, tuple)) else value
