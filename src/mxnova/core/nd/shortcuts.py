# SPDX-License-Identifier: Apache-2.0
"""Shorter ways of `invoke`, made of an operator's record, for calls without anything unusual.

Each gives what `invoke` gives, and calls it where a call is out of the ordinary.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import torch
from torch import Tensor, is_grad_enabled

from ..op.gradient import recorded
from ..op.record import Op, OpType
from ..runtime.attention import ATTENTION
from ..runtime.context import Context
from ..runtime.torch_api import base_of
from .base_array import BaseArray
from .chunk import Chunk
from .compiled import compiled
from .dispatch import invoke
from .plan import Plan
from .recording import STATE
from .tape import link_of, linked, outputs_of, step
from .wrapping import owned, wrap

__all__ = [
    "MOST_STRAIGHT",
    "alone",
    "of_one",
    "of_several",
    "pairwise",
    "straight_of",
    "with_number",
]

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
        return wrap(result, self._chunk.context, type(self), step(op, (self, other)))

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
        return _after_rules_for_one(op, plan, key, array)
    if array._tracked is not None and STATE.recording:
        return _recorded_of_one(op, array)
    try:
        result = (kernel or op.forward)(value)
    except Exception:  # noqa: BLE001 - invoke words it
        return invoke(op, (array,))
    if type(result) is not Tensor:
        return _visible(plan, result, (value,), array._chunk.context, cls)
    if result is value or base_of(result) is not None or not result.is_contiguous():
        result = owned(result, (value,))
    chunk = _new(Chunk)  # as in `pairwise`
    chunk.context, chunk.foreign, chunk._var = array._chunk.context, False, None
    made = _new(cls)
    made._raw, made._chunk = result, chunk
    made._tracked = made._node = made._grad = None
    return made


def _visible(
    plan: Plan, results: Sequence[Tensor], values: Sequence[Tensor], here: Context, cls: Any
) -> Any:
    """The array, or arrays, of what a forward of several outputs gave for `values`."""
    if plan.visible == 1:
        return wrap(owned(results[0], values), here, cls)
    return [wrap(owned(result, values), here, cls) for result in results[: plan.visible]]


def _after_rules_for_one(op: Op, plan: Plan, key: Any, array: BaseArray) -> Any:
    """`invoke`; with its rules it passes arrays of this `key`."""
    result = invoke(op, (array,))
    if plan.is_simple and array.stype == "default":
        value = array._raw
        if plan.visible == 1:
            is_real = value.dtype.is_floating_point
            plan.pass_readily(key, getattr(op.forward, "of_floats", None) if is_real else None)
        elif not plan.accept(op, (value,)):
            plan.pass_readily(key, None)
    return result


def _recorded_of_one(op: Op, array: BaseArray) -> Any:
    link = link_of(array)
    if link is None or link.dtype is not array._raw.dtype or not is_grad_enabled():
        return invoke(op, (array,))
    try:
        result = recorded(op)(link)
    except Exception:  # noqa: BLE001 - invoke words it
        return invoke(op, (array,))
    if type(result) is not Tensor:
        return _wrapped(op, result, (link,), (array,), type(array))
    if not result.is_floating_point():
        return invoke(op, (array,))
    if result is link or base_of(result) is not None or not result.is_contiguous():
        result = owned(result, (link,))
    return wrap(result, array._chunk.context, type(array), step(op, (array,)))


def _wrapped(
    op: Op,
    results: Sequence[Tensor],
    links: Sequence[Tensor],
    arrays: Sequence[BaseArray],
    cls: type[BaseArray],
) -> Any:
    """The array, or arrays, of what recording several outputs gave."""
    here, node, visible = arrays[0]._chunk.context, step(op, arrays), op.n_visible()
    if visible == 1:
        return wrap(owned(results[0], links), here, cls, node)
    made = zip(results, outputs_of(node, visible), strict=False)
    return [wrap(owned(result, links), here, cls, node) for result, node in made]


def of_several(op: Op, arrays: Sequence[BaseArray], cls: type[BaseArray] | None = None) -> Any:
    """``invoke(op, arrays, cls=cls)`` of one array or more; see `of_one`."""
    n = len(arrays)
    if n > MOST_STRAIGHT:
        return invoke(op, arrays, cls=cls)
    return straight_of(n)(op, cls, *arrays)


# For a number of arrays: what they are is asked in plain code, in half of the time of a loop.
MOST_STRAIGHT = 6
_SOURCE = """
def straight(op, cls, {arrays}):
    plan = op.structure.plan
    if plan is None or ATTENTION:
        return invoke(op, ({arrays},), cls=cls)
    kind = type(a0)
    {values}, = {raws},
    key = {kinds}
    are_real = plan.readily.get(key)
    if are_real is None:
        return _after_rules(op, plan, key, ({arrays},), cls)
    if STATE.recording:
        return _recorded_of_several(op, are_real, ({arrays},), cls)
    try:
        result = op.forward({values})
    except Exception:  # invoke words it
        return invoke(op, ({arrays},), cls=cls)
    here = a0._chunk.context
    if type(result) is not Tensor:
        return _visible(plan, result, ({values},), here, cls or kind)
    if {is_given} or base_of(result) is not None or not result.is_contiguous():
        result = owned(result, ({values},))
    chunk = _new(Chunk)  # as in `pairwise`
    chunk.context, chunk.foreign, chunk._var = here, False, None
    made = _new(cls or kind)
    made._raw, made._chunk = result, chunk
    made._tracked = made._node = made._grad = None
    return made
"""


@cache
def straight_of(n: int) -> Callable[..., Any]:
    """`of_several` for `n` arrays, up to `MOST_STRAIGHT`: takes the operator, `cls`, the arrays."""
    names = range(n)
    parts = {
        "arrays": ", ".join([f"a{i}" for i in names]),
        "values": ", ".join([f"x{i}" for i in names]),
        "raws": ", ".join([f"a{i}._raw" for i in names]),
        "is_given": " or ".join([f"result is x{i}" for i in names]),
        "kinds": ", ".join([f"type(a{i}), x{i}.dtype, x{i}.shape" for i in names]),
    }
    return compiled("straight", _SOURCE.format_map(parts), globals())


def _recorded_of_several(
    op: Op,
    are_real: bool,
    arrays: Sequence[BaseArray],
    cls: type[BaseArray] | None,
) -> Any:
    links = linked(arrays)
    if links is None or not are_real or not is_grad_enabled():
        return invoke(op, arrays, cls=cls)
    try:
        results = recorded(op)(*links)
    except Exception:  # noqa: BLE001 - invoke words it
        return invoke(op, arrays, cls=cls)
    kind = cls or type(arrays[0])
    if type(results) is not Tensor:
        return _wrapped(op, results, links, arrays, kind)
    result = owned(results, links)
    return wrap(result, arrays[0]._chunk.context, kind, step(op, arrays))


def _after_rules(
    op: Op, plan: Plan, key: Any, arrays: Sequence[BaseArray], cls: type[BaseArray] | None
) -> Any:
    """`invoke`; with its rules it passes dense arrays of one class and of this `key`."""
    result = invoke(op, arrays, cls=cls)
    first = type(arrays[0])
    if plan.is_simple and first.stype == "default" and all(type(a) is first for a in arrays):
        plan.pass_readily(key, not plan.accept(op, [a._raw for a in arrays]))
    return result


def alone(type_: OpType) -> Callable[[Any], Any]:
    """``invoke(type_.plain, (array,))`` of an operator without parameters; see `pairwise`."""
    passed = _Passed()

    def call(array: BaseArray) -> Any:
        value = array._raw
        if ATTENTION or value.dtype not in passed:
            return passed.after(type_.plain, array)
        if array._tracked is not None and STATE.recording:
            return _recorded_of_one(type_.plain, array)
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
    recent = type_.recent

    def of(number: float) -> Op:
        key = of, number
        known = recent.get(key) if number else None  # 0.0 and -0.0 are equal
        if known is not None:
            return known[0]
        return type_.kept(key, (number,), {"scalar": number, **settings})

    def call(array: BaseArray, number: float) -> Any:
        value = array._raw
        if ATTENTION or value.dtype not in passed:
            return passed.after(of(number), array)
        if array._tracked is not None and STATE.recording:
            return _recorded_of_one(of(number), array)
        try:
            result = type_.function(value, scalar=number, **settings)
        except Exception:  # noqa: BLE001 - invoke words it
            return invoke(of(number), (array,))
        return wrap(result, array._chunk.context, type(array))

    return call
