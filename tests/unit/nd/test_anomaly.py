# SPDX-License-Identifier: Apache-2.0
"""Who makes the first NaN: tests of core/nd/anomaly.py."""

from __future__ import annotations

import numpy as np
import pytest

import mxnova as mx
from mxnova import autograd, gluon, nd
from mxnova.autograd import AnomalyError, detect_anomaly


def network():
    net = gluon.nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(gluon.nn.Dense(3, in_units=2), gluon.nn.HybridLambda("log"), gluon.nn.Dense(2))
    net.initialize(mx.init.Constant(-1))
    return net


X = nd.ones((2, 2))
SAYS = (
    r"log made NaN in output\[0, 0\] in HybridLambda 'net_hybridlambda0' of HybridSequential "
    r"'net'; it was given data from -2 to -2"
)


@pytest.mark.parametrize("hybrid", [False, True])
def test_a_network_names_operator_and_layer(hybrid):
    net = network()
    if hybrid:
        net.hybridize()
        net(X)  # compiled
    with pytest.raises(AnomalyError, match=SAYS), detect_anomaly():
        net(X)
    assert np.isnan(net(X).asnumpy()).all()  # and afterwards nothing is looked at


FORWARD = {
    "infinity": (lambda: nd.array([1.0, 0.0]).log(), r"log made infinity in output\[1\]"),
    "out": (lambda: nd.log(nd.array([-1.0]), out=nd.zeros(1)), "log made NaN in output"),
    "mx.np": (lambda: mx.np.log(mx.np.array(-1.0)), "_npi_log made NaN in output; it"),
    "several outputs": (
        lambda: nd.split(nd.array([[1, np.nan]]), num_outputs=2),
        r"SliceChannel made NaN in output1\[0, 0\]; it was given data from nan",
    ),
    "arithmetic": (lambda: X / nd.zeros_like(X), "made infinity"),
}


@pytest.mark.parametrize("name", FORWARD)
def test_results(name):
    run, text = FORWARD[name]
    with pytest.raises(AnomalyError, match=text), detect_anomaly():
        run()


def test_infinity_may_be_wanted():
    with detect_anomaly(inf=False):
        mask = nd.array([0.0]).log()
        with pytest.raises(AnomalyError, match="broadcast_sub made NaN"):
            nd.broadcast_sub(mask, mask)


BACKWARD = {
    "leaf": lambda x: nd.sqrt(x),
    "further down": lambda x: nd.sqrt(x * 1),
}


def differentiate(function, x):
    x.attach_grad()
    with autograd.record():
        y = function(x)
    y.backward()


@pytest.mark.parametrize("name", BACKWARD)
def test_gradients(name):
    x = nd.array([0.0, 1.0])
    text = r"backward: infinity at \[0\] of the gradient, of shape \[2\], that sqrt gave its data"
    with pytest.raises(AnomalyError, match=text), detect_anomaly():
        differentiate(BACKWARD[name], x)
    differentiate(BACKWARD[name], x)
    assert np.isinf(x.grad.asnumpy()[0])


def test_a_gradient_names_the_layer():
    net = gluon.nn.HybridLambda("sqrt", prefix="root_")
    net.hybridize()
    with pytest.raises(AnomalyError, match="in HybridLambda 'root'"), detect_anomaly():
        differentiate(net, nd.zeros(1))


def test_a_second_block_watches_arrays_of_the_first_anew():
    x = nd.array([1.0])
    block = detect_anomaly()
    with block:
        differentiate(nd.square, x)
        with autograd.record():
            _ = x + x * x + x * x
    x[:] = 0

    def again():
        with autograd.record():
            y = nd.sqrt(x)
        y.backward()

    with pytest.raises(AnomalyError, match=r"that sqrt gave its data$"), block:
        again()


def test_the_monitor_of_the_program_comes_back():
    seen = []
    bound = executor("exp")
    bound.set_monitor_callback(lambda name, array: seen.append(name))
    with detect_anomaly():
        bound.forward()
    assert seen == []
    bound.forward()
    assert seen == ["node_output"]


def test_training_without_faults_is_as_without():
    def trained(watch):
        mx.random.seed(3)
        net = gluon.nn.Dense(2, in_units=2)
        net.initialize(mx.init.One())
        trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
        for _ in range(3):
            with watch:
                with autograd.record():
                    loss = (net(X) ** 2).sum()
                loss.backward()
            trainer.step(2)
        return net.weight.data().asnumpy().tolist()

    assert trained(detect_anomaly()) == trained(autograd.train_mode())


def executor(name):
    symbol = getattr(mx.sym, name)(mx.sym.var("data"), name="node")
    bound = symbol.simple_bind(mx.cpu(), data=(2,))
    bound.arg_dict["data"][:] = 0
    return bound


def test_executors_name_the_node():
    bound = executor("log")
    text = r"node 'node' made infinity in node_output\[0\], of shape \[2\]"
    with pytest.raises(AnomalyError, match=text), detect_anomaly():
        bound.forward(is_train=True)
    assert np.isinf(bound.forward()[0].asnumpy()).all()


def test_executors_name_the_node_of_a_gradient():
    def train(bound):
        bound.forward(is_train=True)
        bound.backward(nd.ones(2))

    with pytest.raises(AnomalyError, match="node_backward"), detect_anomaly():
        train(executor("sqrt"))
