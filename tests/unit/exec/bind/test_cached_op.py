# SPDX-License-Identifier: Apache-2.0
import threading

import numpy as np
import pytest

import mxnova as mx
from mxnova.core.base.errors import ArgumentError, MXNetError

X = np.array([[1.0, -2.0], [0.5, 4.0], [3.0, 0.0]], dtype=np.float32)


def network():
    x = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=4, name="fc")
    x = mx.sym.BatchNorm(mx.sym.tanh(x), name="bn", fix_gamma=False)
    return mx.sym.Group([x, mx.sym.sum(x, axis=1)])


def arrays():
    rng = np.random.RandomState(0)
    shapes = {
        "data": (8, 2),
        "fc_weight": (4, 2),
        "fc_bias": (4,),
        "bn_gamma": (4,),
        "bn_beta": (4,),
        "bn_moving_mean": (4,),
        "bn_moving_var": (4,),
    }
    made = {n: mx.nd.array(rng.rand(*s)) for n, s in shapes.items()}
    # Widely spread: BatchNorm multiplies the rounding of a narrow batch by its inverse deviation.
    made["data"] = mx.nd.array(rng.randn(*shapes["data"]))
    return [made[n] for n in network().list_inputs()]


def by_operators(data, weight, bias, gamma, beta, mean, var):
    x = mx.nd.tanh(mx.nd.FullyConnected(data, weight, bias, num_hidden=4))
    x = mx.nd.BatchNorm(x, gamma, beta, mean, var, fix_gamma=False)
    return [x, mx.nd.sum(x, axis=1)]


def close(found, wanted):
    assert len(found) == len(wanted)
    for a, b in zip(found, wanted):
        np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), rtol=1e-5, atol=1e-6)


FLAGS = [(), [("static_alloc", True), ("static_shape", True)], {"inline_limit": 0}.items()]


@pytest.mark.parametrize("flags", FLAGS)
def test_inference(flags):
    given = arrays()
    op = mx.nd.CachedOp(network(), flags)
    for _ in range(3):
        close(op(*given), by_operators(*given))
    given[1][:] *= 2
    close(op(*given), by_operators(*given))


@pytest.mark.parametrize("flags", FLAGS)
@pytest.mark.parametrize("train_mode", [True, False])
def test_recorded_is_like_operator_by_operator(flags, train_mode):
    gradients, states = [], []
    for function in (mx.nd.CachedOp(network(), flags), by_operators):
        given = arrays()
        for array in given[:5]:
            array.attach_grad()
        with mx.autograd.record(train_mode):
            first, second = function(*given)
            loss = mx.nd.sum(first * first) + mx.nd.sum(second * given[0][:, 0])
        loss.backward()
        gradients.append([a.grad for a in given[:5]])
        states.append(given[5:])
    close(*gradients)
    close(*states)


def test_training_mode_without_recording():
    given = arrays()
    with mx.autograd.train_mode():
        found = mx.nd.CachedOp(network())(*given)
    with mx.autograd.train_mode():
        close(found, by_operators(*arrays()))


def test_gradients_are_added():
    x = mx.nd.array(X)
    x.attach_grad("add")
    op = mx.nd.CachedOp(mx.sym.var("x") * 3)
    for _ in range(2):
        with mx.autograd.record():
            y = op(x)
        y.backward()
    assert (x.grad.asnumpy() == 6).all()


def test_second_order():
    x = mx.nd.array([2.0])
    x.attach_grad()
    op = mx.nd.CachedOp(mx.sym.var("x") ** 3)
    with mx.autograd.record():
        (slope,) = mx.autograd.grad(op(x), [x], create_graph=True)
    slope.backward()
    assert x.grad.asscalar() == 12


def test_other_shapes_and_types():
    op = mx.nd.CachedOp(mx.sym.sum(mx.sym.var("x") * 2, axis=0))
    for shape in [(2, 3), (4, 1), (2, 3), (5, 2, 2)]:
        assert op(mx.nd.ones(shape)).shape == shape[1:]
    assert op(mx.nd.ones((2, 2), dtype="float64")).dtype == np.float64
    assert op(mx.nd.ones((2, 2), dtype="int32")).dtype == np.int32


def test_sizes_left_open_are_settled_for_each_shape():
    x = mx.sym.var("x")
    op = mx.nd.CachedOp(mx.sym.elemwise_add(x, mx.sym.zeros((0, 3))))
    for rows in (2, 5):
        assert op(mx.nd.ones((rows, 3))).shape == (rows, 3)


def test_random_numbers_differ_from_call_to_call():
    op = mx.nd.CachedOp(mx.sym.Dropout(mx.sym.var("x"), p=0.5))
    x = mx.nd.ones(100)
    with mx.autograd.record():
        first, second = op(x), op(x)
    assert (first.asnumpy() != second.asnumpy()).any()
    np.testing.assert_array_equal(op(x).asnumpy(), x.asnumpy())


def test_out():
    x, target = mx.nd.array(X), mx.nd.zeros(X.shape)
    op = mx.nd.CachedOp(mx.sym.var("x") * 2)
    assert op(x, out=target) is target
    np.testing.assert_array_equal(target.asnumpy(), 2 * X)
    x.attach_grad()
    with mx.autograd.record():
        op(x, out=target)
    target.backward()
    assert (x.grad.asnumpy() == 2).all()


def test_results_share_no_memory():
    x = mx.sym.var("x")
    op = mx.nd.CachedOp(mx.sym.Group([x, x, mx.sym.reshape(x, shape=(-1,)), x[0] * 1]))
    given = mx.nd.array(X)
    results = op(given)
    for result in results:
        result[:] = 0
    np.testing.assert_array_equal(given.asnumpy(), X)
    results = op(given)
    results[0][:] = 7
    np.testing.assert_array_equal(results[1].asnumpy(), X)
    np.testing.assert_array_equal(results[2].asnumpy(), X.reshape(-1))


def test_arrays_written_between_forward_and_backward():
    x, w = mx.nd.array([2.0]), mx.nd.array([3.0])
    x.attach_grad(), w.attach_grad()
    op = mx.nd.CachedOp(mx.sym.var("x") * mx.sym.var("w"))
    with mx.autograd.record():
        y = op(x, w)
    w[:] = 5
    y.backward()
    assert x.grad.asscalar() == 5
    constant = mx.nd.array([3.0])
    with mx.autograd.record():
        y = op(x, constant)
    constant[:] = 7
    y.backward()
    assert x.grad.asscalar() == 7


def test_states_that_training_moves_are_seen_by_inference():
    symbol = mx.sym.Convolution(
        mx.sym.var("x"), kernel=(1, 1), num_filter=2, name="c", no_bias=True
    )
    symbol = mx.sym.BatchNorm(symbol, name="bn", fix_gamma=False, momentum=0.5)
    shapes, _, states = symbol.infer_shape(x=(4, 3, 5, 5))
    rng = np.random.RandomState(0)
    named = dict(zip(symbol.list_arguments(), shapes)) | dict(
        zip(symbol.list_auxiliary_states(), states)
    )
    given = [mx.nd.array(rng.rand(*named[n])) for n in symbol.list_inputs()]
    op = mx.nd.CachedOp(symbol)
    given[0].attach_grad()
    for _ in range(3):
        before = op(*given)
    with mx.autograd.record():
        y = op(*given)
    y.backward()
    wanted = mx.nd.CachedOp(symbol)(*given)
    for _ in range(3):
        np.testing.assert_allclose(op(*given).asnumpy(), wanted.asnumpy(), rtol=1e-4, atol=1e-5)
    assert abs(before.asnumpy() - wanted.asnumpy()).max() > 1e-3


def test_hook_sees_every_array():
    seen = []
    op = mx.nd.CachedOp(mx.sym.tanh(mx.sym.var("x") * 2, name="act"))
    op._register_op_hook(lambda name, kind, array: seen.append((name, kind, array.shape)))
    op(mx.nd.array(X))
    assert [(kind, shape) for _, kind, shape in seen] == [("_mul_scalar", (3, 2)), ("tanh", (3, 2))]
    assert seen[1][0] == "act_output"
    op._register_op_hook(lambda name, kind, array: seen.append(name), monitor_all=True)
    with mx.autograd.record():
        op(mx.nd.array(X))
    assert [name.split("_")[-1] for name in seen[2:]] == ["input0", "output"] * 2
    assert len(seen) == 6
    op._register_op_hook(None)
    op(mx.nd.array(X))
    assert len(seen) == 6


def test_sparse_arrays():
    dense = np.array([[0, 2, 0], [1, 0, 3]], dtype=np.float32)
    x, w = mx.nd.array(dense).tostype("csr"), mx.nd.ones((3, 2))
    w.attach_grad()
    op = mx.nd.CachedOp(mx.sym.dot(mx.sym.var("x", stype="csr"), mx.sym.var("w")))
    np.testing.assert_array_equal(op(x, w).asnumpy(), dense @ np.ones((3, 2)))
    np.testing.assert_array_equal(op(mx.nd.array(dense), w).asnumpy(), dense @ np.ones((3, 2)))
    with mx.autograd.record():
        y = op(x, w)
    y.backward()
    np.testing.assert_array_equal(w.grad.asnumpy(), dense.T @ np.ones((2, 2)))


def test_sparse_results():
    x = mx.nd.array([[0, 2], [0, 0], [1, 0]]).tostype("row_sparse")
    y = mx.nd.CachedOp(mx.sym.var("x", stype="row_sparse") * 3)(x)
    assert y.stype == "row_sparse"
    assert y.asnumpy().tolist() == [[0, 6], [0, 0], [3, 0]]


def test_many_threads():
    given, failures = arrays(), []
    op = mx.nd.CachedOp(network())
    wanted = op(*given)[0].asnumpy()

    def work():
        for _ in range(20):
            if not np.allclose(op(*given)[0].asnumpy(), wanted, atol=1e-6):
                failures.append(1)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda op, x: op(), MXNetError, r"takes 1 arrays \(x\), not 0"),
        (lambda op, x: op(x, x), MXNetError, "not 2"),
        (lambda op, x: op(x, y=x), TypeError, "y"),
        (lambda op, x: op(x, out=[x, x]), MXNetError, "gives 1 arrays, out= holds 2"),
        (lambda op, x: op(x, out=mx.nd.ones(7)), MXNetError, "shape"),
        (lambda op, x: mx.nd.CachedOp(mx.sym.var("x"), [("sttic", 1)]), ArgumentError, "sttic"),
        (lambda op, x: mx.nd.CachedOp(mx.sym.var("x"), [("inline_limit", -1)]), ArgumentError, "0"),
    ],
)
def test_refused(call, error, text):
    with pytest.raises(error, match=text):
        call(mx.nd.CachedOp(mx.sym.var("x") * 2), mx.nd.array(X))


def test_arrays_that_do_not_fit_are_named():
    symbol = mx.sym.FullyConnected(mx.sym.var("x"), num_hidden=2, name="fc")
    with pytest.raises(MXNetError, match="'fc'.*weight"):
        mx.nd.CachedOp(symbol)(mx.nd.ones((2, 3)), mx.nd.ones((2, 4)), mx.nd.ones(2))
