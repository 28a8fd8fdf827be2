# SPDX-License-Identifier: Apache-2.0
"""Boxes: overlap, suppression of overlapping ones, matching, and offsets from anchors."""

from __future__ import annotations

from typing import Literal, TypeAlias

import torch
import torch.nn.functional as F
from torch import Tensor

from ...base.shapes import shape_text
from ...kernels.sorting import argsort_descending
from ...runtime.torch_api import is_traced
from ..declaration import function_operator, operator
from ..infer import Shapes
from ..schema import Op
from .boxes import (
    centered,
    decode,
    encode,
    erase,
    joined,
    kept_by_suppression,
    match,
    overlap,
    suppress,
    to_center,
    to_corner,
)

Form: TypeAlias = Literal["center", "corner"]


def _iou_shape(op: Op, s: Shapes) -> None:
    for name in s.inputs:
        if s.rank(name) < 2:
            raise s.fail(f"{name} has shape {shape_text(s[name])}: it must have 2 axes or more")
        s[name] = (*s[name][:-1], 4)
    s.output = (*s.lhs[:-1], *s.rhs[:-1])


@function_operator("_contrib_box_iou", shape=_iou_shape, differentiable=False)
def box_iou(lhs: Tensor, rhs: Tensor, *, format: Form = "corner") -> Tensor:
    """Overlap of every box of `lhs` with every one of `rhs`: intersection over union.

    Args:
        lhs: (…, 4).
        rhs: (…, 4); the result has the leading axes of `lhs`, then those of `rhs`.
        format: ``corner``: left, top, right, bottom; ``center``: x, y, width, height.
    """
    a, b = (to_corner(boxes) if format == "center" else boxes for boxes in (lhs, rhs))
    result = overlap(a.reshape(-1, 4), b.reshape(-1, 4))
    return result.view(*lhs.shape[:-1], *rhs.shape[:-1])


@operator("_contrib_box_nms", "_contrib_box_non_maximum_suppression")
class BoxNMS(Op):
    """Greedy non-maximum suppression: the kept rows by falling score, then rows of -1.

    Args:
        data: rows of a score, coordinates, perhaps a class and more, (…, boxes, width).
        overlap_thresh: rows that overlap a better one by more than this go.
        valid_thresh: rows with a score up to this go.
        topk: only this many best rows of an image take part; negative: all; 0: nothing is done.
        coord_start: where the four coordinates start in a row.
        score_index: where the score is in a row.
        id_index: where the class is in a row; negative: there is none. Fractions are cut.
        background_id: rows of this class go, which must be equal to it.
        force_suppress: compare rows of different classes, too.
        in_format: form of the coordinates; ``corner``: left, top, right, bottom; ``center``: x,
            y, width, height.
        out_format: their form in the result.
    """

    overlap_thresh: float = 0.5
    valid_thresh: float = 0.0
    topk: int = -1
    coord_start: int = 2
    score_index: int = 1
    id_index: int = -1
    background_id: int = -1
    force_suppress: bool = False
    in_format: Form = "corner"
    out_format: Form = "corner"

    def outputs(self) -> tuple[str, ...]:
        return ("output0",)

    def infer_shape(self, s: Shapes) -> None:
        if s.rank("data") < 2:
            raise s.fail(f"data has shape {shape_text(s.data)}: it must have 2 axes or more")
        s.output0 = s.data
        width = s.data[-1]
        for name, start, stop in (
            ("coord_start", self.coord_start, self.coord_start + 4),
            ("score_index", self.score_index, self.score_index + 1),
            ("id_index", max(self.id_index, 0), self.id_index + 1),
        ):
            if start < 0 or width < stop:
                raise s.fail(f"{name}={getattr(self, name)}: data has rows of {width} numbers")

    def forward(self, data: Tensor) -> Tensor:
        if self.topk == 0:
            return data
        rows = data.flatten(0, -3) if data.ndim > 2 else data.unsqueeze(0)
        with torch.no_grad():
            order, kept = self._selection(rows.detach())
        result = rows.gather(1, order.unsqueeze(2).expand(-1, -1, rows.shape[2]))
        if self.in_format != self.out_format:  # the gradient passes unconverted
            result = self._converted(result).detach() + (result - result.detach())
        result = result.masked_fill(~kept.unsqueeze(2), -1)
        missing = rows.shape[1] - result.shape[1]
        return F.pad(result, (0, 0, 0, missing), value=-1).view_as(data)

    def _coordinates(self, rows: Tensor) -> Tensor:
        return rows[..., self.coord_start : self.coord_start + 4]

    def _converted(self, rows: Tensor) -> Tensor:
        convert = to_center if self.out_format == "center" else to_corner
        before, boxes, after = (
            rows[..., : self.coord_start],
            self._coordinates(rows),
            rows[..., self.coord_start + 4 :],
        )
        # MXNet takes a negative first coordinate for the mark of a suppressed row.
        boxes = torch.where(boxes[..., :1] < 0, boxes, convert(boxes))
        return torch.cat((before, boxes, after), -1)

    def _selection(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """Which row comes where, (batch, n), and which of these places hold a kept one."""
        score = rows[..., self.score_index]
        valid = score > self.valid_thresh
        if self.id_index >= 0:
            valid &= rows[..., self.id_index] != self.background_id
        ranked = score.masked_fill(~valid, float("-inf"))
        order = argsort_descending(ranked, self.topk if self.topk > 0 else None)
        if is_traced():
            return _by_mask(order, self._kept(rows, valid, order))
        image, place = valid.gather(1, order).nonzero(as_tuple=True)
        found = rows[image, order[image, place]]
        boxes = self._coordinates(found)
        if self.in_format == "center":
            boxes = to_corner(boxes)
        stays = suppress(boxes, self.overlap_thresh, self._groups(image, found))
        kept = torch.zeros_like(order, dtype=torch.bool)
        kept[image[stays], place[stays]] = True
        return _by_mask(order, kept)

    def _kept(self, rows: Tensor, valid: Tensor, order: Tensor) -> Tensor:
        """Which of the rows in `order` are kept, (batch, n), by steps that can be traced."""
        found = rows.gather(1, order.unsqueeze(2).expand(-1, -1, rows.shape[2]))
        boxes = self._coordinates(found)
        if self.in_format == "center":
            boxes = to_corner(boxes)
        apart = not self.force_suppress and self.id_index >= 0
        groups = found[..., self.id_index].trunc() if apart else None
        return kept_by_suppression(boxes, self.overlap_thresh, valid.gather(1, order), groups)

    def _groups(self, image: Tensor, found: Tensor) -> Tensor:
        if self.force_suppress or self.id_index < 0:
            return image
        index: Tensor
        # MXNet compares classes as integers, but the background as it is.
        labels, index = torch.unique(found[:, self.id_index].trunc(), return_inverse=True)
        return image * len(labels) + index


def _by_mask(order: Tensor, kept: Tensor) -> tuple[Tensor, Tensor]:
    """(`order` with what is kept first, which of these places hold a kept one)."""
    gone, first = (~kept).to(torch.uint8).sort(dim=1, stable=True)
    return order.gather(1, first), gone == 0


def _matching_shape(op: Op, s: Shapes) -> None:
    if s.rank("data") < 2:
        raise s.fail(f"data has shape {shape_text(s.data)}: it must have 2 axes or more")
    *batch, rows, columns = s.data
    s.output0, s.output1 = (*batch, rows), (*batch, columns)


@function_operator(
    "_contrib_bipartite_matching",
    shape=_matching_shape,
    outputs=("output0", "output1"),
    differentiable=False,
)
def bipartite_matching(
    data: Tensor, *, is_ascend: bool = False, threshold: float, topk: int = -1
) -> tuple[Tensor, Tensor]:
    """Greedy pairs of rows and columns: the column of each row, the row of each column, or -1.

    Args:
        data: score of every pair, (…, rows, columns).
        is_ascend: small scores are good.
        threshold: pairs must be at least this good.
        topk: stop after one pair more than this, if positive.
    """
    scores = data.flatten(0, -3) if data.ndim > 2 else data.unsqueeze(0)
    if is_ascend:
        scores, threshold = -scores, -threshold
    column = match(scores, threshold, topk + 1 if topk > 0 else None)
    columns = torch.arange(data.shape[-1], device=data.device)
    pairs = column.unsqueeze(2) == columns
    row = torch.where(pairs.any(1), pairs.byte().argmax(1), -1)
    return column.view(data.shape[:-1]).to(data.dtype), row.view(
        *data.shape[:-2], data.shape[-1]
    ).to(data.dtype)


def _encode_shape(op: Op, s: Shapes) -> None:
    for name, rank in (("samples", 2), ("matches", 2), ("anchors", 3), ("refs", 3)):
        s.rank(name, rank)
    s.means = s.stds = (4,)
    s.samples = s.matches = s.anchors[:2]
    s.anchors, s.refs = (*s.samples, 4), (s.samples[0], s.refs[1], 4)
    s.output0 = s.output1 = s.anchors


@function_operator(
    "_contrib_box_encode",
    shape=_encode_shape,
    outputs=("output0", "output1"),
    differentiable=False,
)
def box_encode(
    samples: Tensor, matches: Tensor, anchors: Tensor, refs: Tensor, means: Tensor, stds: Tensor
) -> tuple[Tensor, Tensor]:
    """Offsets of the matched boxes from their anchors, normalized, and which of them count.

    Args:
        samples: above 0.5 for anchors that have a box, (batch, anchors).
        matches: number of the box, (batch, anchors).
        anchors: corners, (batch, anchors, 4).
        refs: boxes, corners, (batch, boxes, 4).
        means: what is subtracted of the offsets: x, y, width, height.
        stds: what they are divided by then.
    """
    index = matches.long().clamp(0, refs.shape[1] - 1)
    index += torch.arange(0, len(refs) * refs.shape[1], refs.shape[1], device=refs.device)[:, None]
    matched = refs.reshape(-1, 4).index_select(0, index.flatten()).view(anchors.shape)
    counts = samples > 0.5
    offsets = encode(matched.unbind(-1), anchors.unbind(-1))
    for offset, mean, std in zip(offsets, means, stds, strict=True):
        offset.sub_(mean).div_(std)
    erase(offsets, counts)
    return joined(offsets), joined((counts.to(anchors.dtype),) * 4)


def _decode_shape(op: Op, s: Shapes) -> None:
    s.rank("data", 3)
    s.rank("anchors", 3)
    s.data = s.output = (*s.data[:2], 4)
    s.anchors = (s.anchors[0], s.data[1], 4)


@function_operator("_contrib_box_decode", shape=_decode_shape, differentiable=False)
def box_decode(
    data: Tensor,
    anchors: Tensor,
    *,
    std0: float = 1.0,
    std1: float = 1.0,
    std2: float = 1.0,
    std3: float = 1.0,
    clip: float = -1.0,
    format: Form = "center",
) -> Tensor:
    """Corners of boxes given by their offsets from anchors, (batch, boxes, 4).

    Args:
        data: offsets, (batch, boxes, 4).
        anchors: (1, boxes, 4).
        std0: factor of the x offset.
        std1: factor of the y offset.
        std2: factor of the width's logarithm.
        std3: factor of the height's logarithm.
        clip: most that a scaled logarithm of a size may be, if positive.
        format: form of the anchors; ``corner``: left, top, right, bottom; ``center``: x, y,
            width, height.
    """
    given = anchors.unbind(-1)
    offsets = [x * std for x, std in zip(data.unbind(-1), (std0, std1, std2, std3), strict=True)]
    if clip > 0:
        for growth in offsets[2:]:
            growth.clamp_(max=clip)
    boxes = torch.empty_like(data)
    decode(offsets, centered(given) if format == "corner" else given, boxes)
    return boxes
