# SPDX-License-Identifier: Apache-2.0
"""Whether symbols compute what they should, and how fast."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..core.base.errors import ArgumentError
from ..core.nd.array import NDArray
from ..core.nd.creation import array
from ..core.runtime.context import Context, current_context, waitall
from ..executor import Executor
from ..symbol import Symbol
from .comparison import assert_almost_equal
from .inputs import (
    Given,
    by_name,
    check_dtype,
    parse_aux_states,
    parse_location,
    requests_by_name,
    stored,
    to_array,
)

__all__ = [
    "check_speed",
    "check_symbolic_backward",
    "check_symbolic_forward",
    "same_symbol_structure",
    "simple_forward",
]


def simple_forward(
    sym: Symbol, ctx: Context | None = None, is_train: bool = False, **inputs: Any
) -> Any:
    """The outputs for arrays given by name, as NumPy arrays; one output alone, several as a list.

    Args:
        sym: what to compute.
        ctx: where to compute.
        is_train: whether operators work as in training.
        inputs: arrays by argument name.
    """
    ctx = ctx or current_context()
    arguments = {name: array(value, ctx) for name, value in inputs.items()}
    executor = sym.bind(ctx, args=arguments, grad_req="null")
    outputs = [o.asnumpy() for o in executor.forward(is_train=is_train)]
    return outputs[0] if len(outputs) == 1 else outputs


def check_symbolic_forward(
    sym: Symbol,
    location: Given,
    expected: Given,
    rtol: Any = None,
    atol: Any = None,
    aux_states: Given | None = None,
    ctx: Context | None = None,
    equal_nan: bool = False,
    dtype: Any = np.float32,
) -> list[NDArray]:
    """Assert that the outputs equal the expected arrays.

    Args:
        sym: what to compute.
        location: arguments, by name or in order.
        expected: outputs, by name or in order.
        rtol: relative tolerance.
        atol: absolute tolerance.
        aux_states: auxiliary states, by name or in order.
        ctx: where to compute.
        equal_nan: whether NaN equals NaN.
        dtype: element type that NumPy arrays are converted to: float16, float32, float64, or
            "asnumpy" for the one they have.

    Returns:
        The outputs.
    """
    check_dtype(dtype)
    ctx = ctx or current_context()
    arguments = parse_location(sym, location, ctx, dtype)
    states = parse_aux_states(sym, aux_states, ctx, dtype)
    executor = sym.bind(ctx, args=arguments, grad_req="null", aux_states=states)
    executor.forward(is_train=False)
    outputs = dict(zip(sym.list_outputs(), executor.outputs, strict=True))
    for name, wanted in by_name("expected", expected, list(outputs)).items():
        names = (f"EXPECTED_{name}", f"FORWARD_{name}")
        assert_almost_equal(wanted, outputs[name], rtol, atol, names, equal_nan)
    arrays: list[NDArray] = executor.outputs
    return arrays


def check_symbolic_backward(
    sym: Symbol,
    location: Given,
    out_grads: Given | None,
    expected: Given,
    rtol: Any = None,
    atol: Any = None,
    aux_states: Given | None = None,
    grad_req: Any = "write",
    ctx: Context | None = None,
    grad_stypes: Mapping[str, str] | None = None,
    equal_nan: bool = False,
    dtype: Any = np.float32,
) -> dict[str, NDArray | None]:
    """Asserts that the gradients are what is expected, and that each is put where it belongs.

    Args:
        sym: what to differentiate.
        location: arguments, by name or in order.
        out_grads: gradients of the outputs, by name or in order; None: ones.
        expected: gradients of arguments, by name or in order.
        rtol: relative tolerance.
        atol: absolute tolerance.
        aux_states: auxiliary states, by name or in order.
        grad_req: write, add (onto random numbers) or null (which are then left alone): one for
            all, a list, or by name.
        ctx: where to compute.
        grad_stypes: storage types of gradients, by name.
        equal_nan: whether NaN equals NaN.
        dtype: element type that NumPy arrays are converted to: float16, float32, float64, or
            "asnumpy" for the one they have.

    Returns:
        The gradients, by name.
    """
    check_dtype(dtype)
    ctx = ctx or current_context()
    arguments = parse_location(sym, location, ctx, dtype)
    states = parse_aux_states(sym, aux_states, ctx, dtype)
    wanted = by_name("expected", expected, sym.list_arguments())
    requests = requests_by_name(grad_req, sym.list_arguments())
    gradients = {
        name: stored(np.random.normal(size=value.shape), ctx, value.dtype, stype)
        for name, value in arguments.items()
        if name in wanted
        for stype in [(grad_stypes or {}).get(name)]
    }
    before = {name: gradient.asnumpy() for name, gradient in gradients.items()}
    executor = sym.bind(ctx, arguments, gradients, requests, states)
    executor.forward(is_train=True)
    executor.backward(_head_gradients(sym, out_grads, executor.outputs, ctx, dtype))
    for name, gradient in gradients.items():
        names = (f"EXPECTED_{name}", f"BACKWARD_{name}")
        target = before[name] if requests[name] == "null" else wanted[name]
        found = gradient.asnumpy() - before[name] if requests[name] == "add" else gradient
        assert_almost_equal(target, found, rtol, atol, names, equal_nan)
    return dict(gradients)


def _head_gradients(
    sym: Symbol, given: Given | None, outputs: Sequence[NDArray], ctx: Context, dtype: Any
) -> list[NDArray] | None:
    if given is None:
        return None
    names = sym.list_outputs()
    values = by_name("out_grads", given, names)
    missing = [name for name in names if name not in values]
    if missing:
        raise ArgumentError(f"out_grads: the gradient of {missing[0]} is missing")
    return [to_array(values[name], ctx, dtype) for name in names]


def check_speed(
    sym: Symbol,
    location: Mapping[str, Any] | None = None,
    ctx: Context | None = None,
    N: int = 20,  # noqa: N803 - MXNet's name
    grad_req: Any = None,
    typ: str = "whole",
    **kwargs: Any,
) -> float:
    """Seconds that one run takes.

    Args:
        sym: what to run.
        location: arguments by name; random ones where it is None.
        ctx: where to run.
        N: how many runs are timed, after one that is not.
        grad_req: what is done with gradients; default: write.
        typ: "whole" for forward and backward, "forward" for inference.
        kwargs: shapes by argument name, where `location` is None.

    Raises:
        ArgumentError: another `typ`.
    """
    if typ not in ("whole", "forward"):
        raise ArgumentError(f"check_speed: typ={typ!r}: must be whole or forward")
    ctx = ctx or current_context()
    shapes = kwargs if location is None else {k: np.shape(v) for k, v in location.items()}
    executor = sym.simple_bind(ctx, grad_req or "write", **shapes)
    for name, argument in executor.arg_dict.items():
        if location is None:
            argument[:] = np.random.normal(size=argument.shape)
        elif name in location:
            argument[:] = location[name]
    return _seconds(executor, N, backward=typ == "whole")


def _seconds(executor: Executor, count: int, *, backward: bool) -> float:
    def run() -> None:
        executor.forward(is_train=backward)
        if backward:
            executor.backward(executor.outputs)
        for output in executor.outputs:
            output.wait_to_read()

    run()
    waitall()
    start = time.perf_counter()
    for _ in range(count):
        run()
    waitall()
    return (time.perf_counter() - start) / count


def same_symbol_structure(sym1: Symbol, sym2: Symbol) -> bool:
    """Whether two symbols have the same operators, connected in the same way.

    Names and parameters may differ.
    """
    first, second = (json.loads(s.tojson()) for s in (sym1, sym2))
    return _structure(first) == _structure(second)


def _structure(graph: Mapping[str, Any]) -> list[Any]:
    nodes = [(node["op"], [i[:2] for i in node["inputs"]]) for node in graph["nodes"]]
    return [nodes, [head[:2] for head in graph["heads"]]]
