# SPDX-License-Identifier: Apache-2.0
"""NDArray: a dense array on a context. Views share their chunk, and writes are seen both ways."""

from __future__ import annotations

import ctypes
import functools
import math
from collections.abc import Callable, Iterator
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor

from ..base.doors import door, leave
from ..base.dtypes import BFLOAT16
from ..base.errors import ArgumentError, ArgumentTypeError, MXNetError, NoLengthError
from ..base.handles import handle_of, object_of
from ..base.user_warnings import warn_user
from ..kernels.indexing import (
    assign,
    is_whole,
    kept_key,
    refusal,
    select,
    slices_are_contiguous,
    slices_of,
)
from ..methods import METHODS, OperatorMethods
from ..op.dtypes import mx_dtype, torch_dtype
from ..op.schema import OpType, find
from ..runtime.context import Context, context_at, wait_for
from ..runtime.profiler import API, PROFILER, api_call, clock, span
from ..runtime.slow_path import SLOW_PATH
from ..runtime.storage import moved
from .arithmetic import Arithmetic
from .array_operators import AsType, CopyTo, Index, Overwrite
from .autograd import attach, backward
from .base_array import CLASSES
from .calls.dispatch import invoke
from .calls.fast_calls import call_one
from .chunk import ReadOnlyChunk, new_chunk
from .deferred_errors import is_failing
from .files import dumps_array, loads_array
from .functions import function_of
from .html import array_html
from .interop import Interchange, Number, numpy_of, tensor_from, written
from .modes import MODES
from .recording import STATE, recorded_write
from .reshaping import Reshaping
from .tape import Leaf, is_live, linked, step
from .wrapping import receive, view_of, viewed_as, wrap

__all__ = ["NDArray", "Number", "array_from_numpy", "numpy_of", "tensor_from"]


_COPY = CopyTo()
_TRANSPOSE = find("transpose")
_BLOCK_GRAD = find("BlockGrad").of({})
_as_type = functools.cache(AsType)
_ALL = slice(None)


class NDArray(Arithmetic, Reshaping, Interchange):
    """A multi-dimensional array of one element type on one context.

    Args:
        handle: the tensor that holds the numbers.
        writable: whether the array may be written to.

    Example:
        >>> x = mx.nd.array([[1, 2], [3, 4]])
        >>> x.T.asnumpy()
        array([[1., 3.],
               [2., 4.]], dtype=float32)
    """

    __slots__ = ()
    __array_priority__ = 1000.0
    _no_doors = None

    def __init__(self, handle: Tensor | ctypes.c_void_p | None, writable: bool = True) -> None:
        """An array over the memory of an ATen tensor, which must be contiguous.

        Args:
            handle: a tensor on the CPU or a GPU, or the handle of an array (`NDArrayHandle`);
                None: an array to call `__setstate__` on.
            writable: whether in-place operators work.
        """
        self._tracked = self._node = self._grad = None
        if handle is None:
            return
        if isinstance(handle, ctypes.c_void_p):
            of = object_of(handle, NDArray)
            self._raw, self._chunk = of._tensor, of._chunk
            return
        if not isinstance(handle, torch.Tensor):
            raise ArgumentTypeError(f"NDArray: a {type(handle).__name__} is no ATen tensor")
        if not handle.is_contiguous():
            raise ArgumentError("NDArray: the tensor must be contiguous")
        mx_dtype(handle.dtype)
        self._raw = handle.detach()
        kind = new_chunk if writable else ReadOnlyChunk
        self._chunk = kind(context_at(handle.device), foreign=True)

    # What it is ----------------------------------------------------------------------------------

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self._raw.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self._raw.shape)

    @property
    def dtype(self) -> Any:
        """Element type, as NumPy's scalar type (bfloat16: as MXNet's one-field dtype)."""
        return mx_dtype(self._raw.dtype).array_dtype

    @property
    def handle(self) -> ctypes.c_void_p | None:
        """What stands for it in C; None for an array without memory."""
        return handle_of(self) if hasattr(self, "_raw") else None

    _as_parameter_ = handle  # for ctypes

    @property
    def writable(self) -> bool:
        """Whether in-place operators work on it."""
        return self._chunk.writable

    @property
    def T(self) -> NDArray:  # noqa: N802 - MXNet's name
        """The array with its axes reversed: itself where it has fewer than two."""
        if self.ndim < 2:
            return self
        turned: NDArray = call_one(_TRANSPOSE.plain, self)
        return turned

    def _apply(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return function_of(name)(self, *args, **kwargs)

    # Values out ----------------------------------------------------------------------------------

    def asnumpy(self) -> np.ndarray[Any, Any]:
        """A NumPy array holding a copy of the values."""
        try:
            if PROFILER.api:
                with span("MXNDArraySyncCopyToCPU", API):
                    return numpy_of(self._tensor, copy=True)
            return numpy_of(self._tensor, copy=True)
        except Exception as error:
            leave(error)
            raise

    @door
    def asscalar(self) -> Any:
        """The value of an array of one element."""
        tensor = self._tensor
        if tensor.numel() != 1:
            raise ArgumentError(
                f"The current array is not a scalar: shape {self.shape}, where one element is "
                "expected; asnumpy() gives all, x[0, 0].asscalar() one, x.mean().asscalar() "
                "their mean"
            )
        kind = mx_dtype(tensor.dtype).numpy
        if PROFILER.api or kind is BFLOAT16 or tensor.is_cuda:
            return self.asnumpy().reshape(-1)[0]
        return kind.type(tensor.item())

    @door
    def __float__(self) -> float:
        return float(self._number("a number"))

    @door
    def __int__(self) -> int:
        return int(self._number("a number"))

    @door
    def __index__(self) -> int:
        if self._raw.dtype.is_floating_point:
            raise ArgumentTypeError("an array of floating-point numbers cannot be used as an index")
        return int(self._number("an index"))

    def _number(self, purpose: str) -> Any:
        if self.size != 1:
            raise ArgumentTypeError(f"an array of shape {self.shape} cannot be used as {purpose}")
        return self._tensor.item() if self.dtype == BFLOAT16 else self.asscalar()

    @door
    def __bool__(self) -> bool:
        if self.size == 1:
            return bool(self.asscalar())
        if self.size == 0:
            return False
        raise ArgumentError(
            f"The truth value of an {type(self).__name__} with multiple elements is ambiguous: "
            f"shape {self.shape}; (x > 0).sum().asscalar() counts, (x > 0).min().asscalar() "
            "says whether it holds for all"
        )

    __nonzero__ = __bool__

    @door
    def __len__(self) -> int:
        shape = self.shape
        if not shape:
            raise NoLengthError("len(): an array of shape () has no length")
        return shape[0]

    @door
    def __iter__(self) -> Iterator[NDArray]:
        if not self.shape:
            raise NoLengthError("iteration over a 0-d array")
        return map(self.__getitem__, range(len(self)))

    def __repr__(self) -> str:
        sizes = "x".join(map(str, self.shape))
        numbers = self.astype("float32") if self.dtype == BFLOAT16 else self
        return f"\n{numbers.asnumpy()}\n<{type(self).__name__} {sizes} @{self.context}>"

    def _repr_html_(self) -> str:
        return array_html(self)

    __hash__ = object.__hash__

    def __reduce__(self) -> Any:
        return NDArray, (None,), self.__getstate__()

    def __getstate__(self) -> dict[str, bytearray | None]:
        return {"handle": dumps_array(self) if hasattr(self, "_raw") else None}

    def __setstate__(self, state: dict[str, bytearray | None]) -> None:
        if state["handle"] is not None:
            made = loads_array(state["handle"])
            self._raw, self._chunk = made._raw, made._chunk

    @door
    @api_call("MXNDArrayWaitToRead")
    def wait_to_read(self) -> None:
        """Returns when its value is there, raising what went wrong on the way to it."""
        if self._tensor.is_cuda:
            wait_for(self.context)

    # Copies, casts, moves ------------------------------------------------------------------------

    @door
    def astype(self, dtype: Any, copy: bool = True) -> NDArray:
        """The array with elements of `dtype`; itself when it has it already and `copy` is off."""
        wanted = torch_dtype("float32" if dtype is None else dtype)
        if not copy and wanted is self._tensor.dtype:
            return self
        cast: NDArray = call_one(_as_type(wanted), self)
        return cast

    def copy(self) -> NDArray:
        """A copy on the same context."""
        copied: NDArray = call_one(_COPY, self)
        return copied

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> NDArray:
        return self.copy()

    @door
    def copyto(self, other: NDArray | Context) -> NDArray | Any:
        """Writes its values into `other`, or copies it to a context; returns the copy.

        An array is not copied to itself: that is warned of, and the result is False.
        """
        if isinstance(other, Context):
            moved: NDArray = invoke(_COPY, (self,), context=other)
            return moved
        if not isinstance(other, NDArray):
            raise ArgumentTypeError(f"copyto: a {type(other).__name__} is no array and no context")
        if other is self:
            warn_user("copyto: an array is copied to itself", RuntimeWarning)
            return False
        if STATE.recording and other.shape == self.shape and other._set_recorded(_ALL, self):
            return other
        start = clock() if PROFILER.running else 0
        receive(other, self._tensor, "copyto")
        if start:
            PROFILER.ran("_copyto", start, other.context)
        return other

    @door
    def as_in_context(self, context: Context) -> NDArray:
        """Itself when it is on `context`, else a copy there."""
        if context == self.context:
            return self
        if not isinstance(context, Context):
            raise ArgumentTypeError(f"as_in_context: a {type(context).__name__} is no context")
        return cast(NDArray, self.copyto(context))

    as_in_ctx = as_in_context

    def as_nd_ndarray(self) -> NDArray:
        """Itself."""
        return self

    def detach(self) -> NDArray:
        """An array of the same memory that gradients do not flow through."""
        detached: NDArray = view_of(self, self._tensor)
        return detached

    @door
    def tostype(self, stype: str) -> NDArray:
        """The array stored as `stype`: default, csr or row_sparse."""
        if stype == self.stype == "default":
            return self.copy()
        if stype == "csr" and self.ndim != 2:
            raise ArgumentError(f"tostype: a csr array has 2 dimensions, shape={self.shape}")
        if stype == self.stype:
            return self
        cast: NDArray = invoke(find("cast_storage").of({"stype": stype}), (self,))
        return cast

    def as_np_ndarray(self) -> NDArray:
        """The same array with NumPy's semantics: `mx.np.ndarray`."""
        cls: Any = CLASSES["numpy"]
        array: NDArray = viewed_as(self, cls)
        return array

    # Views ---------------------------------------------------------------------------------------

    _basic_indexing_slice_is_contiguous = staticmethod(slices_are_contiguous)

    def __getitem__(self, key: Any) -> NDArray:
        try:
            recorded = self._tracked is not None and STATE.recording
            if SLOW_PATH and is_failing(self):
                return view_of(self, select(self._raw, key)[0])
            seen = recorded or bool(SLOW_PATH and MODES)
            if type(key) is slice and (key.step is None or key.step == 1):
                if key.start is key.stop is None:
                    return self
                if not seen:
                    try:  # rows are always contiguous
                        return view_of(self, self._tensor[key])
                    except (IndexError, TypeError) as error:
                        raise refusal(error, self._raw) from None
            elif type(key) is tuple and not key:
                return self
            tensor, is_view = select(self._tensor, key)
            if seen:
                op = _index_of(self, key, tensor)
                selected: NDArray = invoke(op, (self,), is_view=is_view)
            else:
                selected = (
                    view_of(self, tensor) if is_view else wrap(tensor, self.context, type(self))
                )
            if STATE.recording and not is_view:
                _keep_indices(selected, self, key)
            return selected
        except Exception as error:
            leave(error)
            raise

    def __setitem__(self, key: Any, value: Any) -> None:
        try:
            if STATE.recording and self._set_recorded(key, value):
                return
            start = clock() if PROFILER.running else 0
            assign(self._target, key, written(value, self._raw))
            if start:
                PROFILER.ran("_slice_assign", start, self._chunk.context)
        except Exception as error:
            leave(error)
            raise

    def _set_recorded(self, key: Any, value: Any) -> bool:
        """Writes a recorded value over all elements, so that gradients flow to it.

        Returns whether it did: values that nothing was recorded of are written as usual, as are
        those of a NumPy array that overwrites all, which MXNet does not notice.
        """
        source = linked((value,)) if isinstance(value, NDArray) else None
        if (source is None and not is_live(self)) or not self._raw.numel():
            return False
        whole = is_whole(self._tensor, key)
        if whole and (value is self or isinstance(value, np.ndarray)):
            return False
        if source is None or is_live(self) or not whole:
            raise recorded_write()
        result: NDArray = invoke(Overwrite(self._raw.dtype, self._raw.shape, key), (value,))
        self._target.copy_(result._value)
        self._tracked, self._node = result._tracked, result._node
        return True

    def slice_assign(self, rhs: NDArray, begin: Any, end: Any, step: Any) -> NDArray:
        """Writes `rhs` into a slice of itself."""
        self[slices_of(begin, end, step)] = rhs
        return self

    def slice_assign_scalar(self, value: float, begin: Any, end: Any, step: Any) -> NDArray:
        """Writes `value` into a slice of itself."""
        self[slices_of(begin, end, step)] = value
        return self

    # Gradients -----------------------------------------------------------------------------------

    @property
    def grad(self) -> NDArray | Any:
        """The array that its gradient goes to.

        None without `attach_grad`, and with grad_req null after a backward pass.
        """
        gradient: NDArray | None = self._grad
        node = self._node
        if gradient is not None and type(node) is Leaf and node.grad_req == "null":
            return None if node.is_fresh else gradient
        return gradient

    @property
    def _fresh_grad(self) -> bool:
        """Whether a backward pass has written its gradient since this was last set to False."""
        return isinstance(self._node, Leaf) and self._node.is_fresh

    @_fresh_grad.setter
    def _fresh_grad(self, state: bool) -> None:
        if not isinstance(self._node, Leaf):
            raise MXNetError("_fresh_grad: the array has no gradient; call attach_grad() first")
        self._node.is_fresh = bool(state)

    @door
    def attach_grad(self, grad_req: str = "write", stype: str | None = None) -> None:
        """Makes it a leaf: gradients of what is computed from it go to `grad`.

        Args:
            grad_req: null, write or add.
            stype: storage type of `grad`; default: dense.
        """
        zeros = wrap(torch.zeros_like(self._tensor), self.context, type(self))
        attach(self, zeros if stype is None else zeros.tostype(stype), grad_req)

    @door
    def backward(
        self, out_grad: NDArray | None = None, retain_graph: bool = False, train_mode: bool = True
    ) -> None:
        """Computes gradients of itself into the leaves it was computed from.

        Args:
            out_grad: its gradient; default: ones.
            retain_graph: keep what another backward through the same graph needs.
            train_mode: what `is_training` says to functions that run meanwhile.
        """
        backward(self, out_grad, retain_graph, train_mode)


def _keep_indices(selected: NDArray, source: NDArray, key: Any) -> None:
    """Puts a selection behind the recorded arrays of its key: zeros are what they get from it."""
    parts = key if type(key) is tuple else (key,)
    indices = [p for p in parts if isinstance(p, NDArray) and p.ndim and is_live(p)]
    if not indices:
        return
    if selected._node is None:
        selected._node = step(_index_of(source, key, selected), (source,))
        selected._tracked = selected._raw.data
    levels = [step(_BLOCK_GRAD, (index,)) for index in indices]
    selected._node.inputs = (*selected._node.inputs, *levels)


def _index_of(source: NDArray, key: Any, selected: NDArray | Tensor) -> Index:
    return Index(key, kept_key(key), source.shape, tuple(selected.shape))


CLASSES["default"] = NDArray


def _quick(name: str, type_: OpType) -> Callable[..., Any]:
    """The method of an operator of one array; parameters that are given by name need no sorting."""
    unsorted = frozenset([*type_.signature.inputs, "out", "name"])

    @functools.wraps(vars(OperatorMethods)[name])
    def method(self: NDArray, *args: Any, **kwargs: Any) -> Any:
        try:
            if args:
                return self._apply(name, args, kwargs)
            if not kwargs:
                return call_one(type_.plain, self)
            if unsorted.isdisjoint(kwargs):
                return call_one(type_.of(kwargs), self)
            return self._apply(name, args, kwargs)
        except Exception as error:
            leave(error)
            raise

    return method


for _name, _type in METHODS.items():
    _takes_one = len(_type.signature.inputs) == 1 and _type.signature.variadic is None
    if _takes_one and getattr(NDArray, _name) is getattr(OperatorMethods, _name):
        setattr(NDArray, _name, _quick(_name, _type))


def array_from_numpy(values: np.ndarray[Any, Any], context: Context) -> NDArray:
    """An array that takes over `values`: shares their memory on a CPU context when it can."""
    array: NDArray = wrap(moved(tensor_from(values), context), context)
    return array
