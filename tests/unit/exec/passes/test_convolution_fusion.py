# SPDX-License-Identifier: Apache-2.0
"""What convolutions take over, and that the result stays the same."""

import operator

import numpy as np
import pytest

import mxnova as mx

pytestmark = pytest.mark.onednn

SHAPE = (2, 4, 6, 6)
DATA = mx.sym.var("data")


def conv(x, name="c", **options):
    options = {"kernel": (3, 3), "pad": (1, 1), "num_filter": 4, **options}
    return mx.sym.Convolution(x, name=name, **options)


def norm(x, **options):
    return mx.sym.BatchNorm(x, name="b", **options)


def data():
    return DATA


def act(kind):
    return lambda: mx.sym.Activation(conv(data()), act_type=kind)


# what the graph is -> operators that are left
FUSED = {
    "alone": (lambda: conv(data()), ["_FusedConvolution"]),
    "BatchNorm": (lambda: norm(conv(data())), ["_FusedConvolution"]),
    "BatchNorm with gamma": (lambda: norm(conv(data()), fix_gamma=False), ["_FusedConvolution"]),
    "without bias": (lambda: norm(conv(data(), no_bias=True)), ["_FusedConvolution"]),
    "relu": (lambda: mx.sym.relu(norm(conv(data()))), ["_FusedConvolution"]),
    "sum": (lambda: conv(data()) + data(), ["_FusedConvolution"]),
    "sum from the right": (lambda: data() + norm(conv(data())), ["_FusedConvolution"]),
    "sum and relu": (lambda: mx.sym.relu(norm(conv(data())) + data()), ["_FusedConvolution"]),
    "sum and tanh": (lambda: mx.sym.tanh(conv(data()) + data()), ["_FusedConvolution", "tanh"]),
    "two convolutions": (
        lambda: mx.sym.relu(conv(data()) + norm(conv(data(), "d"))),
        ["_FusedConvolution", "_FusedConvolution"],
    ),
    "leaky": (
        lambda: mx.sym.LeakyReLU(conv(data()), act_type="leaky", slope=0.3),
        ["_FusedConvolution"],
    ),
    "groups": (lambda: conv(data(), num_group=2), ["_FusedConvolution"]),
    "stride": (lambda: conv(data(), stride=(2, 2), dilate=(2, 2)), ["_FusedConvolution"]),
    **{kind: (act(kind), ["_FusedConvolution"]) for kind in ("relu", "sigmoid", "tanh")},
    "softrelu": (act("softrelu"), ["_FusedConvolution", "Activation"]),
}

# Operators of one meaning, instead of `Convolution`, `BatchNorm`, `elemwise_add` and `relu`.
TWINS = {
    "np": ("Convolution", "BatchNorm", "_internal._npi_add", "_internal._npx_relu"),
    "broadcast": ("Convolution", "BatchNorm", "broadcast_add", "relu"),
    "v1": ("Convolution_v1", "BatchNorm_v1", "elemwise_add", "Activation"),
    "gradients": ("Convolution", "BatchNorm", "_internal._grad_add", "relu"),
}

# Somebody else reads what would vanish, or it cannot be folded.
KEPT = {
    "read twice": lambda: mx.sym.Group([norm(c := conv(data())), c]),
    "sum with itself": lambda: (lambda c: c + c)(conv(data())),
    "mean is read": lambda: mx.sym.Group(list(norm(conv(data()), output_mean_var=True))),
    "other axis": lambda: norm(conv(data()), axis=2),
    "computed weights": lambda: mx.sym.Convolution(
        data(), mx.sym.var("w", shape=(4, 4, 1, 1)) * 2, kernel=(1, 1), num_filter=4, no_bias=True
    ),
}


def bound(symbol):
    executor = symbol.simple_bind(mx.cpu(), data=SHAPE)
    rng = np.random.default_rng(1)
    for name, array in (executor.arg_dict | executor.aux_dict).items():
        low = 0.5 if name.endswith(("gamma", "var")) else -1
        array[:] = rng.uniform(low, 1.5, array.shape)
    return executor


def rewritten(executor):
    executor.optimize()
    special = executor._inference._special
    return [] if special is None else [s.op.name for s in special.lowered.steps]


@pytest.mark.parametrize("name", FUSED)
def test_what_is_absorbed(name):
    make, left = FUSED[name]
    executor = bound(make())
    wanted = executor.forward()[0].asnumpy()
    assert sorted(rewritten(executor)) == sorted(left)
    np.testing.assert_allclose(executor.forward()[0].asnumpy(), wanted, rtol=1e-4, atol=1e-5)


def residual(convolution, batch_norm, add, relu):
    """Two convolutions, added up; names of their operators may be dotted."""
    made = [operator.attrgetter(name)(mx.sym) for name in (convolution, batch_norm, add, relu)]
    convolve, normalize, add, rectify = made
    options = {"kernel": (3, 3), "pad": (1, 1), "num_filter": 4}
    left = normalize(convolve(data(), name="c", **options), eps=1e-3, name="b")
    right = convolve(data(), name="d", **options)
    act_type = {"act_type": "relu"} if relu == "Activation" else {}
    return rectify(add(left, right), **act_type)


@pytest.mark.parametrize("name", TWINS)
def test_twins_are_fused_alike(name):
    executor = bound(residual(*TWINS[name]))
    wanted = bound(residual("Convolution", "BatchNorm", "elemwise_add", "relu"))
    assert rewritten(executor) == rewritten(wanted) == ["_FusedConvolution"] * 2
    given, reference = executor.forward()[0], wanted.forward()[0]
    np.testing.assert_array_equal(given.asnumpy(), reference.asnumpy())


def test_sums_that_broadcast_or_convert_are_left_alone():
    other = mx.sym.var("other", shape=(1, 4, 1, 1))
    symbol = mx.sym.broadcast_add(conv(data()), other)
    assert rewritten(bound(symbol)) == ["_FusedConvolution", "broadcast_add"]
    whole = mx.sym.var("other", shape=SHAPE, dtype="int32")
    symbol = mx.sym._internal._npi_add(conv(data()), whole)
    assert rewritten(bound(symbol)) == ["_FusedConvolution", "_npi_add"]


@pytest.mark.parametrize("name", KEPT)
def test_what_others_read_stays(name):
    executor = bound(KEPT[name]())
    wanted = [o.asnumpy() for o in executor.forward()]
    rewritten(executor)
    for got, want in zip(executor.forward(), wanted):
        np.testing.assert_allclose(got.asnumpy(), want, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("dtype", ["float64", "float16"])
def test_other_types_are_left_alone(dtype):
    executor = norm(conv(data())).simple_bind(mx.cpu(), data=SHAPE, type_dict={"data": dtype})
    assert "_FusedConvolution" not in rewritten(executor)


def test_volumes_are_left_alone():
    symbol = mx.sym.Convolution(data(), kernel=(1, 1, 1), num_filter=2)
    assert rewritten(symbol.simple_bind(mx.cpu(), data=(1, 2, 3, 3, 3))) == []


@pytest.mark.parametrize("size", [6, 96])  # the larger one goes by tiles where that is faster
def test_sums_that_broadcast_later_are_added_alike(size):
    """A program is kept for other batches, whose sums may broadcast where its own did not."""
    other = mx.sym.var("other")
    symbol = mx.sym.relu(mx.sym.broadcast_add(conv(data(), "c"), conv(other, "d")))
    function = mx.nd.CachedOp(symbol)
    rng = np.random.default_rng(1)
    shapes = {"data": (1, 4, size, size), "other": (1, 4, size, size)}
    names = symbol.list_arguments()
    inferred = dict(zip(names, symbol.infer_shape(**shapes)[0]))
    arrays = {n: mx.nd.array(rng.normal(size=inferred[n])) for n in names}
    for batch in (1, 1, 1, 3, 3, 3):
        arrays["data"] = mx.nd.array(rng.normal(size=(batch, 4, size, size)))
        wanted = symbol.eval(ctx=mx.cpu(), **arrays)[0].asnumpy()
        given = function(*(arrays[n] for n in names)).asnumpy()
        np.testing.assert_allclose(given, wanted, rtol=1e-4, atol=1e-4)
