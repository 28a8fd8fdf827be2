# SPDX-License-Identifier: Apache-2.0
"""Control flow gives what an executor gives, as it runs, exported, compiled and under vmap."""

import numpy as np
import pytest
import torch

import mxnova as mx

sym = mx.sym


def foreach():
    outputs, states = sym.contrib.foreach(
        lambda row, state: (row * sym.var("factor") + state, row + state),
        sym.var("rows"),
        sym.var("state"),
    )
    return sym.Group([outputs, states]), {"rows": (4, 3), "state": (3,), "factor": (3,)}


def while_loop():
    outputs, states = sym.contrib.while_loop(
        cond=lambda i, total: i < 5,
        func=lambda i, total: ([total * 2], [i + 1, total + sym.var("x")]),
        loop_vars=(sym.var("i"), sym.var("total")),
        max_iterations=8,
    )
    return sym.Group([outputs[0], *states]), {"i": (1,), "total": (3,), "x": (3,)}


def cond():
    a, b = sym.var("a"), sym.var("b")
    chosen = sym.contrib.cond(sym.sum(a) > 0, lambda: a * b, lambda: a - b)
    return chosen, {"a": (3,), "b": (3,)}


CASES = [foreach, while_loop, cond]
SIGNS = (1.0, -1.0)


def made(case, sign):
    symbol, shapes = case()
    rng = np.random.default_rng(0)
    arrays = {n: sign * np.abs(rng.normal(size=s)).astype("float32") for n, s in shapes.items()}
    if "i" in arrays:
        arrays["i"] = np.float32([2.5 if sign > 0 else 9])  # three steps, or none
    module = mx.to_torch(symbol)
    inputs = [torch.from_numpy(arrays[n]).requires_grad_() for n in module.input_names]
    executor = symbol.bind(
        mx.cpu(),
        {n: mx.nd.array(a) for n, a in arrays.items()},
        {n: mx.nd.zeros(a.shape) for n, a in arrays.items()},
    )
    return module, inputs, executor


def as_tuple(results):
    return results if isinstance(results, tuple) else (results,)


def assert_same(found, wanted):
    assert len(as_tuple(found)) == len(wanted)
    for a, b in zip(as_tuple(found), wanted):
        np.testing.assert_allclose(a.detach(), b.asnumpy(), rtol=1e-6)


@pytest.mark.parametrize("sign", SIGNS)
@pytest.mark.parametrize("case", CASES)
def test_outputs_and_gradients(case, sign):
    module, inputs, executor = made(case, sign)
    wanted = executor.forward(is_train=True)
    executor.backward([mx.nd.ones(w.shape) for w in wanted])
    found = module(*inputs)
    assert_same(found, wanted)
    sum(f.sum() for f in as_tuple(found)).backward()
    for name, tensor in zip(module.input_names, inputs):
        gradient = torch.zeros_like(tensor) if tensor.grad is None else tensor.grad
        np.testing.assert_allclose(gradient, executor.grad_dict[name].asnumpy(), rtol=1e-6)


@pytest.mark.parametrize("sign", SIGNS)
@pytest.mark.parametrize("case", CASES)
def test_exported(case, sign):
    module, inputs, executor = made(case, sign)
    inputs = tuple(t.detach() for t in inputs)
    program = torch.export.export(module, inputs, strict=False).module()
    assert_same(program(*inputs), executor.forward())
    *_, other = made(case, -sign)  # the other way, by the same program
    again = tuple(torch.from_numpy(other.arg_dict[n].asnumpy()) for n in module.input_names)
    assert_same(program(*again), other.forward())


@pytest.mark.parametrize("case", CASES)
def test_items_that_go_different_ways(case):
    module, inputs, executor = made(case, 1)
    _, others, other = made(case, -1)
    pairs = [torch.stack([a.detach(), b.detach()]) for a, b in zip(inputs, others)]
    found = as_tuple(torch.func.vmap(module)(*pairs))
    assert_same(tuple(f[0] for f in found), executor.forward())
    assert_same(tuple(f[1] for f in found), other.forward())


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("case", CASES)
def test_compiled(case):
    module, inputs, executor = made(case, 1)
    inputs = [t.detach() for t in inputs]
    compiled = torch.compile(module, fullgraph=True, backend="aot_eager")
    assert_same(compiled(*inputs), executor.forward())


def test_no_steps():
    symbol, _ = foreach()
    module = mx.to_torch(symbol)
    given = {"rows": torch.ones(0, 3), "state": torch.ones(3), "factor": torch.ones(3)}
    outputs, state = module(*[given[n] for n in module.input_names])
    assert outputs.shape[0] == 0
    assert torch.equal(state, torch.ones(3))
