# SPDX-License-Identifier: Apache-2.0
"""Python's operators on arrays: ``a + b``, ``a += 1``, ``a < b``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, SupportsFloat, cast

from torch import is_grad_enabled

from ..base.errors import ArgumentError, ArgumentTypeError, MXNetError
from ..op.dtypes import dtype_name
from ..op.gradient import recorded
from ..op.record import Op, find
from ..runtime.profiler import PROFILER
from .accept import refuse
from .array import NDArray, recorded_write, wrap, wrap_recorded
from .exchange import Number
from .invoke import invoke
from .recording import STATE
from .tape import linked, step

__all__: list[str] = []


def _binary(name: str, broadcast: str, scalar: str, reflected: bool = False) -> Callable[..., Any]:
    """The method for ``self <op> other``, `other` an array or a number."""
    op, scalar_type = find(broadcast).of({}), find(scalar)
    forward = op.forward

    def method(self: NDArray, other: Any) -> Any:
        if isinstance(other, NDArray):
            if PROFILER.running:
                return invoke(op, (self, other))
            if STATE.recording and (self._tracked is not None or other._tracked is not None):
                return _recorded_binary(op, self, other)
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
            try:
                return self._derived(scalar_op.forward, scalar_op)
            except RuntimeError as error:
                refuse(scalar_op, (self._tensor,), error)
        raise ArgumentTypeError(f"{name}: an array and a {type(other).__name__}")

    method.__name__ = method.__qualname__ = name
    return method


def _recorded_binary(op: Op, array: NDArray, other: NDArray) -> Any:
    """`invoke` for two dense arrays while recording, in half the time."""
    if other.stype != "default" or not is_grad_enabled():
        return invoke(op, (array, other))
    inputs = linked((array, other))
    if inputs is None:
        return invoke(op, (array, other))
    a, b = inputs
    if a.dtype is not b.dtype:
        refuse(op, inputs, TypeError("element types differ"))
    try:
        result = recorded(op)(a, b)
    except RuntimeError as error:
        refuse(op, inputs, error)
    return wrap_recorded(result, array._chunk.context, step(op, (array, other)))


def _in_place(name: str, binary: Callable[..., Any]) -> Callable[..., Any]:
    """The method for ``self <op>= other``; the element type stays."""

    def method(self: NDArray, other: Any) -> Any:
        self._refuse_if_recorded()
        if not self._chunk.writable:
            raise ArgumentError(f"{name}: the array is read-only")
        result = binary(self, other)
        if result._tracked is not None:
            raise recorded_write()
        if result._raw.dtype is not self._raw.dtype:
            given, wanted = dtype_name(result._raw.dtype), dtype_name(self._raw.dtype)
            raise MXNetError(f"{name}: elements of {given} do not fit into an array of {wanted}")
        self._receive(result._tensor, name)
        return self

    method.__name__ = method.__qualname__ = name
    return method


def _unary(name: str, operator: str, **attrs: Any) -> Callable[..., Any]:
    op = find(operator).of(attrs)

    def method(self: NDArray) -> NDArray:
        try:
            return self._derived(op.forward, op)
        except RuntimeError as error:
            refuse(op, (self._tensor,), error)

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
