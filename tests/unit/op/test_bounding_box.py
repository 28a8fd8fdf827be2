# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
import torch

import mxnova.core.op.contrib.bounding_box  # noqa: F401
from mxnova.core.base.errors import MXNetError
from mxnova.core.op.schema import find
from tests.unit.op.inference import inferred_dtypes, inferred_shapes
from tests.unit.op.samples import Sample

NMS = "_contrib_box_nms"

# class, score, left, top, right, bottom: the second overlaps the first by 0.5, the third by 1
ROWS = np.array(
    [
        [0, 0.9, 0, 0, 1, 1],
        [1, 0.6, 0, 0, 1, 0.5],
        [0, 0.8, 0, 0, 1, 1],
        [1, 0.7, 2, 2, 3, 3],
        [0, 0.1, 5, 5, 6, 6],
    ],
    "float32",
)
GONE = np.full(6, -1, "float32")


def kept(*order):
    return np.stack([*(ROWS[i] for i in order), *[GONE] * (len(ROWS) - len(order))])


def centred(rows):
    rows = rows.copy()
    low, high = rows[:, 2:4].copy(), rows[:, 4:].copy()
    rows[:, 2:4], rows[:, 4:] = (low + high) / 2, high - low
    return rows


# fmt: off
SAMPLES = [
    Sample(NMS, [ROWS], {"overlap_thresh": 0.4}, kept(0, 3, 4)),
    Sample(NMS, [ROWS], {"overlap_thresh": 0.5}, kept(0, 3, 1, 4), gradient=False),
    Sample(NMS, [ROWS], {"overlap_thresh": 0.4, "id_index": 0}, kept(0, 3, 1, 4), gradient=False),
    Sample(NMS, [ROWS], {"overlap_thresh": 0.4, "id_index": 0, "force_suppress": True}, kept(0, 3, 4), gradient=False),
    Sample(NMS, [ROWS], {"overlap_thresh": 0.4, "id_index": 0, "background_id": 1}, kept(0, 4), gradient=False),
    Sample(NMS, [ROWS], {"overlap_thresh": 0.4, "valid_thresh": 0.1}, kept(0, 3), gradient=False),
    Sample(NMS, [ROWS], {"overlap_thresh": 0.4, "topk": 2}, kept(0)),
    Sample(NMS, [ROWS], {"topk": 0}, ROWS),
    Sample(NMS, [np.stack([ROWS, ROWS[::-1]])], {"overlap_thresh": 0.4}, np.stack([kept(0, 3, 4)] * 2)),
    Sample(NMS, [ROWS[:, 1:]], {"coord_start": 1, "score_index": 0, "overlap_thresh": 0.4}, kept(0, 3, 4)[:, 1:]),
    Sample(NMS, [centred(ROWS)], {"in_format": "center", "overlap_thresh": 0.4}, kept(0, 3, 4), gradient=False),
    Sample(NMS, [ROWS[[0, 3]]], {"out_format": "center"}, centred(ROWS[[0, 3]]), gradient=False),
    Sample("_contrib_box_iou", [ROWS[:2, 2:], ROWS[None, :, 2:]], {}, np.array([[[1, 0.5, 1, 0, 0]], [[0.5, 1, 0.5, 0, 0]]])),
    Sample("_contrib_box_iou", [centred(ROWS)[:2, 2:], centred(ROWS)[:, 2:]], {"format": "center"}, np.array([[1, 0.5, 1, 0, 0], [0.5, 1, 0.5, 0, 0]])),
    Sample("_contrib_bipartite_matching", [np.array([[0.5, 0.6], [0.1, 0.2], [0.3, 0.4]])], {"threshold": 0.1}, (np.array([1.0, -1, 0]), np.array([2.0, 0]))),
    Sample("_contrib_bipartite_matching", [np.array([[[0.5, 0.6], [0.1, 0.2], [0.3, 0.4]]])], {"threshold": 0.35, "is_ascend": True}, (np.array([[-1.0, 0, -1]]), np.array([[1.0, -1]]))),
    Sample("_contrib_bipartite_matching", [np.eye(4)], {"threshold": 0.5, "topk": 2}, (np.array([0.0, 1, 2, -1]), np.array([0.0, 1, 2, -1]))),
    Sample("_contrib_box_decode", [np.zeros((1, 2, 4)), np.array([[[1.0, 2, 4, 6], [0, 0, 1, 1]]])], {}, np.array([[[-1, -1, 3, 5], [-0.5, -0.5, 0.5, 0.5]]])),
    Sample("_contrib_box_decode", [np.array([[[1.0, 2, 4, 3]]]), np.array([[[0.0, 0, 2, 4]]])], {"format": "corner", "std0": 0.5, "std1": 0.25, "std2": 0.5, "clip": 1}, np.array([[[2 - np.e, 4 - 2 * np.e, 2 + np.e, 4 + 2 * np.e]]])),
]
# fmt: on


def test_a_negative_first_coordinate_is_not_converted():
    op = find(NMS).of({"out_format": "center"})
    data = torch.tensor([[0, 0.9, -1, 0, 1, 2]])
    assert torch.equal(op.forward(data), data)


def test_classes_are_compared_as_integers_and_the_background_as_it_is():
    classes = torch.tensor([0.2, -0.7, 1.0, 1.9])  # cut: 0, 0, 1, 1
    boxes = torch.tensor([[0.0, 0, 1, 1]]).expand(4, 4)
    scores = torch.tensor([0.9, 0.8, 0.7, 0.6])
    rows = torch.cat((classes[:, None], scores[:, None], boxes), 1)

    def kept(**options):
        out = find(NMS).of({"id_index": 0, **options}).forward(rows)
        return out[out[:, 1] > 0, 0].tolist()

    assert kept() == pytest.approx([0.2, 1.0])
    assert kept(background_id=1) == pytest.approx([0.2, 1.9])


def test_the_gradient_of_a_conversion_passes_straight():
    op = find(NMS).of({"out_format": "center"})
    data = torch.from_numpy(ROWS[[0, 3]]).requires_grad_()
    d_output = torch.arange(12.0).reshape(2, 6)
    op.forward(data).backward(d_output)
    assert torch.equal(data.grad, d_output)


def test_offsets_of_matched_boxes():
    op = find("_contrib_box_encode").of({})
    samples, matches = torch.tensor([[1.0, -1.0, 1.0]]), torch.tensor([[1.0, 0.0, 0.0]])
    anchors = torch.tensor([[[0.0, 0, 2, 2], [0, 0, 1, 1], [1, 1, 3, 5]]])
    refs = torch.tensor([[[1.0, 1, 3, 5], [0, 0, 4, 2]]])
    means, stds = torch.tensor([0.0, 1, 0, 0]), torch.tensor([1.0, 1, 2, 1])
    targets, masks = op.forward(samples, matches, anchors, refs, means, stds)
    expected = [[[0.5, -1, np.log(2) / 2, 0], [0, 0, 0, 0], [0, -1, 0, 0]]]
    torch.testing.assert_close(targets, torch.tensor(expected, dtype=torch.float32))
    assert masks.tolist() == [[[1] * 4, [0] * 4, [1] * 4]]


@pytest.mark.parametrize("dtype", [torch.float16, torch.float64])
def test_types(dtype):
    result = find(NMS).of({"overlap_thresh": 0.4}).forward(torch.from_numpy(ROWS).to(dtype))
    torch.testing.assert_close(result, torch.from_numpy(kept(0, 3, 4)).to(dtype))


# fmt: off
@pytest.mark.parametrize("name, attrs, inputs, expected", [
    (NMS, {}, [(2, 5, 6)], "[2,5,6] -> [2,5,6]"),
    ("_contrib_box_iou", {}, [(2, 3, 4), (5, 4)], "[2,3,4], [5,4] -> [2,3,5]"),
    ("_contrib_bipartite_matching", {"threshold": 0.1}, [(2, 3, 4)], "[2,3,4] -> [2,3], [2,4]"),
    ("_contrib_box_decode", {}, [(2, 5, 4), (1, 5, 4)], "[2,5,4], [1,5,4] -> [2,5,4]"),
])
# fmt: on
def test_shapes(name, attrs, inputs, expected):
    assert inferred_shapes(name, attrs, inputs) == expected


def test_types_are_learned_in_every_direction():
    half = torch.float16
    found = inferred_dtypes("_contrib_box_iou", {}, [None, half])
    assert found == "float16, float16 -> float16"


# fmt: off
@pytest.mark.parametrize("name, attrs, inputs, message", [
    (NMS, {}, [(6,)], r"data has shape \[6\]: it must have 2 axes or more"),
    (NMS, {"coord_start": 3}, [(5, 6)], "coord_start=3: data has rows of 6"),
    (NMS, {"score_index": -1}, [(5, 6)], "score_index=-1"),
    (NMS, {"id_index": 6}, [(5, 6)], "id_index=6"),
    ("_contrib_box_iou", {}, [(4,), (3, 4)], r"lhs has shape \[4\]"),
    ("_contrib_box_iou", {}, [(3, 5), (3, 4)], r"lhs has shape \[3,5\]"),
    ("_contrib_bipartite_matching", {"threshold": 0.1}, [(4,)], r"data has shape \[4\]"),
    ("_contrib_box_decode", {}, [(5, 4), (1, 5, 4)], r"data has shape \[5,4\]"),
])
# fmt: on
def test_bad_arguments_are_named(name, attrs, inputs, message):
    with pytest.raises(MXNetError, match=message):
        inferred_shapes(name, attrs, inputs)
