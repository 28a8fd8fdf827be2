# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
import torch

import mxnova.core.op.nn.loss  # noqa: F401
from mxnova.core.base.errors import MXNetError
from mxnova.core.base.shapes import UNKNOWN
from mxnova.core.op.gradient import recorded
from mxnova.core.op.schema import find
from tests.unit.op.inference import inferred_dtypes, inferred_shapes
from tests.unit.op.samples import Sample


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def one_hot(label, n):
    """(…, n), no class for labels outside."""
    return (label.astype(int)[..., None] == np.arange(n)).astype(float)


def identity(x, label):
    return x


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def cross_entropy(x, label):
    return -np.log(softmax(x)[np.arange(len(x)), label.astype(int)]).sum(keepdims=True)


def hinge_gradient(x, label, margin=1.0, scale=1.0, linear=False):
    """Gradient of the hinge of ``-x`` for the right class and of ``x`` for all others."""
    sign = 1 - 2 * one_hot(label, x.shape[-1])
    slack = np.maximum(0, margin + sign * x)
    return scale * sign * (slack > 0 if linear else 2 * slack)


CLASSES = np.array([0, 3, 1, 2, 1], "float32")
IGNORED = np.array([0, -1, 1, -1, 1], "float32")
PIXELS = np.array([[0, 2, 1, 1], [2, 2, 0, 1]], "float32")
SHARES = np.array([[0.2, 0.8, 0], [1, 0, 0]], "float32")
NUMBERS = np.array([[0.5], [0.5], [-1]], "float32")

# fmt: off
SAMPLES = [
    Sample("SoftmaxOutput", [(5, 4), CLASSES], {}, lambda x, _: softmax(x), d_expected=lambda d, x, c: softmax(x) - one_hot(c, 4)),
    Sample("SoftmaxOutput", [(5, 4), CLASSES], {"grad_scale": 3, "normalization": "batch"}, d_expected=lambda d, x, c: (softmax(x) - one_hot(c, 4)) * 3 / 5),
    Sample("SoftmaxOutput", [(5, 4), IGNORED], {"use_ignore": True, "normalization": "valid"}, d_expected=lambda d, x, c: (softmax(x) - one_hot(c, 4)) * (c >= 0)[:, None] / 3),
    Sample("SoftmaxOutput", [(5, 4), IGNORED], {}, d_expected=lambda d, x, c: softmax(x) - one_hot(c, 4), note="outside"),
    Sample("SoftmaxOutput", [(5, 4), CLASSES], {"smooth_alpha": 0.3}, d_expected=lambda d, x, c: softmax(x) - one_hot(c, 4) * 0.6 - 0.1),
    Sample("SoftmaxOutput", [(5, 4), CLASSES], {"out_grad": True}, d_expected=lambda d, x, c: (softmax(x) - one_hot(c, 4)) * softmax(x)),
    Sample("SoftmaxOutput", [(2, 3), SHARES], {"grad_scale": 2}, lambda x, _: softmax(x), d_expected=lambda d, x, p: (softmax(x) - p) * 2),
    Sample("SoftmaxOutput", [(2, 3, 4), PIXELS], {"multi_output": True}, lambda x, _: softmax(x, 1), d_expected=lambda d, x, c: (softmax(x, 1) - one_hot(c, 3).swapaxes(1, 2)) / 4),
    Sample("SoftmaxOutput", [(2, 3, 2, 2), PIXELS], {"multi_output": True, "normalization": "valid"}, d_expected=lambda d, x, c: (softmax(x, 1) - one_hot(c.reshape(2, 2, 2), 3).transpose(0, 3, 1, 2)) / 8),
    Sample("SoftmaxOutput", [(2, 4, 3), PIXELS], {"preserve_shape": True, "normalization": "batch"}, lambda x, _: softmax(x), d_expected=lambda d, x, c: (softmax(x) - one_hot(c, 3)) / 8),
    Sample("LinearRegressionOutput", [(5, 2), (5, 2)], {"grad_scale": 3}, identity, d_expected=lambda d, x, y: (x - y) * 3 / 2),
    Sample("LinearRegressionOutput", [(5, 1), (5,)], {}, identity, d_expected=lambda d, x, y: x - y[:, None]),
    Sample("LogisticRegressionOutput", [(5, 2), (5, 2)], {}, lambda x, y: sigmoid(x), d_expected=lambda d, x, y: (sigmoid(x) - y) / 2),
    Sample("MAERegressionOutput", [(3, 1), NUMBERS], {}, identity, d_expected=lambda d, x, y: np.sign(x - y)),
    Sample("MAERegressionOutput", [NUMBERS, NUMBERS], {}, identity, d_expected=lambda d, x, y: -np.ones((3, 1)), note="equal"),
    Sample("SVMOutput", [(5, 4), CLASSES], {}, identity, d_expected=lambda d, x, c: hinge_gradient(x, c)),
    Sample("SVMOutput", [(5, 4), CLASSES], {"margin": 0.5, "regularization_coefficient": 2, "use_linear": True}, identity, d_expected=lambda d, x, c: hinge_gradient(x, c, 0.5, 2, True)),
    Sample("softmax_cross_entropy", [(5, 4), CLASSES], {}, cross_entropy, d_expected=lambda d, x, c: d * (softmax(x) - one_hot(c, 4))),
]
# fmt: on


def test_a_label_outside_costs_the_logarithm_of_a_floor():
    op = find("softmax_cross_entropy").of({})
    data = torch.zeros(1, 3, requires_grad=True)
    loss = recorded(op)(data, torch.tensor([7.0]))
    loss.sum().backward()
    assert loss.tolist() == pytest.approx([-np.log(1e-8)])
    torch.testing.assert_close(data.grad, torch.full((1, 3), 1 / 3))


MULTI = {"multi_output": True}


# fmt: off
@pytest.mark.parametrize("name, attrs, inputs, expected", [
    ("SoftmaxOutput", {}, [(4, 5), None], "[4,5], [4] -> [4,5]"),
    ("SoftmaxOutput", {}, [(UNKNOWN, 5), None], "[?,5], [?] -> [?,5]"),
    ("SoftmaxOutput", {}, [(4, 5), (4, 5)], "[4,5], [4,5] -> [4,5]"),
    ("SoftmaxOutput", {}, [None, (4,)], "unknown, [4] -> unknown"),
    ("SoftmaxOutput", MULTI, [(2, 3, 4, 5), None], "[2,3,4,5], [2,20] -> [2,3,4,5]"),
    ("SoftmaxOutput", MULTI, [(2, 3, 4, 5), (2, 1, 4, 5)], "[2,3,4,5], [2,1,4,5] -> [2,3,4,5]"),
    ("LinearRegressionOutput", {}, [(4, 1), None], "[4,1], [4] -> [4,1]"),
    ("LinearRegressionOutput", {}, [(4, 2), None], "[4,2], [4,2] -> [4,2]"),
    ("LinearRegressionOutput", {}, [(2, 3, 4), (2, 12)], "[2,3,4], [2,12] -> [2,3,4]"),
    ("LinearRegressionOutput", {}, [(UNKNOWN, 1), None], "[?,1], unknown -> unknown"),
    ("SVMOutput", {}, [(4, 5), None], "[4,5], [4] -> [4,5]"),
    ("softmax_cross_entropy", {}, [(4, 5), (4,)], "[4,5], [4] -> [1]"),
])
# fmt: on
def test_shapes(name, attrs, inputs, expected):
    assert inferred_shapes(name, attrs, inputs) == expected


def test_types():
    half = torch.float16
    assert inferred_dtypes("SoftmaxOutput", {}, [half, None]) == "float16, float16 -> float16"
    assert inferred_dtypes("SoftmaxOutput", {}, [None, half]) == "unknown, float16 -> unknown"
    assert inferred_dtypes("SVMOutput", {}, [half, None]) == "float16, float16 -> float16"


# fmt: off
@pytest.mark.parametrize("name, attrs, inputs, message", [
    ("SoftmaxOutput", {}, [(3, 4), (4,)], r"label has shape \[4\].* needs \[3\]"),
    ("SoftmaxOutput", MULTI, [(2, 3, 4), (2,)], r"label has shape \[2\]: it must be \[2,4\]"),
    ("SoftmaxOutput", MULTI, [(2,), None], r"data has shape \[2\]"),
    ("MAERegressionOutput", {}, [(4, 2), (4,)], r"label has shape \[4\].* needs \[4,2\]"),
    ("softmax_cross_entropy", {}, [(4, 5), None], "label has an unknown shape"),
    ("softmax_cross_entropy", {}, [(4, 5), (4, 1)], "label has shape"),
])
# fmt: on
def test_bad_shapes_are_named(name, attrs, inputs, message):
    with pytest.raises(MXNetError, match=message):
        inferred_shapes(name, attrs, inputs)


def test_half_precision():
    op = find("SoftmaxOutput").of({"normalization": "valid"})
    data = torch.zeros(2, 4, dtype=torch.float16, requires_grad=True)
    recorded(op)(data, torch.tensor([0, 1], dtype=torch.float16)).sum().backward()
    assert data.grad.dtype == torch.float16
    assert data.grad[0].tolist() == [-0.375, 0.125, 0.125, 0.125]
