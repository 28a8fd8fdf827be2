# SPDX-License-Identifier: Apache-2.0
"""Whether one computation gives the same on several devices, types, or by several ways."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from .. import autograd
from ..core.base.errors import ArgumentError
from ..core.nd.array import NDArray
from ..executor import Executor
from ..ndarray import array
from ..ndarray.random import uniform
from ..symbol import Symbol
from .comparison import assert_almost_equal, compare_ndarray_tuple
from .sparse import rand_ndarray
from .tolerances import get_tols

__all__ = ["check_consistency", "check_gluon_hybridize_consistency", "compare_optimizer"]


def check_consistency(
    sym: Symbol | Sequence[Symbol],
    ctx_list: Sequence[Mapping[str, Any]],
    scale: float = 1.0,
    grad_req: Any = "write",
    arg_params: Mapping[str, Any] | None = None,
    aux_params: Mapping[str, Any] | None = None,
    rtol: Any = None,
    atol: Any = None,
    raise_on_err: bool = True,
    ground_truth: Mapping[str, Any] | None = None,
    equal_nan: bool = False,
    use_uniform: bool = False,
    rand_type: Any = np.float64,
) -> dict[str, NDArray | None]:
    """Asserts that outputs and gradients are the same for every way of binding.

    Args:
        sym: what to run, or one symbol for each way of binding.
        ctx_list: the arguments of `simple_bind` for each: ctx=, type_dict=, shapes by name.
        scale: standard deviation of random arguments.
        grad_req: what is done with gradients; "null": only outputs are compared.
        arg_params: arguments by name, for those that are not random.
        aux_params: auxiliary states by name; default: zeros.
        rtol: relative tolerance, also by element type.
        atol: absolute tolerance, likewise.
        raise_on_err: whether a difference raises; otherwise it is logged.
        ground_truth: what to compare with, by name; default: the way with the most exact type.
        equal_nan: whether NaN equals NaN.
        use_uniform: whether random arguments are uniform in ±0.92 `scale`, and not normal.
        rand_type: element type that random arguments are first rounded to.

    Returns:
        What was compared with: outputs and gradients by name.
    """
    if len(ctx_list) < 2:
        raise ArgumentError(f"check_consistency: ctx_list has {len(ctx_list)} items, not two")
    symbols: list[Any] = list(sym) if isinstance(sym, (list, tuple)) else [sym] * len(ctx_list)
    executors = [
        s.simple_bind(grad_req=grad_req, **arguments)
        for s, arguments in zip(symbols, ctx_list, strict=True)
    ]

    def draw(shape: tuple[int, ...]) -> Any:
        if use_uniform:
            return np.random.uniform(-0.92 * scale, 0.92 * scale, shape).astype(rand_type)
        return np.random.normal(size=shape, scale=scale).astype(rand_type)

    _fill(executors, arg_params or {}, aux_params or {}, draw)
    most_exact = max(range(len(executors)), key=lambda i: _digits(executors[i]))
    truth = dict(ground_truth) if ground_truth is not None else None
    outputs, given = symbols[0].list_outputs(), {"rtol": rtol, "atol": atol}
    for train in (False, True) if grad_req != "null" else (False,):
        for executor in executors:
            executor.forward(is_train=train)
        heads = _heads(executors) if train else None
        results = [_results(executor, outputs, heads) for executor in executors]
        compared = truth or results[most_exact]
        for i, found in enumerate(results):
            if i != most_exact or truth:
                primary = [executors[k].outputs[0].dtype for k in (i, most_exact)]
                for name in [name for name in compared if name in found]:
                    pair = found[name], compared[name]
                    tolerances = _tolerances(pair, primary, rtol, atol) if train else given
                    _compare(
                        pair,
                        (name, f"ctx_list[{i}]", f"ctx_list[{most_exact}]"),
                        {"equal_nan": equal_nan} | tolerances,
                        raise_on_err,
                    )
    return truth or results[most_exact]


def _fill(
    executors: Sequence[Executor],
    arguments: Mapping[str, Any],
    states: Mapping[str, Any],
    draw: Callable[[tuple[int, ...]], Any],
) -> None:
    """Gives all executors the same arguments and states."""
    values = dict(arguments)
    for name, argument in executors[0].arg_dict.items():
        values.setdefault(name, draw(argument.shape))
    for executor in executors:
        for name, argument in executor.arg_dict.items():
            argument[:] = values[name]
        for name, state in executor.aux_dict.items():
            state[:] = states.get(name, 0)


def _digits(executor: Executor) -> tuple[bool, int]:
    """Grows with the exactness of the first output."""
    executor.forward(is_train=False)
    dtype = np.dtype(executor.outputs[0].dtype)
    return dtype.kind == "f", dtype.itemsize


def _heads(executors: Sequence[Executor]) -> list[Any]:
    """The head gradients of all: outputs of the first, as the least exact of them can hold them."""
    columns = zip(*[executor.outputs for executor in executors], strict=True)
    return [column[0].astype(_least_exact(a.dtype for a in column)).asnumpy() for column in columns]


def _least_exact(dtypes: Iterable[Any]) -> Any:
    return min(dtypes, key=lambda dtype: np.dtype(dtype).itemsize)


def _results(
    executor: Executor, names: Sequence[str], heads: Sequence[Any] | None
) -> dict[str, NDArray | None]:
    """Outputs by `names` and, with head gradients, gradients."""
    outputs = executor.outputs
    results: dict[str, NDArray | None] = {k: v.copy() for k, v in zip(names, outputs, strict=True)}
    if heads is not None:
        given = [
            array(head, ctx=output.context, dtype=output.dtype).tostype(output.stype)
            for head, output in zip(heads, outputs, strict=True)
        ]
        executor.backward(given)
        results |= {k: g if g is None else g.copy() for k, g in executor.grad_dict.items()}
    return results


def _tolerances(pair: tuple[Any, Any], primary: Sequence[Any], rtol: Any, atol: Any) -> Any:
    """Those of the least exact types: a gradient in float32 may be that of a float16 output."""
    if any(value is None for value in pair):
        return {}
    found, truth = [
        value.astype(_least_exact((value.dtype, dtype)))
        for value, dtype in zip(pair, primary, strict=True)
    ]
    return dict(zip(("rtol", "atol"), get_tols(found, truth, rtol, atol), strict=True))


def _compare(
    pair: tuple[Any, Any], names: Sequence[str], tolerances: Mapping[str, Any], raises: bool
) -> None:
    if any(value is None for value in pair):
        return
    shown = [f"{names[0]} of {way}" for way in names[1:]]
    try:
        assert_almost_equal(*pair, names=shown, **tolerances)
    except AssertionError:
        if raises:
            raise
        logging.getLogger(__name__).exception("check_consistency: %s differs", names[0])


def compare_optimizer(
    opt1: Any,
    opt2: Any,
    shape: Any,
    dtype: Any,
    w_stype: str = "default",
    g_stype: str = "default",
    rtol: float = 1e-4,
    atol: float = 1e-5,
    compare_states: bool = True,
    ntensors: int = 1,
) -> None:
    """Asserts that two optimizers do the same to random weights with random gradients.

    Args:
        opt1: an optimizer; gets dense copies of the arrays, one weight after another.
        opt2: another; gets the arrays as they are, several weights as lists.
        shape: shape of the weight, or a list of `ntensors` shapes.
        dtype: element type of the weights.
        w_stype: storage type of the weights.
        g_stype: storage type of the gradients.
        rtol: relative tolerance.
        atol: absolute tolerance.
        compare_states: whether the optimizers' states must be the same too.
        ntensors: how many weights are updated at once.
    """
    shapes = shape if isinstance(shape, list) else [shape] * ntensors
    weights = [_random(s, w_stype, dtype, density=1) for s in shapes]
    gradients = [_random(s, g_stype, dtype, density=None) for s in shapes]
    dense_weights = [array.tostype("default") for array in weights]
    dense_gradients = [array.tostype("default") for array in gradients]
    weights1, states1 = _updated(opt1, dense_weights, dense_gradients, at_once=False)
    weights2, states2 = _updated(opt2, weights, gradients, at_once=ntensors > 1)
    if compare_states:
        compare_ndarray_tuple(states1, states2, rtol, atol)
    compare_ndarray_tuple(weights1, weights2, rtol, atol)


def _random(shape: tuple[int, ...], stype: str, dtype: Any, density: float | None) -> NDArray:
    """Uniform in [0, 1): the least unit of such float16 numbers is below usual tolerances."""
    if stype == "default":
        drawn: NDArray = uniform(shape=shape).astype(dtype)
        return drawn
    return rand_ndarray(shape, stype, density=density, dtype=dtype)


def _updated(
    optimizer: Any, weights: list[NDArray], gradients: list[NDArray], at_once: bool
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """(weights, states) after one step."""
    states = [optimizer.create_state_multi_precision(i, w) for i, w in enumerate(weights)]
    if at_once:
        optimizer.update_multi_precision(list(range(len(weights))), weights, gradients, states)
    else:
        for i, (weight, gradient) in enumerate(zip(weights, gradients, strict=True)):
            optimizer.update_multi_precision(i, weight, gradient, states[i])
    return tuple(weights), tuple(map(_as_tuples, states))


def _as_tuples(state: Any) -> Any:
    return tuple(map(_as_tuples, state)) if isinstance(state, (list, tuple)) else state


def check_gluon_hybridize_consistency(
    net_builder: Callable[..., Any],
    data_l: Sequence[NDArray],
    numpy_func: Callable[..., Any] | None = None,
    test_grad: bool = True,
    rtol: float = 1e-4,
    atol: float = 1e-4,
) -> None:
    """Asserts that a block computes the same hybridized and not, recorded and not.

    Args:
        net_builder: makes the block; called with prefix=.
        data_l: its inputs.
        numpy_func: computes the expected output from the inputs as NumPy arrays.
        test_grad: whether gradients of inputs and parameters are compared too.
        rtol: relative tolerance.
        atol: absolute tolerance.
    """
    results: list[tuple[Any, ...]] = []
    parameters: dict[str, Any] = {}
    for hybridize in (False, True):
        for record in (False, True) if test_grad else (False,):
            net = _initialized(net_builder, data_l, parameters)
            if hybridize:
                net.hybridize()
            results.append(_outcome(net, data_l, record))
    if numpy_func is not None:
        expected = numpy_func(*(x.asnumpy() for x in data_l))
        assert_almost_equal(results[0][0], expected, rtol, atol)
    for output, gradients in results:
        assert_almost_equal(output, results[0][0], rtol, atol)
        reference = next((g for _, g in results if g is not None), None)
        compare_ndarray_tuple(gradients, reference, rtol, atol)


def _initialized(net_builder: Callable[..., Any], data: Sequence[NDArray], known: Any) -> Any:
    """A block with the parameters `known`, which the first block that is made fills in."""
    net = net_builder(prefix="net_")
    net.initialize()
    net(*data)  # lets parameters take their shapes
    for name, parameter in net.collect_params().items():
        if name in known:
            parameter.set_data(known[name])
        else:
            known[name] = parameter.data().copy()
    return net


def _outcome(net: Any, data: Sequence[NDArray], record: bool) -> tuple[NDArray, Any]:
    """(output, gradients of inputs and parameters; None without recording)."""
    inputs = [x.copy() for x in data]
    if not record:
        return net(*inputs), None
    for x in inputs:
        x.attach_grad()
    with autograd.record():
        output = net(*inputs)
    output.backward()
    return output, tuple(_gradients(net, inputs))


def _gradients(net: Any, inputs: Sequence[NDArray]) -> Iterator[Any]:
    yield from (x.grad for x in inputs)
    for parameter in net.collect_params().values():
        if parameter.grad_req != "null":
            yield parameter.grad()
