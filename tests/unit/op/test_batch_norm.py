# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
import torch

import mxnova as mx
import mxnova.core.op.nn.batch_norm
from mxnova.core.base.errors import MXNetError
from mxnova.core.base.shapes import UNKNOWN
from mxnova.core.op.gradient import recorded
from mxnova.core.op.schema import find
from tests.unit.op.inference import inferred_dtypes, inferred_shapes
from tests.unit.op.samples import Sample

_ = UNKNOWN
ALL = ["BatchNorm", "_contrib_BatchNormWithReLU", "BatchNorm_v1", "_contrib_SyncBatchNorm"]
MEAN, VAR = np.array([0.5, -0.5, 1.0], "float32"), np.array([1.0, 2.0, 0.5], "float32")


def attrs_of(name, **attrs):
    return {**attrs, "key": "a"} if name == "_contrib_SyncBatchNorm" else attrs


def scaled(x, mean, var, gamma, beta, axis=1, eps=1e-3):
    shape = [-1 if i == axis % x.ndim else 1 for i in range(x.ndim)]
    mean, var, gamma, beta = (np.reshape(v, shape) for v in (mean, var, gamma, beta))
    return (x - mean) / np.sqrt(var + eps) * gamma + beta


def of_batch(axis=1, **keywords):
    def function(x, gamma, beta, *_moving):
        others = tuple(i for i in range(x.ndim) if i != axis % x.ndim)
        return scaled(x, x.mean(others), x.var(others), gamma, beta, axis, **keywords)

    return function


def of_past(axis=1):
    return lambda x, gamma, beta, mean, var: scaled(x, mean, var, gamma, beta, axis)


LEARNED = {"fix_gamma": False}
ARRAYS = [(3,), (3,), MEAN, VAR]
# fmt: off
SAMPLES = [
    Sample("BatchNorm", [(4, 3), *ARRAYS], LEARNED, of_batch(), gradient=False, train=True),
    Sample("BatchNorm", [(2, 3, 2, 2), *ARRAYS], {**LEARNED, "eps": 0.1}, of_batch(eps=0.1), gradient=False, train=True),
    Sample("BatchNorm", [(2, 3, 2, 2), *ARRAYS], {}, lambda x, g, *rest: of_batch()(x, 1 + 0 * g, *rest), gradient=False, train=True),
    Sample("BatchNorm", [(2, 4, 2, 3), *ARRAYS], {**LEARNED, "axis": -1}, of_batch(-1), gradient=False, train=True),
    Sample("BatchNorm", [(3, 4, 2), *ARRAYS], {**LEARNED, "axis": 0}, of_batch(0), gradient=False, train=True),
    Sample("BatchNorm", [(2, 2, 3, 2), *ARRAYS], {**LEARNED, "axis": 2}, of_past(2), gradient=False),
    Sample("BatchNorm", [(2, 3, 2, 2), *ARRAYS], LEARNED, of_past(), gradient=False),
    Sample("BatchNorm", [(2, 3, 2, 2), *ARRAYS], {**LEARNED, "use_global_stats": True}, of_past(), gradient=False, train=True),
    Sample("BatchNorm", [(4, 3), *ARRAYS], {**LEARNED, "output_mean_var": True}, lambda x, *rest: (of_batch()(x, *rest), x.mean(0), 1 / np.sqrt(x.var(0) + 1e-3)), gradient=False, train=True),
    Sample("BatchNorm", [(4, 3), *ARRAYS], {**LEARNED, "output_mean_var": True}, lambda *all: (of_past()(*all), MEAN, 1 / np.sqrt(VAR + 1e-3)), gradient=False),
    Sample("_contrib_BatchNormWithReLU", [(4, 3), *ARRAYS], LEARNED, lambda *all: np.maximum(of_batch()(*all), 0), gradient=False, train=True),
    Sample("_contrib_BatchNormWithReLU", [(4, 3), *ARRAYS], LEARNED, lambda *all: np.maximum(of_past()(*all), 0), gradient=False),
    Sample("BatchNorm_v1", [(4, 3), *ARRAYS], {**LEARNED, "output_mean_var": True}, lambda x, *rest: (of_batch()(x, *rest), x.mean(0), x.var(0)), gradient=False, train=True),
    Sample("_contrib_SyncBatchNorm", [(4, 3), *ARRAYS], {**LEARNED, "key": "a", "output_mean_var": True}, lambda *all: (of_past()(*all), MEAN, VAR), gradient=False),
]

INFERRED = [
    ("BatchNorm", {}, [(_, 3, _, 5), *[None] * 4], None, "[?,3,?,5], [3], [3], [3], [3] -> [?,3,?,5], [3], [3]"),
    ("BatchNorm", {"axis": -1}, [(2, 4), *[None] * 4], None, "[2,4], [4], [4], [4], [4] -> [2,4], [4], [4]"),
    ("BatchNorm", {}, [None, (3,), None, None, None], None, "unknown, [3], unknown, unknown, unknown -> unknown, unknown, unknown"),
]
# fmt: on


def test_half_precision_keeps_its_statistics_in_float32():
    known = inferred_dtypes("BatchNorm", {}, [torch.float16, *[None] * 4])
    assert known == "float16, " + ", ".join(["float32"] * 4) + " -> float16, float32, float32"


def test_refused():
    with pytest.raises(MXNetError, match=r"BatchNorm: axis=4: data \[2,3\] has 2 axes"):
        inferred_shapes("BatchNorm", {"axis": 4}, [(2, 3), *[None] * 4])
    with pytest.raises(MXNetError, match="BatchNorm: data has type int32, not a float"):
        inferred_dtypes("BatchNorm", {}, [torch.int32, *[None] * 4])


def train_step(name, **attrs):
    """(operator, inputs, results) of a training pass; gamma starts as 2."""
    op = find(name).of(attrs_of(name, **attrs))
    generator = torch.Generator().manual_seed(3)
    x = torch.randn(5, 3, 2, 2, generator=generator, dtype=torch.float64).requires_grad_()
    gamma = torch.full((3,), 2.0, dtype=torch.float64).requires_grad_()
    beta = torch.zeros(3, dtype=torch.float64).requires_grad_()
    moving = [torch.from_numpy(v).double() for v in (MEAN, VAR)]
    return op, [x, gamma, beta, *moving], recorded(op)(x, gamma, beta, *moving, train=True)


@pytest.mark.parametrize("name", ALL)
def test_backward_moves_the_statistics_towards_those_of_the_batch(name):
    _op, (x, _gamma, _beta, mean, var), (output, *_rest) = train_step(name, momentum=0.75)
    assert torch.equal(mean, torch.from_numpy(MEAN).double())
    output.sum().backward()
    of_batch = torch.var_mean(x.detach(), (0, 2, 3), correction=0)
    for moved, old, new in zip((var, mean), (VAR, MEAN), of_batch, strict=True):
        expected = 0.75 * torch.from_numpy(old).double() + 0.25 * new
        torch.testing.assert_close(moved, expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("name", ALL)
def test_each_backward_pass_moves_the_statistics_but_not_those_that_differentiate_one(name):
    _op, (x, *_, mean, _var), (output, *_rest) = train_step(name, fix_gamma=False)
    loss = (output.square() * x).sum()
    loss.backward(retain_graph=True)
    once = mean.clone()
    loss.backward(retain_graph=True)
    assert not torch.equal(mean, once)
    (d_x,) = torch.autograd.grad(loss, x, create_graph=True)
    moved = mean.clone()
    d_x.square().sum().backward()
    assert torch.equal(mean, moved)


@pytest.mark.parametrize("fix_gamma", [True, False])
@pytest.mark.parametrize("name", ALL)
def test_a_fixed_gamma_is_set_in_inference_too(name, fix_gamma):
    op = find(name).of(attrs_of(name, fix_gamma=fix_gamma))
    gamma = torch.full((3,), 2.0)
    op.forward(torch.ones(2, 3), gamma, torch.zeros(3), torch.zeros(3), torch.ones(3), train=False)
    assert gamma.tolist() == [1.0 if fix_gamma else 2.0] * 3
    written = {op.inputs()[i] for i in op.structure.written}
    assert written == {"moving_mean", "moving_var"} | ({"gamma"} if fix_gamma else set())


@pytest.mark.parametrize("name", ALL)
def test_global_statistics_stay(name):
    _op, (*_arrays, mean, var), (output, *_rest) = train_step(name, use_global_stats=True)
    output.sum().backward()
    assert torch.equal(mean, torch.from_numpy(MEAN).double())
    assert torch.equal(var, torch.from_numpy(VAR).double())


@pytest.mark.parametrize("name", ALL)
def test_a_fixed_gamma_becomes_one_and_has_no_gradient(name):
    _op, (_x, gamma, beta, *_moving), (output, *_rest) = train_step(name)
    output.sum().backward()
    assert gamma.tolist() == [1.0, 1.0, 1.0]
    assert gamma.grad is None
    assert beta.grad.any()


def statistics_after(way, wanting):
    """The moving mean after a pass in which only `wanting` has a gradient."""
    arrays = {
        "x": mx.nd.array([[1.0, 2.0], [3.0, 6.0]]),
        "gamma": mx.nd.ones(2),
        "beta": mx.nd.zeros(2),
    }
    moving = {"mean": mx.nd.zeros(2), "var": mx.nd.ones(2)}
    if way == "symbol":
        symbol = mx.sym.BatchNorm(*map(mx.sym.var, [*arrays, *moving]), momentum=0.5)
        requests = {name: "write" if name == wanting else "null" for name in arrays}
        grads = {name: mx.nd.zeros(a.shape) for name, a in arrays.items()}
        executor = symbol.bind(mx.cpu(), arrays, grads, requests, moving)
        executor.forward(is_train=True)
        executor.backward(mx.nd.ones((2, 2)))
        return moving["mean"].asnumpy().tolist()
    call = mx.nd.BatchNorm
    if way == "block":
        block = mx.gluon.nn.HybridLambda(lambda F, *inputs: F.BatchNorm(*inputs, momentum=0.5))
        block.hybridize()
        call = lambda *inputs, momentum: block(*inputs)  # noqa: E731
    arrays[wanting].attach_grad()
    with mx.autograd.record():
        output = call(*arrays.values(), *moving.values(), momentum=0.5)
    output.backward()
    return moving["mean"].asnumpy().tolist()


@pytest.mark.parametrize("wanting", ["x", "gamma", "beta"])
@pytest.mark.parametrize("way", ["call", "symbol", "block"])
def test_statistics_move_where_any_input_has_a_gradient_even_a_fixed_gamma(way, wanting):
    assert statistics_after(way, wanting) == [1.0, 2.0]


@pytest.mark.parametrize("fix_gamma", [False, True])
def test_statistics_that_want_a_gradient_get_zeros(fix_gamma):
    arrays = [mx.nd.array(v) for v in ([[1.0, 2.0], [3.0, 6.0]], [2, 3], [0, 0], [1, 1], [4, 4])]
    for array in arrays:
        array.attach_grad()
    with mx.autograd.record():
        mx.nd.BatchNorm(*arrays, fix_gamma=fix_gamma, use_global_stats=True).backward()
    assert arrays[0].grad.asnumpy().any()
    assert not any(statistic.grad.asnumpy().any() for statistic in arrays[3:])


@pytest.mark.parametrize("use_global_stats", [False, True])
@pytest.mark.parametrize("name", ALL)
def test_gradient(name, use_global_stats):
    attrs = {"fix_gamma": False, "use_global_stats": use_global_stats}
    op, inputs, _results = train_step(name, **attrs)
    moving = inputs[3:]

    def function(x, gamma, beta):
        return op.forward(x, gamma, beta, *(m.clone() for m in moving), train=True)[0]

    assert torch.autograd.gradcheck(function, inputs[:3], eps=1e-6, atol=1e-5, rtol=1e-4)
