# SPDX-License-Identifier: Apache-2.0
"""BucketingModule hands states, gradients and monitors on to the module of the present bucket."""

from __future__ import annotations

import numpy as np
import pytest

import mxnova as mx


def symbol_of(length):
    """The mean over `length` columns plus a state, through a layer."""
    data, state = mx.sym.var("data"), mx.sym.var("state")
    mean = mx.sym.mean(data, axis=1, keepdims=True, name=f"mean{length}")
    net = mx.sym.FullyConnected(mean + state, num_hidden=3, name="fc")
    return mx.sym.SoftmaxOutput(net, name="softmax"), ("data",), ("softmax_label",)


def batch(length):
    shapes = [("data", (2, length))], [("softmax_label", (2,))]
    arrays = [mx.nd.ones((2, length))], [mx.nd.zeros(2)]
    return mx.io.DataBatch(
        *arrays, bucket_key=length, provide_data=shapes[0], provide_label=shapes[1]
    )


@pytest.fixture
def module():
    made = mx.mod.BucketingModule(symbol_of, default_bucket_key=8, state_names=["state"])
    made.bind([("data", (2, 8))], [("softmax_label", (2,))], inputs_need_grad=True)
    made.init_params(mx.init.One())
    return made


@pytest.fixture(autouse=True)
def known_shapes(monkeypatch):
    """The state is a column beside the mean."""
    monkeypatch.setattr(
        mx.sym,
        "var",
        lambda name, var=mx.sym.var: var(name, shape=(2, 1)) if name == "state" else var(name),
    )


def test_gradients_are_those_of_the_present_bucket(module):
    for length in (8, 4, 6):
        module.forward(batch(length), is_train=True)
        module.backward()
        assert module.get_input_grads()[0].shape == (2, length)
        assert module.output_shapes == [("softmax_output", (2, 3))]


def test_states_are_set_and_read(module):
    module.forward(batch(4), is_train=False)
    module.set_states(value=3)
    ((state,),) = module.get_states(merge_multi_context=False)
    assert (state.asnumpy() == 3).all()
    module.set_states(states=[[mx.nd.ones((2, 1))]])
    assert (module.get_states(merge_multi_context=False)[0][0].asnumpy() == 1).all()


def test_monitors_see_the_present_bucket(module):
    monitor = mx.mon.Monitor(1, pattern=".*mean.*")
    module.install_monitor(monitor)
    module.forward(batch(8))
    monitor.tic()
    module.forward(batch(4))
    assert {name for _, name, _ in monitor.toc()} == {"mean4_output"}


def test_all_buckets_share_parameters(module):
    module.init_optimizer(optimizer_params={"learning_rate": 1.0})
    for length in (4, 8):
        module.forward(batch(length), is_train=True)
        before = module.get_outputs()[0].asnumpy()
        module.backward()
        module.update()
    module.forward(batch(6), is_train=False)
    assert np.abs(module.get_outputs()[0].asnumpy() - before).max() > 0.01
