# SPDX-License-Identifier: Apache-2.0
"""Zeros that an operator without a slope hands on start the gradients of what is behind it.

`tests/conformance/test_zero_gradients.py` compares operators with MXNet; here are the ways there.
"""

import numpy as np
import pytest

import mxnova as mx
from mxnova import autograd, gluon, nd

X = np.array([[1.0, 2.0, 3.0], [0.5, -1.0, 2.0]], "float32")


def loss_of(x):
    """Its gradient is 2 · x."""
    return nd.make_loss(nd.square(x))


def variable(grad_req="write"):
    x = nd.array(X)
    x.attach_grad(grad_req)
    return x


def test_the_cross_entropy_of_a_softmax_output_that_is_blocked():
    x, label = variable(), nd.array([0, 1])
    with autograd.record():
        p = nd.SoftmaxOutput(x, label)
        loss = -nd.log(nd.pick(nd.BlockGrad(p), label)).sum()
    loss.backward()
    wanted = p.asnumpy() - np.eye(3)[[0, 1]]
    np.testing.assert_allclose(x.grad.asnumpy(), wanted, 1e-6, 1e-6)


def test_each_source_counts_once_beside_other_heads():
    x = variable()
    with autograd.record():
        y = loss_of(x)
        heads = [nd.sign(y), nd.argmax(y, axis=1), nd.BlockGrad(y), x * 3]
    autograd.backward(heads)
    assert (x.grad.asnumpy() == 2 * X + 3).all()


def test_passes_are_added_and_graphs_are_retained():
    x = variable("add")
    with autograd.record():
        y = nd.BlockGrad(loss_of(x))
    y.backward(retain_graph=True)
    y.backward()
    assert (x.grad.asnumpy() == 4 * X).all()
    with pytest.raises(mx.MXNetError, match="freed"):
        y.backward()


def test_grad_gives_them_too():
    x = variable()
    with autograd.record():
        y = nd.floor(loss_of(x))
    (found,) = autograd.grad(y, [x])
    assert (found.asnumpy() == 2 * X).all()


def test_second_order_through_what_has_no_slope():
    x = variable()
    with autograd.record():
        (d_x,) = autograd.grad(nd.exp(x), [x], create_graph=True)
        y = nd.BlockGrad(d_x) + x * 2
    y.backward()
    assert (x.grad.asnumpy() == 2).all()


class Twice(autograd.Function):
    def forward(self, x):
        self.save_for_backward(x)
        return x * 1

    def backward(self, d_y):
        return 2 * self.saved_tensors[0] + d_y


@pytest.mark.parametrize("cut", [nd.BlockGrad, nd.zeros_like, lambda y: y > 0])
def test_functions_get_zeros(cut):
    x = variable()
    with autograd.record():
        y = cut(Twice()(x))
    y.backward()
    assert (x.grad.asnumpy() == 2 * X).all()


@pytest.mark.parametrize(
    "cut", [nd.BlockGrad, nd.identity, nd.sign, lambda y: nd.argmax(y, axis=1)]
)
def test_statistics_move_once(cut):
    x, (gamma, beta, mean, var) = variable(), (nd.array(v) for v in np.eye(4, 3))
    with autograd.record():
        y = cut(nd.BatchNorm(x, gamma, beta, mean, var, momentum=0.5))
    y.backward()
    np.testing.assert_allclose(mean.asnumpy(), [0.375, 0.25, 1.75], 1e-6)


@pytest.mark.parametrize("hybridize", [False, True])
@pytest.mark.parametrize("outside", [False, True])
def test_blocks_hand_zeros_on(hybridize, outside):
    class Net(gluon.HybridBlock):
        def hybrid_forward(self, F, x):
            y = F.make_loss(F.square(x))
            return y if outside else F.BlockGrad(y)

    net, x = Net(), variable()
    if hybridize:
        net.hybridize()
    with autograd.record():
        y = nd.BlockGrad(net(x))
    y.backward()
    assert (x.grad.asnumpy() == 2 * X).all()


def test_an_output_that_nobody_reads():
    class Net(gluon.HybridBlock):
        def hybrid_forward(self, F, x):
            return F.make_loss(F.square(x)), x * 3

    net, x = Net(), variable()
    net.hybridize()
    with autograd.record():
        _, y = net(x)
    y.backward()
    assert (x.grad.asnumpy() == 2 * X + 3).all()


def test_loops_hand_zeros_on():
    x = mx.sym.var("x")
    y, _ = mx.sym.contrib.foreach(
        lambda row, state: (mx.sym.BlockGrad(mx.sym.make_loss(row * row)), state),
        x,
        [mx.sym.zeros((1,))],
    )
    bound = y.simple_bind(mx.cpu(), x=(2, 3))
    bound.forward(is_train=True, x=nd.array(X))
    bound.backward(nd.ones((2, 3)))
    assert (bound.grad_dict["x"].asnumpy() == 2 * X).all()


@pytest.mark.parametrize("name", ["khatri_rao", "multi_sum_sq", "argmax_channel"])
def test_what_has_no_gradient_raises(name):
    x = variable()
    arguments = {"num_arrays": 1} if name == "multi_sum_sq" else {}
    with autograd.record():
        y = getattr(nd, name)(x, **arguments)
        blocked = nd.BlockGrad(y)
    with pytest.raises(mx.MXNetError, match=f"Operator {name} is non-differentiable"):
        y.backward()
    blocked.backward()
    assert (x.grad.asnumpy() == 0).all()
