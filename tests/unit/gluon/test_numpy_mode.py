# SPDX-License-Identifier: Apache-2.0
"""Blocks under `npx.set_np()`: the numbers of the legacy mode, in NumPy's arrays."""

import numpy
import pytest

import mxnova as mx
from mxnova import gluon, np, npx
from mxnova.gluon import nn, rnn

IMAGES, ROWS = (2, 4, 6, 6), (4, 5)
LAYERS = {
    "dense": (lambda: nn.Dense(3, activation="relu"), ROWS),
    "conv": (lambda: nn.Conv2D(3, 3), IMAGES),
    "transposed": (lambda: nn.Conv2DTranspose(3, 3), IMAGES),
    "batch_norm": (lambda: nn.BatchNorm(), IMAGES),
    "layer_norm": (lambda: nn.LayerNorm(), ROWS),
    "instance_norm": (lambda: nn.InstanceNorm(), IMAGES),
    "group_norm": (lambda: nn.GroupNorm(2), IMAGES),
    "pool": (lambda: nn.MaxPool2D(), IMAGES),
    "global": (lambda: nn.GlobalAvgPool2D(), IMAGES),
    "prelu": (lambda: nn.PReLU(), ROWS),
    "gelu": (lambda: nn.GELU(), ROWS),
    "reflection": (lambda: nn.ReflectionPad2D(1), IMAGES),
    "flatten": (lambda: nn.Flatten(), IMAGES),
    "lstm": (lambda: rnn.LSTM(3), (5, 2, 4)),
    "gru": (lambda: rnn.GRU(3, bidirectional=True), (5, 2, 4)),
}
LOSSES = [
    "L1Loss",
    "L2Loss",
    "SigmoidBCELoss",
    "KLDivLoss",
    "HuberLoss",
    "HingeLoss",
    "LogisticLoss",
]


@pytest.fixture
def numpy_semantics():
    npx.set_np()
    yield
    npx.reset_np()


def output(make, inputs, is_hybrid):
    """The block's output and gradients, with parameters that are told."""
    random = numpy.random.RandomState(1)
    as_array = np.array if npx.is_np_array() else mx.nd.array
    arrays = [as_array(i.astype("float32")) for i in inputs]
    for array in arrays:
        array.attach_grad()
    block = make()
    block.initialize(mx.init.One())
    block(*arrays)
    for _, parameter in sorted(block.collect_params().items()):
        parameter.set_data(as_array(random.uniform(0.1, 0.5, parameter.shape).astype("float32")))
    block.hybridize(is_hybrid)
    with mx.autograd.record():
        out = block(*arrays)
    out.backward()
    grads = [p.grad() for p in block.collect_params().values() if p.grad_req != "null"]
    return [out, *grads, *(a.grad for a in arrays)]


def check(make, inputs, is_hybrid):
    legacy = output(make, inputs, is_hybrid)
    npx.set_np()
    try:
        ours = output(make, inputs, is_hybrid)
    finally:
        npx.reset_np()
    for one, other in zip(ours, legacy, strict=True):
        assert type(one) is np.ndarray
        assert type(other) is mx.nd.NDArray
        numpy.testing.assert_allclose(one.asnumpy(), other.asnumpy(), 1e-5, 1e-6)


@pytest.mark.parametrize("is_hybrid", [False, True])
@pytest.mark.parametrize("name", LAYERS)
def test_layers(name, is_hybrid):
    make, shape = LAYERS[name]
    check(make, [numpy.random.RandomState(0).normal(size=shape)], is_hybrid)


@pytest.mark.parametrize("is_hybrid", [False, True])
@pytest.mark.parametrize("name", LOSSES)
def test_losses(name, is_hybrid):
    values = numpy.random.RandomState(0).uniform(0.1, 0.9, (2, *ROWS))

    class Net(nn.HybridBlock):
        def __init__(self):
            super().__init__()
            self.dense, self.loss = nn.Dense(5), getattr(gluon.loss, name)()

        def hybrid_forward(self, F, x, y):
            return self.loss(self.dense(x), y)

    check(Net, values, is_hybrid)


@pytest.mark.parametrize("is_hybrid", [False, True])
def test_outputs_are_of_one_kind(numpy_semantics, is_hybrid):
    class Classic(nn.HybridBlock):
        def hybrid_forward(self, F, x):
            return F.relu(x.as_nd_ndarray()), F.sum(x.as_nd_ndarray())

    class Mixed(nn.HybridBlock):
        def hybrid_forward(self, F, x):
            return F.relu(x.as_nd_ndarray()), F.np.sum(x)

    x = np.ones((2, 3))
    for kind in (Classic, Mixed):
        net = kind()
        net.hybridize(is_hybrid)
        with pytest.raises(TypeError):
            net(x)
    npx.reset_np()
    net = Classic()
    net.hybridize(is_hybrid)
    assert [type(o) for o in net(x)] == [mx.nd.NDArray] * 2


def test_parameters_and_trainer(numpy_semantics):
    net = nn.Dense(2)
    net.initialize()
    net(np.ones((1, 3)))
    for array in (net.weight.data(), net.weight.grad(), net.weight.var()):
        assert isinstance(array, (np.ndarray, mx.sym.np._Symbol))
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.1})
    before = net.weight.data().copy()
    with mx.autograd.record():
        loss = net(np.ones((4, 3))).sum()
    loss.backward()
    trainer.step(4)
    assert type(net.weight.data()) is np.ndarray
    assert float(np.abs(net.weight.data() - before).min()) > 0.05


def test_a_model_of_the_zoo(numpy_semantics):
    net = gluon.model_zoo.vision.resnet18_v1(classes=3, thumbnail=True)
    net.initialize()
    x = np.random.uniform(size=(1, 3, 16, 16))
    eager = net(x)
    net.hybridize()
    compiled = net(x)
    assert type(eager) is type(compiled) is np.ndarray
    numpy.testing.assert_allclose(compiled.asnumpy(), eager.asnumpy(), 1e-4, 1e-5)
