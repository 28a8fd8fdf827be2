# SPDX-License-Identifier: Apache-2.0
"""Geometry of boxes: forms, overlap, and which of many overlapping boxes to keep.

A box is (left, top, right, bottom), its corners, or (x, y, width, height), its center and size.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

import torch
from torch import Tensor

from ...runtime import torch_api, tuning
from ...runtime.torch_api import is_traced
from ..infer import DTypes

__all__ = [
    "Sides",
    "all_float32",
    "centered",
    "decode",
    "encode",
    "erase",
    "joined",
    "kept_by_suppression",
    "match",
    "overlap",
    "suppress",
    "to_center",
    "to_corner",
]


# The columns of boxes (…, 4): ATen is ten times slower at rows of four.
Sides: TypeAlias = Sequence[Tensor]


def all_float32(t: DTypes) -> None:
    """Every array is float32, known or not: the rule of MXNet's older operators."""
    for name in (*t.inputs, *t.outputs):
        t[name] = torch.float32


def to_corner(boxes: Tensor) -> Tensor:
    """Boxes (…, 4) of form center as form corner."""
    center, half = boxes[..., :2], boxes[..., 2:] / 2
    return torch.cat((center - half, center + half), -1)


def to_center(boxes: Tensor) -> Tensor:
    """Boxes (…, 4) of form corner as form center."""
    low, high = boxes[..., :2], boxes[..., 2:]
    return torch.cat(((low + high) / 2, high - low), -1)


def joined(sides: Sides) -> Tensor:
    """Boxes (…, 4) of their columns, in a third of the time of torch.stack."""
    boxes = sides[0].new_empty(*sides[0].shape, len(sides))
    for column, side in zip(boxes.unbind(-1), sides, strict=True):
        column.copy_(side)
    return boxes


_INTEGERS = {2: torch.int16, 4: torch.int32, 8: torch.int64}  # by bytes


def erase(columns: Sides, kept: Tensor) -> None:
    """Sets numbers to 0 that are not `kept`, in place.

    By their bits: a choice that ATen makes number by number takes ten times as long.
    """
    integer = _INTEGERS[columns[0].element_size()]
    mask = -kept.to(integer)
    for column in columns:
        column.view(integer).bitwise_and_(mask)


def centered(boxes: Sides) -> Sides:
    """Columns of form corner as those of form center."""
    left, top, right, bottom = boxes
    return (left + right) / 2, (top + bottom) / 2, right - left, bottom - top


def encode(boxes: Sides, anchors: Sides) -> Sides:
    """Offsets of `boxes` from `anchors`, all corners: x, y by anchor size, logarithms of sizes."""
    x, y, width, height = centered(boxes)
    at_x, at_y, of_width, of_height = centered(anchors)
    shift = (x - at_x).div_(of_width), (y - at_y).div_(of_height)
    return *shift, width.div_(of_width).log_(), height.div_(of_height).log_()


def decode(offsets: Sides, anchors: Sides, out: Tensor) -> None:
    """Writes corners of the boxes at `offsets` from `anchors`, of form center, to `out` (…, 4)."""
    x, y, width, height = offsets
    at_x, at_y, of_width, of_height = anchors
    left, top, right, bottom = out.unbind(-1)
    x, y = (x * of_width).add_(at_x), (y * of_height).add_(at_y)
    half_width = width.exp().mul_(of_width).div_(2)
    half_height = height.exp().mul_(of_height).div_(2)
    if is_traced():  # Dynamo refuses `out=` with gaps between its elements
        left.copy_(x - half_width), right.copy_(x + half_width)
        top.copy_(y - half_height), bottom.copy_(y + half_height)
        return
    torch.sub(x, half_width, out=left), torch.add(x, half_width, out=right)
    torch.sub(y, half_height, out=top), torch.add(y, half_height, out=bottom)


def overlap(a: Tensor, b: Tensor) -> Tensor:
    """Intersection over union of corner boxes (m, 4) and (n, 4): (m, n); 0 for empty boxes."""
    return _overlap(_with_area(a), _with_area(b))


def _with_area(boxes: Tensor, pixel: float = 0.0) -> Tensor:
    """Boxes (…, 4) as rows left, top, right, bottom, area: (5, …)."""
    left, top, right, bottom = rows = boxes.unbind(-1)
    width, height = (right - left + pixel).clamp(min=0), (bottom - top + pixel).clamp(min=0)
    # Never 0, so that nothing is divided by 0. Sums of float32 do not notice; float16 has nothing
    # between 0 and its least number.
    info = torch.finfo(boxes.dtype)
    return torch.stack((*rows, (width * height).clamp(min=max(1e-37, info.tiny * info.eps))))


def _overlap(a: Tensor, b: Tensor, pixel: float = 0.0) -> Tensor:
    """`overlap` of boxes made by _with_area, or of many such groups (5, groups, n).

    Works in place: it is bound by memory traffic.
    """
    a, b = a.unsqueeze(-1), b.unsqueeze(-2)
    shared = torch.minimum(a[2], b[2]).sub_(torch.maximum(a[0], b[0]))
    height = torch.minimum(a[3], b[3]).sub_(torch.maximum(a[1], b[1]))
    if pixel:
        shared.add_(pixel), height.add_(pixel)
    shared.clamp_(min=0).mul_(height.clamp_(min=0))
    union = torch.add(a[4], b[4], out=None if is_traced() else height).sub_(shared)
    return shared.div_(union)


@torch.no_grad()
def suppress(
    boxes: Tensor,
    threshold: float,
    groups: Tensor | None = None,
    *,
    inclusive: bool = False,
    pixel: float = 0.0,
    most: int | None = None,
) -> Tensor:
    """Indices of the boxes that greedy non-maximum suppression keeps, in ascending order.

    A box goes when it overlaps a kept box before it by more than `threshold`. Its running time
    depends on the data, as do the shapes of its steps: on a GPU it waits for the device.

    Args:
        boxes: corners, (n, 4), by falling score.
        threshold: largest overlap of two kept boxes.
        groups: integers, (n,): boxes of different groups do not touch each other.
        inclusive: an overlap of just `threshold` is too much already.
        pixel: 1 where both borders belong to the box.
        most: stop after this many.
    """
    boxes = boxes.float() if boxes.dtype == torch.float16 else boxes
    if inclusive:
        threshold = _just_below(threshold, boxes.dtype)
    rows = _with_area(boxes, pixel)
    if groups is None:
        return _greedy(rows, threshold, pixel, most)
    kept = [
        members[0, _greedy(rows[:, members[0]], threshold, pixel, None)]
        if members.shape[1] > tuning.NMS_SMALL_GROUP
        else _of_small_groups(rows, members, threshold, pixel)
        for members in _batched(groups)
    ]
    return torch.cat(kept).sort().values[:most] if kept else torch.arange(0, device=boxes.device)


@torch.no_grad()
def kept_by_suppression(
    boxes: Tensor,
    threshold: float,
    valid: Tensor,
    groups: Tensor | None = None,
    *,
    inclusive: bool = False,
) -> Tensor:
    """Mask of the boxes of images that greedy non-maximum suppression keeps, (batch, n).

    As `suppress`, in steps whose shapes do not depend on the data: all pairs are compared.

    Args:
        boxes: corners, (batch, n, 4), by falling score.
        threshold: as in `suppress`.
        valid: which boxes take part, (batch, n).
        groups: as in `suppress`, (batch, n).
        inclusive: as in `suppress`.
    """
    boxes = boxes.float() if boxes.dtype == torch.float16 else boxes
    if inclusive:
        threshold = _just_below(threshold, boxes.dtype)
    rows = _with_area(boxes)
    hits = (_overlap(rows, rows) > threshold).triu(1) & valid.unsqueeze(2) & valid.unsqueeze(1)
    if groups is not None:
        hits = hits & (groups.unsqueeze(2) == groups.unsqueeze(1))

    def step(stays: Tensor, _changed: Tensor) -> tuple[Tensor, Tensor]:
        update = valid & ~(stays.unsqueeze(2) & hits).any(1)
        return update, (update != stays).any()

    changed = torch.ones((), dtype=torch.bool, device=boxes.device)
    stays, _ = torch_api.while_loop(_second, step, (valid.clone(), changed))
    return stays


def _second(_stays: Tensor, changed: Tensor) -> Tensor:
    return changed.clone()


def _just_below(number: float, dtype: torch.dtype) -> float:
    low = torch.tensor(float("-inf"), dtype=dtype)
    return float(torch.nextafter(torch.tensor(number, dtype=dtype), low))


def _batched(groups: Tensor) -> Iterator[Tensor]:
    """Members of several groups at a time, (groups, most members); -1 where there are no more."""
    order = torch.argsort(groups, stable=True)
    sizes = torch.unique_consecutive(groups[order], return_counts=True)[1]
    starts = sizes.cumsum(0) - sizes
    sizes, largest_first = sizes.sort(descending=True)
    starts = starts[largest_first]
    left = sizes.tolist()
    done = 0
    while done < len(left):
        end = done + max(1, tuning.NMS_PAIRS_AT_ONCE // left[done] ** 2)
        number = torch.arange(left[done], device=order.device)
        place = (starts[done:end].unsqueeze(1) + number).clamp_(max=len(order) - 1)
        yield order[place].masked_fill_(number >= sizes[done:end].unsqueeze(1), -1)
        done = end


def _of_small_groups(rows: Tensor, members: Tensor, threshold: float, pixel: float) -> Tensor:
    """Which of the `members` are kept, all pairs of a group being compared at once."""
    found = rows[:, members]  # what fills up a group comes last in it, and hits none before it
    stays = _unsuppressed(_overlap(found, found, pixel), threshold)
    return members[stays & (members >= 0)]


def _greedy(rows: Tensor, threshold: float, pixel: float, most: int | None) -> Tensor:
    """`suppress` for one group."""
    index = torch.arange(rows.shape[1], device=rows.device)
    kept: list[Tensor] = []
    while index.numel() and (most is None or sum(map(len, kept)) < most):
        head, rows = rows[:, : tuning.NMS_BLOCK], rows[:, tuning.NMS_BLOCK :]
        winners = _unsuppressed(_overlap(head, head, pixel), threshold)
        kept.append(index[: tuning.NMS_BLOCK][winners])
        index = index[tuning.NMS_BLOCK :]
        if index.numel():
            spared = _overlap(head[:, winners], rows, pixel).amax(0) <= threshold
            index, rows = index[spared], rows[:, spared]
    return torch.cat(kept)[:most] if kept else index


def _unsuppressed(overlaps: Tensor, threshold: float) -> Tensor:
    """Mask of the boxes that no kept box before them hits, of `overlaps` (…, boxes, boxes).

    Repeats "a box stays if none that stays hits it" until nothing changes: the first box is right
    at once, the second after one round, …; few rounds do in practice. `overlaps` is overwritten
    by hits as floats, which take a sixth of the time of bool.
    """
    before = overlaps.gt_(threshold).triu_(1)
    stays = torch.ones_like(before[..., :1, :])
    while True:
        update = torch.matmul(stays, before).eq_(0)
        if torch.equal(update, stays):
            return stays.squeeze(-2).bool()
        stays = update


@torch.no_grad()
def match(scores: Tensor, least: float, most: int | None = None) -> Tensor:
    """For each row of `scores` (batch, rows, columns) the column it is matched with, or -1.

    Again and again, the best score makes a pair of a row and a column that have none yet. Ties go
    to the first row, then to the first column.

    Args:
        scores: what is best when it is greatest.
        least: scores up to this one make no pair.
        most: stop after this many pairs.
    """
    batch, n_rows, n_columns = scores.shape
    scores = scores.clone()
    matched = torch.full((batch, n_rows), -1, device=scores.device)
    image = torch.arange(batch, device=scores.device)
    for _ in range(min(n_rows, n_columns, n_rows if most is None else most)):
        best, place = scores.flatten(1).max(1)
        row, column = place // n_columns, place % n_columns
        matched[image, row] = torch.where(best > least, column, matched[image, row])
        scores[image, row] = float("-inf")
        scores[image, :, column] = float("-inf")
    return matched
