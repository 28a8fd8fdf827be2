# SPDX-License-Identifier: Apache-2.0
"""Layouts and sliding-window geometry that convolution and pooling share."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

from torch import Tensor

from ...base.parameter_types import IntKind
from ...base.shapes import Dim, UnknownDim, shape_text
from ..infer import DTypes, Shapes

__all__ = [
    "Axes",
    "PosUInt",
    "Window",
    "channels_first",
    "channels_last",
    "is_channels_last",
    "typed_by_data",
]

PosUInt = Annotated[int, IntKind("int (non-negative)", 1, 2**32 - 1)]

_LAYOUTS = {1: ("NCW", "NWC"), 2: ("NCHW", "NHWC"), 3: ("NCDHW", "NDHWC")}


def is_channels_last(layout: str | None) -> bool:
    """Whether the channels are the last axis; without a layout they are the second."""
    return layout is not None and layout.endswith("C")


def channels_first(x: Tensor, last: bool) -> Tensor:
    """`x` with its channels, the last axis or already the second, as the second axis; a view."""
    return x.movedim(-1, 1) if last else x


def channels_last(x: Tensor, last: bool) -> Tensor:
    """The inverse of `channels_first`."""
    return x.movedim(1, -1) if last else x


class Axes(NamedTuple):
    """A shape by what its axes mean."""

    batch: Dim
    channels: Dim
    spatial: tuple[Dim, ...]

    @classmethod
    def of(cls, s: Shapes, name: str, n_spatial: int, layout: str | None, why: str) -> Axes:
        """The axes of array `name`; raises, naming `why`, when it has another number of them."""
        shape = s[name]
        if len(shape) != n_spatial + 2:
            raise s.fail(
                f"{why}: {name} has shape {shape_text(shape)}, but {n_spatial + 2} dimensions are "
                f"needed"
            )
        if layout is not None and layout not in _LAYOUTS[n_spatial]:
            wanted = " or ".join(_LAYOUTS[n_spatial])
            raise s.fail(f"layout={layout}: {why} needs {wanted}")
        if is_channels_last(layout):
            return cls(shape[0], shape[-1], shape[1:-1])
        return cls(shape[0], shape[1], shape[2:])

    def shape(self, layout: str | None) -> tuple[Dim, ...]:
        """The shape in `layout`."""
        if is_channels_last(layout):
            return (self.batch, *self.spatial, self.channels)
        return (self.batch, self.channels, *self.spatial)


class Window(NamedTuple):
    """A kernel that slides over the spatial axes; every field has one item per axis."""

    kernel: tuple[int, ...]
    stride: tuple[int, ...]
    pad: tuple[int, ...]
    dilate: tuple[int, ...]

    @classmethod
    def of(cls, s: Shapes, op: Any, may_have_spare: bool = False) -> Window:
        """The window that the parameters of `op` describe; raises when they contradict.

        Spare items of `stride` and `pad` are those behind as many as `kernel` has.
        """
        kernel = op.kernel
        if not 1 <= len(kernel) <= 3:
            raise s.fail(f"kernel={kernel}: it must have 1, 2 or 3 items")
        given = {"stride": op.stride, "pad": op.pad, "dilate": getattr(op, "dilate", ())}
        for name, value in (("kernel", kernel), *given.items()):
            low = 0 if name == "pad" else 1
            spare = len(value) - len(kernel)
            if value and (spare < 0 or (spare and not may_have_spare)):
                raise s.fail(f"{name}={value}: it must have as many items as kernel={kernel}")
            if any(item < low for item in value):
                raise s.fail(f"{name}={value}: every item must be >= {low}")
        one, zero = (1,) * len(kernel), (0,) * len(kernel)
        n = len(kernel)
        return cls(kernel, op.stride[:n] or one, op.pad[:n] or zero, given["dilate"] or one)

    @property
    def reach(self) -> tuple[int, ...]:
        """The size of the dilated kernel."""
        return tuple(d * (k - 1) + 1 for k, d in zip(self.kernel, self.dilate, strict=True))

    def counts(
        self, s: Shapes, sizes: tuple[Dim, ...], up: bool = False, of: str = "data"
    ) -> tuple[Dim, ...]:
        """Positions along axes of `sizes`; with `up` also the last one that is not whole.

        A kernel that does not fit raises, naming what the sizes are `of`.
        """
        found = []
        for size, reach, stride, pad in zip(sizes, self.reach, self.stride, self.pad, strict=True):
            room = size + 2 * pad - reach
            if not isinstance(room, UnknownDim):
                if room < 0:
                    raise s.fail(
                        f"kernel={self.kernel}: it reaches over {reach} items, but {of} has only "
                        f"{size}, padded to {size + 2 * pad}; a smaller kernel or a larger pad= "
                        "fits"
                    )
                room += stride - 1 if up else 0
            found.append(room // stride + 1)
        return tuple(found)


def typed_by_data(t: DTypes) -> None:
    """All arrays have the element type of the first, known from itself or from the output."""
    data = t.inputs[0]
    t.same(data, t.outputs[0])
    for name in (*t.inputs[1:], *t.outputs[1:]):
        t[name] = t[data]
