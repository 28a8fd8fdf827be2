# SPDX-License-Identifier: Apache-2.0
"""Gradients against difference quotients."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..core.base.errors import ArgumentError
from ..core.nd.array import NDArray
from ..core.nd.creation import array
from ..core.runtime.context import Context, current_context
from ..executor import Executor
from ..symbol import Symbol
from .comparison import assert_almost_equal
from .inputs import Arrays, Given, check_dtype, parse_aux_states, parse_location, stored
from .tolerances import default_numeric_eps

__all__ = ["check_numeric_gradient", "numeric_grad"]


def check_numeric_gradient(
    sym: Symbol,
    location: Given,
    aux_states: Given | None = None,
    numeric_eps: float | None = None,
    rtol: Any = None,
    atol: Any = None,
    grad_nodes: Sequence[str] | Mapping[str, str] | None = None,
    use_forward_train: bool = True,
    ctx: Context | None = None,
    grad_stype_dict: Mapping[str, str] | None = None,
    dtype: Any = np.float32,
) -> None:
    """Asserts that the gradients of a random weighting of the outputs are its difference quotients.

    Args:
        sym: what to differentiate.
        location: arguments, by name or in order.
        aux_states: auxiliary states, by name or in order; every forward pass starts from them.
        numeric_eps: step of the difference quotients; default: by element type.
        rtol: relative tolerance.
        atol: absolute tolerance.
        grad_nodes: the arguments to look at, or what is to be done with the gradient of each
            (write, add, null); default: all, written.
        use_forward_train: whether the quotients' forward passes are those of training.
        ctx: where to compute.
        grad_stype_dict: storage types of gradients, by name.
        dtype: element type that NumPy arrays are converted to.
    """
    check_dtype(dtype)
    ctx = ctx or current_context()
    arguments = parse_location(sym, location, ctx, dtype)
    states = parse_aux_states(sym, aux_states, ctx, dtype)
    before_states = {k: v.asnumpy() for k, v in (states or {}).items()}
    requests = _requests(grad_nodes, arguments)
    gradients = {
        name: stored(
            np.random.normal(0, 0.01, arguments[name].shape),
            ctx,
            arguments[name].dtype,
            (grad_stype_dict or {}).get(name),
        )
        for name in requests
    }
    before = {name: gradient.asnumpy() for name, gradient in gradients.items()}
    executor = sym.bind(ctx, arguments, gradients, requests, states)
    executor.forward(is_train=True)
    weights = [np.random.rand(*o.shape) + 0.1 for o in executor.outputs]
    executor.backward(
        [array(w, ctx, o.dtype) for w, o in zip(weights, executor.outputs, strict=True)]
    )

    def objective(outputs: Sequence[NDArray]) -> float:
        return sum(float((o.asnumpy() * w).sum()) for o, w in zip(outputs, weights, strict=True))

    watched = {k: arguments[k].asnumpy() for k, r in requests.items() if r != "null"}
    eps = numeric_eps or default_numeric_eps()[np.dtype(_dtype_of(dtype, arguments))]
    quotients = _difference_quotients(
        executor, watched, before_states, eps, use_forward_train, objective
    )
    for name, request in requests.items():
        target = before[name] if request == "null" else quotients[name]
        found = gradients[name].asnumpy()
        found = found - before[name] if request == "add" else found
        assert_almost_equal(target, found, rtol, atol, (f"NUMERICAL_{name}", f"BACKWARD_{name}"))


def _dtype_of(dtype: Any, arguments: Arrays) -> Any:
    return np.result_type(*(a.dtype for a in arguments.values())) if dtype == "asnumpy" else dtype


def _requests(
    grad_nodes: Sequence[str] | Mapping[str, str] | None, arguments: Arrays
) -> dict[str, str]:
    if grad_nodes is None:
        grad_nodes = list(arguments)
    if isinstance(grad_nodes, Mapping):
        requests = dict(grad_nodes)
    elif isinstance(grad_nodes, (list, tuple)):
        requests = dict.fromkeys(grad_nodes, "write")
    else:
        raise ArgumentError(f"grad_nodes={grad_nodes!r}: must be a list or a dict of names")
    unknown = [name for name in requests if name not in arguments]
    if unknown:
        raise ArgumentError(f"grad_nodes: {unknown[0]!r} is none of {', '.join(arguments)}")
    return requests


def numeric_grad(
    executor: Executor,
    location: Mapping[str, Any],
    aux_states: Mapping[str, Any] | None = None,
    eps: float = 1e-4,
    use_forward_train: bool = True,
    dtype: Any = np.float32,
) -> dict[str, Any]:
    """Difference quotients of the sum of the first output, by argument, as NumPy arrays.

    Args:
        executor: what computes it; its arguments are those of `location` afterwards.
        location: where to differentiate: NumPy arrays by argument name.
        aux_states: auxiliary states by name, which every forward pass starts from.
        eps: the step.
        use_forward_train: whether the forward passes are those of training.
        dtype: element type of the results.
    """
    check_dtype(dtype)
    values = {name: _values(value) for name, value in location.items()}
    for name, value in values.items():
        _feed(executor.arg_dict[name], value)
    quotients = _difference_quotients(
        executor,
        values,
        {name: _values(value) for name, value in (aux_states or {}).items()},
        eps,
        use_forward_train,
        lambda outputs: float(outputs[0].asnumpy().sum(dtype=np.float64)),
    )
    return {name: quotient.astype(dtype) for name, quotient in quotients.items()}


def _difference_quotients(
    executor: Executor,
    location: Mapping[str, Any],
    states: Mapping[str, Any],
    eps: float,
    is_train: bool,
    objective: Callable[[Sequence[NDArray]], float],
) -> dict[str, Any]:
    """How much `objective` of the outputs changes with each element of each argument.

    Arguments of integers do not change by small steps: their quotients are zero.
    """

    def value() -> float:
        for name, state in states.items():
            executor.aux_dict[name][:] = state
        executor.forward(is_train=is_train)
        return objective(executor.outputs)

    quotients = {name: np.zeros(v.shape, np.float64) for name, v in location.items()}
    for name, values in location.items():
        if values.dtype.kind == "f":
            argument = executor.arg_dict[name]
            for index, step in _steps(argument, values, eps):
                quotients[name][index] += step * value() / eps
            _feed(argument, values)
    return quotients


def _steps(argument: NDArray, values: Any, eps: float) -> Iterator[tuple[Any, float]]:
    """Puts each element half a step up and half a step down: (its index, the sign)."""
    moved = values.copy()
    for index in np.ndindex(values.shape):
        for sign in (1.0, -1.0):
            moved[index] = values[index] + sign * eps / 2
            _feed(argument, moved)
            yield index, sign
        moved[index] = values[index]


def _feed(argument: NDArray, values: Any) -> None:
    if argument.stype == "default":
        argument[:] = values
    else:
        stored(values, argument.context, argument.dtype, argument.stype).copyto(argument)


def _values(value: Any) -> Any:
    return value.asnumpy() if isinstance(value, NDArray) else np.asarray(value)
