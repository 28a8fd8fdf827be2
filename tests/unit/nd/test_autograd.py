# SPDX-License-Identifier: Apache-2.0
"""Recording and differentiating, beyond what the recorded programs of MXNet compare."""

import gc
import threading
import weakref

import numpy as np
import pytest
import torch

import mxnova as mx
from mxnova import autograd, nd
from mxnova.core.base.errors import ArgumentError, ArgumentTypeError, MXNetError


def leaf(values, req="write", dtype="float32"):
    array = nd.array(values, dtype=dtype)
    array.attach_grad(req)
    return array


def gradient_of(function, array):
    with autograd.record():
        y = function(array)
    y.backward()
    return array.grad.asnumpy()


# Scopes -------------------------------------------------------------------------------------------


def test_scopes_decorate():
    @autograd.record(train_mode=False)
    def inner():
        return autograd.is_recording(), autograd.is_training()

    @autograd.train_mode()
    def outer():
        return inner(), (autograd.is_recording(), autograd.is_training())

    assert outer() == ((True, False), (False, True))
    assert not autograd.is_recording()


def test_a_scope_can_be_entered_again():
    scope = autograd.record()
    with scope:
        with scope, autograd.pause():
            assert not autograd.is_recording()
        assert autograd.is_recording()
    assert not autograd.is_recording()


def test_a_decorated_function_runs_in_many_threads_at_once():
    inside = threading.Barrier(4)

    @autograd.record()
    def look():
        inside.wait(60)
        return autograd.is_recording()

    seen = []

    def run():
        before = autograd.is_recording()
        seen.append((before, look(), autograd.is_recording()))

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [(False, True, False)] * 4


def test_threads_record_each_for_itself():
    shared = nd.array(np.full((4, 4), 2))
    found = {}

    def run(i):
        x = leaf(np.full((4, 4), float(i)))
        for _ in range(30):
            with autograd.record():
                y = x * x * shared + nd.dot(x, shared)
            y.backward()
        found[i] = x.grad.asnumpy()

    with autograd.record():
        threads = [threading.Thread(target=run, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    for i, gradient in found.items():
        np.testing.assert_allclose(gradient, np.full((4, 4), 4 * i + 8))


def test_recording_goes_on_where_aten_is_told_not_to():
    x = leaf([1, 2])
    with torch.no_grad(), autograd.record():
        y = nd.relu(x * x + x).reshape((2, 1))[0:1]
    y.backward()
    assert x.grad.asnumpy().tolist() == [3, 0]


# Leaves -------------------------------------------------------------------------------------------


def test_the_gradient_stays_the_same_array():
    x = leaf([1, 2])
    gradient = x.grad
    for factor in (2, 3):
        gradient_of(lambda a, f=factor: a * f, x)
        assert x.grad is gradient
        assert gradient.asnumpy().tolist() == [factor, factor]


def test_views_of_a_gradient_see_what_comes():
    x = leaf([1, 2])
    view = x.grad[0:1]
    gradient_of(lambda a: a * a, x)
    assert view.asnumpy().tolist() == [2]


def test_gradients_of_leaves_never_share_memory():
    x, w = leaf([1, 2]), leaf([[1], [2]])
    given = nd.array([3, 4])
    with autograd.record():
        y = x + w.reshape((2,))
    y.backward(given)
    x.grad[:] = 100
    w.grad[0] = 50
    assert given.asnumpy().tolist() == [3, 4]
    assert w.grad.asnumpy().tolist() == [[50], [4]]


@pytest.mark.parametrize(
    "variables, gradients, reqs",
    [(1, 2, "write"), (2, 2, ["write"]), (2, 1, ["write", "write"])],
)
def test_mark_variables_refuses_unequal_counts(variables, gradients, reqs):
    with pytest.raises(ArgumentError, match=f"{variables} variables, {gradients} gradients"):
        autograd.mark_variables(
            [nd.ones((2,)) for _ in range(variables)],
            [nd.ones((2,)) for _ in range(gradients)],
            reqs,
        )


def test_mark_variables_refuses_another_shape_and_marks_nothing():
    arrays = [nd.ones((2,)), nd.ones((2,))]
    with pytest.raises(ArgumentError, match=r"gradient 1 has shape \[3\]"):
        autograd.mark_variables(arrays, [nd.ones((2,)), nd.ones((3,))])
    assert arrays[0].grad is None


def test_a_gradient_array_can_be_a_leaf_itself():
    x, w = nd.array([1, 2]), leaf([0, 0])
    autograd.mark_variables(x, w)
    gradient_of(lambda a: a * a, x)
    assert gradient_of(lambda a: a * a, w).tolist() == [4, 8]


# Heads --------------------------------------------------------------------------------------------


def test_head_gradients_must_fit():
    x = leaf([1, 2])
    with autograd.record():
        y = x * x
    with pytest.raises(MXNetError, match=r"gradient of head 0 has shape \[3\], the head \[2\]"):
        y.backward(nd.ones((3,)))
    with pytest.raises(MXNetError, match="elements of type float64, the head float32"):
        y.backward(nd.ones((2,), dtype="float64"))
    y.backward()
    assert x.grad.asnumpy().tolist() == [2, 4]


def test_errors_say_what_is_missing():
    with pytest.raises(MXNetError, match=r"head 0 has no recorded computation.*attach_grad"):
        nd.ones((1,)).backward()
    x = leaf([1, 2])
    with autograd.record():
        y = x * x
        z = y + 1
    y.backward()
    with pytest.raises(MXNetError, match=r"head 0 was freed.*retain_graph=True"):
        y.backward()
    with pytest.raises(MXNetError, match=r"part of the graph was freed.*retain_graph=True"):
        z.backward()
    with autograd.record():
        y = x * x
    with pytest.raises(MXNetError, match="variable 0 wants no gradient"):
        autograd.grad(y, [nd.ones((2,))])
    with pytest.raises(MXNetError, match="do not depend on variable 1"):
        autograd.grad(y, [x, leaf([1])])


def _pair(x):
    class Pair(autograd.Function):
        def forward(self, x):
            return x * 2, x * 3

        def backward(self, dy, dz):
            return dy * 2 + dz * 3

    return Pair()(x)


@pytest.mark.parametrize(
    "two", [_pair, lambda x: nd.split(x, 2, axis=0), lambda x: mx.np.split(x.as_np_ndarray(), 2)]
)
def test_all_outputs_of_a_freed_step_are_constants(two):
    x = leaf([1, 2])
    with autograd.record():
        one, other = two(x * 2)
    one.backward()
    value = other.asnumpy().sum()
    with autograd.record():
        y = other.as_nd_ndarray().sum() * x
    y.backward()
    assert x.grad.asnumpy().tolist() == [value, value]


def test_states_need_not_be_detached():
    layer = mx.gluon.rnn.GRU(2, input_size=2)
    layer.initialize()
    states = layer.begin_state(1)
    for _ in range(2):
        with autograd.record():
            output, states = layer(nd.ones((3, 1, 2)), states)
        output.backward()


def test_gradients_of_one_call_are_freed_apart():
    x, w = leaf([1, 2]), leaf([3, 4])
    with autograd.record():
        d_x, d_w = autograd.grad(x * x * w, [x, w], create_graph=True)
    d_x.backward()
    d_w.backward()
    assert (x.grad.asnumpy().tolist(), w.grad.asnumpy().tolist()) == ([2, 4], [0, 0])


def test_a_constant_may_be_in_several_graphs():
    x, c = leaf([1, 2], "add"), nd.array([3, 4])
    with autograd.record():
        y, z = x * c, x + c
    y.backward()
    z.backward()
    assert x.grad.asnumpy().tolist() == [4, 5]


def test_a_constant_may_be_written_to_when_its_graph_is_used_up():
    x, c = leaf([1, 2]), nd.array([3, 4])
    with autograd.record():
        y = x * c
        with pytest.raises(MXNetError, match="when recording with autograd"):
            c[:] = 5
        y.backward()
        c[:] = 5
    assert c.asnumpy().tolist() == [5, 5]


# Orders -------------------------------------------------------------------------------------------


def nth_derivative(function, x, n):
    with autograd.record():
        y = function(x)
        for _ in range(n):
            (y,) = autograd.grad(y, [x], create_graph=True)
    return y.asnumpy()


@pytest.mark.parametrize("n", range(5))
def test_polynomials_have_derivatives_of_any_order(n):
    values = np.array([0.5, 1.0, 2.0])
    wanted = np.polyval(np.polyder([1, 0, 2, 0, 0], n) if n else [1, 0, 2, 0, 0], values)
    made = nth_derivative(lambda x: x * x * x * x + 2 * x**2, leaf(values, dtype="float64"), n)
    np.testing.assert_allclose(made, wanted, rtol=1e-10)


def test_second_derivative_of_arcsinh():
    x = np.array([-1.5, -0.3, 0.4, 2.0])
    made = nth_derivative(nd.arcsinh, leaf(x, dtype="float64"), 2)
    np.testing.assert_allclose(made, -x / (1 + x * x) ** 1.5, rtol=1e-10)


def test_second_order_through_a_dense_layer():
    rng = np.random.RandomState(0)
    parts = [rng.randn(3, 2), rng.randn(4, 2), rng.randn(4)]

    def slope(x, w, b):
        arrays = [leaf(p, dtype="float64") for p in (x, w, b)]
        with autograd.record():
            y = nd.sin(nd.FullyConnected(*arrays, num_hidden=4))
            g = autograd.grad(y, [arrays[0]], create_graph=True)[0]
            total = (g * g).sum()
        total.backward()
        return float(total.asscalar()), [a.grad.asnumpy() for a in arrays]

    _, gradients = slope(*parts)
    for i, gradient in enumerate(gradients):
        for place in np.ndindex(gradient.shape):
            ends = []
            for step in (1e-5, -1e-5):
                moved = [p.copy() for p in parts]
                moved[i][place] += step
                ends.append(slope(*moved)[0])
            assert gradient[place] == pytest.approx((ends[0] - ends[1]) / 2e-5, rel=1e-5, abs=1e-8)


def test_the_gradient_of_a_constant_gradient_is_zero():
    x = leaf([1, 2])
    x.grad[:] = 7
    with autograd.record():
        g = autograd.grad(x * 3, [x], create_graph=True)[0]
    g.backward()
    assert (g.asnumpy().tolist(), x.grad.asnumpy().tolist()) == ([3, 3], [0, 0])


def test_gradient_penalty():
    x, w = leaf([[1, 2], [3, 4]]), leaf([[1, 0], [2, 1]])
    with autograd.record():
        y = nd.dot(x, w)
        g = autograd.grad(y, [x], create_graph=True)[0]
        loss = (g * g).sum() + y.sum()
    loss.backward()
    rows = w.asnumpy().sum(axis=1)
    np.testing.assert_allclose(x.grad.asnumpy(), np.tile(rows, (2, 1)))
    penalty = 2 * 2 * np.repeat(rows[:, None], 2, axis=1)
    np.testing.assert_allclose(w.grad.asnumpy(), penalty + x.asnumpy().sum(axis=0)[:, None])


def test_head_gradients_have_gradients():
    x, given = leaf([1.0, 2.0]), leaf([3.0, 4.0])
    with autograd.record():
        g = autograd.grad(x * x, [x], head_grads=given, create_graph=True)[0]
    g.backward()
    assert x.grad.asnumpy().tolist() == [6, 8]
    assert given.grad.asnumpy().tolist() == [2, 4]


# Functions ----------------------------------------------------------------------------------------


class Scaled(autograd.Function):
    def __init__(self, factor):  # does not call the one above
        self.factor = factor

    def forward(self, x):
        return x * self.factor

    def backward(self, dy):
        return dy * self.factor


def test_function_without_the_inherited_init():
    assert gradient_of(lambda x: Scaled(3)(x), leaf([1, 2])).tolist() == [3, 3]


def test_function_adds_where_asked():
    x = leaf([1, 2], "add")
    x.grad[:] = 10
    assert gradient_of(lambda x: Scaled(3)(x), x).tolist() == [13, 13]


def test_what_a_function_gives_may_be_written_to_and_shared_before_the_backward_pass():
    x = leaf([1, 2])
    with autograd.record():
        y = Scaled(3)(x)
        z = y * y
    y[:] = 7
    shared = mx.nd.from_dlpack(y.to_dlpack_for_read())
    z.backward()
    assert shared.asnumpy().tolist() == [7, 7]
    assert x.grad.asnumpy().tolist() == [2 * 7 * 3, 2 * 7 * 3]  # the array, as it is by then


def test_function_may_give_no_gradient():
    class Product(autograd.Function):
        def forward(self, a, b):
            self.save_for_backward(b)
            return a * b

        def backward(self, d):
            return d * self.saved_tensors[0], None

    x, w = leaf([1, 2]), leaf([3, 4])
    w.grad[:] = 7
    with autograd.record():
        y = Product()(x, w)
    y.backward()
    assert x.grad.asnumpy().tolist() == [3, 4]
    assert w.grad.asnumpy().tolist() == [0, 0]


def test_function_may_hand_on_its_input_and_its_gradient():
    class Same(autograd.Function):
        def forward(self, a):
            return a

        def backward(self, d):
            return d

    x, given = leaf([1, 2]), nd.array([5, 6])
    with autograd.record():
        y = Same()(x)
    y.backward(given)
    given[:] = 0
    assert y is not x
    assert x.grad.asnumpy().tolist() == [5, 6]


def test_errors_of_a_function_say_which_and_where():
    class Broken(autograd.Function):
        def forward(self, a):
            return a * 1

        def backward(self, d):
            raise KeyError("lost")

    x = leaf([1, 2])
    with autograd.record():
        y = Broken()(x)
    with pytest.raises(
        MXNetError, match=r"Function Broken: backward raised KeyError\('lost'\)"
    ) as caught:
        y.backward()
    assert caught.value.__cause__.__traceback__.tb_frame.f_code.co_name == "backward"
    assert not autograd.is_recording()


@pytest.mark.parametrize(
    "backward, error",
    [
        (lambda self, d: (d, d), r"gives 2 gradients for 1 inputs"),
        (lambda self, d: nd.ones((3, 3)), r"gives shape \[3,3\] for an input of shape \[2\]"),
        (lambda self, d: d.asnumpy(), r"gives 2 gradients"),
        (lambda self, d: [d.asnumpy()], r"gives a ndarray, which is no NDArray"),
    ],
)
def test_gradients_of_a_function_must_fit(backward, error):
    made = type(
        "Odd", (autograd.Function,), {"forward": lambda self, a: a * 1, "backward": backward}
    )
    with autograd.record():
        y = made()(leaf([1, 2]))
    with pytest.raises(MXNetError, match=error):
        y.backward()


def test_function_takes_arrays_only():
    with autograd.record(), pytest.raises(ArgumentTypeError, match="forward is given a float"):
        Scaled(3)(2.0)


# Memory -------------------------------------------------------------------------------------------


@pytest.fixture
def no_collector():
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def live_tensors():
    return sum(issubclass(type(o), torch.Tensor) for o in gc.get_objects())


def test_graphs_are_freed_without_the_collector(no_collector):
    x = leaf(np.ones((3, 3)))

    class Saving(autograd.Function):
        def forward(self, a):
            y = a * 2
            self.save_for_backward(a, y)
            return y

        def backward(self, d):
            return d

    watched = []
    for backward in (True, False):
        with autograd.record():
            y = nd.relu(nd.dot(Saving()(x), x))
            parts = nd.split(y, 3, axis=1)
            z = nd.concat(*parts, dim=1)[0:2].reshape((6,)).sum()
            g = autograd.grad(z, [x], create_graph=True)[0]
        watched += [weakref.ref(a) for a in (y, z, g, *parts)]
        watched += [weakref.ref(a._tracked) for a in (y, z, g, *parts)]
        if backward:
            z.backward()
        del y, z, g, parts
    assert [w() for w in watched] == [None] * len(watched)


def test_training_holds_no_memory(no_collector):
    rng = np.random.RandomState(0)
    parameters = [leaf(rng.randn(16, 8)), leaf(np.zeros(16)), leaf(rng.randn(2, 16))]
    data, label = nd.array(rng.randn(5, 8)), nd.array([0, 1, 0, 1, 1])

    def run(n):
        w1, b1, w2 = parameters
        for _ in range(n):
            with autograd.record():
                h = nd.Dropout(nd.relu(nd.FullyConnected(data, w1, b1, num_hidden=16)), p=0.1)
                logits = nd.FullyConnected(h, w2, no_bias=True, num_hidden=2)
                loss = nd.SoftmaxOutput(logits, label)
            loss.backward()
            for p in parameters:
                nd.sgd_update(p, p.grad, lr=0.1, out=p)
        loss = None
        return live_tensors(), len(gc.get_objects())

    run(5)
    tensors, objects = run(5)
    assert run(200)[0] <= tensors
    assert run(5)[1] < objects + 100


def test_deep_graphs_need_no_stack(no_collector):
    x = leaf([1.0])
    with autograd.record():
        y = x
        for _ in range(50_000):
            y = y + x
    assert len(autograd.get_symbol(y).nodes) == 50_001
    y.backward()
    assert x.grad.asnumpy().tolist() == [50_001]
    with autograd.record():
        y = x
        for _ in range(50_000):
            y = y + x
    del y  # never differentiated


# Symbols ------------------------------------------------------------------------------------------


def test_a_symbol_computes_what_was_recorded():
    x, w = leaf(np.arange(12).reshape(3, 4) / 10), leaf(np.ones((2, 4)))
    with autograd.record():
        h = nd.FullyConnected(x, w, no_bias=True, num_hidden=2)
        a, b = nd.split(nd.softmax(h.astype("float32")), 2, axis=1)
        y = nd.concat(a * 2, b - 1, dim=1)[1:].reshape((-1,))[::2] + x[0, 1:3].sum() - x[2, 3]
    symbol = autograd.get_symbol(y)
    names = symbol.list_arguments()
    assert len(names) == 2
    assert all(n.startswith("var") for n in names)
    made = symbol.bind(mx.cpu(), dict(zip(names, (x, w)))).forward()[0]
    np.testing.assert_allclose(made.asnumpy(), y.asnumpy(), rtol=1e-6)


@pytest.mark.parametrize(
    "key",
    [
        0,
        -1,
        (1, -2),
        slice(1, None),
        (slice(None), 2),
        (Ellipsis, 1),
        (0, None, slice(1, 3)),
        slice(None, None, -1),
        slice(None, None, 2),
    ],
)
def test_indexing_as_a_symbol(key):
    x = leaf(np.arange(12).reshape(3, 4))
    with autograd.record():
        y = x[key] * 1
    made = autograd.get_symbol(y).bind(mx.cpu(), [x]).forward()[0]
    assert made.asnumpy().tolist() == y.asnumpy().tolist()


def test_symbol_of_indexing_by_arrays_takes_positions():
    x = leaf(np.arange(12).reshape(3, 4))
    with autograd.record():
        y = x[[0, 2], [1, 3]]
    made = autograd.get_symbol(y).bind(mx.cpu(), [x, nd.array([[0, 2], [1, 3]])]).forward()[0]
    assert made.asnumpy().tolist() == y.asnumpy().tolist()


def test_no_symbol_of_what_is_no_operator():
    x = leaf([1, 2])
    with autograd.record():
        y = Scaled(2)(x)
    with pytest.raises(MXNetError, match="_CustomFunction"):
        autograd.get_symbol(y)
    with pytest.raises(ArgumentTypeError, match="is a list"):
        autograd.get_symbol([x])


def test_gradients_of_gradients_leave_the_graph_they_were_taken_of():
    x, w = leaf([1, 2]), leaf([3, 4])
    with autograd.record():
        y = x * w
        (d_x,) = autograd.grad(y, [x], create_graph=True, retain_graph=True)
        (second,) = autograd.grad(d_x, [w])
        (d_w,) = autograd.grad(y, [w])
    assert (second.asnumpy().tolist(), d_w.asnumpy().tolist()) == ([1, 1], [1, 2])
    with pytest.raises(MXNetError, match="freed"):
        d_x.backward()
    with pytest.raises(MXNetError, match="freed"):
        y.backward()


@pytest.mark.parametrize(
    ("op", "dtype", "wanted"),
    [("linalg_det", "float32", [[4, -3], [-2, 1]]), ("prod", "int32", [[24, 12], [8, 6]])],
)
def test_a_number_whose_operator_has_a_gradient_of_its_own(op, dtype, wanted):
    x = mx.nd.array([[1, 2], [3, 4]], dtype=dtype)
    x.attach_grad()
    with autograd.record():
        y = getattr(mx.nd, op)(x)
    y.backward()
    assert np.allclose(x.grad.asnumpy(), wanted)


@pytest.mark.parametrize("options", [{}, {"dtype": "float64"}, {"ctx": mx.cpu(1)}])
def test_array_of_a_recorded_array_is_recorded(options):
    x = mx.nd.ones(2)
    x.attach_grad()
    with mx.autograd.record():
        y = mx.nd.array(x * 2, **options) * 3
    y.backward()
    assert x.grad.asnumpy().tolist() == [6, 6]
    assert str(y.dtype.__name__) == options.get("dtype", "float32")
    assert y.context == options.get("ctx", mx.cpu())
