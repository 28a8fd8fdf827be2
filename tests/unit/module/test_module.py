# SPDX-License-Identifier: Apache-2.0
"""What is no comparison with MXNet; that is in tests/conformance/test_module_programs.py."""

from __future__ import annotations

import numpy as np
import pytest

import mxnova as mx
from mxnova.executor_manager import _split_input_slice


def made(**kwargs):
    net = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=3, name="fc")
    module = mx.mod.Module(mx.sym.SoftmaxOutput(net, name="softmax"), **kwargs)
    module.bind([("data", (4, 2))], [("softmax_label", (4,))])
    return module


def batch():
    return mx.io.DataBatch([mx.nd.ones((4, 2))], [mx.nd.array([0, 1, 2, 0])])


def test_binding_again_keeps_what_was_learnt():
    module = made()
    module.init_params(mx.init.One())
    module.init_optimizer(optimizer_params={"learning_rate": 1.0})
    module.forward_backward(batch())
    module.update()
    learnt = module._exec_group.execs[0].arg_dict["fc_weight"].asnumpy()
    module.bind([("data", (2, 2))], [("softmax_label", (2,))], force_rebind=True)
    np.testing.assert_array_equal(module.get_params()[0]["fc_weight"].asnumpy(), learnt)


def test_a_value_of_another_shape_changes_nothing():
    module = made()
    module.init_params(mx.init.One())
    values = {"fc_bias": mx.nd.zeros(3), "fc_weight": mx.nd.zeros((7, 7))}
    with pytest.raises(mx.MXNetError, match=r"'fc_weight' has shape \(7, 7\)"):
        module.set_params(values, {})
    assert module.get_params()[0]["fc_weight"].asnumpy().all()


def test_names_that_were_added_to_what_get_params_gave():
    module = made()
    module.init_params(mx.init.One())
    parameters, states = module.get_params()
    parameters["other"] = mx.nd.ones(1)
    with pytest.raises(mx.MXNetError, match="no argument 'other'"):
        module.set_params(parameters, states)
    module.set_params(parameters, states, allow_extra=True)
    module.init_optimizer()
    module.forward_backward(batch())
    module.update()
    assert sorted(module.get_params()[0]) == ["fc_bias", "fc_weight", "other"]


def test_binding_that_fails_leaves_the_module_unbound():
    module = mx.mod.Module(mx.sym.var("data") * 2, label_names=None)
    with pytest.raises(mx.MXNetError, match="data_names"):
        module.bind([("other", (1,))])
    assert not module.binded


@pytest.mark.parametrize(
    "size, loads, bounds",
    [(10, [1, 2], [0, 3, 10]), (7, [1, 1, 1], [0, 2, 4, 7]), (15, [1, 1], [0, 8, 15])],
)
def test_slices(size, loads, bounds):
    found = _split_input_slice(size, loads)
    assert [part.start for part in found] + [found[-1].stop] == bounds


def test_labels_that_are_missing_are_warned_of():
    with pytest.warns(UserWarning, match="label_names"):
        mx.mod.Module(mx.sym.var("data") * 2)


@pytest.mark.parametrize("contexts", [1, 2])
def test_of_larger_head_gradients_the_rows_of_the_batch_are_read(contexts):
    fc = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2, no_bias=True, name="fc")
    module = mx.mod.Module(
        mx.sym.Group([fc, mx.sym.BlockGrad(fc)]),
        label_names=None,
        context=[mx.cpu(i) for i in range(contexts)],
    )
    module.bind([("data", (2, 3))], inputs_need_grad=True)
    module.init_params(mx.init.One())
    module.forward(mx.io.DataBatch([mx.nd.ones((2, 3))]), is_train=True)
    module.backward([mx.nd.array([[0, 1], [2, 3], [4, 5]])])
    (d_data,) = module.get_input_grads()
    assert d_data.asnumpy().tolist() == [[1, 1, 1], [5, 5, 5]]
