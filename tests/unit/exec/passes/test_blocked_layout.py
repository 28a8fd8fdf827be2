# SPDX-License-Identifier: Apache-2.0
from random import Random

import numpy as np
import pytest

import mxnova as mx
from mxnova.core.runtime import tuning
from mxnova.core.runtime.processor import HAS_ONEDNN
from tests.property.graph_programs import check, draw

pytestmark = pytest.mark.skipif(not HAS_ONEDNN, reason="torch was built without oneDNN")

SHAPE = (2, 3, 12, 12)


@pytest.fixture(autouse=True)
def always(monkeypatch):
    """Groups are made however small they are."""
    monkeypatch.setattr(tuning, "BLOCKED_LAYOUT_MIN_SIZE", 0)


def convolved(x, name, **attrs):
    sizes = {"kernel": (3, 3), "pad": (1, 1), "num_filter": 4, **attrs}
    return mx.sym.Convolution(x, name=name, **sizes)


def normalized(x, name, **attrs):
    return mx.sym.BatchNorm(convolved(x, f"{name}_conv"), name=f"{name}_bn", **attrs)


def residual(x):
    first = mx.sym.relu(normalized(x, "a", fix_gamma=False))
    second = normalized(first, "b", fix_gamma=True)
    return mx.sym.Activation(first + second, act_type="relu")


def chain(x):
    return convolved(mx.sym.relu(normalized(x, "a")), "last", no_bias=True, stride=(2, 2))


def pooled(x):
    x = mx.sym.Pooling(chain(x), kernel=(3, 3), stride=(2, 2), pad=(1, 1), pool_type="max")
    return mx.sym.Pooling(x, kernel=(2, 2), pool_type="avg", count_include_pad=False)


def grouped(x):
    return convolved(normalized(x, "a"), "last", num_group=2, dilate=(2, 2), pad=(2, 2))


def read_twice(x):
    """Outputs of a group that others read, too: in place they would show the wrong values."""
    y = normalized(x, "a")
    return mx.sym.Group([mx.sym.relu(y), y + y, mx.sym.sigmoid(y), y])


def read_in_steps(x):
    """What ResNet v1 has where images shrink: sums of which every other position is read."""
    y = residual(x)
    point = {"kernel": (1, 1), "pad": (0, 0), "stride": (2, 2)}
    return convolved(y, "left", **point) + convolved(y, "right", **point)


def separable(x):
    """Channels convolved one by one and then mixed, beside a shortcut in steps, as in Xception."""
    y = normalized(x, "stem")
    point = {"kernel": (1, 1), "pad": (0, 0)}
    for name, stride in (("a", (1, 1)), ("b", (2, 2))):
        deep = convolved(mx.sym.relu(y), f"{name}_conv", num_group=4, stride=stride)
        deep = mx.sym.BatchNorm(deep, name=f"{name}_bn", fix_gamma=False)
        y = mx.sym.BatchNorm(convolved(deep, f"{name}_point", **point), name=f"{name}_point_bn")
    shortcut = convolved(x, "shortcut", stride=(2, 2), **point)
    return mx.sym.relu(y + mx.sym.BatchNorm(shortcut, name="shortcut_bn"))


def two_groups(x):
    return normalized(mx.sym.tanh(normalized(x, "a")), "b")


def weight_computed(x):
    """A sum of kernels is no image, though it has four axes."""
    weight = mx.sym.var("v", shape=(4, 3, 3, 3)) + mx.sym.var("w", shape=(4, 3, 3, 3))
    return mx.sym.relu(
        mx.sym.Convolution(x, weight, kernel=(3, 3), num_filter=4, no_bias=True, name="c")
    )


def blocked_norm(x):
    """No gradient but zeros comes to the first BatchNorm."""
    y = convolved(x, "c")
    cut = mx.sym.BlockGrad(mx.sym.BatchNorm(y, name="a"))
    return mx.sym.Group([cut, mx.sym.BatchNorm(y, name="b")])


GRAPHS = [
    residual, chain, pooled, grouped, read_twice, read_in_steps, separable, two_groups,
    weight_computed, blocked_norm,
]  # fmt: skip


@pytest.fixture(params=["0", "1"], ids=["kept", "mirrored"])
def mirrored(request, monkeypatch):
    monkeypatch.setenv("MXNET_BACKWARD_DO_MIRROR", request.param)
    return request.param == "1"


def bound(symbol, monkeypatch, fuse, grad_req="write", dtype="float32"):
    monkeypatch.setenv("MXNOVA_FUSE", str(int(fuse)))
    types = dict.fromkeys(symbol.list_inputs(), dtype)
    executor = symbol.simple_bind(mx.cpu(), grad_req=grad_req, type_dict=types, data=SHAPE)
    rng = np.random.RandomState(0)
    for array in (*executor.arg_arrays, *executor.aux_arrays):
        signs = 1 if array.ndim == 1 else rng.choice([-1, 1], array.shape)
        array[:] = signs * rng.uniform(0.5, 1.5, array.shape)
    return executor


def trained(executor, passes=1):
    executor.forward(is_train=True)
    heads = [
        mx.nd.array(np.cos(np.arange(o.size)).reshape(o.shape), dtype=o.dtype)
        for o in executor.outputs
    ]
    for _ in range(passes):
        executor.backward(heads)
    found = [*executor.outputs, *executor.grad_arrays, *executor.aux_arrays]
    return [a.asnumpy() for a in found if a is not None]


def nodes_run(executor):
    return [s.op.name for s in executor._inference.training._recorded.steps]


def equal(some, others):
    for a, b in zip(some, others, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-4 * max(1.0, np.abs(b).max()))


@pytest.mark.parametrize("graph", GRAPHS, ids=lambda g: g.__name__)
@pytest.mark.parametrize("grad_req", ["write", "add"])
def test_values_are_those_of_the_graph_as_it_is(graph, grad_req, mirrored, monkeypatch):
    symbol = graph(mx.sym.var("data"))
    blocked = bound(symbol, monkeypatch, True, grad_req)
    plain = bound(symbol, monkeypatch, False, grad_req)
    for passes in (1, 2):
        equal(trained(blocked, passes), trained(plain, passes))
    assert "_Group" in nodes_run(blocked)
    assert "_Group" not in nodes_run(plain)


@pytest.mark.parametrize("graph", [residual, read_in_steps, separable], ids=lambda g: g.__name__)
@pytest.mark.parametrize("fuse", [True, False], ids=["blocked", "plain"])
def test_values_are_as_near_to_those_in_float64(graph, fuse, mirrored, monkeypatch):
    """Rectifiers read numbers far from 0: rounding that flips one would change whole gradients."""
    symbol = graph(mx.sym.var("data"))
    found = []
    for fused, dtype in ((fuse, "float32"), (False, "float64")):
        executor = bound(symbol, monkeypatch, fused, dtype=dtype)
        for name in symbol.list_arguments():
            if name.endswith("_beta"):
                executor.arg_dict[name][:] = 8
        found.append(trained(executor))
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(a, b, rtol=0, atol=2e-5 * max(1.0, np.abs(b).max()))


def test_some_gradients_only(monkeypatch):
    symbol = residual(mx.sym.var("data"))
    requests = {n: "write" if n.endswith("gamma") else "null" for n in symbol.list_arguments()}
    equal(*(trained(bound(symbol, monkeypatch, fuse, requests)) for fuse in (True, False)))


def test_a_group_takes_all_that_it_can(monkeypatch):
    executor = bound(pooled(mx.sym.var("data")), monkeypatch, True)
    assert nodes_run(executor) == ["_Group"]
    executor = bound(two_groups(mx.sym.var("data")), monkeypatch, True)
    assert nodes_run(executor) == ["_Group", "tanh", "_Group"]


@pytest.mark.parametrize(
    ("attrs", "why"),
    [
        ({"axis": 3}, "channels lie elsewhere"),
        ({"use_global_stats": True}, "statistics are constants"),
        ({"output_mean_var": True}, "statistics are read"),
    ],
)
def test_operators_that_stay_outside(attrs, why, monkeypatch):
    x = normalized(mx.sym.var("data"), "a", **attrs)
    symbol = mx.sym.relu(x[0] if len(x.list_outputs()) > 1 else x)
    blocked, plain = (bound(symbol, monkeypatch, fuse) for fuse in (True, False))
    equal(trained(blocked), trained(plain))
    assert "BatchNorm" in nodes_run(blocked), why


def test_small_images_and_other_types_stay_as_they_are(monkeypatch):
    symbol = chain(mx.sym.var("data"))
    assert "_Group" not in nodes_run(bound(symbol, monkeypatch, True, dtype="float64"))
    monkeypatch.setattr(tuning, "BLOCKED_LAYOUT_MIN_SIZE", 1 << 30)
    assert "_Group" not in nodes_run(bound(symbol, monkeypatch, True))


def test_mirrored_groups_are_sections(monkeypatch):
    def deep(x):
        for i in range(9):
            x = mx.sym.relu(normalized(x, f"c{i}"))
        return x

    monkeypatch.setenv("MXNET_BACKWARD_DO_MIRROR", "1")
    executor = bound(deep(mx.sym.var("data")), monkeypatch, True)
    assert nodes_run(executor) == [*["_Group"] * 3, "relu"]
    equal(trained(executor), trained(bound(deep(mx.sym.var("data")), monkeypatch, False)))


def test_who_watches_sees_every_node(monkeypatch):
    executor = bound(residual(mx.sym.var("data")), monkeypatch, True)
    seen = []
    executor.set_monitor_callback(lambda name, array: seen.append(name))
    executor.forward(is_train=True)
    assert {"a_conv_output", "a_bn_output", "b_bn_output"} <= set(seen)


def recorded(symbol, values):
    operator = mx.nd.CachedOp(symbol)
    arrays = [mx.nd.array(v) for v in values]
    for array, name in zip(arrays, symbol.list_inputs(), strict=True):
        if name not in symbol.list_auxiliary_states():
            array.attach_grad()
    with mx.autograd.record():
        return arrays, operator(*arrays)


def given(symbol):
    arguments, _, states = symbol.infer_shape(data=SHAPE)
    named = dict(zip(symbol.list_arguments(), arguments, strict=True))
    named.update(zip(symbol.list_auxiliary_states(), states, strict=True))
    rng = np.random.RandomState(1)
    return [rng.uniform(0.5, 1.5, named[n]).astype("f") for n in symbol.list_inputs()]


def test_gradients_have_gradients(mirrored, monkeypatch):
    symbol = mx.sym.sum(mx.sym.square(mx.sym.tanh(chain(mx.sym.var("data")) * 0.1)))
    found = []
    for fuse in ("1", "0"):
        monkeypatch.setenv("MXNOVA_FUSE", fuse)
        arrays, loss = recorded(symbol, given(symbol))
        weight = arrays[symbol.list_inputs().index("last_weight")]
        with mx.autograd.record():
            (first,) = mx.autograd.grad(loss, [weight], create_graph=True, retain_graph=True)
            norm = (first * first).sum()
        norm.backward()
        states = [arrays[symbol.list_inputs().index(n)] for n in symbol.list_auxiliary_states()]
        found.append([a.asnumpy() for a in (first, weight.grad, *states)])
    equal(*found)


def test_a_graph_that_was_used_up_holds_nothing():
    symbol = mx.sym.sum(residual(mx.sym.var("data")))
    _, loss = recorded(symbol, given(symbol))
    step = loss._tracked.grad_fn
    while not step.name().startswith("_Pass"):
        ((step, _),) = step.next_functions
    assert step.saved_tensors
    loss.backward()
    with pytest.raises(RuntimeError, match="already been freed"):
        _ = step.saved_tensors


def test_retained_graphs_are_gone_through_again(mirrored):
    symbol = mx.sym.sum(residual(mx.sym.var("data")))
    arrays, loss = recorded(symbol, given(symbol))
    loss.backward(retain_graph=True)
    first = [a.grad.asnumpy() for a in arrays if a.grad is not None]
    loss.backward()
    equal(first, [a.grad.asnumpy() for a in arrays if a.grad is not None])


def test_one_cached_op_serves_other_shapes_and_types():
    symbol = mx.sym.sum(chain(mx.sym.var("data")))
    operator = mx.nd.CachedOp(symbol)
    values = given(symbol)
    at = symbol.list_inputs().index("data")
    for batch, dtype in ((2, "float32"), (5, "float32"), (2, "float64")):
        values[at] = np.ones((batch, *SHAPE[1:]), "f")
        arrays = [mx.nd.array(v, dtype=dtype) for v in values]
        arrays[at].attach_grad()
        with mx.autograd.record():
            loss = operator(*arrays)
        loss.backward()
        assert arrays[at].grad.shape[0] == batch
        assert loss.dtype == np.dtype(dtype)


@pytest.mark.parametrize("seed", range(6))
def test_random_graphs(seed, mirrored):
    check(draw(Random(seed)), seed)
