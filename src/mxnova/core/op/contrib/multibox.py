# SPDX-License-Identifier: Apache-2.0
"""Single-shot detection: anchor boxes, what they should learn, what they found.

Liu et al., "SSD: single shot multibox detector", 2016. Boxes are (left, top, right, bottom) as
shares of the image, from 0 to 1.
"""

from __future__ import annotations

from math import prod, sqrt

import torch
from torch import Tensor

from ...base.params import Floats, StructuralFloats
from ...base.shapes import shape_text
from ...kernels.sorting import argsort_descending
from ...runtime.torch_api import is_traced
from ..constants import constant
from ..declaration import operator
from ..infer import DTypes, Shapes
from ..schema import Op
from .boxes import (
    all_float32,
    centered,
    decode,
    encode,
    erase,
    joined,
    kept_by_suppression,
    match,
    overlap,
    suppress,
)

_LEAST_OVERLAP = 1e-6  # of a true box and the anchor that becomes its own


@operator("_contrib_MultiBoxPrior", "_npx_multibox_prior")
class MultiBoxPrior(Op):
    """Anchor boxes centered on every cell of a feature map, (1, cells × anchors, 4).

    A cell has one box for every size with the first ratio, then one for every other ratio with
    the first size.

    Args:
        data: feature map, (batch, channels, height, width): only its shape counts.
        sizes: heights of the boxes, as shares of the image.
        ratios: width to height.
        clip: cut boxes at the border of the image.
        steps: distance of cells (y, x); by default 1 over their number.
        offsets: center of a cell (y, x), in steps.
    """

    sizes: StructuralFloats = (1.0,)
    ratios: StructuralFloats = (1.0,)
    clip: bool = False
    steps: StructuralFloats = (-1.0, -1.0)
    offsets: StructuralFloats = (0.5, 0.5)
    differentiable = False

    def infer_shape(self, s: Shapes) -> None:
        self._check(s)
        s.rank("data", 4)
        _, _, height, width = s.data
        n_anchors = len(self.sizes) + len(self.ratios) - 1
        s.output = (1, height * width * n_anchors, 4)

    def _check(self, s: Shapes) -> None:
        for name in ("sizes", "ratios"):
            if not getattr(self, name):
                raise s.fail(f"{name}=(): at least one is needed")
        if min(self.ratios) <= 0:
            raise s.fail(f"ratios={self.ratios}: must be > 0")
        for name in ("steps", "offsets"):
            if len(getattr(self, name)) != 2:
                raise s.fail(f"{name}={getattr(self, name)}: must be two numbers, for y and x")
        if prod(self.steps) < 0:
            raise s.fail(f"steps={self.steps}: both or none must be > 0")

    def infer_dtype(self, t: DTypes) -> None:
        all_float32(t)

    def forward(self, data: Tensor) -> Tensor:
        height, width = data.shape[2:]
        steps = self.steps if min(self.steps) > 0 else (1.0 / height, 1.0 / width)
        center_y, center_x = (
            (torch.arange(n, device=data.device) + offset) * step
            for n, offset, step in zip((height, width), self.offsets, steps, strict=True)
        )
        half = constant(self._half_sizes(height / width), torch.float32, data.device)
        is_x = constant((1.0, 0.0, 1.0, 0.0), torch.float32, data.device)
        # Added as rows of all anchors' numbers: ATen is slow at rows of four.
        across = ((center_x.reshape(-1, 1, 1) + half) * is_x).flatten(1)
        down = ((center_y.reshape(-1, 1, 1) + half) * (1 - is_x)).flatten(1)
        boxes = (across + down.unsqueeze(1)).view(1, -1, 4)
        return boxes.clamp(0, 1) if self.clip else boxes

    def _half_sizes(self, aspect: float) -> tuple[tuple[float, float, float, float], ...]:
        """What to add to a center for each anchor; `aspect` is height to width of the map."""
        pairs = [(size, self.ratios[0]) for size in self.sizes]
        pairs += [(self.sizes[0], ratio) for ratio in self.ratios[1:]]
        halves = [(size * aspect * sqrt(r) / 2, size / sqrt(r) / 2) for size, r in pairs]
        return tuple([(-w, -h, w, h) for w, h in halves])


def _check_variances(variances: tuple[float, ...], s: Shapes) -> None:
    if len(variances) != 4:
        raise s.fail(f"variances={variances}: must be four numbers")


@operator("_contrib_MultiBoxDetection", "_npx_multibox_detection")
class MultiBoxDetection(Op):
    """Boxes found: (batch, anchors, 6) of class, score, left, top, right, bottom, by falling score.

    The class counts from 0 without the background; -1 says "not a box" (below the threshold or
    suppressed by a better one).

    Args:
        cls_prob: class probabilities, class 0 is the background, (batch, classes, anchors).
        loc_pred: offsets of the boxes from their anchors, (batch, anchors × 4).
        anchor: corners, (1, anchors, 4).
        clip: cut boxes at the border of the image.
        threshold: least score of a box.
        background_id: without effect: it is class 0.
        nms_threshold: two kept boxes of a class overlap less than this; none are suppressed unless
            it is in (0, 1].
        force_suppress: compare boxes of different classes, too.
        variances: factors of the offsets: x, y, width, height.
        nms_topk: only this many best boxes are kept, if positive.
    """

    clip: bool = True
    threshold: float = 0.01
    background_id: int = 0
    nms_threshold: float = 0.5
    force_suppress: bool = False
    variances: Floats = (0.1, 0.1, 0.2, 0.2)
    nms_topk: int = -1
    differentiable = False

    def infer_shape(self, s: Shapes) -> None:
        s.rank("cls_prob", 3)
        s.rank("loc_pred", 2)
        s.rank("anchor", 3)
        _check_variances(self.variances, s)
        batch, n_classes, n_anchors = s.cls_prob
        s.loc_pred = (batch, n_anchors * 4)
        s.anchor = (s.anchor[0], n_anchors, 4)
        s.output = (batch, n_anchors, 6)
        if n_classes < 2:
            raise s.fail(f"cls_prob has shape {shape_text(s.cls_prob)}: needs 2 classes or more")

    def infer_dtype(self, t: DTypes) -> None:
        all_float32(t)

    def forward(self, cls_prob: Tensor, loc_pred: Tensor, anchor: Tensor) -> Tensor:
        score, label = _best_class(cls_prob[:, 1:])
        nothing = score < self.threshold
        label = label.masked_fill_(nothing, -1)
        rows = score.new_empty(*score.shape, 6)
        rows[..., 0], rows[..., 1] = label, score
        self._decode(loc_pred.view(*score.shape, 4), anchor[:1], rows[..., 2:])
        listed = _listed(rows, ~nothing)
        if not 0 < self.nms_threshold <= 1:
            return listed
        most = self.nms_topk if self.nms_topk > 0 else None
        best = _taken(rows, argsort_descending(score.masked_fill(nothing, float("-inf")), most))
        best[..., 0] = self._unsuppressed(best)
        listed[..., 0] = -1
        return torch.cat((best, listed[:, best.shape[1] :]), 1)

    def _decode(self, offsets: Tensor, anchor: Tensor, out: Tensor) -> None:
        scaled = [o * v for o, v in zip(offsets.unbind(-1), self.variances, strict=True)]
        decode(scaled, centered(anchor.unbind(-1)), out)
        if self.clip:
            for side in out.unbind(-1):
                side.clamp_(0, 1)

    def _unsuppressed(self, rows: Tensor) -> Tensor:
        """The classes of `rows`, -1 where a better row suppresses one."""
        if is_traced():
            groups = None if self.force_suppress else rows[..., 0]
            valid = rows[..., 0] >= 0
            stays = kept_by_suppression(
                rows[..., 2:], self.nms_threshold, valid, groups, inclusive=True
            )
            return torch.where(stays, rows[..., 0], -1)
        image, place = (rows[..., 0] >= 0).nonzero(as_tuple=True)
        found = rows[image, place]
        groups = image if self.force_suppress else image * 100_000 + found[:, 0].long()
        kept = suppress(found[:, 2:], self.nms_threshold, groups, inclusive=True)
        label = torch.full_like(rows[..., 0], -1)
        label[image[kept], place[kept]] = found[kept, 0]
        return label


def _best_class(scores: Tensor) -> tuple[Tensor, Tensor]:
    """The greatest of `scores` (batch, classes, anchors), and the first class that has it."""
    best = scores.amax(1)
    last = scores.shape[1] - 1
    # ATen finds places along an inner axis ten times slower than maxima.
    before_last = torch.arange(last, -1, -1, dtype=best.dtype, device=best.device).unsqueeze(1)
    return best, last - ((scores == best.unsqueeze(1)) * before_last).amax(1)


def _listed(rows: Tensor, wanted: Tensor) -> Tensor:
    """The `wanted` of `rows` (batch, n, 6), in order, then rows of -1."""
    listed = torch.full_like(rows, -1)
    if is_traced():  # what is not wanted goes behind the last row
        places = torch.where(wanted, wanted.cumsum(1) - 1, rows.shape[1]).unsqueeze(2)
        longer = torch.cat((listed, listed[:, :1]), 1)
        return longer.scatter(1, places.expand_as(rows), rows)[:, :-1]
    image, place = wanted.nonzero(as_tuple=True)
    listed[image, wanted.cumsum(1)[image, place] - 1] = rows[image, place]
    return listed


def _taken(rows: Tensor, order: Tensor) -> Tensor:
    """The rows (batch, n, 6) in `order`, those without a class set to -1."""
    first = torch.arange(rows.shape[0], device=rows.device).unsqueeze(1) * rows.shape[1]
    taken = rows.flatten(0, 1).index_select(0, (order + first).flatten()).view(*order.shape, -1)
    return taken.masked_fill_(taken[..., :1] < 0, -1)


@operator("_contrib_MultiBoxTarget", "_npx_multibox_target")
class MultiBoxTarget(Op):
    """Compute the training targets of each anchor: location offsets, their mask, and classes.

    Every true box gets the free anchor that overlaps it most; other anchors get the box they
    overlap most, if enough. Gives loc_target and loc_mask, (batch, anchors × 4), and cls_target,
    (batch, anchors): class + 1, 0 for background, `ignore_label` for anchors that do not count.

    Args:
        anchor: corners, (1, anchors, 4).
        label: true boxes: class, left, top, right, bottom, …; class -1 ends an image's list,
            (batch, boxes, 5 or more).
        cls_pred: class scores before softmax, class 0 is the background, (batch, classes,
            anchors).
        overlap_threshold: overlap above which an anchor takes a box that has one already.
        ignore_label: class target of anchors that do not count.
        negative_mining_ratio: if positive: only this many background anchors for each with a box
            count, those whose background score is least.
        negative_mining_thresh: overlap below which an anchor may count as mined background.
        minimum_negative_samples: without effect.
        variances: divisors of the offsets: x, y, width, height.
    """

    overlap_threshold: float = 0.5
    ignore_label: float = -1.0
    negative_mining_ratio: float = -1.0
    negative_mining_thresh: float = 0.5
    minimum_negative_samples: int = 0
    variances: Floats = (0.1, 0.1, 0.2, 0.2)
    differentiable = False

    def outputs(self) -> tuple[str, ...]:
        return ("loc_target", "loc_mask", "cls_target")

    def infer_shape(self, s: Shapes) -> None:
        for name in s.inputs:
            s.rank(name, 3)
        _check_variances(self.variances, s)
        n_anchors = s.anchor[1]
        batch, _, width = s.label
        s.anchor = (1, n_anchors, 4)
        s.cls_pred = (batch, s.cls_pred[1], n_anchors)
        s.loc_target = s.loc_mask = (batch, n_anchors * 4)
        s.cls_target = (batch, n_anchors)
        if width < 5:
            raise s.fail(f"label has shape {shape_text(s.label)}: a box is 5 numbers or more")

    def infer_dtype(self, t: DTypes) -> None:
        all_float32(t)

    def forward(
        self, anchor: Tensor, label: Tensor, cls_pred: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        real = (label[..., 0] != -1).cumprod(1).bool()
        n_boxes = max(int(real.sum(1).amax()), 1)
        label = label[:, :n_boxes]
        overlaps = overlap(anchor[0], label[..., 1:5].reshape(-1, 4))
        overlaps = overlaps.view(-1, len(label), n_boxes).transpose(0, 1)
        overlaps = overlaps.masked_fill(~real[:, None, :n_boxes], -1)
        own = match(overlaps, _LEAST_OVERLAP)
        best, box = overlaps.max(2)
        positive = own >= 0
        box = torch.where(positive, own, box)
        if self.overlap_threshold > 0:
            positive |= best > self.overlap_threshold
        negative = self._negative(positive, best, cls_pred) & real[:, :1]
        cls_target = torch.full_like(best, self.ignore_label).masked_fill_(negative, 0)
        taken = label.gather(1, box.unsqueeze(2).expand(-1, -1, label.shape[2]))
        cls_target = torch.where(positive, taken[..., 0] + 1, cls_target)
        offsets = encode(taken[..., 1:5].unbind(-1), anchor.unbind(-1))
        for offset, variance in zip(offsets, self.variances, strict=True):
            offset.div_(variance)
        erase(offsets, positive)
        mask = joined((positive.to(label.dtype),) * 4)
        return joined(offsets).flatten(1), mask.flatten(1), cls_target

    def _negative(self, positive: Tensor, best: Tensor, cls_pred: Tensor) -> Tensor:
        """Mask of the anchors to be taught background."""
        if self.negative_mining_ratio <= 0:
            return ~positive
        wanted = (positive.sum(1) * self.negative_mining_ratio).long()
        candidate = ~positive & (best < self.negative_mining_thresh)
        background = cls_pred.softmax(1)[:, 0].masked_fill(~candidate, float("inf"))
        rank = background.argsort(dim=1, stable=True).argsort(1)
        return candidate & (rank < wanted.unsqueeze(1))
