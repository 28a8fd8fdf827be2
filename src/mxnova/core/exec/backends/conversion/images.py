# SPDX-License-Identifier: Apache-2.0
"""Images of other sizes, and regions of images."""

from __future__ import annotations

from math import inf, prod
from typing import Any

import torch

from .opset import Window
from .site import Site, converter


@converter("UpSampling")
def _upsampling(site: Site) -> Any:
    if site.sample_type == "bilinear":
        return _interpolated(site)
    o, (batch, _, *size) = site.ops, site.out[0]
    images = [
        o.repeat_pixels(x, (batch, shape[1], *size))
        for x, shape in zip(site.inputs, site.shapes, strict=True)
    ]
    if len(images) == 1:
        return images[0]
    if site.multi_input_mode == "concat":
        return o.concat(images, 1)
    found = images[0]
    for image in images[1:]:
        found = o.elementwise("add", found, image)
    return found


def _interpolated(site: Site) -> Any:
    """By a transposed convolution of each channel with weights that may have been trained."""
    scale, shape = int(site.scale), site.shapes[1]
    window = Window((scale,) * 2, (scale // 2,) * 2, (1, 1))
    weight, channels = site.inputs[1], site.shapes[0][1]
    return site.ops.deconvolution(site.x, weight, None, window, channels, shape, (0, 0))


def _resize_refusal(site: Site) -> str | None:
    if not site.align_corners and 1 in site.out[0][2:]:
        return "a single row or column without align_corners"
    return None


@converter("_contrib_BilinearResize2D", _resize_refusal, only_onnx=True)
def _resized(site: Site) -> Any:
    return site.ops.resized(site.x, site.out[0], bool(site.align_corners))


# Regions ------------------------------------------------------------------------------------------


def _regions(site: Site) -> dict[str, Any]:
    rows, columns = site.out[0][2:]
    return {"rows": rows, "columns": columns, "scale": float(site.spatial_scale)}


@converter("ROIPooling", only_onnx=True)
def _roi_pooling(site: Site) -> Any:
    return site.ops.region_maxima(*site.inputs, **_regions(site))


def _align_refusal(site: Site) -> str | None:
    if site.position_sensitive or (site.aligned and site.version < 16):
        return f"position_sensitive={site.position_sensitive}, aligned={site.aligned}"
    return None


@converter("_contrib_ROIAlign", _align_refusal, only_onnx=True)
def _roi_align(site: Site) -> Any:
    o, (count, _) = site.ops, site.shapes[1]
    number = o.slice(site.inputs[1], {1: range(1)})
    image = o.reshape(o.elementwise("maximum", number, o.floats(0)), (count,))
    boxes = o.slice(site.inputs[1], {1: range(1, 5)})
    samples = max(int(site.sample_ratio), 0)
    facts = {"samples": samples, "is_aligned": bool(site.aligned), **_regions(site)}
    means = o.region_means(site.x, boxes, image, **facts)
    is_none = o.reshape(o.elementwise("less", number, o.floats(0)), (count, 1, 1, 1))
    return o.elementwise("select", is_none, o.floats(0), means)


@converter("BilinearSampler", only_onnx=True, since=16)
def _sampled(site: Site) -> Any:
    return site.ops.sampled(site.x, site.ops.transpose(site.inputs[1], (0, 2, 3, 1)))


# Boxes --------------------------------------------------------------------------------------------


def _columns(site: Site, boxes: Any, axis: int) -> list[Any]:
    columns: list[Any] = site.ops.split(boxes, axis, 4)
    return columns


def _middle(site: Site, low: Any, high: Any) -> tuple[Any, Any]:
    o = site.ops
    total = o.elementwise("add", low, high)
    half = o.elementwise("multiply", total, o.floats(0.5))
    return half, o.elementwise("subtract", high, low)


def _centered(site: Site, boxes: Any, axis: int) -> list[Any]:
    """Columns x, y, width, height of corners."""
    left, top, right, bottom = _columns(site, boxes, axis)
    (x, width), (y, height) = _middle(site, left, right), _middle(site, top, bottom)
    return [x, y, width, height]


def _corners(site: Site, columns: list[Any], axis: int) -> Any:
    """Corners of columns x, y, width, height."""
    o = site.ops
    x, y, *sizes = columns
    halves = [o.elementwise("multiply", size, o.floats(0.5)) for size in sizes]
    low = [o.elementwise("subtract", c, h) for c, h in zip((x, y), halves, strict=True)]
    high = [o.elementwise("add", c, h) for c, h in zip((x, y), halves, strict=True)]
    return o.concat([*low, *high], axis)


@converter("_contrib_box_decode")
def _box_decode(site: Site) -> Any:
    o = site.ops
    anchors = site.inputs[1]
    split = _centered if site.format == "corner" else _columns
    at_x, at_y, of_width, of_height = split(site, anchors, 2)
    offsets = [
        o.elementwise("multiply", column, o.floats(float(factor)))
        for column, factor in zip(
            _columns(site, site.x, 2), (site.std0, site.std1, site.std2, site.std3), strict=True
        )
    ]
    growth = offsets[2:]
    if site.clip > 0:
        growth = [o.elementwise("minimum", g, o.floats(float(site.clip))) for g in growth]
    places = [
        o.elementwise("add", o.elementwise("multiply", offset, size), at)
        for offset, size, at in zip(offsets, (of_width, of_height), (at_x, at_y), strict=False)
    ]
    sizes = [
        o.elementwise("multiply", o.elementwise("exp", g), size)
        for g, size in zip(growth, (of_width, of_height), strict=True)
    ]
    return _corners(site, [*places, *sizes], 2)


@converter("_contrib_box_nms", only_onnx=True)
def _box_nms(site: Site) -> Any:
    """The best rows in order, then which of them stay, then those that stay in front."""
    if site.topk == 0:
        return site.x
    o = site.ops
    *batch, count, width = site.shapes[0]
    rows = o.reshape(site.x, (prod(batch), count, width))
    places = count if site.topk < 0 else min(int(site.topk), count)
    scores, order = o.top(_valid_scores(site, rows), places, 1, True)
    best = o.batch_rows(rows, order)
    kept = o.not_suppressed(
        _apart_by_class(site, best, _without_negative_sizes(site, _boxes(site, best))),
        scores,
        overlap=float(site.overlap_thresh),
        least=float(site.valid_thresh),
    )
    ahead = o.elementwise("multiply", kept, o.size(places))
    rank = o.elementwise("subtract", ahead, o.positions(places))
    _, order = o.top(rank, places, 1, True)
    spread = o.reshape(kept, (prod(batch), places, 1))
    holds = o.elementwise("greater", o.batch_rows(spread, order), o.floats(0))
    found = o.elementwise("select", holds, _formed(site, o.batch_rows(best, order)), o.floats(-1))
    if places < count:
        found = o.pad(found, (0, 0, 0), (0, count - places, 0), "constant", -1.0)
    return o.reshape(found, site.out[0])


def _column(site: Site, rows: Any, index: int) -> Any:
    return site.ops.slice(rows, {2: range(index, index + 1)})


def _valid_scores(site: Site, rows: Any) -> Any:
    """Scores, (batch, boxes); those of the background are the least there are."""
    o, (*batch, count, _) = site.ops, site.shapes[0]
    scores = _column(site, rows, int(site.score_index))
    if site.id_index >= 0:
        classes = _column(site, rows, int(site.id_index))
        is_background = o.elementwise("equal", classes, o.floats(float(site.background_id)))
        scores = o.elementwise("select", is_background, o.floats(-inf), scores)
    return o.reshape(scores, (prod(batch), count))


def _boxes(site: Site, rows: Any) -> Any:
    """Corners of the boxes in rows."""
    start = int(site.coord_start)
    boxes = site.ops.slice(rows, {2: range(start, start + 4)})
    return boxes if site.in_format == "corner" else _corners(site, _columns(site, boxes, 2), 2)


def _without_negative_sizes(site: Site, boxes: Any) -> Any:
    """Boxes whose right and bottom are at least their left and top.

    Boxes of negative sizes overlap no other box in MXNet. ONNX exchanges their corners instead.
    """
    o = site.ops
    left, top, right, bottom = _columns(site, boxes, 2)
    ends = o.elementwise("maximum", left, right), o.elementwise("maximum", top, bottom)
    return o.concat([left, top, *ends], 2)


def _apart_by_class(site: Site, rows: Any, boxes: Any) -> Any:
    """Boxes moved so far apart that those of two classes never meet."""
    if site.id_index < 0 or site.force_suppress:
        return boxes
    o = site.ops
    reach = o.reduce("max", o.elementwise("abs", boxes), (0, 1, 2), keep=True)
    step = o.elementwise("add", o.elementwise("multiply", reach, o.floats(2)), o.floats(1))
    # MXNet truncates fractions.
    classes = o.cast(o.cast(_column(site, rows, int(site.id_index)), torch.int64), o.dtype)
    return o.elementwise("add", boxes, o.elementwise("multiply", classes, step))


def _formed(site: Site, rows: Any) -> Any:
    """Rows with their boxes in the form of the result."""
    if site.in_format == site.out_format:
        return rows
    o, start, width = site.ops, int(site.coord_start), site.shapes[0][-1]
    boxes = o.slice(rows, {2: range(start, start + 4)})
    if site.out_format == "corner":
        formed = _corners(site, _columns(site, boxes, 2), 2)
    else:
        formed = o.concat(_centered(site, boxes, 2), 2)
    # MXNet takes a negative first coordinate for the mark of a suppressed row.
    is_mark = o.elementwise("less", _column(site, boxes, 0), o.floats(0))
    parts = [o.elementwise("select", is_mark, boxes, formed)]
    if start:
        parts.insert(0, o.slice(rows, {2: range(start)}))
    if start + 4 < width:
        parts.append(o.slice(rows, {2: range(start + 4, width)}))
    return o.concat(parts, 2) if len(parts) > 1 else parts[0]
