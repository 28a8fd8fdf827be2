# SPDX-License-Identifier: Apache-2.0
"""Dense arrays with the values of other things."""

from __future__ import annotations

import sys
from typing import Any

from ..base.errors import ArgumentTypeError, shown
from ..op.dtypes import torch_dtype
from ..runtime import storage
from ..runtime.context import Context
from .array import NDArray
from .interop import as_numbers, tensor_from
from .recording import STATE
from .wrapping import wrap

__all__ = ["dense_array", "is_scipy"]


def dense_array(source: Any, context: Context, dtype: Any = None) -> NDArray:
    """A dense array with the values of an NDArray, or of what NumPy makes an array of, copied.

    Args:
        source: what to copy.
        context: where to put it.
        dtype: default: that of an NDArray, float32 for everything else, as in MXNet.
    """
    if isinstance(source, NDArray):
        if STATE.recording and source._tracked is not None:  # Gradients flow through the copy.
            copied = source.copy() if dtype is None else source.astype(dtype)
            return copied.as_nd_ndarray().as_in_context(context)
        kind = torch_dtype(dtype) if dtype is not None else source._raw.dtype
        return wrap(storage.placed(source._tensor, context, kind), context, NDArray)
    kind = torch_dtype("float32" if dtype is None else dtype)
    try:
        values = as_numbers(source, kind)
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        what = f"array: source_array={shown(source)}: cannot make an array of this"
        raise ArgumentTypeError(f"{what}: {error}") from None
    return wrap(storage.placed(tensor_from(values), context, kind), context, NDArray)


def is_scipy(value: Any) -> bool:
    """Whether `value` is one of scipy's sparse matrices."""
    scipy = sys.modules.get("scipy.sparse")
    return scipy is not None and bool(scipy.issparse(value))
