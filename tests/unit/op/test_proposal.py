# SPDX-License-Identifier: Apache-2.0
"""Region proposals against plain loops."""

import numpy as np
import pytest
import torch

import mxnova.core.op.contrib.proposal  # noqa: F401
from mxnova.core.base.errors import MXNetError
from mxnova.core.op.schema import find
from tests.unit.op.inference import inferred_shapes
from tests.unit.op.test_boxes import greedy

ONE, MANY = "_contrib_Proposal", "_contrib_MultiProposal"
HEIGHT, WIDTH, STRIDE, SCALES, RATIOS = 3, 4, 8, (2, 4), (0.5, 1)
N_ANCHORS = len(SCALES) * len(RATIOS)
ATTRS = {
    "feature_stride": STRIDE,
    "scales": SCALES,
    "ratios": RATIOS,
    "rpn_min_size": 6,
    "rpn_post_nms_top_n": 8,
}


def anchors():
    """Corners of the anchors at cell 0, 0."""
    middle = (STRIDE - 1) / 2
    for ratio in RATIOS:
        side = np.floor(np.sqrt(np.floor(STRIDE**2 / ratio)) + 0.5)
        for scale in SCALES:
            w, h = side * scale, np.floor(side * ratio + 0.5) * scale
            yield middle - (w - 1) / 2, middle - (h - 1) / 2, middle + (w - 1) / 2, middle + (h - 1) / 2  # fmt: skip


def candidates(scores, offsets, info, least=6):
    """(score, left, top, right, bottom) of every anchor, cell by cell."""
    rows = []
    for y in range(HEIGHT):
        for x in range(WIDTH):
            for a, anchor in enumerate(anchors()):
                left, top, right, bottom = np.array(anchor) + np.array([x, y, x, y]) * STRIDE
                dx, dy, dw, dh = offsets[4 * a : 4 * a + 4, y, x]
                w, h = right - left + 1, bottom - top + 1
                cx, cy = left + (w - 1) / 2 + dx * w, top + (h - 1) / 2 + dy * h
                w, h = np.exp(dw) * w, np.exp(dh) * h
                box = np.array([cx - (w - 1) / 2, cy - (h - 1) / 2, cx + (w - 1) / 2, cy + (h - 1) / 2])  # fmt: skip
                box = box.clip(0, np.array([info[1], info[0]] * 2) - 1)
                score = scores[N_ANCHORS + a, y, x]
                if y >= info[0] // STRIDE or x >= info[1] // STRIDE:
                    score = -1
                if min(box[2] - box[0], box[3] - box[1]) + 1 < least * info[2]:
                    box += np.array([-1, -1, 1, 1]) * least * info[2] / 2
                    score = -1
                rows.append([score, *box])
    return np.array(rows)


def proposals(scores, offsets, info, before=6000, after=8, threshold=0.7):
    rows = candidates(scores, offsets, info)
    rows = rows[np.argsort(-rows[:, 0], kind="stable")][:before]
    kept = greedy(torch.from_numpy(rows[:, 1:]), threshold, pixel=1.0)[:after]
    return rows[[kept[i % len(kept)] for i in range(after)]]


@pytest.mark.parametrize(
    "attrs, options",
    [
        ({}, {}),
        ({"threshold": 0.3}, {"threshold": 0.3}),
        ({"rpn_pre_nms_top_n": 10}, {"before": 10}),
        ({"threshold": 0.05, "rpn_post_nms_top_n": 30}, {"threshold": 0.05, "after": 30}),
    ],
)
@pytest.mark.parametrize("name, batch", [(ONE, 1), (MANY, 2)])
def test_proposals(name, batch, attrs, options):
    rng = np.random.default_rng(3)
    scores = rng.random((batch, 2 * N_ANCHORS, HEIGHT, WIDTH))
    offsets = rng.normal(size=(batch, 4 * N_ANCHORS, HEIGHT, WIDTH)) * 0.3
    info = np.array([[20, 32, 1.0], [24, 25, 1.5]])[:batch]
    op = find(name).of({**ATTRS, **attrs, "output_score": True})
    found, score = op.forward(*(torch.tensor(x).float() for x in (scores, offsets, info)))
    expected = [proposals(*image, **options) for image in zip(scores, offsets, info, strict=True)]
    numbers = np.repeat(np.arange(batch), len(expected[0]))
    expected = np.concatenate(expected)
    np.testing.assert_allclose(found[:, 0], numbers)
    np.testing.assert_allclose(found[:, 1:], expected[:, 1:], rtol=1e-4, atol=1e-3)
    np.testing.assert_allclose(score, expected[:, :1], rtol=1e-5)


def test_offsets_can_be_added_to_the_corners():
    op = find(ONE).of({**ATTRS, "iou_loss": True, "rpn_post_nms_top_n": 1, "rpn_min_size": 0})
    scores, offsets = torch.zeros(1, 8, 3, 4), torch.zeros(1, 16, 3, 4)
    scores[0, 4, 1, 1] = 1
    offsets[0, :4, 1, 1] = torch.tensor([1.0, 2, 3, 4])
    found = op.forward(scores, offsets, torch.tensor([[100.0, 100, 1]]))
    corners = np.array(next(anchors())) + STRIDE + (1, 2, 3, 4)
    np.testing.assert_allclose(found[0, 1:], corners.clip(0))


def test_shapes():
    found = inferred_shapes(ONE, {}, [(1, 24, 4, 5), None, None])
    assert found == "[1,24,4,5], [1,48,4,5], [1,3] -> [300,5]"
    found = inferred_shapes(MANY, {"output_score": True}, [(2, 24, 4, 5), None, None])
    assert found == "[2,24,4,5], [2,48,4,5], [2,3] -> [600,5], [600,1]"


def test_bad_shapes_are_named():
    with pytest.raises(MXNetError, match=r"cls_prob has shape \[1,20,4,5\]: needs 24 channels"):
        inferred_shapes(ONE, {}, [(1, 20, 4, 5), None, None])
    with pytest.raises(MXNetError, match="only one image"):
        inferred_shapes(ONE, {}, [(2, 24, 4, 5), None, None])
