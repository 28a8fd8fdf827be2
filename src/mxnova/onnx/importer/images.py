# SPDX-License-Identifier: Apache-2.0
"""ONNX's operators on images and regions of them."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, nan

import numpy as np

from ...core.graph.open_sizes import is_open
from .arrangement import moved
from .elementwise import cast
from .interpolation import Geometry, matrix, nearest
from .site import REQUIRED, RefusalError, Site, translator
from .values import Value

__all__: list[str] = []

Target = list[tuple[int, float]]  # for each axis its size, and how many times the one before

_BILINEAR = {"align_corners": True, "half_pixel": False, "pytorch_half_pixel": False}


@translator("Resize")
def _resize(site: Site) -> Value:
    site.ignore("extrapolation_value")
    site.only("antialias", 0)
    site.only("exclude_outside", 0)
    site.only("keep_aspect_ratio_policy", "stretch")
    mode = site.only("mode", "nearest", "linear", "cubic")
    if site.version < 11:
        return _resized(
            site, _scaled(site, _scales(site, 1)), Geometry(mode, "asymmetric", "floor")
        )
    where = site.attribute("coordinate_transformation_mode", "half_pixel")
    how = site.attribute("nearest_mode", "round_prefer_floor")
    geometry = Geometry(mode, where, how, site.attribute("cubic_coeff_a", -0.75))
    sizes = site.optional(3)
    if sizes is None or sizes.shape == (0,):
        return _resized(site, _scaled(site, _scales(site, 2)), geometry)
    return _resized(site, _to_sizes(site), geometry)


@translator("Upsample")
def _upsample(site: Site) -> Value:
    mode = site.only("mode", "nearest", "linear")
    scales = site.attribute("scales", REQUIRED) if site.version < 9 else _scales(site, 1)
    return _resized(site, _scaled(site, scales), Geometry(mode, "asymmetric", "floor"))


def _scales(site: Site, position: int) -> list[float]:
    return [float(n) for n in site.numbers(position, "scales").reshape(-1)]


def _axes(site: Site, count: int) -> list[int]:
    axes = site.integers("axes", [*range(site.x.rank)])
    if len(axes) != count:
        raise RefusalError(f"{count} sizes for {len(axes)} axes")
    return [site.axis(axis) for axis in axes]


def _scaled(site: Site, scales: Sequence[float]) -> Target:
    target = [(size, 1.0) for size in site.x.shape]
    for axis, scale in zip(_axes(site, len(scales)), scales, strict=True):
        size = site.x.shape[axis]
        if not 0 < scale < 1 << 20:
            raise RefusalError(f"scale {scale}")
        if is_open(size) and not scale.is_integer():
            raise RefusalError(f"scale {scale} of a size that the file leaves open")
        target[axis] = (size * int(scale) if is_open(size) else floor(size * scale), scale)
    return target


def _to_sizes(site: Site) -> Target:
    target, sizes = [(size, 1.0) for size in site.x.shape], site.sizes(3, "sizes")
    for axis, size in zip(_axes(site, len(sizes)), sizes, strict=True):
        known = site.x.shape[axis]
        if is_open(size) and (not is_open(known) or size % known):
            raise RefusalError("a size does not follow from one that the file leaves open")
        target[axis] = (size, size / known if is_open(size) or not is_open(known) else nan)
    return target


def _resized(site: Site, target: Target, geometry: Geometry) -> Value:
    x = site.x
    changed = [axis for axis, (size, _) in enumerate(target) if size != x.shape[axis]]
    if not changed:
        return site.op("_copy", x)
    scales = [target[axis][1] for axis in changed]
    images = x.rank == 4 and changed == [2, 3]
    if geometry.repeats and all(scale.is_integer() for scale in scales):
        return _repeated(site, changed, [int(scale) for scale in scales])
    is_exact = not any(target[i][0] < x.shape[i] * target[i][1] - 1e-6 for i in changed)
    if images and is_exact and geometry.mode == "linear" and geometry.where in _BILINEAR:
        return _bilinear(site, target, _BILINEAR[geometry.where])
    for axis in changed:
        size, scale = target[axis]
        if is_open(x.shape[axis]):
            raise RefusalError(f"mode {geometry.mode} of a size that the file leaves open")
        x = _along(site, x, axis, size, scale, geometry)
    return x


def _repeated(site: Site, axes: Sequence[int], counts: Sequence[int]) -> Value:
    if site.x.rank == 4 and list(axes) == [2, 3] and counts[0] == counts[1] and site.x.is_float:
        return site.op("UpSampling", site.x, scale=counts[0], sample_type="nearest", num_args=1)
    x = site.x
    for axis, count in zip(axes, counts, strict=True):
        x = site.op("repeat", x, repeats=count, axis=axis)
    return x


def _bilinear(site: Site, target: Target, align_corners: bool) -> Value:
    (height, rise), (width, stretch) = target[2:]
    if not any(map(is_open, (height, width))):
        size = {"height": height, "width": width}
        return site.op("_contrib_BilinearResize2D", site.x, **size, align_corners=align_corners)
    facts = {"scale_height": rise, "scale_width": stretch, "align_corners": align_corners}
    found = site.op("_contrib_BilinearResize2D", site.x, **facts)
    if found.shape[2:] != (height, width):
        raise RefusalError("a size does not follow from one that the file leaves open")
    return found


def _along(site: Site, x: Value, axis: int, size: int, scale: float, geometry: Geometry) -> Value:
    """Resized along one axis: chosen pixels, or a product with a matrix of weights."""
    before = x.shape[axis]
    if before * size > 1 << 24:
        raise RefusalError(f"an axis of {before} pixels resized to {size}")
    site.budget.take(8 * size * (8 if geometry.mode == "nearest" else before))
    if geometry.mode == "nearest":
        places = site.constant(nearest(before, size, scale, geometry))
        return site.op("take", x, places, axis=axis, mode="clip")
    weights = site.constant(matrix(before, size, scale, geometry), like=x)
    found = site.op("dot", moved(site, x, axis, x.rank - 1), weights, transpose_b=True)
    return moved(site, found, x.rank - 1, axis)


# Samples and regions


@translator("GridSample")
def _grid_sample(site: Site) -> Value:
    """The sampler's corners are the centers of corner pixels."""
    x, grid = site.x, site.input(1)
    site.only("mode", "bilinear" if site.version < 20 else "linear")
    site.only("padding_mode", "zeros")
    grid = site.op("transpose", grid, axes=(0, 3, 1, 2))
    if not site.attribute("align_corners", 0):
        if any(map(is_open, x.shape[2:])) or min(x.shape[2:]) < 2:
            raise RefusalError(
                f"images of {x.shape[2:]} pixels: sizes must be known, and at least 2"
            )
        height, width = x.shape[2:]
        factors = np.array([width / (width - 1), height / (height - 1)]).reshape(1, 2, 1, 1)
        grid = site.op("broadcast_mul", grid, site.constant(factors, like=grid))
    return site.op("BilinearSampler", x, grid)


@translator("RoiAlign")
def _roi_align(site: Site) -> Value:
    site.only("mode", "avg")
    x, boxes, numbers = site.x, site.input(1), site.input(2)
    default = "half_pixel" if site.version >= 16 else "output_half_pixel"
    where = site.attribute("coordinate_transformation_mode", default)
    column = cast(site, site.op("expand_dims", numbers, axis=1), boxes.dtype)
    regions = site.op("Concat", column, boxes, dim=1)
    size = (site.attribute("output_height", 1), site.attribute("output_width", 1))
    samples = site.attribute("sampling_ratio", 0) or -1
    facts = {"spatial_scale": site.attribute("spatial_scale", 1.0), "sample_ratio": samples}
    return site.op(
        "_contrib_ROIAlign", x, regions, pooled_size=size, aligned=where == "half_pixel", **facts
    )


@translator("MaxRoiPool")
def _max_roi_pool(site: Site) -> Value:
    size = tuple(site.integers("pooled_shape"))
    scale = site.attribute("spatial_scale", 1.0)
    return site.op("ROIPooling", site.x, site.input(1), pooled_size=size, spatial_scale=scale)
