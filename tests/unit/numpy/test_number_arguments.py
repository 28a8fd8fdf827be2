# SPDX-License-Identifier: Apache-2.0
"""Arrays without axes stand for numbers, by position and by name, wherever MXNet 1.9.1 takes them."""

import inspect

import numpy
import pytest

import mxnova as mx

X = mx.np.arange(6.0).reshape(2, 3)
V, K = mx.np.arange(6.0), mx.np.arange(24.0).reshape(2, 3, 4)
L = mx.np.array([0, 1])
ND, ND_L = mx.nd.arange(6).reshape((2, 3)), mx.nd.array([0, 1])

# fmt: off
CALLS = [
    (mx.np.clip, X, 1, 4.5), (mx.np.tile, X, 2), (mx.np.roll, X, 1), (mx.np.roll, X, 1, 0),
    (mx.np.eye, 3), (mx.np.eye, 3, 4, 1), (mx.np.tril, X, 1),
    (mx.np.sum, X, 1), (mx.np.mean, X, 0), (mx.np.std, X, 1), (mx.np.argmax, X, 1),
    (mx.np.any, X, 1), (mx.np.cumsum, X, 1), (mx.np.sort, X, 0), (mx.np.argsort, X, 0),
    (mx.np.average, X, 1), (mx.np.nan_to_num, X, True, 1.5, 2, 3), (mx.np.expand_dims, X, 1),
    (mx.np.squeeze, X[:1], 0), (mx.np.repeat, X, 2, 1), (mx.np.linspace, 0, 4, 5),
    (mx.np.logspace, 0, 4, 5, True, 2.5), (mx.np.arange, 1, 9, 2), (mx.np.zeros, 3),
    (mx.np.full, 3, 2.5), (mx.np.full_like, X, 2.5), (mx.np.concatenate, [X, X], 1),
    (mx.np.stack, [X, X], 1), (mx.np.swapaxes, X, 0, 1), (mx.np.moveaxis, K, 0, 2),
    (mx.np.reshape, X, 6), (mx.np.flip, X, 1), (mx.np.rot90, X, 3), (mx.np.diff, X, 1, 0),
    (mx.np.take, X, L, 1), (mx.np.delete, X, 1, 0),
    (mx.np.trace, K, 1, 0, 2), (mx.np.diag, V, 1), (mx.np.diagonal, K, 1, 0, 2),
    (mx.np.diagflat, V, 1), (mx.np.around, X / 7, 1), (mx.np.percentile, X, 30, 1),
    (mx.np.bincount, L.astype("int32"), None, 5), (mx.np.hanning, 5), (mx.np.append, X, X, 1),
    (mx.np.linalg.pinv, X, 1e-3), (mx.np.add, X, 2), (mx.np.where, X, 1.5, 2.5),
    (mx.npx.one_hot, L, 3, 2.5, 1), (mx.npx.topk, X, 1, 2), (mx.npx.log_softmax, X, 0),
    (mx.npx.pick, X, L, 1), (mx.npx.arange_like, X, 1.5, 2, 1), (mx.npx.smooth_l1, X, 2.5),
    (mx.npx.embedding, L, X, 2, 3), (mx.npx.layer_norm, X, V[:3], V[:3], -1, 1e-3),
    (mx.nd.clip, ND, 1, 4.5), (mx.nd.tile, ND, 2), (mx.nd.sum, ND, 1), (mx.nd.one_hot, ND_L, 3),
    (mx.nd.eye, 3), (mx.nd.zeros, 3), (mx.nd.arange, 1, 9, 2), (mx.nd.repeat, ND, 2, 1),
    (mx.nd.split, ND, 3, 1), (mx.nd.slice_axis, ND, 0, 0, 1), (mx.nd.topk, ND, 1, 2),
    (mx.nd.smooth_l1, ND, 2.5), (mx.nd.take, ND, ND_L, 1), (mx.nd.pick, ND, ND_L, 1),
    (mx.nd.norm, ND, 2, 1), (mx.nd.diag, ND, 1), (mx.nd.swapaxes, ND, 0, 1),
    (mx.nd.broadcast_axis, ND[:1], 0, 2), (mx.nd.Embedding, ND_L, ND, 2, 3),
    (mx.nd.linalg.gemm2, ND, ND, False, True, 2.5), (mx.nd.sgd_update, ND, ND, 0.5, 0.25),
    (mx.np.ndarray.clip, X, 1, 4.5), (mx.np.ndarray.repeat, X, 2, 1), (mx.nd.NDArray.sum, ND, 1),
    (mx.np.ndarray.std, X, 1), (mx.nd.NDArray.slice_axis, ND, 0, 0, 1),
]
# fmt: on


def plain(result):
    if isinstance(result, (list, tuple)):
        return [plain(item) for item in result]
    return (type(result), result.dtype, result.asnumpy().tolist())


def numbers_of(arguments):
    return [i for i, v in enumerate(arguments) if type(v) in (int, float)]


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32"])
@pytest.mark.parametrize("function, arguments", [(f, a) for f, *a in CALLS])
def test_each_number_may_be_an_array(function, arguments, dtype):
    expected = plain(function(*arguments))
    names = list(inspect.signature(function).parameters)
    for i in numbers_of(arguments):
        if isinstance(arguments[i], int) is dtype.startswith("float"):
            continue
        array = mx.np.array(arguments[i], dtype=dtype)
        assert plain(function(*arguments[:i], array, *arguments[i + 1 :])) == expected, i
        if i < len(names) and not {"args", "kwargs"} & set(names[: i + 1]):
            named = dict(zip(names[i:], [array, *arguments[i + 1 :]]))
            assert plain(function(*arguments[:i], **named)) == expected, names[i]


def test_the_array_is_read_anew_at_each_call():
    bound = mx.np.array(1.0)
    first = mx.np.clip(X, 0, bound)
    bound += 2
    second, named = mx.np.clip(X, 0, bound), mx.np.clip(X, a_min=0, a_max=bound)
    assert [array.max().item() for array in (first, second, named)] == [1, 3, 3]


def test_symbols_take_them_too():
    bound = mx.np.array(2, dtype="int32")
    symbol = mx.sym.tile(mx.sym.clip(mx.sym.Variable("x"), 0, bound, name="clipped"), bound)
    assert symbol.attr_dict()["clipped"]["a_max"] == "2"
    assert mx.nd.max(symbol.eval(x=ND)[0]).asscalar() == 2


REFUSED = [
    (lambda: mx.nd.clip(ND, mx.nd.array([1]), 5), "clip: a_min=.*: must be a number"),
    (lambda: mx.nd.clip(ND, mx.nd.array([1, 2]), 5), "clip: a_min=.*: must be a number"),
    (lambda: mx.np.clip(X, 0, mx.np.array([1.0, 2.0])), "clip: a_max=.*: must be a number"),
    (lambda: mx.np.eye(mx.np.array(1.5)), r"eye: N=array\(1.5\): must be an integer .*int\(x\)"),
    (lambda: mx.np.tile(X, mx.np.array(2.0)), "tile: reps=.*: must be a tuple of integers"),
    (lambda: mx.npx.one_hot(L, mx.np.array(2.0)), "one_hot: depth=.*: must be an integer"),
    (lambda: mx.sym.clip(mx.sym.var("x"), mx.sym.var("y"), 5), "clip: a_min='<Symbol y>'"),
]


@pytest.mark.parametrize("call, text", REFUSED)
def test_other_arrays_are_refused_by_what_reads_the_parameter(call, text):
    with pytest.raises(mx.MXNetError, match=f"(?s){text}"):
        call()


NUMPYS = [
    lambda n: mx.np.random.uniform(0, 1, n).shape,
    lambda n: mx.np.random.uniform(0, n, 3).shape,
    lambda n: mx.np.random.choice(n, 3).shape,
    lambda n: mx.np.random.choice(5, n).shape,
    lambda n: mx.np.random.chisquare(2, n).shape,
    lambda n: mx.nd.random.exponential(n, 3).shape,
]


@pytest.mark.parametrize("call", NUMPYS)
@pytest.mark.parametrize("number", [numpy.int64(3), numpy.array(3)])
def test_numpys_numbers_are_numbers(call, number):
    assert call(number) == (3,)


def test_axes_and_sizes_are_numpys_numbers():
    one = numpy.int64(1)
    assert mx.np.tensordot(X, V[:3], one).tolist() == [5, 14]
    assert mx.nd.moveaxis(ND, one, numpy.int64(0)).shape == (3, 2)
    assert ND.reshape(numpy.array(6)).shape == (6,)
    assert mx.nd.histogram(ND, numpy.int64(3), (0, 6))[0].asnumpy().tolist() == [2, 2, 2]
