# SPDX-License-Identifier: Apache-2.0
"""When memory is freed, and arrays of more than 2**31 elements."""

import gc
import weakref

import numpy as np
import pytest
import torch

import mxnova as mx
from mxnova.core.nd.array import wrap
from mxnova.core.nd.memory import adopt_memory, replace

nd = mx.nd
BILLIONS = 2**33 + 8


@pytest.fixture
def _no_collector():
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def freed(make):
    """Whether nothing is left of an array when the names for it are gone."""
    array, *others = make()
    reference = weakref.ref(array._tensor), weakref.ref(array)
    del array, others
    return reference[0]() is None and reference[1]() is None


def view():
    x = nd.zeros((4, 4))
    return x, x[1], x[1:3], x[0, 1], x.reshape((2, 8)), x[:, 1], x[[0, 1]]


def leaf():
    x = nd.ones((4, 4))
    x.attach_grad()
    return (x,)


def recorded_view():
    x = nd.ones((4, 4))
    x.attach_grad()
    with mx.autograd.record():
        y = x[1:][0].reshape((2, 2))
        z = (y * y).sum()
    return x, y, z


def after_backward():
    x, y, z = recorded_view()
    z.backward()
    return x, y, z


def written_while_recording():
    x, buffer = nd.ones((4,)), nd.zeros((3, 4))
    x.attach_grad()
    with mx.autograd.record():
        buffer[:] = x * 2
        z = buffer.sum()
    z.backward()
    return buffer, x, z


@pytest.mark.usefixtures("_no_collector")
@pytest.mark.parametrize(
    "make", [view, leaf, recorded_view, after_backward, written_while_recording]
)
def test_arrays_are_freed_at_once(make):
    assert freed(make)


@pytest.mark.usefixtures("_no_collector")
def test_a_view_keeps_the_memory_and_not_the_array():
    x = nd.arange(4)
    row, reference = x[1:], weakref.ref(x)
    del x
    assert reference() is None
    assert row.asnumpy().tolist() == [1, 2, 3]


@pytest.fixture
def huge():
    """An array of more elements than 32 bits can count, without memory."""
    return wrap(torch.empty(BILLIONS, dtype=torch.uint8, device="meta"), mx.cpu())


def test_shapes_beyond_32_bits(huge):
    assert huge.shape == (BILLIONS,)
    assert huge.size == BILLIONS
    assert len(huge) == BILLIONS
    assert huge.reshape((8, -1)).shape == (8, BILLIONS // 8)
    assert huge[2**32 :].shape == (BILLIONS - 2**32,)
    assert huge[-(2**32) : 2**33].shape == (2**32 - 8,)
    assert huge[2**33 + 7].shape == (1,)
    assert huge[:: 2**31].shape == (5,)
    assert huge.astype("float32").size == BILLIONS
    with pytest.raises(IndexError):
        huge[BILLIONS]


def test_inference_beyond_32_bits():
    data = mx.sym.var("data")
    shapes = mx.sym.FullyConnected(data, num_hidden=3).infer_shape(data=(2**31 + 1, 4))
    assert shapes[1] == [(2**31 + 1, 3)]
    joined = mx.sym.concat(data, data, dim=0)
    assert joined.infer_shape(data=(2**31, 2))[1] == [(2**32, 2)]
    assert mx.sym.reshape(data, shape=(-1,)).infer_shape(data=(2**20, 2**20))[1] == [(2**40,)]


@pytest.mark.huge
def test_an_array_of_more_than_two_billion_elements():
    size, place = 2**31 + 16, 2**31 + 5
    x = nd.zeros((size,), dtype="uint8")
    x[place] = 7
    assert x[place].asscalar() == 7
    assert x[place - size].asscalar() == 7
    assert x[2**31 :].asnumpy().tolist() == [0] * 5 + [7] + [0] * 10
    assert x[[place, 0]].asnumpy().tolist() == [7, 0]
    assert x.reshape((2, -1))[1, place - size // 2].asscalar() == 7
    x[place : place + 2] = 9
    assert (x == 9).sum().asscalar() == 2
    assert np.asarray(x[-16:]).sum() == 18


# Taking over memory -------------------------------------------------------------------------------


def spectator(kind):
    """(array, a function that gives the values that somebody else sees)."""
    x = nd.zeros((2, 3))
    if kind == "view":
        part = x[1]
        return x, lambda: part.asnumpy()
    if kind == "detached":
        other = x.detach()
        return x, lambda: other.asnumpy()[1]
    if kind == "torch":
        tensor = x.to_torch()
        return x, lambda: tensor[1].numpy()
    if kind == "dlpack":
        tensor = torch.from_dlpack(x)
        return x, lambda: tensor[1].numpy()
    x.attach_grad()
    return x, lambda: x.asnumpy()[1]


@pytest.mark.parametrize("kind", ["view", "detached", "torch", "dlpack", "leaf"])
def test_whoever_sees_the_old_memory_sees_the_new_values(kind):
    x, seen = spectator(kind)
    before = x._raw.data_ptr()
    adopt_memory(x, torch.full((2, 3), 5.0), "test")
    assert seen().tolist() == [5, 5, 5]
    assert x._raw.data_ptr() == before


def test_memory_that_nobody_else_sees_changes_hands():
    x, fresh = nd.zeros((2, 3)), torch.ones(2, 3)
    adopt_memory(x, fresh, "test")
    assert x._raw.data_ptr() == fresh.data_ptr()


@pytest.mark.parametrize(
    "fresh", [torch.ones(2, 3, dtype=torch.float64), torch.ones(3, 2).T], ids=["type", "strides"]
)
def test_memory_of_another_kind_is_copied(fresh):
    x = nd.zeros((2, 3))
    adopt_memory(x, fresh, "test")
    assert x.dtype == np.float32
    assert x._raw.is_contiguous()
    assert (x.asnumpy() == 1).all()


def test_other_shapes_are_refused_or_replace_the_array():
    x = nd.zeros((2, 3))
    view = x[0]
    with pytest.raises(mx.base.MXNetError, match=r"\[2,3\].*\[4\]"):
        adopt_memory(x, torch.ones(4), "test")
    replace(x, torch.ones(4), "test")
    assert x.shape == (4,)
    assert view.asnumpy().tolist() == [0, 0, 0]


LARGE = (256, 256)


def backward_of(array, of=lambda x: x * 2):
    with mx.autograd.record():
        y = of(array)
    y.backward()


@pytest.fixture
def learning():
    array = nd.ones(LARGE)
    array.attach_grad()
    backward_of(array)
    return array


def test_large_gradients_free_their_memory_before_the_next_are_computed(learning):
    before = weakref.ref(learning.grad._raw)
    seen = []

    class Watching(mx.autograd.Function):
        def forward(self, x):
            return x

        def backward(self, d_y):
            seen.append(before())
            return d_y * 3

    backward_of(learning, Watching())
    assert seen == [None]
    assert learning.grad.asnumpy().tolist() == np.full(LARGE, 3).tolist()


def test_views_of_gradients_see_the_next(learning):
    view = learning.grad[1]
    backward_of(learning, lambda x: x * 5)
    assert view.asnumpy().tolist() == [5] * LARGE[1]


def test_a_gradient_may_be_where_the_next_begins(learning):
    with mx.autograd.record():
        y = learning * 4
    y.backward(learning.grad)
    assert learning.grad.asnumpy().tolist() == np.full(LARGE, 8).tolist()


def test_gradients_can_be_written_to_after_a_backward_pass_that_failed(learning):
    class Failing(mx.autograd.Function):
        def forward(self, x):
            return x

        def backward(self, d_y):
            raise ValueError("no")

    with pytest.raises(mx.MXNetError, match="no"):
        backward_of(learning, Failing())
    learning.grad[:] = 7
    assert learning.grad[0, 0].asscalar() == 7


def test_gradients_that_do_not_come_are_zeros(learning):
    backward_of(learning, lambda x: nd.BlockGrad(x) * 2)
    learning.grad[:1] += 1
    assert learning.grad.asnumpy().sum() == LARGE[1]


@pytest.mark.parametrize("request_", ["write", "add"])
def test_gradients_of_executors(request_):
    x = mx.sym.var("x")
    arrays, gradients = {"x": nd.ones(LARGE)}, {"x": nd.ones(LARGE)}
    executor = (x * x).bind(mx.cpu(), arrays, gradients, request_)
    for _ in range(2):
        executor.forward(is_train=True)
        executor.backward(nd.ones(LARGE))
    want = 2 if request_ == "write" else 5
    assert gradients["x"].asnumpy().tolist() == np.full(LARGE, want).tolist()
