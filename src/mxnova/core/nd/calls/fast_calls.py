# SPDX-License-Identifier: Apache-2.0
"""Fast paths of `invoke`, made from the template, for calls without anything unusual.

Each gives what `invoke` gives, and calls it where a call is out of the ordinary.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import torch
from torch import Tensor, is_grad_enabled

from ...op.gradient import recorded
from ...op.schema import Op, OpType
from ...runtime.slow_path import SLOW_PATH
from ...runtime.torch_api import base_of
from ..base_array import BaseArray
from ..chunk import Chunk
from ..interop import Number
from ..recording import STATE
from ..tape import outputs_of, step
from ..wrapping import owned, wrap
from .dispatch import invoke
from .plan import MAKES_INTEGERS, Plan
from .template import Argument, call_source, compiled

__all__ = [
    "MOST_ARRAYS",
    "binary_call",
    "call_one",
    "call_several",
    "fast_call",
    "in_place_call",
    "scalar_call",
    "unary_call",
]

MOST_ARRAYS = 6  # that a fast path takes


class _Passed(set[torch.dtype]):
    """Element types that an operator's rules have passed."""

    def after(self, op: Op, *arrays: BaseArray) -> Any:
        """`invoke`; with its rules it passes the inputs' element type."""
        result = invoke(op, arrays)
        self.add(arrays[0]._raw.dtype)
        return result


def unary_call(type_: OpType) -> Callable[[Any], Any]:
    """``invoke(type_.plain, (array,))`` of an operator without parameters; see `binary_call`."""
    return _made("unary_call", 1, Argument.NONE, type_=type_)


def binary_call(type_: OpType, otherwise: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """``invoke(type_.plain, (a, b))`` of an operator without parameters, for dense arrays.

    Where nothing is out of the ordinary it runs the forward directly, in a third of the time;
    the forward must refuse shapes that the operator's rules refuse, and give new tensors.

    Args:
        type_: the operator.
        otherwise: what is called where the second is no array.
    """
    return _made("binary_call", 2, Argument.NONE, type_=type_, otherwise=otherwise)


def scalar_call(
    type_: OpType, otherwise: Callable[[Any, Any], Any] | None = None, **settings: Any
) -> Callable[[Any, Any], Any]:
    """``invoke`` of an operator on an array and its parameter `scalar`; see `binary_call`.

    Args:
        type_: the operator.
        otherwise: what is called where the second is no number, or beyond all floating-point ones.
        settings: its other parameters.
    """
    recent = type_.recent
    names = ("scalar", *settings)
    others = tuple(settings.values())

    def operator_of(number: float) -> Op:
        key = operator_of, number
        known = recent.get(key) if number else None  # 0.0 and -0.0 are equal
        if known is not None:
            return known[0]
        return type_.kept(key, names, (number, *others))

    scope = {"type_": type_, "operator_of": operator_of, "settings": settings}
    return _made("scalar_call", 1, Argument.NUMBER, otherwise=otherwise, **scope)


def in_place_call(type_: OpType, otherwise: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """What computes an operator of two arrays, or of an array and a number, in the first's memory.

    Args:
        type_: the operator on two arrays.
        otherwise: what is called where it cannot, and has changed nothing: the elements must be
            real, those of two arrays alike.
    """
    scalar = _in_place("scalar_in_place", 1, Argument.NUMBER, type_, otherwise)
    return _in_place("binary_in_place", 2, Argument.NONE, type_, scalar)


@cache
def fast_call(n: int) -> Callable[..., Any]:
    """``invoke(op, arrays, cls=cls)`` as a function of the operator, `n` arrays, and the class.

    Args:
        n: how many arrays, up to `MOST_ARRAYS`.
    """
    call = _made(f"fast_call_{n}", n, Argument.OPERATOR)
    call.__doc__ = (
        f"`invoke` of an operator on {n} arrays; the last argument is the class it gives."
    )
    return call


def call_several(op: Op, arrays: Sequence[BaseArray], cls: type[BaseArray] | None = None) -> Any:
    """``invoke(op, arrays, cls=cls)`` of one array or more; see `fast_call`."""
    n = len(arrays)
    if n > MOST_ARRAYS:
        return invoke(op, arrays, cls=cls)
    return fast_call(n)(op, *arrays, cls)


def _made(name: str, n: int, argument: Argument, **names: Any) -> Callable[..., Any]:
    scope = {**_SCOPE, "passed": _Passed(), **names}
    return compiled(name, call_source(name, n, argument), scope)


def _in_place(
    name: str, n: int, argument: Argument, type_: OpType, otherwise: Callable[[Any, Any], Any]
) -> Callable[[Any, Any], Any]:
    scope = {**_SCOPE, "type_": type_, "otherwise": otherwise}
    return compiled(name, call_source(name, n, argument, in_place=True), scope)


def _admit(
    op: Op, plan: Plan, key: Any, arrays: Sequence[BaseArray], cls: type[BaseArray] | None
) -> Any:
    """`invoke`; with its rules it admits dense arrays of one class and of this `key`."""
    result = invoke(op, arrays, cls=cls)
    kind = type(arrays[0])
    if not (plan.is_simple and kind.stype == "default" and all(type(a) is kind for a in arrays)):
        return result
    values = [a._raw for a in arrays]
    makes_integers = plan.accept(op, values) == MAKES_INTEGERS
    if plan.visible == 1 or not makes_integers:
        is_real = all(v.is_floating_point() for v in values)
        plan.admit(key, (op.fast_forward(*values) if is_real else None) or False)
    return result


def _several_results(
    op: Op,
    results: Sequence[Tensor],
    values: Sequence[Tensor],
    arrays: Sequence[BaseArray],
    cls: type[BaseArray],
    is_recorded: bool = False,
) -> Any:
    """The array, or arrays, of what a forward of several outputs gave for `values`."""
    here, visible = arrays[0]._chunk.context, op.structure.plan.visible
    nodes = outputs_of(step(op, arrays), visible) if is_recorded else [None] * visible
    made = [
        wrap(owned(result, values), here, cls, node)
        for result, node in zip(results, nodes, strict=False)
    ]
    return made[0] if visible == 1 else made


_SCOPE = {
    "BaseArray": BaseArray,
    "Chunk": Chunk,
    "Number": Number,
    "SLOW_PATH": SLOW_PATH,
    "STATE": STATE,
    "Tensor": Tensor,
    "admit": _admit,
    "base_of": base_of,
    "invoke": invoke,
    "is_grad_enabled": is_grad_enabled,
    "new": object.__new__,
    "owned": owned,
    "recorded": recorded,
    "several_results": _several_results,
    "step": step,
}
call_one = fast_call(1)
