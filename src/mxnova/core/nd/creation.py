# SPDX-License-Identifier: Apache-2.0
"""Making arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from ..base.errors import ArgumentTypeError, MXNetError
from ..op.dtypes import torch_dtype
from ..op.operator import find
from ..runtime.context import Context, context_of
from .array import NDArray, array_from_numpy, wrap
from .invoke import invoke

__all__ = ["arange", "array", "empty", "eye", "from_numpy", "full", "linspace", "ones", "zeros"]


def _shape_of(shape: Any) -> tuple[int, ...]:
    dims = (shape,) if isinstance(shape, (int, np.integer)) else tuple(shape)
    if any(d < 0 for d in dims):
        raise MXNetError(f"shape={dims}: sizes must not be negative")
    return tuple(int(d) for d in dims)


def zeros(
    shape: Any, ctx: Context | None = None, dtype: Any = None, stype: str | None = None, **_: Any
) -> NDArray:
    """An array of zeros; `stype` csr or row_sparse makes a sparse one without stored elements."""
    context = context_of(ctx)
    if stype not in (None, "default"):
        from .sparse import empty_sparse

        return empty_sparse(str(stype), _shape_of(shape), context, torch_dtype(dtype or "float32"))
    return _filled(shape, 0, context, dtype)


def _filled(shape: Any, value: float, context: Context, dtype: Any) -> NDArray:
    kind = torch_dtype(dtype or "float32")
    return wrap(torch.full(_shape_of(shape), value, dtype=kind, device=context.device), context)


def ones(shape: Any, ctx: Context | None = None, dtype: Any = None, **_: Any) -> NDArray:
    """An array of ones."""
    return _filled(shape, 1, context_of(ctx), dtype)


def full(
    shape: Any, val: float, ctx: Context | None = None, dtype: Any = None, out: Any = None
) -> NDArray:
    """An array of `val`."""
    made = _filled(shape, val, context_of(ctx), dtype)
    return made if out is None else made.copyto(out)


def empty(shape: Any, ctx: Context | None = None, dtype: Any = None) -> NDArray:
    """An array whose values are whatever is in memory."""
    context, kind = context_of(ctx), torch_dtype(dtype or "float32")
    return wrap(torch.empty(_shape_of(shape), dtype=kind, device=context.device), context)


def array(source_array: Any, ctx: Context | None = None, dtype: Any = None) -> NDArray:
    """An array with the values of `source_array`, copied.

    Args:
        source_array: an NDArray, or anything that NumPy makes an array of.
        ctx: where to put it; default: the current context.
        dtype: default: that of an NDArray, float32 for everything else, as in MXNet.
    """
    context = context_of(ctx)
    if isinstance(source_array, NDArray):
        kind = torch_dtype(dtype) if dtype is not None else source_array._tensor.dtype
        return wrap(source_array._tensor.to(context.device, kind, copy=True), context)
    try:
        values = np.array(source_array, dtype=None)
        numeric = values if values.dtype.kind in "fiubV" else values.astype(np.float32)
    except (TypeError, ValueError) as error:
        raise ArgumentTypeError(f"array: cannot make an array of this: {error}") from None
    made = array_from_numpy(numeric, context)
    wanted = torch_dtype("float32" if dtype is None else dtype)
    return made if made._tensor.dtype is wanted else wrap(made._tensor.to(wanted), context)


def from_numpy(ndarray: np.ndarray[Any, Any], zero_copy: bool = True) -> NDArray:
    """An array over the memory of a NumPy array, or over a copy without `zero_copy`.

    As in MXNet, a shared NumPy array becomes read-only.
    """
    if not zero_copy:
        return array(ndarray, dtype=ndarray.dtype)
    if not ndarray.flags.c_contiguous:
        raise ValueError("from_numpy: zero_copy needs a C-contiguous array")
    made = array_from_numpy(ndarray, context_of("cpu(0)"))
    made._chunk.foreign = True
    ndarray.flags.writeable = False
    return made


def arange(
    start: float,
    stop: float | None = None,
    step: float = 1.0,
    repeat: int = 1,
    infer_range: bool | None = None,
    ctx: Context | None = None,
    dtype: Any = "float32",
) -> NDArray:
    """Numbers from `start` to before `stop` (or 0 to before `start`), each `repeat` times."""
    attrs = {"start": start, "stop": stop, "step": step, "repeat": repeat, "dtype": dtype}
    return _made("_arange", attrs, ctx)


def linspace(
    start: float,
    stop: float,
    num: int,
    endpoint: bool = True,
    ctx: Context | None = None,
    dtype: Any = "float32",
) -> NDArray:
    """`num` evenly spaced numbers from `start` to `stop`."""
    step = (stop - start) / max(num - 1 if endpoint else num, 1)
    values = start + step * np.arange(num, dtype=np.float64)
    return array(values, ctx, dtype)


def eye(
    N: int,  # noqa: N803 - MXNet's names
    M: int = 0,  # noqa: N803
    k: int = 0,
    ctx: Context | None = None,
    dtype: Any = "float32",
) -> NDArray:
    """Ones on diagonal `k` of N rows and M columns (0: N), zeros elsewhere."""
    return _made("_eye", {"N": N, "M": M, "k": k, "dtype": dtype}, ctx)


def _made(op: str, attrs: dict[str, Any], ctx: Context | None) -> NDArray:
    result: NDArray = invoke(find(op).of({**attrs, "ctx": str(context_of(ctx))}), [])
    return result
