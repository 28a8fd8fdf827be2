# SPDX-License-Identifier: Apache-2.0
"""The operator that a convolution becomes with what it has taken over: oneDNN's fused kernels."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, TypeVar

import torch
from torch import Tensor

from ...base.shapes import is_known
from ...kernels.activation import relu
from ...kernels.transpose import channels_last
from ...op.infer import Shapes
from ...op.schema import Op
from ...op.traits import InputShapes, ItemAxes
from ...runtime import torch_api
from ..program.private import private_operator

__all__ = ["FusedConvolution", "Geometry", "laid_out"]

Fused = TypeVar("Fused", bound="FusedConvolution")


class Geometry(NamedTuple):
    """Where the windows of a convolution of images lie, as oneDNN's kernels are told."""

    pad: list[int]
    stride: list[int]
    dilate: list[int]
    groups: int

    def sizes(self, sizes: Iterable[Any], kernel: Iterable[int]) -> tuple[Any, ...]:
        """Height and width of the output for those of images."""
        each = zip(sizes, kernel, self.pad, self.stride, self.dilate, strict=True)
        return tuple((n + 2 * p - d * (k - 1) - 1) // t + 1 for n, k, p, t, d in each)


@private_operator
class FusedConvolution(Op):
    """A convolution with sum and activation, its weights laid out for the kernel.

    Attributes:
        weight: laid out.
        bias: of its outputs, or None.
        geometry: where its windows lie.
        unary: name and numbers of the activation.
        with_sum: whether it adds a second input before that.
        absorbed: names of the nodes that it stands for.
        filters: number of output channels; `kernel`: size of the window.
        dtype: element type that it takes and gives.
        in_place: whether it adds into the memory of the second input.
    """

    weight: Tensor
    bias: Tensor | None
    geometry: Geometry
    unary: tuple[str, list[float], str]
    with_sum: bool
    absorbed: tuple[str, ...]
    filters: int
    kernel: tuple[int, ...]
    dtype: torch.dtype
    in_place: bool = False
    is_fresh = True

    def inputs(self) -> tuple[str, ...]:
        """The image and what is added."""
        return ("data", "other") if self.with_sum else ("data",)

    def item_axis(self, axes: ItemAxes, shapes: InputShapes) -> int | None:
        """The first axis of all inputs, which are images."""
        return 0 if set(axes) == {0} else None

    def infer_shape(self, s: Shapes) -> None:
        """That of the convolution."""
        batch, _, *sizes = s.data
        s.output = (batch, self.filters, *self.geometry.sizes(sizes, self.kernel))

    @classmethod
    def prepared(
        cls: type[Fused], weight: Tensor, bias: Tensor | None, shape: Any, **values: Any
    ) -> Fused:
        """One for images of a shape, given its weights, ``(filters, channels, *kernel)``."""
        weight = laid_out(weight, values["geometry"], shape)
        return cls(weight=weight, bias=bias, **values)

    def writing_in_place(self: Fused) -> Fused:
        """Itself, adding into the memory of its second input."""
        return type(self)(**{**self.values, "in_place": True})

    def _is_added_alike(self, image: Tensor, other: Tensor) -> bool:
        """Whether the sum does not broadcast, as it did not at the shapes it was made for."""
        sizes = self.geometry.sizes(image.shape[2:], self.kernel)
        return other.shape == (len(image), self.filters, *sizes)

    def _broadcast(self, image: Tensor, other: Tensor) -> Tensor:
        """The same for a sum that broadcasts, step by step."""
        alone = {"with_sum": False, "in_place": False, "unary": ("none", [], "")}
        total = type(self)(**{**self.values, **alone}).forward(image) + other.to(self.dtype)
        return relu(total) if self.unary[0] == "relu" else total

    def forward(self, *data: Tensor) -> Tensor:
        """unary(convolution(data) + other)."""
        if self.with_sum and not self._is_added_alike(*data):
            return self._broadcast(*data)
        image, *others = (channels_last(t.to(self.dtype)) for t in data)
        other = others[0] if others else None
        return torch_api.convolution_pointwise(
            image, self.weight, self.bias, self.geometry, self.unary, other, self.in_place
        )


def laid_out(weight: Tensor, geometry: Geometry, shape: Any) -> Tensor:
    """The weights, laid out for images of a shape; other sizes work, less tuned."""
    weight = weight.contiguous(memory_format=torch.channels_last)
    if not is_known(shape):
        return weight
    return torch_api.reorder_convolution_weight(weight, geometry, list(shape))
