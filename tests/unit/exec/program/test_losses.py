# SPDX-License-Identifier: Apache-2.0
"""Losses at the heads of a graph give the gradients that autograd would."""

import numpy as np
import pytest

import mxnova as mx
from mxnova.core.exec.program import program
from mxnova.core.exec.program.losses import Loss, head_losses

DATA, LABEL = mx.sym.var("data"), mx.sym.var("label")
SCORES = mx.sym.FullyConnected(DATA, num_hidden=3, name="fc")
SOFTMAX = mx.sym.SoftmaxOutput(SCORES, LABEL, name="softmax")
ONE = mx.sym.FullyConnected(DATA, num_hidden=1, name="one")
CLASSES = (4,)

# symbol, shape of the label, names of the losses at its heads
GRAPHS = {
    "softmax": (SOFTMAX, CLASSES, ["softmax"]),
    "softmax of valid labels": (
        mx.sym.SoftmaxOutput(
            SCORES, LABEL, use_ignore=True, ignore_label=1, normalization="valid", name="softmax"
        ),
        CLASSES,
        ["softmax"],
    ),
    "softmax of probabilities": (SOFTMAX, (4, 3), ["softmax"]),
    "softmax times its output": (
        mx.sym.SoftmaxOutput(SCORES, LABEL, out_grad=True, name="softmax"),
        CLASSES,
        ["softmax"],
    ),
    "regression": (mx.sym.LinearRegressionOutput(ONE, LABEL, name="r"), (4, 1), ["r"]),
    "absolute error": (mx.sym.MAERegressionOutput(ONE, LABEL, name="r"), (4, 1), ["r"]),
    "logistic": (mx.sym.LogisticRegressionOutput(ONE, LABEL, name="r"), (4, 1), ["r"]),
    "hinge": (mx.sym.SVMOutput(SCORES, LABEL, name="svm"), CLASSES, ["svm"]),
    "made loss": (mx.sym.MakeLoss(SCORES * SCORES, name="made"), None, ["made"]),
    "of a variable": (mx.sym.SoftmaxOutput(DATA, LABEL, name="softmax"), CLASSES, ["softmax"]),
    "two of one layer": (
        mx.sym.Group([SOFTMAX, mx.sym.SVMOutput(SCORES, LABEL, name="svm")]),
        CLASSES,
        ["softmax", "svm"],
    ),
    "beside what wants a gradient": (mx.sym.Group([SCORES * 2, SOFTMAX]), CLASSES, ["softmax"]),
    "read in the graph": (mx.sym.Group([SOFTMAX, SOFTMAX * 2]), CLASSES, []),
    "given twice": (mx.sym.Group([SOFTMAX, SOFTMAX]), CLASSES, []),
    "behind zeros": (mx.sym.BlockGrad(SOFTMAX), CLASSES, []),
    "no loss": (SCORES, None, []),
}


def bound(symbol, label, grad_req="write"):
    random = np.random.RandomState(0)
    shapes = {"data": (4, 3)} | ({} if label is None else {"label": label})
    executor = symbol.simple_bind(mx.cpu(), grad_req=grad_req, **shapes)
    for array in executor.arg_dict.values():
        array[:] = random.rand(*array.shape)
    if label == CLASSES:
        executor.arg_dict["label"][:] = [0, 1, 2, 5]  # the last is none
    return executor


def passed(symbol, label, grad_req):
    executor = bound(symbol, label, grad_req)
    for _ in range(2):
        outputs = executor.forward(is_train=True)
        ones = [mx.nd.ones(output.shape) for output in outputs]
        executor.backward(ones)
        executor.backward(ones)
    return executor


@pytest.mark.parametrize("grad_req", ["write", "add"])
@pytest.mark.parametrize("graph", GRAPHS)
def test_gradients_are_those_of_autograd(graph, grad_req, monkeypatch):
    symbol, label, expected = GRAPHS[graph]
    assert [node.name for node in symbol.nodes if node in head_losses(symbol)] == expected
    mine = passed(symbol, label, grad_req)
    found = [edge for edge in mine._pass._edges if isinstance(edge, Loss)]
    assert len(found) == len(expected)

    monkeypatch.setattr(program, "head_losses", lambda symbol: set())
    mx.core.exec.bind.compiled.forget()
    others = passed(symbol, label, grad_req)
    mx.core.exec.bind.compiled.forget()
    assert not any(isinstance(edge, Loss) for edge in others._pass._edges)
    for first, second in zip(mine.outputs, others.outputs, strict=True):
        np.testing.assert_array_equal(first.asnumpy(), second.asnumpy())
    for name, gradient in mine.grad_dict.items():
        if gradient is not None:
            other = others.grad_dict[name].asnumpy()
            np.testing.assert_array_equal(gradient.asnumpy(), other, err_msg=name)


def test_they_are_computed_from_what_the_output_holds():
    executor = bound(SOFTMAX, CLASSES)
    (output,) = executor.forward(is_train=True)
    output[:] = 7
    executor.backward()
    expected = np.full((4, 3), 7.0)
    expected[np.arange(3), np.arange(3)] -= 1
    np.testing.assert_allclose(executor.grad_dict["fc_bias"].asnumpy(), expected.sum(0))
    assert (output.asnumpy() == 7).all()


def test_what_watches_sees_them_as_nodes():
    executor, seen = bound(SOFTMAX, CLASSES), []
    executor.set_monitor_callback(lambda name, array: seen.append(name))
    executor.forward(is_train=True)
    executor.backward()
    assert "softmax_output" in seen
    assert "softmax_backward_output0" in seen


def test_gradients_of_an_output_must_fit_though_nobody_reads_them():
    executor = bound(SOFTMAX, CLASSES)
    executor.forward(is_train=True)
    with pytest.raises(mx.MXNetError, match="softmax_output"):
        executor.backward(mx.nd.ones((2, 2)))


def test_what_a_loss_refuses_names_its_node():
    executor = bound(mx.sym.SoftmaxOutput(SCORES, LABEL, multi_output=True, name="s"), (4, 1))
    executor.arg_dict["fc_weight"]._raw = mx.nd.ones((5, 3))._raw
    with pytest.raises(mx.MXNetError, match="'fc'|'s'"):
        executor.forward(is_train=True)
