# SPDX-License-Identifier: Apache-2.0
"""Shorter ways of `invoke`, made of an operator's record, for calls without anything unusual.

Each gives what `invoke` gives, and calls it where a call is out of the ordinary.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, is_grad_enabled

from ..op.gradient import recorded
from ..op.record import Op, OpType
from ..runtime.attention import ATTENTION
from .base_array import BaseArray
from .chunk import Chunk
from .dispatch import ACCEPTED_LIMIT, Plan, invoke
from .recording import STATE
from .tape import link_of, step
from .wrapping import owned, wrap, wrap_recorded

__all__ = ["alone", "of_one", "pairwise", "with_number"]

_new = object.__new__


class _Passed(set[torch.dtype]):
    """Element types that an operator's rules have passed."""

    def after(self, op: Op, *arrays: BaseArray) -> Any:
        """`invoke`; with its rules it passes the inputs' element type."""
        result = invoke(op, arrays)
        self.add(arrays[0]._raw.dtype)
        return result


def pairwise(type_: OpType, otherwise: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """``invoke(type_.plain, (a, b))`` of an operator without parameters, for dense arrays.

    Where nothing is out of the ordinary it runs the forward straight away, in a third of the time;
    the forward must refuse shapes that the operator's rules refuse, and give new tensors.

    Args:
        type_: the operator.
        otherwise: what is called where the second is no array.
    """
    passed = _Passed()

    def call(self: BaseArray, other: Any) -> Any:
        cls = type(self)
        if type(other) is not cls or ATTENTION:
            if isinstance(other, BaseArray):
                return invoke(type_.plain, (self, other))
            return otherwise(self, other)
        x, y = self._raw, other._raw
        dtype = x.dtype
        if dtype is not y.dtype or dtype not in passed:
            return passed.after(type_.plain, self, other)
        if (self._tracked is None and other._tracked is None) or not STATE.recording:
            try:
                result = type_.plain.forward(x, y)
            except Exception:  # noqa: BLE001 - invoke words it
                return invoke(type_.plain, (self, other))
            # What `wrap` does, in half its time: a tenth of the whole.
            chunk = _new(Chunk)
            chunk.context, chunk.foreign, chunk._var = self._chunk.context, False, None
            array = _new(cls)
            array._raw, array._chunk = result, chunk
            array._tracked = array._node = array._grad = None
            return array
        return recorded_pair(self, other)

    def recorded_pair(self: BaseArray, other: BaseArray) -> Any:
        x, y, op = link_of(self), link_of(other), type_.plain
        if x is None or y is None or not self._raw.is_floating_point() or not is_grad_enabled():
            return invoke(op, (self, other))
        try:
            result = recorded(op)(x, y)
        except Exception:  # noqa: BLE001 - invoke words it
            return invoke(op, (self, other))
        return wrap_recorded(result, self._chunk.context, step(op, (self, other)), type(self))

    return call


_UNSEEN: Any = object()


def of_one(op: Op, array: BaseArray) -> Any:
    """``invoke(op, (array,))``; straight away where nothing is out of the ordinary."""
    plan: Plan | None = op.structure.plan
    if plan is None or ATTENTION:
        return invoke(op, (array,))
    cls, value = type(array), array._raw
    key = (cls, value.dtype) if plan.any_shape else (cls, value.dtype, value.shape)
    kernel = plan.readily.get(key, _UNSEEN)
    if kernel is _UNSEEN:
        return _after_rules(op, plan, key, array)
    if array._tracked is not None and STATE.recording:
        return _recorded_of_one(op, array)
    try:
        result = (kernel or op.forward)(value)
    except Exception:  # noqa: BLE001 - invoke words it
        return invoke(op, (array,))
    if type(result) is not Tensor or result is value:
        return invoke(op, (array,))
    if result._base is not None or not result.is_contiguous():
        result = owned(result, (value,))
    chunk = _new(Chunk)  # as in `pairwise`
    chunk.context, chunk.foreign, chunk._var = array._chunk.context, False, None
    made = _new(cls)
    made._raw, made._chunk = result, chunk
    made._tracked = made._node = made._grad = None
    return made


def _after_rules(op: Op, plan: Plan, key: Any, array: BaseArray) -> Any:
    """`invoke`; with its rules it passes arrays of this `key`."""
    result = invoke(op, (array,))
    if plan.is_simple and array.stype == "default":
        if len(plan.readily) > ACCEPTED_LIMIT:
            plan.readily.clear()
        is_real = array._raw.dtype.is_floating_point
        plan.readily[key] = getattr(op.forward, "of_floats", None) if is_real else None
    return result


def _recorded_of_one(op: Op, array: BaseArray) -> Any:
    link = link_of(array)
    if link is None or link.dtype is not array._raw.dtype or not is_grad_enabled():
        return invoke(op, (array,))
    try:
        result = recorded(op)(link)
    except Exception:  # noqa: BLE001 - invoke words it
        return invoke(op, (array,))
    if type(result) is not Tensor or result is link or not result.is_floating_point():
        return invoke(op, (array,))
    if result._base is not None or not result.is_contiguous():
        result = owned(result, (link,))
    return wrap_recorded(result, array._chunk.context, step(op, (array,)), type(array))


def alone(type_: OpType) -> Callable[[Any], Any]:
    """``invoke(type_.plain, (array,))`` of an operator without parameters; see `pairwise`."""
    passed = _Passed()

    def call(array: BaseArray) -> Any:
        value = array._raw
        if ATTENTION or (array._tracked is not None and STATE.recording):
            return invoke(type_.plain, (array,))
        if value.dtype not in passed:
            return passed.after(type_.plain, array)
        try:
            result = type_.plain.forward(value)
        except Exception:  # noqa: BLE001 - invoke words it
            return invoke(type_.plain, (array,))
        return wrap(result, array._chunk.context, type(array))

    return call


def with_number(type_: OpType, **settings: Any) -> Callable[[Any, float], Any]:
    """``invoke`` of an operator on an array and its parameter `scalar`; see `pairwise`.

    Args:
        type_: the operator.
        settings: its other parameters.
    """
    passed = _Passed()

    def call(array: BaseArray, number: float) -> Any:
        value = array._raw
        if ATTENTION or (array._tracked is not None and STATE.recording):
            return invoke(type_.of({"scalar": number, **settings}), (array,))
        if value.dtype not in passed:
            return passed.after(type_.of({"scalar": number, **settings}), array)
        try:
            result = type_.function(value, scalar=number, **settings)
        except Exception:  # noqa: BLE001 - invoke words it
            return invoke(type_.of({"scalar": number, **settings}), (array,))
        return wrap(result, array._chunk.context, type(array))

    return call
