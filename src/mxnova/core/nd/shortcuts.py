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
from .tape import flow_of, linked, step
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
        links = linked((self, other))
        if links is None or not dtype.is_floating_point or not is_grad_enabled():
            return invoke(type_.plain, (self, other))
        try:
            result = recorded(type_.plain)(*links)
        except Exception:  # noqa: BLE001 - invoke words it
            return invoke(type_.plain, (self, other))
        return wrap_recorded(result, self._chunk.context, step(type_.plain, (self, other)), cls)

    return call


def of_one(op: Op, array: BaseArray) -> Any:
    """``invoke(op, (array,))``; straight away where nothing is out of the ordinary."""
    plan: Plan | None = op.structure.plan
    if plan is None or ATTENTION:
        return invoke(op, (array,))
    value = array._raw
    key = (type(array), value.dtype) if op.pointwise else (type(array), value.dtype, value.shape)
    if key not in plan.readily:
        result = invoke(op, (array,))
        if plan.is_simple and array.stype == "default":
            if len(plan.readily) > ACCEPTED_LIMIT:
                plan.readily.clear()
            plan.readily.add(key)
        return result
    if array._tracked is not None and STATE.recording:
        link = flow_of(array)
        if link is None or link.dtype is not value.dtype or not is_grad_enabled():
            return invoke(op, (array,))
        result = _tried(recorded(op), link)
        if result is None or not result.is_floating_point():
            return invoke(op, (array,))
        node = step(op, (array,))
        return wrap_recorded(result, array._chunk.context, node, type(array))
    result = _tried(op.forward, value)
    if result is None:
        return invoke(op, (array,))
    return wrap(result, array._chunk.context, type(array))


def _tried(run: Callable[..., Any], value: Tensor) -> Tensor | None:
    """The output of an operator of one input; None where it raises, or is not as it should be."""
    try:
        result = run(value)
    except Exception:  # noqa: BLE001 - invoke words it
        return None
    if result is value or type(result) is not Tensor:
        return None
    if result._base is not None or not result.is_contiguous():
        return owned(result, (value,))
    return result


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
