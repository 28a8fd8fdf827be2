# SPDX-License-Identifier: Apache-2.0
"""ONNX's convolutions and pooling."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from math import prod

import numpy as np

from ...core.graph.open_sizes import is_open
from .arrangement import padded
from .site import REQUIRED, RefusalError, Site, translator
from .values import Value

__all__: list[str] = []

_LOWEST = -3.4028234663852886e38  # of float32


@dataclass(frozen=True)
class Window:
    """The geometry of a kernel along the axes of images."""

    kernel: tuple[int, ...]
    stride: tuple[int, ...]
    dilate: tuple[int, ...]
    before: tuple[int, ...]
    behind: tuple[int, ...]

    @property
    def is_even(self) -> bool:
        """Whether margins are equal at both ends."""
        return self.before == self.behind

    @property
    def reach(self) -> tuple[int, ...]:
        """How many pixels the kernel spans."""
        pairs = zip(self.kernel, self.dilate, strict=True)
        return tuple((size - 1) * step + 1 for size, step in pairs)


def _window(site: Site, kernel: Sequence[int], sizes: Sequence[int]) -> Window:
    """The window of a node; margins are as auto_pad wants them."""
    rank = len(kernel)
    ones = [1] * rank
    stride, dilate = site.integers("strides", ones), site.integers("dilations", ones)
    pads = site.integers("pads", [0] * (2 * rank))
    kind = site.only("auto_pad", "NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER", "")
    if not len(stride) == len(dilate) == len(sizes) == rank or len(pads) != 2 * rank:
        raise RefusalError(f"kernel {tuple(kernel)} on images of {len(sizes)} axes")
    if min([*kernel, *stride, *dilate]) < 1 or min(pads) < 0:
        raise RefusalError("kernel, strides, dilations must be positive, pads not negative")
    pads = [0] * (2 * rank) if kind == "VALID" else pads
    before, after = tuple(pads[:rank]), tuple(pads[rank:])
    window = Window(tuple(kernel), tuple(stride), tuple(dilate), before, after)
    if not kind.startswith("SAME") or site.kind == "ConvTranspose":
        return window
    totals = [_same(*facts) for facts in zip(sizes, window.reach, stride, strict=True)]
    less, more = [n // 2 for n in totals], [n - n // 2 for n in totals]
    edges = (less, more) if kind == "SAME_UPPER" else (more, less)
    return Window(window.kernel, window.stride, window.dilate, tuple(edges[0]), tuple(edges[1]))


def _same(size: int, reach: int, stride: int) -> int:
    """Margins for as many results as there are strides in an axis."""
    if is_open(size) and stride > 1:
        raise RefusalError(
            "attribute auto_pad: margins depend on a size that the file leaves open; say it by "
            "input_shapes"
        )
    count = -(-size // stride)
    return max((count - 1) * stride + reach - size, 0)


# Convolutions


@translator("Conv")
def _conv(site: Site) -> Value:
    x, weight = _image(site), site.input(1)
    kernel = site.integers("kernel_shape", list(weight.shape[2:]))
    window = _window(site, kernel, x.shape[2:])
    pad = window.before
    if not window.is_even:
        x, pad = padded(site, x, (0, 0, *pad), (0, 0, *window.behind)), (0,) * len(pad)
    facts = {
        "kernel": window.kernel, "stride": window.stride, "dilate": window.dilate, "pad": pad,
        "num_filter": weight.shape[0], "num_group": site.attribute("group", 1),
    }  # fmt: skip
    bias = site.optional(2)
    given = (x, weight) if bias is None else (x, weight, bias)
    return site.op("Convolution", *given, no_bias=bias is None, **facts)


@translator("ConvTranspose")
def _conv_transpose(site: Site) -> Value:
    x, weight, groups = _image(site), site.input(1), site.attribute("group", 1)
    kernel = site.integers("kernel_shape", list(weight.shape[2:]))
    window = _window(site, kernel, x.shape[2:])
    more = site.integers("output_padding", [0] * len(kernel))
    before, behind, more = _margins(site, window, x.shape[2:], more)
    even = before == behind and all(0 <= n < s for n, s in zip(more, window.stride, strict=True))
    bias = site.optional(2)
    given = (x, weight) if bias is None else (x, weight, bias)
    facts = {
        "kernel": window.kernel, "stride": window.stride, "dilate": window.dilate,
        "num_filter": weight.shape[1] * groups, "num_group": groups, "no_bias": bias is None,
    }  # fmt: skip
    if even:
        return site.op("Deconvolution", *given, pad=tuple(before), adj=tuple(more), **facts)
    behind = [n - m for n, m in zip(behind, more, strict=True)]
    if bias is not None and min(behind) < 0:
        raise RefusalError("output_padding is larger than pads, beside a bias")
    found = site.op("Deconvolution", *given, **facts)
    return _cut(site, found, before, behind)


def _margins(
    site: Site, window: Window, sizes: Sequence[int], more: Sequence[int]
) -> tuple[list[int], list[int], list[int]]:
    """What is cut off of a transposed convolution before and behind, and added behind."""
    kind, rank = site.attribute("auto_pad", "NOTSET"), len(sizes)
    wanted = site.integers("output_shape", [])[-rank:]
    if not kind.startswith("SAME") and not wanted:
        return list(window.before), list(window.behind), list(more)
    strides = window.stride
    if not wanted:
        wanted = [size * stride for size, stride in zip(sizes, strides, strict=True)]
    before, behind = [], []
    for i, size in enumerate(sizes):
        if is_open(size) and site.is_set("output_shape"):
            raise RefusalError("attribute output_shape fixes a size that the file leaves open")
        total = (size - 1) * strides[i] + window.reach[i] + more[i] - wanted[i]
        half = total // 2 if kind == "SAME_UPPER" else total - total // 2
        before.append(half)
        behind.append(total - half)
    return before, behind, list(more)


def _cut(site: Site, x: Value, before: Sequence[int], behind: Sequence[int]) -> Value:
    """Images without what is cut off; negative numbers add zeros."""
    zeros = [max(-n, 0) for n in before], [max(-n, 0) for n in behind]
    x = padded(site, x, (0, 0, *zeros[0]), (0, 0, *zeros[1]))
    for axis, (first, last) in enumerate(zip(before, behind, strict=True), 2):
        if first > 0 or last > 0:
            facts = {"begin": max(first, 0), "end": -last if last > 0 else None}
            x = site.op("slice_axis", x, axis=axis, **facts)
    return x


def _image(site: Site) -> Value:
    if site.x.rank not in (3, 4, 5):
        raise RefusalError(f"input 0 has {site.x.rank} axes: must be 3 to 5")
    return site.x


# Pooling


@translator("GlobalAveragePool GlobalMaxPool GlobalLpPool")
def _global_pool(site: Site) -> Value:
    x = _image(site)
    kind = {"GlobalAveragePool": "avg", "GlobalMaxPool": "max"}.get(site.kind, "lp")
    power = _power(site) if kind == "lp" else None
    x = site.op("abs", x) if power in (1, 3) else x
    ones = (1,) * (x.rank - 2)
    return site.op("Pooling", x, kernel=ones, global_pool=True, pool_type=kind, p_value=power)


def _power(site: Site) -> int:
    return int(site.only("p", 2, 1, 3))


@translator("MaxPool")
def _max_pool(site: Site) -> Value:
    x = _image(site)
    site.ignore("storage_order")  # of indices
    if _is_full(site, x):
        window = _window(site, site.integers("kernel_shape", REQUIRED), x.shape[2:])
        return _pool(site, x, window, "max", pooling_convention="full")
    window = _pool_window(site, x)
    if any(step != 1 for step in window.dilate):
        return _dilated_max(site, padded(site, x, *_edges(window), number=_LOWEST), window)
    if window.is_even and not site.attribute("ceil_mode", 0) and x.is_float:
        return _pool(site, x, window, "max")
    return _pool(site, padded(site, x, *_edges(window), number=_lowest(x)), window, "max", False)


def _is_full(site: Site, x: Value) -> bool:
    """Whether MXNet's convention is ONNX's: no window may begin behind the image."""
    window = _window(site, site.integers("kernel_shape", REQUIRED), x.shape[2:])
    facts = zip(window.stride, window.behind, window.kernel, strict=True)
    overlaps = all(stride + behind <= size for stride, behind, size in facts)
    is_dense = all(step == 1 for step in window.dilate)
    fits = window.is_even and overlaps and is_dense and x.is_float
    return fits and bool(site.attribute("ceil_mode", 0))


def _lowest(x: Value) -> float:
    if x.is_float:
        return max(_LOWEST, float(np.finfo(x.dtype).min))
    raise RefusalError(f"elements of type {x.dtype.name}: MXNet pools real numbers")


@translator("AveragePool")
def _average_pool(site: Site) -> Value:
    x, counts = _image(site), bool(site.attribute("count_include_pad", 0))
    window = _pool_window(site, x)
    if any(step != 1 for step in window.dilate):
        raise RefusalError(f"attribute dilations={window.dilate}: MXNet has no operator for that")
    ceils = site.attribute("ceil_mode", 0)
    if window.is_even and not ceils:
        return _pool(site, x, window, "avg", count_include_pad=counts)
    sums = _pool(site, padded(site, x, *_edges(window)), window, "sum", False)
    own = _window(site, window.kernel, x.shape[2:]) if counts else None
    return site.op("broadcast_div", sums, _counts(site, x, window, own))


def _counts(site: Site, x: Value, window: Window, counted: Window | None) -> Value:
    """How many pixels each window has, with those in the margins of another that is given."""
    sizes = x.shape[2:]
    if any(map(is_open, sizes)):
        raise RefusalError("windows at the edge depend on a size that the file leaves open")
    found = np.ones((1, 1, *[1] * len(sizes)))
    for axis, size in enumerate(sizes):
        before, behind = window.before[axis], window.behind[axis]
        site.budget.take(_OF_PIXEL * (before + size + behind))
        line = np.zeros(before + size + behind)
        own = (0, 0) if counted is None else (counted.before[axis], counted.behind[axis])
        line[before - own[0] : before + size + own[1]] = 1
        starts = range(0, len(line) - window.kernel[axis] + 1, window.stride[axis])
        counts = [line[start : start + window.kernel[axis]].sum() for start in starts]
        shape = [1] * (2 + len(sizes))
        shape[2 + axis] = -1
        site.budget.take(8 * found.size * len(counts))
        found = found * np.maximum(counts, 1).reshape(shape)
    return site.constant(found, like=x)


_OF_PIXEL = 256  # bytes; most are for the time that counting takes


@translator("LpPool")
def _lp_pool(site: Site) -> Value:
    x, power = _image(site), _power(site)
    window = _pool_window(site, x)
    if any(step != 1 for step in window.dilate):
        raise RefusalError(f"attribute dilations={window.dilate}: MXNet has no operator for that")
    x = site.op("abs", x) if power % 2 else x
    return _pool(site, padded(site, x, *_edges(window)), window, "lp", False, p_value=power)


def _pool_window(site: Site, x: Value) -> Window:
    """The window; where ceil_mode wants more windows, with margins for them."""
    kernel = site.integers("kernel_shape", REQUIRED)
    window = _window(site, kernel, x.shape[2:])
    if not site.attribute("ceil_mode", 0):
        return window
    behind = list(window.behind)
    for axis, size in enumerate(x.shape[2:]):
        behind[axis] += _more(size, axis, window)
    return Window(window.kernel, window.stride, window.dilate, window.before, tuple(behind))


def _more(size: int, axis: int, window: Window) -> int:
    """Pixels that the last window lacks; one that begins behind the image is left out."""
    before, stride = window.before[axis], window.stride[axis]
    if is_open(size):
        if stride == 1:
            return 0
        raise RefusalError(
            "attribute ceil_mode: margins depend on a size that the file leaves open"
        )
    span = size + before + window.behind[axis] - window.reach[axis]
    count = -(-span // stride) + 1
    if (count - 1) * stride >= size + before:
        count -= 1
    return max((count - 1) * stride - span, 0)


def _edges(window: Window) -> tuple[tuple[int, ...], tuple[int, ...]]:
    return (0, 0, *window.before), (0, 0, *window.behind)


def _pool(
    site: Site, x: Value, window: Window, kind: str, with_margins: bool = True, **facts: object
) -> Value:
    pad = window.before if with_margins else (0,) * len(window.kernel)
    return site.op(
        "Pooling", x, kernel=window.kernel, stride=window.stride, pad=pad, pool_type=kind, **facts
    )


def _dilated_max(site: Site, x: Value, window: Window) -> Value:
    """The largest of the pixels below each point of the kernel, which are slices of the image."""
    if prod(window.kernel) > 64:
        raise RefusalError(f"attribute dilations={window.dilate} of a kernel {window.kernel}")
    parts = []
    for place in np.ndindex(*window.kernel):
        begin = [at * step for at, step in zip(place, window.dilate, strict=True)]
        left = [reach - 1 - at for reach, at in zip(window.reach, begin, strict=True)]
        ends = [-n or None for n in left]
        bounds = {"begin": (None, None, *begin), "end": (None, None, *ends)}
        parts.append(site.op("slice", x, **bounds, step=(1, 1, *window.stride)))
    return reduce(lambda one, other: site.op("broadcast_maximum", one, other), parts)
