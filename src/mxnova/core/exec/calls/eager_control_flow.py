# SPDX-License-Identifier: Apache-2.0
"""Loops and branches on arrays: Python runs them, recording sees the operators inside."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...base.doors import door
from ...base.errors import ArgumentError
from ...nd.array import NDArray
from ...nd.creation import zeros
from ...nd.functions import function_of
from .loop_arguments import as_variables, flatten, limit_of, regroup, scalar_of

__all__ = ["cond", "foreach", "while_loop"]


@door
def foreach(
    body: Callable[[Any, Any], tuple[Any, Any]], data: Any, init_states: Any
) -> tuple[Any, Any]:
    """Runs a function on each slice of arrays along their first axis, handing states on.

    Args:
        body: takes a slice (or lists of slices, formed like `data`) and the states; gives outputs
            and the new states.
        data: an array, or nested lists of arrays of equal length.
        init_states: the states that the first step gets: an array or nested lists.

    Returns:
        The outputs of all steps, stacked; the states after the last.
    """
    arrays, form = flatten(data, NDArray, "foreach: data")
    flatten(init_states, NDArray, "foreach: init_states")
    lengths = {len(a) for a in arrays}
    if lengths == {0} or not lengths:
        raise ArgumentError("foreach: data holds no slice, so the form of the outputs is unknown")
    steps, states, out_form = [], init_states, None
    for i in range(len(arrays[0])):
        outputs, states = body(regroup(iter([a[i] for a in arrays]), form), states)
        flat, out_form = flatten(outputs, NDArray, "foreach: an output of body")
        steps.append(flat)
    return regroup(
        iter([_stacked(column) for column in zip(*steps, strict=True)]), out_form
    ), states


@door
def while_loop(
    cond: Callable[..., Any],
    func: Callable[..., tuple[Any, Any]],
    loop_vars: Any,
    max_iterations: Any = None,
) -> tuple[Any, Any]:
    """Runs a function on loop variables while a condition on them holds.

    Args:
        cond: takes the loop variables; gives an array of one element.
        func: takes the loop variables; gives outputs and the new loop variables.
        loop_vars: an array or a list of them, nested or not.
        max_iterations: the most steps.

    Returns:
        The outputs of all steps, stacked and filled up with zeros to `max_iterations` ([] when no
        step ran); the loop variables after the last step.
    """
    limit = limit_of(max_iterations)
    alone = isinstance(loop_vars, NDArray)
    variables = as_variables(loop_vars)
    steps: list[list[NDArray]] = []
    form: Any = []
    while len(steps) < limit and scalar_of(cond(*variables), bool, "what cond gives"):
        outputs, new = func(*variables)
        count = len(variables)
        variables = as_variables([] if new is None else new, count)
        flat, form = flatten([] if outputs is None else outputs, NDArray, "while_loop: an output")
        steps.append(flat)
        if len(flat) != len(steps[0]):
            raise ArgumentError(
                f"while_loop: step {len(steps) - 1} gives {len(flat)} outputs, "
                f"the first gave {len(steps[0])}"
            )
    columns = [_filled(_stacked(c), limit) for c in zip(*steps, strict=True)]
    return regroup(iter(columns), form), variables[0] if alone else variables


@door
def cond(pred: Any, then_func: Callable[[], Any], else_func: Callable[[], Any]) -> Any:
    """What `then_func` gives where `pred` holds, else what `else_func` gives.

    Args:
        pred: an array of one element, or a number.
        then_func: takes nothing.
        else_func: takes nothing.
    """
    return then_func() if scalar_of(pred, bool, "pred") else else_func()


def _stacked(arrays: Sequence[NDArray]) -> NDArray:
    stacked: NDArray = function_of("stack")(*arrays)
    return stacked


def _filled(array: NDArray, length: int) -> NDArray:
    missing = length - len(array)
    if not missing:
        return array
    rest = zeros((missing, *array.shape[1:]), ctx=array.context, dtype=array.dtype)
    filled: NDArray = function_of("concat")(array, rest, dim=0)
    return filled
