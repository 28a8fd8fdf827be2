# SPDX-License-Identifier: Apache-2.0
"""Single-shot detection against plain loops."""

import numpy as np
import pytest
import torch

import mxnova.core.op.contrib.multibox  # noqa: F401
from mxnova.core.base.errors import MXNetError
from mxnova.core.base.shapes import UNKNOWN
from mxnova.core.op.schema import find
from tests.unit.op.inference import inferred_dtypes, inferred_shapes
from tests.unit.op.samples import Sample
from tests.unit.op.test_boxes import greedy, iou, random_boxes

PRIOR, TARGET, DETECTION = (f"_contrib_MultiBox{name}" for name in ("Prior", "Target", "Detection"))


# Anchors


def priors(height, width, sizes, ratios, steps=None, offsets=(0.5, 0.5)):
    rows = []
    step_y, step_x = steps or (1 / height, 1 / width)
    pairs = [(size, ratios[0]) for size in sizes] + [(sizes[0], ratio) for ratio in ratios[1:]]
    for i in range(height):
        for j in range(width):
            y, x = (i + offsets[0]) * step_y, (j + offsets[1]) * step_x
            for size, ratio in pairs:
                w, h = size * height / width * ratio**0.5 / 2, size / ratio**0.5 / 2
                rows.append([x - w, y - h, x + w, y + h])
    return np.array([rows])


MAP = np.zeros((2, 3, 2, 4), "float32")
SAMPLES = [
    Sample(PRIOR, [MAP], {}, priors(2, 4, [1], [1])),
    Sample(
        PRIOR,
        [MAP],
        {"sizes": (0.5, 0.2), "ratios": (2, 1, 0.5)},
        priors(2, 4, [0.5, 0.2], [2, 1, 0.5]),
    ),
    Sample(PRIOR, [MAP], {"sizes": (1.5,), "clip": True}, priors(2, 4, [1.5], [1]).clip(0, 1)),
    Sample(
        PRIOR,
        [MAP],
        {"steps": (0.1, 0.3), "offsets": (0, 1)},
        priors(2, 4, [1], [1], (0.1, 0.3), (0, 1)),
    ),
]


# Detections


def detections(scores, offsets, anchors, *, threshold=0.01, nms=0.5, force=False, topk=-1):
    """Rows of one image: class, score, corners."""
    rows = []
    for a, anchor in enumerate(anchors.tolist()):
        label = int(np.argmax(scores[1:, a]))
        if scores[label + 1, a] >= threshold:
            w, h = anchor[2] - anchor[0], anchor[3] - anchor[1]
            x, y = (anchor[0] + anchor[2]) / 2, (anchor[1] + anchor[3]) / 2
            dx, dy, dw, dh = offsets[a] * (0.1, 0.1, 0.2, 0.2)
            x, y, w, h = x + dx * w, y + dy * h, w * np.exp(dw) / 2, h * np.exp(dh) / 2
            box = np.clip([x - w, y - h, x + w, y + h], 0, 1)
            rows.append([label, scores[label + 1, a], *box])
    rows = np.array(rows).reshape(-1, 6)
    order = np.argsort(-rows[:, 1], kind="stable")
    n = topk if topk > 0 else len(rows)
    best, rest = rows[order[:n]], rows[n:]
    groups = None if force else best[:, 0]
    kept = greedy(torch.from_numpy(best[:, 2:]), nms, groups, inclusive=True)
    best[np.setdiff1d(np.arange(len(best)), kept), 0] = -1
    rest[:, 0] = -1
    missing = np.full((len(anchors) - len(rows), 6), -1.0)
    return np.concatenate([best, rest, missing])


@pytest.mark.parametrize(
    "attrs, options",
    [
        ({}, {}),
        ({"nms_threshold": 0.2, "force_suppress": True}, {"nms": 0.2, "force": True}),
        ({"threshold": 0.55, "nms_threshold": 0.3}, {"threshold": 0.55, "nms": 0.3}),
        ({"nms_topk": 10}, {"topk": 10}),
    ],
)
def test_detections(attrs, options):
    rng = np.random.default_rng(0)
    scores = rng.random((2, 4, 50))
    offsets, anchors = rng.normal(size=(2, 50, 4)), random_boxes(rng, 50, 0.8)
    arrays = [scores, offsets.reshape(2, 200), anchors.numpy()[None]]
    found = find(DETECTION).of(attrs).forward(*(torch.tensor(a).float() for a in arrays))
    for image in range(2):
        expected = detections(scores[image], offsets[image], anchors, **options)
        np.testing.assert_allclose(found[image], expected, rtol=1e-4, atol=1e-5)
    assert (found[..., 0] == -1).any()


def test_a_threshold_outside_of_0_to_1_suppresses_nothing_and_sorts_nothing():
    cls_prob = torch.tensor([[[0.0, 0, 0], [0.3, 0, 0.6]]])
    anchor = torch.tensor([[[0.0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 1, 1]]])
    op = find(DETECTION).of({"nms_threshold": 0})
    found = op.forward(cls_prob, torch.zeros(1, 12), anchor)
    assert found[0, :, 1].tolist() == pytest.approx([0.3, 0.6, -1])
    assert found[0, :, 0].tolist() == [0, 0, -1]


def test_an_overlap_of_just_the_threshold_is_too_much():
    cls_prob = torch.tensor([[[0.0, 0], [0.9, 0.8]]])
    anchor = torch.tensor([[[0.0, 0, 1, 1], [0, 0, 1, 0.5]]])
    for threshold, second in ((0.5, -1), (0.501, 0)):
        op = find(DETECTION).of({"nms_threshold": threshold})
        assert op.forward(cls_prob, torch.zeros(1, 8), anchor)[0, :, 0].tolist() == [0, second]


# Targets


def targets(anchors, label, cls_pred, *, threshold=0.5, ratio=-1, hard=0.5):
    """loc_target, loc_mask and cls_target of one image."""
    anchors = anchors.double().tolist()
    boxes = [row for row in label.tolist() if row[0] >= 0]
    n = len(anchors)
    if not boxes:
        return np.zeros(n * 4), np.zeros(n * 4), np.full(n, -1.0)
    table = np.array([[iou(a, b[1:5]) for b in boxes] for a in anchors])
    taken, left = {}, table.copy()
    for _ in boxes:
        a, b = np.unravel_index(left.argmax(), left.shape)
        if left[a, b] > 1e-6:
            taken[a], left[a], left[:, b] = b, -1, -1
    for a in range(n):
        if a not in taken and table[a].max() > threshold:
            taken[a] = table[a].argmax()
    free = [a for a in range(n) if a not in taken]
    if ratio > 0:
        background = np.exp(cls_pred[0]) / np.exp(cls_pred).sum(0)
        free = [a for a in free if table[a].max() < hard]
        free = sorted(free, key=lambda a: background[a])[: int(len(taken) * ratio)]
    classes, mask, offsets = np.full(n, -1.0), np.zeros((n, 4)), np.zeros((n, 4))
    classes[free] = 0
    for a, b in taken.items():
        (l1, t1, r1, b1), (kind, l2, t2, r2, b2) = anchors[a], boxes[b]
        w, h = r1 - l1, b1 - t1
        shift = [(l2 + r2 - l1 - r1) / 2 / w, (t2 + b2 - t1 - b1) / 2 / h]
        growth = [np.log((r2 - l2) / w), np.log((b2 - t2) / h)]
        classes[a], mask[a], offsets[a] = kind + 1, 1, np.array(shift + growth) / (0.1, 0.1, 0.2, 0.2)  # fmt: skip
    return offsets.ravel(), mask.ravel(), classes


@pytest.mark.parametrize(
    "attrs, options",
    [
        ({}, {}),
        ({"overlap_threshold": 0.2}, {"threshold": 0.2}),
        (
            {"negative_mining_ratio": 2, "negative_mining_thresh": 0.3},
            {"ratio": 2, "hard": 0.3},
        ),
    ],
)
def test_targets(attrs, options):
    rng = np.random.default_rng(1)
    anchors, cls_pred = random_boxes(rng, 40, 0.8), rng.normal(size=(3, 4, 40))
    label = torch.full((3, 6, 5), -1.0)
    for image, n in enumerate((5, 0, 6)):
        label[image, :n, 0] = torch.arange(n) % 3
        label[image, :n, 1:] = random_boxes(rng, n, 0.8)
    op = find(TARGET).of(attrs)
    found = op.forward(anchors[None], label, torch.tensor(cls_pred).float())
    for image in range(3):
        expected = targets(anchors, label[image], cls_pred[image], **options)
        for got, want in zip(found, expected, strict=True):
            np.testing.assert_allclose(got[image], want, rtol=1e-4, atol=1e-4)


# Rules


# fmt: off
@pytest.mark.parametrize("name, attrs, inputs, expected", [
    (PRIOR, {"sizes": (0.5, 0.2), "ratios": (1, 2)}, [(1, 3, 4, 2)], "[1,3,4,2] -> [1,24,4]"),
    (PRIOR, {}, [(1, 3, 4, UNKNOWN)], "[1,3,4,?] -> [1,?,4]"),
    (DETECTION, {}, [(2, 3, 6), (UNKNOWN, 24), (1, 6, 4)], "[2,3,6], [2,24], [1,6,4] -> [2,6,6]"),
    (TARGET, {}, [(1, 6, 4), (2, 3, 5), (2, 4, 6)], "[1,6,4], [2,3,5], [2,4,6] -> [2,24], [2,24], [2,6]"),
])
# fmt: on
def test_shapes(name, attrs, inputs, expected):
    assert inferred_shapes(name, attrs, inputs) == expected


def test_everything_is_float32():
    assert inferred_dtypes(PRIOR, {}, [None]) == "float32 -> float32"
    with pytest.raises(MXNetError, match="data has type float64"):
        inferred_dtypes(PRIOR, {}, [torch.float64])


# fmt: off
@pytest.mark.parametrize("name, attrs, inputs, message", [
    (PRIOR, {}, [(3, 4, 2)], r"data has shape \[3,4,2\]: it must have 4"),
    (PRIOR, {"sizes": ()}, [(1, 3, 4, 2)], r"sizes=\(\)"),
    (PRIOR, {"ratios": (1, 0)}, [(1, 3, 4, 2)], "ratios=.*must be > 0"),
    (PRIOR, {"steps": (0.1, -1)}, [(1, 3, 4, 2)], "steps=.*both or none"),
    (PRIOR, {"offsets": (0.5,)}, [(1, 3, 4, 2)], "offsets=.*two numbers"),
    (DETECTION, {}, [(2, 3, 6), (2, 20), (1, 6, 4)], r"loc_pred has shape \[2,20\].* needs \[2,24\]"),
    (DETECTION, {}, [(2, 1, 6), (2, 24), (1, 6, 4)], "needs 2 classes or more"),
    (DETECTION, {"variances": (1, 1)}, [(2, 3, 6), (2, 24), (1, 6, 4)], "variances=.*four numbers"),
    (TARGET, {}, [(1, 6, 4), (2, 3, 4), (2, 4, 6)], r"label has shape \[2,3,4\]"),
    (TARGET, {}, [(2, 6, 4), (2, 3, 5), (2, 4, 6)], r"anchor has shape \[2,6,4\]"),
])
# fmt: on
def test_bad_arguments_are_named(name, attrs, inputs, message):
    with pytest.raises(MXNetError, match=message):
        inferred_shapes(name, attrs, inputs)
