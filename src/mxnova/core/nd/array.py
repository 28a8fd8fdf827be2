# SPDX-License-Identifier: Apache-2.0
"""NDArray: a dense array on a context. Views share their chunk, and writes are seen both ways."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, SupportsFloat, cast

import numpy as np
import torch
from torch import Tensor

from ..base.dtypes import BFLOAT16
from ..base.errors import ArgumentTypeError, MXNetError
from ..base.shapes import shape_text
from ..methods import OperatorMethods
from ..op import library  # noqa: F401 - registers the operators
from ..op.dtypes import dtype_name, mx_dtype, torch_dtype
from ..op.operator import find
from ..runtime.context import Context, context_of
from .accept import check, owned, refuse
from .chunk import Chunk
from .indexing import assign, select
from .recording import STATE

__all__ = ["NDArray", "array_from_numpy", "numpy_of", "tensor_from", "wrap", "wrap_recorded"]

Number = (int, float, np.generic)


def wrap(tensor: Tensor, context: Context) -> NDArray:
    """The array of a tensor that nobody else writes to."""
    array: NDArray = _new(NDArray)
    array._tensor = tensor
    array._chunk = Chunk(context)
    array._tracked = array._grad = None
    return array


def wrap_recorded(result: Tensor, context: Context, linked: bool = True) -> NDArray:
    """The array of a recorded operator's result, which keeps its graph.

    A result that gradients do not flow through is `linked` too where its inputs were: it has the
    gradient zero, instead of none.
    """
    array = wrap(result.data, context)
    if linked or result.requires_grad:
        array._tracked = result
    return array


_new = object.__new__


class NDArray(OperatorMethods):
    """A multi-dimensional array of one element type on one context."""

    __slots__ = ("__weakref__", "_chunk", "_grad", "_tensor", "_tracked")
    __array_priority__ = 1000.0
    stype = "default"

    _tensor: Tensor
    _chunk: Chunk
    _tracked: Tensor | None  # what gradients flow through, see autograd
    _grad: NDArray | None

    def __init__(self, handle: Tensor, writable: bool = True) -> None:
        """An array over the memory of an ATen tensor on the CPU or a GPU."""
        name = "gpu" if handle.is_cuda else "cpu"
        self._tensor = handle.detach()
        self._chunk = Chunk(context_of(f"{name}({handle.device.index or 0})"), foreign=True)
        self._tracked = self._grad = None

    # What it is ----------------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes of its axes."""
        return tuple(self._tensor.shape)

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return self._tensor.dim()

    @property
    def size(self) -> int:
        """Number of elements."""
        return self._tensor.numel()

    @property
    def dtype(self) -> Any:
        """Element type, as NumPy's scalar type (bfloat16: as MXNet's one-field dtype)."""
        dtype = mx_dtype(self._tensor.dtype).numpy
        return dtype if dtype is BFLOAT16 else dtype.type

    @property
    def context(self) -> Context:
        """Where it lives."""
        return self._chunk.context

    ctx = context

    @property
    def T(self) -> NDArray:  # noqa: N802 - MXNet's name
        """The array with its axes reversed."""
        return self._derived(_transpose.forward)

    def _apply(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        from .functions import function_of

        return function_of(name)(self, *args, **kwargs)

    # Values out ----------------------------------------------------------------------------------

    def asnumpy(self) -> np.ndarray[Any, Any]:
        """A NumPy array holding a copy of the values."""
        return numpy_of(self._tensor, copy=True)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return self.asnumpy() if dtype is None else self.asnumpy().astype(dtype, copy=False)

    def asscalar(self) -> Any:
        """The value of an array of one element."""
        if self.size != 1:
            raise ValueError(f"an array of shape {self.shape} is not a scalar")
        return self.asnumpy().reshape(-1)[0]

    def __float__(self) -> float:
        return float(self.asscalar())

    def __int__(self) -> int:
        return int(self.asscalar())

    def __index__(self) -> int:
        if self.size == 1 and not self._tensor.is_floating_point():
            return int(self.asscalar())
        raise TypeError("only an integer array of one element can be used as an index")

    def __bool__(self) -> bool:
        if self.size == 1:
            return bool(self.asscalar())
        if self.size == 0:
            return False
        raise ValueError("The truth value of an NDArray with multiple elements is ambiguous.")

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator[NDArray]:
        for i in range(len(self)):
            yield self[i]

    def __repr__(self) -> str:
        sizes = "x".join(map(str, self.shape))
        return f"\n{self.asnumpy()}\n<{type(self).__name__} {sizes} @{self.context}>"

    __hash__ = object.__hash__

    def __reduce__(self) -> Any:
        return _unpickled, (self.asnumpy(), str(self.context))

    def wait_to_read(self) -> None:
        """Returns when its value is there, raising what went wrong on the way to it."""
        if self._tensor.is_cuda:
            torch.cuda.synchronize(self._tensor.device)

    # Copies, casts, moves ------------------------------------------------------------------------

    def astype(self, dtype: Any, copy: bool = True) -> NDArray:
        """The array with elements of `dtype`; itself when it has it already and `copy` is off."""
        wanted = torch_dtype(dtype)
        if not copy and wanted is self._tensor.dtype:
            return self
        return self._derived(lambda tensor: tensor.to(wanted, copy=True))

    def copy(self) -> NDArray:
        """A copy on the same context."""
        return self._derived(torch.clone)

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> NDArray:
        return self.copy()

    def copyto(self, other: NDArray | Context) -> NDArray:
        """Writes its values into `other`, or copies it to a context; returns the copy."""
        if isinstance(other, Context):
            moved = self._derived(lambda tensor: tensor.to(other.device, copy=True))
            moved._chunk = Chunk(other)
            return moved
        if other is self:
            return other
        other._receive(self._tensor, "copyto")
        return other

    def as_in_context(self, context: Context) -> NDArray:
        """Itself when it is on `context`, else a copy there."""
        return self if context == self.context else self.copyto(context)

    as_in_ctx = as_in_context

    def as_nd_ndarray(self) -> NDArray:
        """Itself."""
        return self

    def detach(self) -> NDArray:
        """An array of the same memory that gradients do not flow through."""
        return self._view(self._tensor)

    def tostype(self, stype: str) -> NDArray:
        """The array stored as `stype`: default, csr or row_sparse."""
        from .sparse import cast_storage

        return cast_storage(self, stype)

    def to_torch(self) -> Tensor:
        """An ATen tensor of the same memory."""
        self._chunk.foreign = True
        return self._tensor

    # Views ---------------------------------------------------------------------------------------

    def _view(self, tensor: Tensor) -> NDArray:
        array: NDArray = _new(NDArray)
        array._tensor = tensor
        array._chunk = self._chunk
        array._tracked = array._grad = None
        return array

    @property
    def _is_recorded(self) -> bool:
        return self._tracked is not None and STATE.recording

    def _derived(self, function: Callable[[Tensor], Tensor], view: bool = False) -> NDArray:
        """The array of ``function(tensor)``, recorded where recording is on."""
        if self._tracked is None or not STATE.recording:
            result = function(self._tensor)
            if view:
                return self._view(result)
            return wrap(owned(result, [self._tensor]), self._chunk.context)
        with torch.enable_grad():
            tracked = function(self._tracked)
            if not view:
                tracked = owned(tracked, [self._tracked])
        array = wrap_recorded(tracked, self._chunk.context)
        if view:
            array._chunk = self._chunk
        return array

    def reshape(self, *shape: Any, **kwargs: Any) -> NDArray:
        """The same elements in another shape; shares memory.

        Args:
            shape: sizes; 0 keeps an axis, -1 is deduced, -2 to -4 as operator Reshape says.
            kwargs: shape=, reverse= as operator Reshape has them.
        """
        if len(shape) == 1 and isinstance(shape[0], (tuple, list)):
            shape = tuple(shape[0])
        shape = shape or tuple(kwargs.pop("shape", ()))
        plain = not kwargs and all(type(d) is int and d > 0 for d in shape)
        if plain and torch.Size(shape).numel() == self._tensor.numel():
            return self._derived(lambda tensor: tensor.reshape(shape), view=True)
        op = find("Reshape").of({"shape": shape, **kwargs})
        check(op, [self._tensor])
        return self._derived(op.forward, view=True)

    def __getitem__(self, key: Any) -> NDArray:
        if self._tracked is not None and STATE.recording:
            _, is_view = select(self._tensor, key)
            return self._derived(lambda tensor: select(tensor, key)[0], view=is_view)
        if type(key) is slice and key.step is None:  # rows: always together in memory
            return self._view(self._tensor[key])
        tensor, is_view = select(self._tensor, key)
        return self._view(tensor) if is_view else wrap(tensor, self.context)

    def __setitem__(self, key: Any, value: Any) -> None:
        self._refuse_if_recorded()
        assign(self._tensor, key, _operand(value, self._tensor))

    def slice_assign(self, rhs: NDArray, begin: Any, end: Any, step: Any) -> NDArray:
        """Writes `rhs` into a slice of itself."""
        self[_slices(begin, end, step)] = rhs
        return self

    def slice_assign_scalar(self, value: float, begin: Any, end: Any, step: Any) -> NDArray:
        """Writes `value` into a slice of itself."""
        self[_slices(begin, end, step)] = value
        return self

    def _refuse_if_recorded(self) -> None:
        if self._is_recorded:
            raise MXNetError(
                "an array that autograd has recorded cannot be written to while recording; "
                "write to a copy, or inside autograd.pause()"
            )

    # Gradients -----------------------------------------------------------------------------------

    @property
    def grad(self) -> NDArray | None:
        """The array that its gradient goes to; None without `attach_grad`."""
        return self._grad

    def attach_grad(self, grad_req: str = "write", stype: str | None = None) -> None:
        """Makes it a leaf: gradients of what is computed from it go to `grad`.

        Args:
            grad_req: null, write or add.
            stype: storage type of `grad`; default: dense.
        """
        from .autograd import attach

        zeros = wrap(torch.zeros_like(self._tensor), self.context)
        attach(self, zeros if stype is None else zeros.tostype(stype), grad_req)

    def backward(
        self, out_grad: NDArray | None = None, retain_graph: bool = False, train_mode: bool = True
    ) -> None:
        """Computes gradients of itself into the leaves it was computed from.

        Args:
            out_grad: its gradient; default: ones.
            retain_graph: keep what another backward through the same graph needs.
            train_mode: as in MXNet; the recorded pass decides.
        """
        from .autograd import backward

        backward([self], None if out_grad is None else [out_grad], retain_graph, train_mode)

    def _receive(self, values: Tensor, giver: str) -> None:
        """Takes the values of a result; shapes must be equal, the element type stays."""
        mine = self._tensor
        if values is mine:
            return
        if values.shape != mine.shape:
            raise MXNetError(
                f"{giver}: out has shape {shape_text(tuple(mine.shape))}, "
                f"the result {shape_text(tuple(values.shape))}"
            )
        mine.copy_(values)


def _slices(begin: Any, end: Any, step: Any) -> tuple[slice, ...]:
    steps = step or (None,) * len(begin)
    return tuple(slice(b, e, s) for b, e, s in zip(begin, end, steps, strict=True))


# Arithmetic ---------------------------------------------------------------------------------------


def _binary(name: str, broadcast: str, scalar: str, reflected: bool = False) -> Callable[..., Any]:
    """The method for ``self <op> other``, `other` an array or a number."""
    op, scalar_type = find(broadcast).of({}), find(scalar)
    forward = op.forward

    def method(self: NDArray, other: Any) -> Any:
        if isinstance(other, NDArray):
            if STATE.recording and (self._tracked is not None or other._tracked is not None):
                return self._apply(broadcast, (other,), {})
            a, b = self._tensor, other._tensor
            if a.dtype is not b.dtype:
                refuse(op, (a, b), TypeError("element types differ"))
            try:
                result = forward(a, b)
            except RuntimeError as error:
                refuse(op, (a, b), error)
            return wrap(result, self._chunk.context)
        if isinstance(other, Number):
            scalar_op = scalar_type.of({"scalar": float(cast(SupportsFloat, other))})
            return self._derived(scalar_op.forward)
        return NotImplemented

    method.__name__ = method.__qualname__ = name
    return method


def _in_place(name: str, binary: Callable[..., Any]) -> Callable[..., Any]:
    """The method for ``self <op>= other``; the element type stays."""

    def method(self: NDArray, other: Any) -> Any:
        self._refuse_if_recorded()
        result = binary(self, other)
        if result is NotImplemented:
            return result
        self._receive(result._tensor, name)
        return self

    method.__name__ = method.__qualname__ = name
    return method


def _unary(name: str, operator: str, **attrs: Any) -> Callable[..., Any]:
    op = find(operator).of(attrs)

    def method(self: NDArray) -> NDArray:
        return self._derived(op.forward)

    method.__name__ = method.__qualname__ = name
    return method


# fmt: off
_ARITHMETIC = [  # method, on two arrays, with a number
    ("__add__",      "broadcast_add",           "_plus_scalar"),
    ("__radd__",     "broadcast_add",           "_plus_scalar"),
    ("__sub__",      "broadcast_sub",           "_minus_scalar"),
    ("__rsub__",     "broadcast_sub",           "_rminus_scalar"),
    ("__mul__",      "broadcast_mul",           "_mul_scalar"),
    ("__rmul__",     "broadcast_mul",           "_mul_scalar"),
    ("__truediv__",  "broadcast_div",           "_div_scalar"),
    ("__rtruediv__", "broadcast_div",           "_rdiv_scalar"),
    ("__div__",      "broadcast_div",           "_div_scalar"),
    ("__rdiv__",     "broadcast_div",           "_rdiv_scalar"),
    ("__mod__",      "broadcast_mod",           "_mod_scalar"),
    ("__rmod__",     "broadcast_mod",           "_rmod_scalar"),
    ("__pow__",      "broadcast_power",         "_power_scalar"),
    ("__rpow__",     "broadcast_power",         "_rpower_scalar"),
    ("__eq__",       "broadcast_equal",         "_equal_scalar"),
    ("__ne__",       "broadcast_not_equal",     "_not_equal_scalar"),
    ("__gt__",       "broadcast_greater",       "_greater_scalar"),
    ("__ge__",       "broadcast_greater_equal", "_greater_equal_scalar"),
    ("__lt__",       "broadcast_lesser",        "_lesser_scalar"),
    ("__le__",       "broadcast_lesser_equal",  "_lesser_equal_scalar"),
]
# fmt: on
_IN_PLACE = ("add", "sub", "mul", "truediv", "div", "mod")

for _name, _broadcast, _scalar in _ARITHMETIC:
    setattr(NDArray, _name, _binary(_name, _broadcast, _scalar))
for _name in _IN_PLACE:
    setattr(NDArray, f"__i{_name}__", _in_place(f"__i{_name}__", vars(NDArray)[f"__{_name}__"]))
NDArray.__neg__ = _unary("__neg__", "negative")  # type: ignore[operator]
NDArray.__abs__ = _unary("__abs__", "abs")  # type: ignore[attr-defined]
NDArray.__nonzero__ = NDArray.__bool__  # type: ignore[attr-defined]
_transpose = find("transpose").of({})


# NumPy -------------------------------------------------------------------------------------------


def numpy_of(tensor: Tensor, copy: bool) -> np.ndarray[Any, Any]:
    """The values of a tensor as a NumPy array; without `copy` it shares CPU memory."""
    tensor = tensor.detach()
    if tensor.dtype is torch.bfloat16:
        values: np.ndarray[Any, Any] = tensor.contiguous().view(torch.uint16).cpu().numpy()
        values = values.view(BFLOAT16)
    else:
        values = tensor.cpu().numpy()
    return values.copy(order="C") if copy and not tensor.is_cuda else values


def array_from_numpy(values: np.ndarray[Any, Any], context: Context) -> NDArray:
    """An array that takes over `values`: shares their memory on a CPU context when it can."""
    return wrap(tensor_from(values).to(context.device), context)


def tensor_from(values: np.ndarray[Any, Any]) -> Tensor:
    """An ATen tensor over the memory of a NumPy array, copied only where ATen cannot view it."""
    if not values.flags.writeable or any(s < 0 for s in values.strides):
        values = values.copy()
    if not values.dtype.isnative:
        values = values.astype(values.dtype.newbyteorder("="))
    if values.dtype == BFLOAT16:
        return torch.from_numpy(values.view(np.uint16)).view(torch.bfloat16)
    return torch.from_numpy(values)


def _unpickled(values: np.ndarray[Any, Any], context: str) -> NDArray:
    return array_from_numpy(values, context_of(context))


def _operand(value: Any, like: Tensor) -> Any:
    """What `assign` writes: a number as it is, anything else as a tensor."""
    if isinstance(value, NDArray):
        return value._tensor
    if isinstance(value, (bool, *Number)):
        return value
    try:
        values = np.asarray(value)
        return tensor_from(values if values.flags.writeable else values.copy()).to(like.device)
    except TypeError:
        raise ArgumentTypeError(
            f"NDArray: cannot write a {type(value).__name__} into {dtype_name(like.dtype)} elements"
        ) from None
