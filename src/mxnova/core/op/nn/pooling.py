# SPDX-License-Identifier: Apache-2.0
"""Pooling: one number for the items under each position of a window."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from math import prod
from typing import Any, Literal

import torch
import torch.nn.functional as F
from torch import Tensor

from ...base.params import Shape
from ...base.shapes import UnknownDim
from ...kernels import max_pooling
from ...kernels.onednn import fast_pool
from ...kernels.wide_sums import accumulate_in_float32
from ..declaration import function_operator, operator
from ..infer import DTypes, Shapes
from ..schema import Op
from ..traits import batch_apart
from .window import Axes, Window, channels_first, channels_last, is_channels_last

_MAX: dict[int, Callable[..., Tensor]] = {2: F.max_pool2d, 3: F.max_pool3d}
_AVERAGE: dict[int, Callable[..., Tensor]] = {2: F.avg_pool2d, 3: F.avg_pool3d}


class Slide:
    """A window sliding over the 2 or 3 spatial axes of (batch, channels, *spatial).

    ATen places windows as MXNet does unless they are padded by more than half of their size, or
    begin behind the padded data; then the data is padded first.
    """

    def __init__(
        self, kernel: tuple[int, ...], stride: Any = (), pad: Any = (), convention: str = "valid"
    ) -> None:
        lead = (1,) if len(kernel) == 1 else ()  # a single axis comes with one of size 1
        self.kernel = lead + kernel
        n = len(kernel)  # items behind are spare
        self.stride = lead + stride[:n] if stride else (1,) * len(self.kernel)
        self.pad = (0,) * len(lead) + pad[:n] if pad else (0,) * len(self.kernel)
        self.convention = convention
        each = list(zip(self.kernel, self.stride, self.pad, strict=True))
        self.aten = all(2 * p <= k for k, _, p in each) and (
            convention == "valid" or (convention == "full" and all(p <= k - s for k, s, p in each))
        )
        self.place = (self.kernel, self.stride, self.pad, convention == "full")

    def _count(self, size: int, kernel: int, stride: int, pad: int) -> int:
        if self.convention == "same":
            return -(-size // stride)
        up = stride - 1 if self.convention == "full" else 0
        return (size + 2 * pad - kernel + up) // stride + 1

    def _padded(self, x: Tensor, value: float) -> Tensor:
        """`x` with `value` around it, from where the first window begins to where the last ends."""
        margins: list[int] = []
        for size, k, s, p in zip(x.shape[2:], self.kernel, self.stride, self.pad, strict=True):
            end = (self._count(size, k, s, p) - 1) * s + k
            margins = [p, end - size - p, *margins]
        return F.pad(x, margins, value=value)

    def max(self, x: Tensor) -> Tensor:
        """Return the greatest number of each window, the lowest of the dtype where there is none.

        NaN is passed over.
        """
        return max_pooling.over_numbers(self._max, x)

    def _max(self, x: Tensor) -> Tensor:
        """Return the greatest item of each window by the fastest kernel."""
        run = _MAX[len(self.kernel)]
        if self.aten:
            found = self.max_of_slices(x) if max_pooling.is_faster(x) else None
            if found is not None:
                return found
            kernel, stride, pad, up = self.place
            return fast_pool(run, x, kernel, stride, pad, ceil_mode=up)
        return run(self._padded(x, torch.finfo(x.dtype).min), self.kernel, self.stride)

    def max_of_slices(self, x: Tensor) -> Tensor | None:
        """The greatest item, by maxima of slices of an image; None where another way is better."""
        places = self._places(x)
        return None if places is None else max_pooling.max_pool(x, *places)

    def _places(self, x: Tensor) -> tuple[max_pooling.Slices, max_pooling.Slices] | None:
        """Slices of an image whose maxima are those of the windows, where there are such."""
        each = zip(x.shape[2:], self.kernel, self.stride, self.pad, strict=True)
        rows, columns = (max_pooling.slices(*axis, self._count(*axis)) for axis in each)
        return None if rows is None or columns is None else (rows, columns)

    def every_max(self, x: Tensor) -> Tensor:
        """Return `max` with a gradient that reaches every one of equal elements."""
        if not (torch.is_grad_enabled() and x.requires_grad):
            return self.max(x)
        windows = self._padded(x, torch.finfo(x.dtype).min)
        for axis, (k, s) in enumerate(zip(self.kernel, self.stride, strict=True), 2):
            windows = windows.unfold(axis, k, s)
        items = tuple(range(-len(self.kernel), 0))
        highest = windows.detach().amax(items, keepdim=True)
        # The sum has the gradient, but not the value.
        total = torch.where(windows == highest, windows, 0.0).sum(items, keepdim=True)
        total.data.copy_(highest)
        return total.flatten(-len(items)).squeeze(-1)

    def sum(self, x: Tensor) -> Tensor:
        """The sum of the items."""
        if self.aten and self.convention != "full":
            return self.average(x, True) * prod(self.kernel)
        run = _AVERAGE[len(self.kernel)]
        if self.aten:
            return run(self._plain(x), *self.place, divisor_override=1)
        return run(self._padded(x, 0.0), self.kernel, self.stride, divisor_override=1)

    def average(self, x: Tensor, include_pad: bool) -> Tensor:
        """The mean of the items, which are those of the padded data with `include_pad`."""
        if self.aten:
            run = _AVERAGE[len(self.kernel)]
            x = self._plain(x)
            if self.convention == "full":  # where oneDNN would count what lies behind the margin
                return run(x, *self.place, count_include_pad=include_pad)
            return fast_pool(run, x, *self.place, count_include_pad=include_pad)
        return self.sum(x) / self.n_items(x.shape[2:], include_pad, x.device).to(x.dtype)

    def _plain(self, x: Tensor) -> Tensor:
        """The data in a layout whose gradients are right: CUDA's for channels-last lack the pad."""
        return x.contiguous() if x.is_cuda and any(self.pad) else x

    def n_items(
        self, sizes: Sequence[int], include_pad: bool, device: torch.device | None = None
    ) -> Tensor:
        """How many items `average` divides by, at each position over axes of these sizes."""
        total = torch.ones((), device=device)
        sizes = (1,) * (len(self.kernel) - len(sizes)) + tuple(sizes)
        for size, k, s, p in zip(sizes, self.kernel, self.stride, self.pad, strict=True):
            begin = torch.arange(self._count(size, k, s, p), device=device) * s - p
            end = (begin + k).clamp(max=size + p)
            n = end - begin if include_pad else end.clamp(max=size) - begin.clamp(min=0)
            total = total.unsqueeze(-1) * n.clamp(min=1)
        return total


class _Pool(Op):
    """A window that slides over spatial axes.

    Args:
        kernel: size of the window along each spatial axis; not needed with `global_pool`.
        global_pool: one window over all.
        stride: step of the window, 1 by default.
        pad: margin before and after each axis, 0 by default.
    """

    kernel: Shape
    stride: Shape
    pad: Shape
    global_pool: bool
    pooling_convention: str
    item_axis = batch_apart
    is_fresh = True

    def infer_dtype(self, t: DTypes) -> None:
        t.output = t.data

    def _output_axes(self, s: Shapes, layout: str | None, *ranks: int) -> Axes:
        rank = s.rank("data", *ranks)
        if self.global_pool:
            data = Axes.of(s, "data", rank - 2, layout, "global_pool=True")
            return data._replace(spatial=(1,) * len(data.spatial))
        window = Window.of(s, self, may_have_spare=True)
        data = Axes.of(s, "data", len(window.kernel), layout, f"kernel={window.kernel}")
        counts = window.counts(s, data.spatial, up=self.pooling_convention == "full")
        if self.pooling_convention == "same":
            if len(counts) != 1 or any(self.pad):
                raise s.fail("pooling_convention=same: it is for one spatial axis without pad")
            counts = tuple(
                n if isinstance(n, UnknownDim) else -(-n // step)
                for n, step in zip(data.spatial, window.stride, strict=True)
            )
        return data._replace(spatial=counts)


@operator("Pooling", "_npx_pooling")
class Pooling(_Pool):
    """Maximum, mean, sum or Lp norm of the items under each position of a window.

    Args:
        data: (batch, channels, *spatial) with 1 to 3 spatial axes, or as `layout` says.
        pool_type: what to compute; lp: ``sum(x ** p) ** (1 / p)``.
        cudnn_off: without effect.
        pooling_convention: what is done with the rest that the stride leaves at the end: valid
            drops it, full pools it, same gives ``ceil(size / stride)`` positions (one axis only).
        p_value: p of lp: 1, 2 or 3.
        count_include_pad: whether the mean counts the margin, as it does by default.
        layout: order of the axes; channels second by default.
    """

    kernel: Shape = ()
    pool_type: Literal["avg", "lp", "max", "sum"] = "max"
    global_pool: bool = False
    cudnn_off: bool = False
    pooling_convention: Literal["full", "same", "valid"] = "valid"
    stride: Shape = ()
    pad: Shape = ()
    p_value: int | None = None
    count_include_pad: bool | None = None
    layout: Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC", "NWC"] | None = None

    @property
    def keeps_precision(self) -> bool:  # type: ignore[override]
        """Whether the operator only selects elements."""
        return self.pool_type == "max"

    @functools.cached_property
    def slide(self) -> Slide:
        """The window over the spatial axes."""
        return Slide(self.kernel, self.stride, self.pad, self.pooling_convention)

    def infer_shape(self, s: Shapes) -> None:
        if self.pool_type == "lp" and self.p_value not in (1, 2, 3):
            raise s.fail(f"p_value={self.p_value}: pool_type=lp needs 1, 2 or 3")
        s.output = self._output_axes(s, self.layout, 3, 4, 5).shape(self.layout)

    def forward(self, data: Tensor) -> Tensor:
        last = is_channels_last(self.layout)
        x = channels_first(data, last)
        if self.global_pool and self.pool_type == "avg":
            output = x.mean(tuple(range(2, x.ndim)), keepdim=True)
        elif x.ndim == 3:
            output = self._pooled(x.unsqueeze(2)).squeeze(2)
        else:
            output = self._pooled(x)
        return channels_last(output, last)

    def max_of_integers(self, data: Tensor) -> Tensor | None:
        """Max pooling of images of integers, which ATen's kernels do not take; None where it fails.

        Args:
            data: (batch, channels, height, width).
        """
        slide = Slide(tuple(data.shape[2:])) if self.global_pool else self.slide
        return slide.max_of_slices(data) if slide.aten and data.ndim == 4 else None

    def _pooled(self, x: Tensor) -> Tensor:
        slide = Slide(tuple(x.shape[2:])) if self.global_pool else self.slide
        if self.pool_type == "max":
            return slide.max(x)
        is_wide_inside = self.pool_type == "avg" and x.ndim == 4 and slide.aten  # in ATen's kernel
        if x.dtype.itemsize == 2 and not is_wide_inside:
            return self._pooled(x.float()).to(x.dtype)
        if self.pool_type == "avg":
            return slide.average(x, self.count_include_pad is not False)
        if self.pool_type == "sum" or self.p_value == 1:
            return slide.sum(x)
        power = self.p_value or 2
        return _root(slide.sum(x**power), power)


def _root(x: Tensor, p: int) -> Tensor:
    """The root of `x` that has its sign; its gradient at 0 is 0."""
    if p == 2 and not (torch.is_grad_enabled() and x.requires_grad):
        return x.sqrt()
    is_zero = x == 0
    filled = x.masked_fill(is_zero, 1.0)
    root = filled.sqrt() if p == 2 else filled.sign() * filled.abs().pow(1 / 3)
    return root.masked_fill(is_zero, 0.0)


@operator("Pooling_v1")
class PoolingV1(_Pool):
    """Pooling over 2 or 3 spatial axes, as files of early MXNet name it.

    Unlike with Pooling, the margin holds zeros for all types, the mean divides by the whole window,
    and every one of equal maxima gets the gradient.

    Args:
        data: (batch, channels, *spatial).
        pool_type: what to compute.
        pooling_convention: what is done with the rest that the stride leaves at the end: valid
            drops it, full pools it.
    """

    kernel: Shape = ()
    pool_type: Literal["avg", "max", "sum"] = "max"
    global_pool: bool = False
    pooling_convention: Literal["full", "valid"] = "valid"
    stride: Shape = ()
    pad: Shape = ()

    def infer_shape(self, s: Shapes) -> None:
        s.output = self._output_axes(s, None, 4, 5).shape(None)

    def forward(self, data: Tensor) -> Tensor:
        if self.global_pool:
            slide = Slide(tuple(data.shape[2:]))
        else:
            slide = Slide(self.kernel, self.stride, (), self.pooling_convention)
            data = F.pad(data, [p for p in reversed(self.pad) for _ in range(2)])
        if self.pool_type == "max":
            return slide.every_max(data)
        total = slide.sum(data)
        return total / prod(slide.kernel) if self.pool_type == "avg" else total


def _adaptive_shape(op: Op, s: Shapes) -> None:
    s.rank("data", 4)
    size = op.attr("output_size")
    if len(size) > 2 or any(n < 1 for n in size):
        raise s.fail(f"output_size={size}: it must be one or two numbers >= 1")
    s.output = (*s.data[:2], *_both(size))


def _both(size: tuple[int, ...]) -> tuple[int, int]:
    height, width = size if len(size) == 2 else (size or (1,)) * 2
    return height, width


@function_operator("_contrib_AdaptiveAvgPooling2D", shape=_adaptive_shape)
def adaptive_average_pooling(data: Tensor, *, output_size: Shape = ()) -> Tensor:
    """Mean of each of `output_size` nearly equal, perhaps overlapping parts of an image.

    Args:
        data: floats (batch, channels, height, width).
        output_size: (height, width) of the output, or one number for both; 1 by default.
    """
    return accumulate_in_float32(F.adaptive_avg_pool2d)(data, _both(output_size))
