# SPDX-License-Identifier: Apache-2.0
"""Against the sum over all alignments, which is what the loss is defined by."""

import itertools

import numpy as np
import pytest
import torch

import mxnova.core.op.nn.ctc  # noqa: F401
from mxnova.core.base.errors import MXNetError
from mxnova.core.op.schema import find
from tests.unit.op.inference import inferred_dtypes, inferred_shapes
from tests.unit.op.samples import Sample

TIME, BATCH, CLASSES = 4, 3, 3


def read(path, blank):
    """The labels that a path of classes stands for."""
    merged = [k for k, _ in itertools.groupby(path)]
    return [k for k in merged if k != blank]


def loss(scores, label, blank):
    probabilities = np.exp(scores) / np.exp(scores).sum(1, keepdims=True)
    paths = itertools.product(range(CLASSES), repeat=len(scores))
    fitting = [p for p in paths if read(p, blank) == list(label)]
    total = sum(np.prod([row[k] for row, k in zip(probabilities, p)]) for p in fitting)
    return -np.log(total) if fitting else 0.0


def expected(blank, labels, data_lengths=(TIME,) * BATCH):
    def compute(data, *_):
        return [
            loss(data[:n, i], label, blank)
            for i, (label, n) in enumerate(zip(labels, data_lengths))
        ]

    return compute


FIRST = np.array([[1, 2, 0], [1, 1, 0], [0, 2, 1]], "float32")  # padded by 0
LAST = np.array([[0, 1, -1], [1, -1, 0], [-1, 1, 1]], "float32")
FULL = np.array([[1, 2, 1], [2, 2, 1], [1, 2, 1]], "float32")
STEPS, COUNTS = np.array([4, 2, 3], "float32"), np.array([3, 1, 0], "float32")
SHAPE = (TIME, BATCH, CLASSES)

# fmt: off
SAMPLES = [
    Sample("CTCLoss", [SHAPE, FIRST], {}, expected(0, ([1, 2], [1, 1], [])), gradient=False),
    Sample("CTCLoss", [SHAPE, LAST], {"blank_label": "last"}, expected(2, ([0, 1], [1], [])), gradient=False),
    Sample("CTCLoss", [SHAPE, FIRST, STEPS], {"use_data_lengths": True}, expected(0, ([1, 2], [1, 1], []), (4, 2, 3)), gradient=False),
    Sample("CTCLoss", [SHAPE, FULL, COUNTS], {"use_label_lengths": True}, expected(0, ([1, 2, 1], [2], [])), gradient=False),
    Sample("CTCLoss", [SHAPE, FULL, STEPS, COUNTS], {"use_data_lengths": True, "use_label_lengths": True}, expected(0, ([1, 2, 1], [2], []), (4, 2, 3)), gradient=False),
]
# fmt: on


def test_the_gradient():
    op = find("CTCLoss").of({})
    data = torch.randn(SHAPE, dtype=torch.float64, requires_grad=True)
    label = torch.tensor([[1, 2], [1, 1], [2, 0]])
    assert torch.autograd.gradcheck(lambda x: op.forward(x, label), data)


def test_labels_that_do_not_fit_cost_nothing():
    op = find("CTCLoss").of({"use_data_lengths": True})
    data = torch.randn(SHAPE, requires_grad=True)
    label = torch.tensor([[1, 1, 2], [1, 2, 1], [1, 0, 0]])
    losses = op.forward(data, label, torch.tensor([3, 2, 4]))
    assert losses[:2].tolist() == [0, 0]
    assert losses[2] > 0
    losses.sum().backward()
    assert not data.grad[:, :2].any()


def test_labels_outside_of_the_classes_count_as_the_nearest():
    op = find("CTCLoss").of({"blank_label": "last"})
    data = torch.randn(SHAPE)
    outside, nearest = torch.tensor([[1, -7, -1]] * BATCH), torch.tensor([[1, 0, -1]] * BATCH)
    assert torch.equal(op.forward(data, outside), op.forward(data, nearest))


def test_shapes_and_types():
    both = {"use_data_lengths": True, "use_label_lengths": True}
    found = inferred_shapes("CTCLoss", both, [(6, 4, 5), (4, 3), None, None])
    assert found == "[6,4,5], [4,3], [4], [4] -> [4]"
    found = inferred_dtypes("CTCLoss", {}, [torch.float32, None])
    assert found == "float32, unknown -> float32"


def test_bad_shapes_are_named():
    with pytest.raises(MXNetError, match="room for 7 labels, data only 6 steps"):
        inferred_shapes("CTCLoss", {}, [(6, 4, 5), (4, 7)])
    with pytest.raises(MXNetError, match=r"label has shape \[3,3\]"):
        inferred_shapes("CTCLoss", {}, [(6, 4, 5), (3, 3)])
