# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
import torch

import mxnova.core.op.nn.softmax  # noqa: F401
from mxnova.core.base.errors import ArgumentError, MXNetError
from mxnova.core.op.schema import find
from tests.unit.op.inference import inferred_dtypes, inferred_shapes
from tests.unit.op.samples import Sample


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def softmax_of_first(x, lengths):
    """Softmax of the first `lengths` items of each row, 0 behind."""
    result = np.zeros_like(x)
    for row, length in enumerate(lengths):
        if length:
            result[row, :length] = softmax(x[row, :length])
    return result


def channel_gradient(d, x, axis):
    y = softmax(x, axis)
    return y * (d - (d * y).sum(1, keepdims=True))


LENGTHS = np.array([0, 2, 5], "int32")
HALF = np.array([[1, 2, 3]], "float16")

# fmt: off
SAMPLES = [
    Sample("softmax", [(2, 3, 4)], {}, softmax),
    Sample("softmax", [(2, 3, 4)], {"axis": 1, "temperature": 0.5}, lambda x: softmax(2 * x, 1)),
    Sample("softmax", [(2, 3)], {"temperature": -1}, lambda x: softmax(-x)),
    Sample("softmax", [HALF], {"temperature": 1e-5}, np.array([[0, 0, 1]], "float16"), gradient=False),
    Sample("softmax", [(3, 5), LENGTHS], {"use_length": True, "temperature": 0.5}, lambda x, n: softmax_of_first(2 * x, n)),
    Sample("softmax", [(3, 5), LENGTHS], {"use_length": True, "temperature": -0.5}, lambda x, n: softmax_of_first(-2 * x, n)),
    Sample("softmin", [(2, 3)], {"temperature": -2}, lambda x: softmax(x / 2)),
    Sample("softmax", [(3, 5), LENGTHS], {"use_length": True}, softmax_of_first),
    Sample("softmax", [(5, 3), LENGTHS], {"use_length": True, "axis": 0}, lambda x, n: softmax_of_first(x.T, n).T),
    Sample("softmax", [HALF], {"dtype": "float32"}, lambda x: softmax(x).astype("float32"), gradient=False),
    Sample("softmax", [(2, 3)], {"dtype": "float64"}, softmax, gradient=False, tol=1e-6),
    Sample("softmin", [(2, 3, 4)], {"axis": 0, "temperature": 2}, lambda x: softmax(-x / 2, 0)),
    Sample("log_softmax", [(2, 3, 4)], {"axis": -2}, lambda x: np.log(softmax(x, 1))),
    Sample("log_softmax", [np.array([[1e4, 0]], "float32")], {}, lambda x: [[0, -1e4]], gradient=False),
    Sample("SoftmaxActivation", [(2, 3)], {}, softmax, d_expected=lambda d, x: channel_gradient(d, x, -1)),
    Sample("SoftmaxActivation", [(2, 3, 4)], {}, softmax, d_expected=lambda d, x: channel_gradient(d, x, -1)),
    Sample("SoftmaxActivation", [(2, 3, 4)], {"mode": "channel"}, lambda x: softmax(x, 1), d_expected=lambda d, x: channel_gradient(d, x, 1)),
]
# fmt: on


def test_items_beyond_the_length_do_not_count_whatever_they_are():
    data = torch.tensor([[1.0, 2.0, float("nan"), float("inf")]], requires_grad=True)
    result = find("softmax").of({"use_length": True}).forward(data, torch.tensor([2]))
    result[0, 0].backward()
    assert result[0, 2:].tolist() == [0, 0]
    assert data.grad[0, 2:].tolist() == [0, 0]


# fmt: off
@pytest.mark.parametrize("name, inputs, output, expected", [
    ("softmax", [(2, 3)], None, "[2,3] -> [2,3]"),
    ("softmax", [None], (2, 3), "unknown -> [2,3]"),
    ("softmin", [None], (2, 3), "[2,3] -> [2,3]"),
    ("log_softmax", [None], (2, 3), "[2,3] -> [2,3]"),
    ("SoftmaxActivation", [None], (2, 3), "[2,3] -> [2,3]"),
])
# fmt: on
def test_shapes(name, inputs, output, expected):
    assert inferred_shapes(name, {}, inputs, output) == expected


def test_lengths_have_the_shape_of_data_without_the_axis():
    found = inferred_shapes("softmax", {"use_length": True, "axis": 1}, [(2, 3, 4), None])
    assert found == "[2,3,4], [2,4] -> [2,3,4]"


def test_dtype_gives_the_type_of_the_result_and_of_data_of_unknown_type():
    attrs = {"dtype": "float64"}
    assert inferred_dtypes("softmax", attrs, [torch.float32]) == "float32 -> float64"
    assert inferred_dtypes("softmax", attrs, [None]) == "float64 -> float64"
    assert inferred_dtypes("softmax", {}, [None], torch.float32) == "unknown -> float32"


def test_bad_arguments_are_named():
    with pytest.raises(MXNetError, match=r"axis=2: data \[2,3\] has 2 axes"):
        inferred_shapes("softmax", {"axis": 2}, [(2, 3)])
    with pytest.raises(MXNetError, match="length has type float32: it must be int32 or int64"):
        inferred_dtypes("softmax", {"use_length": True}, [torch.float32, torch.float32])
    with pytest.raises(ArgumentError, match="use_length"):
        inferred_dtypes("log_softmax", {"use_length": True}, [torch.float32])
    with pytest.raises(MXNetError, match=r"mode=channel: data \[2,3\] needs 3 axes"):
        inferred_shapes("SoftmaxActivation", {"mode": "channel"}, [(2, 3)])
