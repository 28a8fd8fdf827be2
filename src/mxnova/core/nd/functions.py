# SPDX-License-Identifier: Apache-2.0
"""Operators as functions on arrays: ``relu(x)``, made from the registry when first asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from ..base.doors import leave
from ..base.errors import ArgumentTypeError
from ..base.parameter_types import NOT_GIVEN
from ..op.calls import CallForm, documented
from ..op.schema import OpType, find
from .base_array import CLASSES, BaseArray
from .calls.binding import all_arrays, python_binding
from .calls.dispatch import invoke
from .calls.fast_calls import call_several
from .calls.validation import settled

__all__ = ["function_of", "invoke_by_name"]

_EXTRAS = {"out": "array, or list of arrays, to write the result into.", "name": "ignored."}


@cache
def function_of(op: str, shown: str = "") -> Callable[..., Any]:
    """The function for the operator registered as `op`, called `shown` where that is given."""
    type_ = find(op)
    form = CallForm(type_, tuple(_EXTRAS))
    cls = CLASSES.get("numpy") if op.startswith("_np") else None
    function = python_binding(type_, form, cls, _form_binding(type_, form, cls))
    return documented(function, shown or op, form, _EXTRAS)


def _form_binding(type_: OpType, form: CallForm, cls: type[BaseArray] | None) -> Callable[..., Any]:
    """The function that binds whatever it is given to arrays and parameters, by the form."""
    array_names, n_arrays = frozenset(form.arrays), len(form.arrays)
    is_variadic, counts = form.variadic is not None, type_.counts_inputs
    by_position = () if is_variadic else form.parameters_by_place
    most = n_arrays + len(by_position)

    def function(*args: Any, out: Any = None, name: str | None = None, **kwargs: Any) -> Any:
        try:
            if is_variadic:
                is_sorted = bool(args) and not any(map(_is_array, kwargs.values()))
            else:
                is_sorted = len(args) <= n_arrays and array_names.isdisjoint(kwargs)
            if is_sorted and all_arrays(args):
                if counts:
                    kwargs.setdefault("num_args", len(args))
                op, arrays = type_.of(kwargs), args
            elif not kwargs and n_arrays < len(args) <= most and _are_in_order(args, n_arrays):
                arrays, values = args[:n_arrays], args[n_arrays:]
                op = type_.kept(((), *map(id, values)), by_position[: len(values)], values)
            else:
                call = form.split(args, kwargs, _is_array)
                op, arrays = type_.of(call.attrs), (*call.arrays, *call.named.values())
                out = call.extras.get("out", out)
            if not arrays:
                return invoke(settled(op, out), arrays, out, cls=cls)
            if out is None:
                return call_several(op, arrays, cls)
            return invoke(op, arrays, out, cls=cls)
        except Exception as error:
            leave(error)
            raise

    return function


def _is_array(value: Any) -> bool:
    return isinstance(value, BaseArray)


def _are_in_order(values: Sequence[Any], n_arrays: int) -> bool:
    """Whether the first `n_arrays` are arrays, and the others given and none."""
    for value in values[:n_arrays]:
        if not isinstance(value, BaseArray):
            return False
    for value in values[n_arrays:]:
        if value is NOT_GIVEN or isinstance(value, BaseArray):
            return False
    return True


def invoke_by_name(
    op_name: str, arrays: Sequence[BaseArray], attrs: dict[str, Any], out: Any = None
) -> Any:
    """Runs the operator registered as `op_name`, with attributes as text, as a C client would.

    Args:
        op_name: canonical name or alias.
        arrays: its inputs, in order.
        attrs: parameter name -> text.
        out: array, or list of arrays, to write the results into.

    Example:
        >>> attributes = {"a_min": "0", "a_max": "1"}
        >>> mx.nd.invoke("clip", [mx.nd.array([-1, 0.5, 2])], attributes).asnumpy()
        array([0. , 0.5, 1. ], dtype=float32)
    """
    for array in arrays:
        if not isinstance(array, BaseArray):
            raise ArgumentTypeError(f"{op_name}: {type(array).__name__} is no NDArray")
    type_ = find(op_name)
    if type_.counts_inputs and "num_args" not in attrs:
        attrs = {**attrs, "num_args": len(arrays)}
    return invoke(type_.of(attrs), arrays, out)
