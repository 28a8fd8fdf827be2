# SPDX-License-Identifier: Apache-2.0
"""Region proposals: where objects may be, from the scores and offsets of anchors.

Boxes are in pixels of the input image; both borders belong to the box.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, sqrt

import torch
from torch import Tensor

from ...base.params import Floats
from ...base.shapes import shape_text
from ...kernels.sorting import argsort_descending
from ..constants import constant, divided
from ..declaration import register_function
from ..infer import DTypes, Shapes
from ..schema import Op
from .boxes import all_float32, suppress


def _shape(op: Op, s: Shapes) -> None:
    s.rank("cls_prob", 4)
    batch, scores, height, width = s.cls_prob
    s.bbox_pred = (batch, scores * 2, height, width)
    s.im_info = (batch, 3)
    images = batch if op.name == "_contrib_MultiProposal" else 1
    rows = op.attr("rpn_post_nms_top_n") * images
    s.output = (rows, 5)
    if "score" in s:
        s.score = (rows, 1)
    n_anchors = len(op.attr("scales")) * len(op.attr("ratios"))
    if scores != 2 * n_anchors:
        raise s.fail(f"cls_prob has shape {shape_text(s.cls_prob)}: needs {2 * n_anchors} channels")
    if batch != images:
        raise s.fail(f"cls_prob has shape {shape_text(s.cls_prob)}: only one image is possible")


def _outputs(op: Op) -> tuple[str, ...]:
    return ("output", "score") if op.attr("output_score") else ("output",)


def _dtype(op: Op, t: DTypes) -> None:
    all_float32(t)


def proposal(
    cls_prob: Tensor,
    bbox_pred: Tensor,
    im_info: Tensor,
    *,
    rpn_pre_nms_top_n: int = 6000,
    rpn_post_nms_top_n: int = 300,
    threshold: float = 0.7,
    rpn_min_size: int = 16,
    scales: Floats = (4.0, 8.0, 16.0, 32.0),
    ratios: Floats = (0.5, 1.0, 2.0),
    feature_stride: int = 16,
    output_score: bool = False,
    iou_loss: bool = False,
) -> Tensor | tuple[Tensor, Tensor]:
    """Best non-overlapping boxes of each image: rows of image number, left, top, right, bottom.

    Where an image has too few, they are repeated. Ren et al., "Faster R-CNN: toward real-time
    object detection with region proposal networks", 2015.

    Args:
        cls_prob: background scores of all anchors, then their object scores,
            (batch, 2 × anchors, height, width).
        bbox_pred: offsets of the boxes from the anchors, (batch, 4 × anchors, height, width).
        im_info: height and width of the input image and its scale, (batch, 3).
        rpn_pre_nms_top_n: candidates an image, by score; all unless positive.
        rpn_post_nms_top_n: boxes an image in the result.
        threshold: largest overlap of two boxes of an image.
        rpn_min_size: least width and height, in pixels of the unscaled image.
        scales: sizes of the anchors, in steps of the feature map.
        ratios: height to width of the anchors.
        feature_stride: pixels from one cell of the feature map to the next.
        output_score: also give the scores, one column.
        iou_loss: offsets are added to the corners instead.
    """
    batch, _, height, width = cls_prob.shape
    anchors = _anchors(ratios, scales, feature_stride, height, width, cls_prob.device)
    n_anchors = anchors.shape[2]
    offsets = bbox_pred.view(batch, n_anchors, 4, height, width).permute(0, 3, 4, 1, 2)
    image = im_info.view(batch, 1, 1, 1, 3)
    most = image[..., [1, 0, 1, 0]] - 1
    boxes = anchors + offsets if iou_loss else _moved(anchors, offsets)
    boxes = torch.minimum(boxes, most).clamp(min=0)
    score = cls_prob[:, n_anchors:].permute(0, 2, 3, 1)
    score = score.masked_fill(_outside(image, feature_stride, height, width), -1)
    boxes, score = _grown(boxes, score, rpn_min_size * image[..., 2:])
    chosen = [
        _best(b, s, rpn_pre_nms_top_n, rpn_post_nms_top_n, threshold)
        for b, s in zip(boxes.flatten(1, 3), score.flatten(1), strict=True)
    ]
    rows = torch.stack(
        [torch.cat((torch.full_like(b[:, :1], i), b), 1) for i, (b, _) in enumerate(chosen)]
    )
    if not output_score:
        return rows.flatten(0, 1)
    return rows.flatten(0, 1), torch.cat([s for _, s in chosen]).unsqueeze(1)


for _name in ("_contrib_Proposal", "_contrib_MultiProposal"):  # of one image, of a batch
    register_function(
        (_name,),
        proposal,
        shape=_shape,
        dtype=_dtype,
        outputs=_outputs,
        differentiable=False,
        untraceable="how many boxes are left depends on values",
    )


def _anchors(
    ratios: Sequence[float],
    scales: Sequence[float],
    stride: int,
    height: int,
    width: int,
    device: torch.device,
) -> Tensor:
    """Corners of the anchors at every cell, (height, width, anchors, 4)."""
    center = (stride - 1) / 2
    base = []
    for ratio in ratios:
        side = floor(sqrt(floor(stride * stride / ratio)) + 0.5)
        for scale in scales:
            half_w = (side * scale - 1) / 2
            half_h = (floor(side * ratio + 0.5) * scale - 1) / 2
            base.append((center - half_w, center - half_h, center + half_w, center + half_h))
    rows, columns = (torch.arange(n, device=device) for n in (height, width))
    y, x = torch.meshgrid(rows, columns, indexing="ij")
    cells = torch.stack((x, y, x, y), -1).unsqueeze(2) * stride
    return cells + constant(tuple(base), torch.float32, device)


def _moved(anchors: Tensor, offsets: Tensor) -> Tensor:
    """Boxes at `offsets`: shifts by anchor size, logarithms of growth."""
    size = anchors[..., 2:] - anchors[..., :2] + 1
    center = anchors[..., :2] + (size - 1) / 2 + offsets[..., :2] * size
    half = (offsets[..., 2:].exp() * size - 1) / 2
    return torch.cat((center - half, center + half), -1)


def _outside(image: Tensor, stride: int, height: int, width: int) -> Tensor:
    """Mask of the cells beyond the image, (batch, height, width, 1)."""
    rows = torch.arange(height, device=image.device).view(-1, 1, 1)
    columns = torch.arange(width, device=image.device).view(-1, 1)
    cells = divided(image, stride).trunc()
    return (rows >= cells[..., 0]) | (columns >= cells[..., 1])


def _grown(boxes: Tensor, score: Tensor, least: Tensor) -> tuple[Tensor, Tensor]:
    """Boxes smaller than `least` get half of it more on every side and score -1."""
    size = boxes[..., 2:] - boxes[..., :2] + 1
    small = (size < least).any(-1)
    half = least / 2
    grown = torch.cat((boxes[..., :2] - half, boxes[..., 2:] + half), -1)
    return torch.where(small.unsqueeze(-1), grown, boxes), score.masked_fill(small, -1)


def _best(
    boxes: Tensor, score: Tensor, before: int, after: int, threshold: float
) -> tuple[Tensor, Tensor]:
    """`after` boxes of one image with their scores."""
    order = argsort_descending(score, before if before > 0 else None)
    kept = order[suppress(boxes[order], threshold, pixel=1.0, most=after)]
    places = torch.arange(after, device=boxes.device) % len(kept)
    return boxes[kept[places]], score[kept[places]]
