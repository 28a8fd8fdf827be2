# SPDX-License-Identifier: Apache-2.0
"""Geometry of boxes and the choices among them, against plain loops."""

import numpy as np
import pytest
import torch

from mxnova.core.op.contrib.boxes import (
    centered,
    decode,
    encode,
    match,
    overlap,
    suppress,
    to_center,
    to_corner,
)
from mxnova.core.runtime import tuning


def random_boxes(rng, n, size=0.5):
    centre, half = rng.random((n, 2)), rng.random((n, 2)) * size / 2
    return torch.from_numpy(np.concatenate([centre - half, centre + half], 1).astype("float32"))


def iou(a, b, pixel=0.0):
    width = max(0.0, min(a[2], b[2]) - max(a[0], b[0]) + pixel)
    height = max(0.0, min(a[3], b[3]) - max(a[1], b[1]) + pixel)
    areas = [(x[2] - x[0] + pixel) * (x[3] - x[1] + pixel) for x in (a, b)]
    union = sum(areas) - width * height
    return width * height / union if union > 0 else 0.0


def greedy(boxes, threshold, groups=None, pixel=0.0, inclusive=False):
    """Indices that non-maximum suppression keeps, box by box."""
    boxes = boxes.double().tolist()
    kept = []
    for i, box in enumerate(boxes):
        rivals = [k for k in kept if groups is None or groups[k] == groups[i]]
        overlaps = [iou(boxes[k], box, pixel) for k in rivals]
        if not any(x > threshold or (inclusive and x == threshold) for x in overlaps):
            kept.append(i)
    return kept


def test_the_two_forms():
    corners = torch.tensor([[1.0, 2.0, 5.0, 8.0]])
    assert to_center(corners).tolist() == [[3, 5, 4, 6]]
    assert to_corner(to_center(corners)).tolist() == corners.tolist()


def test_decoding_undoes_encoding():
    rng = np.random.default_rng(0)
    boxes, anchors = random_boxes(rng, 20), random_boxes(rng, 20)
    offsets = encode(boxes.unbind(-1), anchors.unbind(-1))
    again = torch.empty_like(boxes)
    decode(offsets, centered(anchors.unbind(-1)), again)
    torch.testing.assert_close(again, boxes)


def test_overlap():
    rng = np.random.default_rng(1)
    a, b = random_boxes(rng, 7), random_boxes(rng, 5)
    expected = [[iou(x, y) for y in b.tolist()] for x in a.tolist()]
    torch.testing.assert_close(overlap(a, b), torch.tensor(expected), rtol=1e-4, atol=1e-6)


def test_empty_and_inverted_boxes_overlap_nothing():
    boxes = torch.tensor([[0.5, 0.5, 0.5, 0.5], [1, 1, 0, 0], [0, 0, 1, 1]])
    assert overlap(boxes, boxes).tolist() == [[0, 0, 0], [0, 0, 0], [0, 0, 1]]


@pytest.mark.parametrize("block", [2, 7, 128])
@pytest.mark.parametrize("size", [0.5, 0.7, 1.0])
def test_suppression_is_greedy(monkeypatch, block, size):
    monkeypatch.setattr(tuning, "NMS_BLOCK", block)
    rng = np.random.default_rng(block)
    boxes = random_boxes(rng, 60, size)
    groups = rng.integers(0, 4, 60)
    assert suppress(boxes, 0.3).tolist() == greedy(boxes, 0.3)
    found = suppress(boxes, 0.3, torch.from_numpy(groups)).tolist()
    assert found == greedy(boxes, 0.3, groups)
    assert len(found) < 60


def test_suppression_of_a_long_chain():
    left = torch.arange(300) * 0.4
    boxes = torch.stack([left, torch.zeros(300), left + 1, torch.ones(300)], 1)
    assert suppress(boxes, 0.4).tolist() == list(range(0, 300, 2))


@pytest.mark.parametrize("block", [1, 128])
def test_the_threshold_itself_may_be_too_much(monkeypatch, block):
    monkeypatch.setattr(tuning, "NMS_BLOCK", block)
    boxes = torch.tensor([[0.0, 0, 1, 1], [0, 0, 1, 0.5]])
    assert suppress(boxes, 0.5).tolist() == [0, 1]
    assert suppress(boxes, 0.5, inclusive=True).tolist() == [0]


def test_pixels_count_both_borders():
    boxes = torch.tensor([[0.0, 0, 9, 9], [5, 0, 14, 9], [10, 0, 19, 9]])
    for threshold in (0.3, 0.34):
        found = suppress(boxes, threshold, pixel=1.0).tolist()
        assert found == greedy(boxes, threshold, pixel=1.0)


def test_suppression_stops_when_there_are_enough():
    boxes = random_boxes(np.random.default_rng(2), 400, 0.1)
    assert suppress(boxes, 0.5, most=150).tolist() == greedy(boxes, 0.5)[:150]


def test_no_boxes():
    nothing = torch.zeros(0, 4)
    assert suppress(nothing, 0.5).tolist() == []
    assert suppress(nothing, 0.5, torch.zeros(0, dtype=torch.long)).tolist() == []


def greedy_matches(scores, least, most):
    """Column of each row or -1, pair by pair."""
    matched = [-1] * len(scores)
    ranked = sorted(
        ((-s, i, j) for i, row in enumerate(scores) for j, s in enumerate(row) if s > least)
    )
    for _, i, j in ranked:
        if matched[i] < 0 and j not in matched and sum(m >= 0 for m in matched) < most:
            matched[i] = j
    return matched


@pytest.mark.parametrize("shape", [(3, 5), (5, 3), (4, 4)])
@pytest.mark.parametrize("most", [2, 9])
def test_matching_is_greedy(shape, most):
    rng = np.random.default_rng(most)
    scores = rng.integers(0, 6, (4, *shape)) / 5
    found = match(torch.from_numpy(scores), 0.4, most).tolist()
    assert found == [greedy_matches(s.tolist(), 0.4, most) for s in scores]


@pytest.mark.parametrize("limits", [(1, 1), (5, 64), (512, 1 << 18)])
def test_groups_of_all_sizes_are_suppressed_each_by_itself(monkeypatch, limits):
    monkeypatch.setattr(tuning, "NMS_SMALL_GROUP", limits[0])
    monkeypatch.setattr(tuning, "NMS_PAIRS_AT_ONCE", limits[1])
    rng = np.random.default_rng(1)
    boxes = random_boxes(rng, 90, 0.9)
    groups = np.repeat([7, 1, 4, 9, 8, 2], [40, 1, 20, 3, 1, 25])
    rng.shuffle(groups)
    found = suppress(boxes, 0.3, torch.from_numpy(groups)).tolist()
    assert found == greedy(boxes, 0.3, groups)
    assert suppress(boxes, 0.3, torch.from_numpy(groups), most=3).tolist() == found[:3]
