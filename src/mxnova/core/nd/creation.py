# SPDX-License-Identifier: Apache-2.0
"""Making arrays."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import torch

from ..base.doors import door, leave
from ..base.errors import ArgumentError, ArgumentTypeError, argument_error, candidates
from ..base.scopes import is_np_shape
from ..base.shapes import sizes_of
from ..base.user_warnings import warn_user
from ..op.dtypes import torch_dtype
from ..op.schema import find
from ..runtime import storage
from ..runtime.context import Context, context_of
from ..runtime.profiler import PROFILER, clock
from . import (
    sharing,  # noqa: F401 - how arrays go to other processes
    sparse_creation,
)
from .array import NDArray
from .calls.dispatch import invoke
from .conversion import dense_array, is_scipy
from .interop import tensor_from, tensor_of_capsule
from .wrapping import receive, wrap

__all__ = [
    "arange",
    "array",
    "empty",
    "eye",
    "from_dlpack",
    "from_numpy",
    "from_torch",
    "full",
    "linspace",
    "ones",
    "to_dlpack_for_read",
    "to_dlpack_for_write",
    "zeros",
]


def zeros(
    shape: Any,
    ctx: Context | None = None,
    dtype: Any = None,
    stype: str | None = None,
    *,
    out: NDArray | None = None,
    **others: Any,
) -> NDArray:
    """An array of zeros.

    Args:
        shape: its sizes.
        ctx: where to put it; default: the current context.
        dtype: default: float32.
        stype: csr or row_sparse make a sparse array without stored elements.
        out: an array to fill instead.
        **others: name= is ignored, as in MXNet; others are refused.

    Example:
        >>> mx.nd.zeros((2, 2)).asnumpy()
        array([[0., 0.],
               [0., 0.]], dtype=float32)
    """
    try:
        if others:
            _refuse_others("zeros", others)
        if stype not in (None, "default"):
            return sparse_creation.zeros(stype, _known_sizes("zeros", shape), ctx, dtype)
        return _filled(shape, 0, ctx, dtype, out)
    except Exception as error:
        leave(error)
        raise


def _filled(
    shape: Any, value: float, ctx: Context | None, dtype: Any, out: NDArray | None
) -> NDArray:
    context, kind = context_of(ctx), torch_dtype(dtype or "float32")
    start = clock() if PROFILER.running else 0
    name = "ones" if value else "zeros"
    made = wrap(storage.filled(_known_sizes(name, shape), kind, context, value), context, NDArray)
    if start:
        PROFILER.ran(f"_{name}", start, context)
    if out is None:
        return made
    target = out[0] if isinstance(out, (list, tuple)) and len(out) == 1 else out
    if not isinstance(target, NDArray):
        raise argument_error(name, "out", out, "must be an array")
    receive(target, made._raw, "out")
    return out


_NAMES = ("shape", "ctx", "dtype", "stype", "out")


def _refuse_others(function: str, others: Iterable[str], known: Sequence[str] = _NAMES) -> None:
    for name in others:
        if name != "name" and not name.startswith("__"):  # attributes, as states have them
            raise ArgumentTypeError(
                f"{function}() got an unexpected keyword argument {name!r}"
                f"{candidates(name, known)} (it takes {', '.join(known)})"
            )


def _known_sizes(function: str, shape: Any) -> tuple[int, ...]:
    """`sizes_of`, where the shape semantics in force do not take them for unknown."""
    sizes = sizes_of(function, shape)
    if not (sizes and all(sizes)) and not is_np_shape():
        raise argument_error(
            function, "shape", sizes, "must be known; np_shape() gives 0 and () sense"
        )
    return sizes


def ones(
    shape: Any,
    ctx: Context | None = None,
    dtype: Any = None,
    *,
    out: NDArray | None = None,
    **others: Any,
) -> NDArray:
    """An array of ones; arguments are those of `zeros`.

    Args:
        shape: the shape.
        ctx: the context; None: the current one.
        dtype: the element type.
        out: an array to write the result into; None: a new one.
        **others: name= is ignored, as in MXNet; others are refused.

    Example:
        >>> mx.nd.ones((2, 2)).asnumpy()
        array([[1., 1.],
               [1., 1.]], dtype=float32)
    """
    try:
        if others:
            _refuse_others("ones", others)
        return _filled(shape, 1, ctx, dtype, out)
    except Exception as error:
        leave(error)
        raise


@door
def full(
    shape: Any,
    val: Any,
    ctx: Context | None = None,
    dtype: Any = np.float32,
    out: NDArray | None = None,
) -> NDArray:
    """An array of `val`: a number, or values that broadcast to `shape`.

    Args:
        shape: the shape.
        val: the number.
        ctx: the context; None: the current one.
        dtype: the element type.
        out: an array to write the result into; None: a new one.

    Example:
        >>> mx.nd.full((2, 2), 7).asnumpy()
        array([[7., 7.],
               [7., 7.]], dtype=float32)
    """
    made = empty(shape, ctx, dtype) if out is None else out
    if not isinstance(made, NDArray):
        raise argument_error("full", "out", out, "must be an array")
    made[:] = val
    return made


@door
def empty(
    shape: Any, ctx: Context | None = None, dtype: Any = None, stype: str | None = None
) -> NDArray:
    """An array whose values are whatever is in memory; sparse ones have no stored elements.

    Args:
        shape: the shape.
        ctx: the context; None: the current one.
        dtype: the element type.
        stype: the storage type; None: dense.

    Example:
        >>> mx.nd.empty((2, 3)).shape
        (2, 3)
    """
    if stype not in (None, "default"):
        return zeros(shape, ctx, dtype, stype)
    context, kind = context_of(ctx), torch_dtype(dtype or "float32")
    return wrap(storage.empty(sizes_of("empty", shape), kind, context), context, NDArray)


@door
def array(source_array: Any, ctx: Context | None = None, dtype: Any = None) -> NDArray:
    """An array with the values of `source_array`, copied; sparse where that is sparse.

    Args:
        source_array: an NDArray, one of scipy's sparse matrices, or what NumPy makes an array of.
        ctx: where to put it; default: the current context.
        dtype: default: that of an NDArray, float32 for everything else, as in MXNet.

    Example:
        >>> mx.nd.array([[1, 2], [3, 4]], dtype="int32").asnumpy()
        array([[1, 2],
               [3, 4]], dtype=int32)
    """
    if is_scipy(source_array) or getattr(source_array, "stype", "default") != "default":
        return sparse_creation.array(source_array, ctx, dtype)
    return dense_array(source_array, context_of(ctx), dtype)


@door
def arange(
    start: float,
    stop: float | None = None,
    step: float = 1.0,
    repeat: int = 1,
    infer_range: bool | None = None,
    ctx: Context | None = None,
    dtype: Any = np.float32,
) -> NDArray:
    """Numbers from `start` to before `stop` (or 0 to before `start`), each `repeat` times.

    Args:
        start: the first number.
        stop: the end, which is left out; None: `start` is the end.
        step: the distance of two numbers.
        repeat: how often each number stands.
        infer_range: only None or False.
        ctx: the context; None: the current one.
        dtype: the element type.

    Example:
        >>> mx.nd.arange(1, 7, 2).asnumpy()
        array([1., 3., 5.], dtype=float32)
    """
    if infer_range is not None:
        warn_user("arange: infer_range does nothing", DeprecationWarning)
    attrs = {"start": start, "stop": stop, "step": step, "repeat": repeat, "dtype": dtype}
    return _made("_arange", attrs, ctx)


@door
def linspace(
    start: float,
    stop: float,
    num: int,
    endpoint: bool = True,
    ctx: Context | None = None,
    dtype: Any = np.float32,
) -> NDArray:
    """`num` evenly spaced numbers from `start` to `stop`, which is one of them by default.

    Args:
        start: the first number.
        stop: the last number.
        num: how many numbers.
        endpoint: whether `stop` is the last number.
        ctx: the context; None: the current one.
        dtype: the element type.

    Example:
        >>> mx.nd.linspace(0, 1, 5).asnumpy()
        array([0.  , 0.25, 0.5 , 0.75, 1.  ], dtype=float32)
    """
    attrs = {"start": start, "stop": stop, "num": num, "endpoint": endpoint, "dtype": dtype}
    return _made("_linspace", attrs, ctx)


@door
def eye(
    N: int,  # noqa: N803 - MXNet's names
    M: int = 0,  # noqa: N803
    k: int = 0,
    ctx: Context | None = None,
    dtype: Any = None,
    *,
    out: NDArray | None = None,
    **others: Any,
) -> NDArray:
    """Ones on diagonal `k` of N rows and M columns (0: N), zeros elsewhere.

    Args:
        N: the number of rows.
        M: the number of columns; 0: as many as rows.
        k: which diagonal; 0: the main one.
        ctx: the context; None: the current one.
        dtype: the element type.
        out: an array to write the result into; None: a new one.
        **others: name= is ignored, as in MXNet; others are refused.

    Example:
        >>> mx.nd.eye(2).asnumpy()
        array([[1., 0.],
               [0., 1.]], dtype=float32)
    """
    _refuse_others("eye", others, ("N", "M", "k", "ctx", "dtype", "out"))
    return _made("_eye", {"N": N, "M": M, "k": k, "dtype": dtype or "float32"}, ctx, out)


def _made(
    op: str, attrs: dict[str, Any], ctx: Context | None, out: NDArray | None = None
) -> NDArray:
    result: NDArray = invoke(find(op).of({**attrs, "ctx": str(context_of(ctx))}), [], out)
    return result


# Memory of other libraries ------------------------------------------------------------------------


@door
def from_numpy(
    ndarray: np.ndarray[Any, Any], zero_copy: bool = True, array_cls: type[NDArray] = NDArray
) -> NDArray:
    """An array over the memory of a NumPy array, which becomes read-only, as in MXNet.

    Args:
        ndarray: a C-contiguous array; memory that nobody may write to is copied.
        zero_copy: without it, an array over a copy.
        array_cls: the class of the result.

    Example:
        >>> mx.nd.from_numpy(np.ones(2, np.float32)).asnumpy()
        array([1., 1.], dtype=float32)
    """
    if not isinstance(ndarray, np.ndarray):
        raise ArgumentTypeError(f"from_numpy: a {type(ndarray).__name__} is no NumPy array")
    if not zero_copy:
        return array(ndarray, dtype=ndarray.dtype)
    if not ndarray.flags.c_contiguous:
        raise ArgumentError("from_numpy: zero_copy needs a C-contiguous array")
    if ndarray.dtype.kind == "c":
        raise argument_error("from_numpy", "ndarray", ndarray.dtype, "must not be complex")
    with contextlib.suppress(ValueError):  # it may have been read-only because of this function
        ndarray.flags.writeable = True
    made = array_cls(tensor_from(ndarray))
    ndarray.flags.writeable = False
    return made


@door
def from_torch(tensor: torch.Tensor) -> NDArray:
    """An array over the memory of an ATen tensor, which must be contiguous.

    Args:
        tensor: a tensor of PyTorch.

    Example:
        >>> import torch
        >>> mx.nd.from_torch(torch.ones(2)).asnumpy()
        array([1., 1.], dtype=float32)
    """
    return NDArray(tensor)


@door
def from_dlpack(dlpack: Any) -> NDArray:
    """An array over the memory of a DLPack capsule, which it consumes, or of an object with one.

    Args:
        dlpack: a capsule, or an object with ``__dlpack__``.

    Example:
        >>> import torch
        >>> mx.nd.from_dlpack(torch.ones(2)).asnumpy()
        array([1., 1.], dtype=float32)
    """
    return NDArray(tensor_of_capsule(dlpack))


def to_dlpack_for_read(data: NDArray) -> Any:
    """A capsule "dltensor" over the memory of an array, to be consumed once and only read.

    Args:
        data: the array.

    Example:
        >>> capsule = mx.nd.to_dlpack_for_read(mx.nd.ones(2))
        >>> mx.nd.from_dlpack(capsule).asnumpy()
        array([1., 1.], dtype=float32)
    """
    return data.to_dlpack_for_read()


def to_dlpack_for_write(data: NDArray) -> Any:
    """A capsule "dltensor" over the memory of an array, to be consumed once and written to.

    Args:
        data: the array.

    Example:
        >>> capsule = mx.nd.to_dlpack_for_write(mx.nd.ones(2))
        >>> mx.nd.from_dlpack(capsule).asnumpy()
        array([1., 1.], dtype=float32)
    """
    return data.to_dlpack_for_write()
