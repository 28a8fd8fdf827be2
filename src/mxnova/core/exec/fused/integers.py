# SPDX-License-Identifier: Apache-2.0
"""Operators on 8-bit integers whose steps are known beforehand: oneDNN's kernels, and between them.

What the integers of an array stand for are its `Steps`: of an int8 array that a kernel reads, the
uint8 numbers that are 128 more (`Shifted`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor

from ...kernels.transpose import channels_last
from ...op.nn.pooling import Pooling
from ...op.quantized.ranges import quantized
from ...op.schema import Op
from ...op.traits import batch_apart
from ...runtime.torch_integers import (
    PackedWeight,
    Steps,
    integer_convolution,
    integer_product,
    packed_convolution,
    packed_product,
)
from ..program.private import private_operator
from .convolution import FusedConvolution
from .linear import FusedLinear

__all__ = [
    "Dequantized",
    "IntegerConvolution",
    "IntegerLinear",
    "IntegerMaxPooling",
    "Quantized",
    "Shifted",
    "Weights",
]

_TOP_BIT = 128


# Layers -------------------------------------------------------------------------------------------


class Weights(NamedTuple):
    """int8 weights.

    Attributes:
        numbers: the integers, outputs first.
        sizes: the real number that a step of each output is.
    """

    numbers: Tensor
    sizes: Tensor


@private_operator
class IntegerConvolution(FusedConvolution):
    """A convolution of 8-bit integers with sum and activation.

    Attributes:
        weight: laid out for the kernel.
        bias: real numbers, or None.
        data_steps: of the images.
        result_steps: of what it gives.
        summand_steps: of what is added, in the result's type; None without a sum.
    """

    weight: PackedWeight  # type: ignore[assignment]
    data_steps: Steps
    result_steps: Steps
    summand_steps: Steps | None

    @classmethod
    def prepared(  # type: ignore[override]
        cls, weight: Weights, bias: Tensor | None, shape: Any, **values: Any
    ) -> IntegerConvolution:
        """One for images of a shape."""
        numbers, sizes = weight
        window, known = values["geometry"], None if shape is None else list(shape)
        packed = packed_convolution(numbers, sizes, values["data_steps"], window, known)
        return cls(weight=packed, bias=bias, **values)

    def infer_dtype(self, t: Any) -> None:
        """Of the data uint8, else that of the result."""
        t.data = torch.uint8
        for name in (*t.inputs[1:], *t.outputs):
            t[name] = self.result_steps.dtype

    def forward(self, *data: Tensor) -> Tensor:
        """unary(convolution(data) + other)."""
        image, *others = map(channels_last, data)
        other = others[0] if others else None
        if other is not None and not self.in_place and other is data[1]:
            other = other.clone()
        return integer_convolution(
            image, self.data_steps, self.weight, self.bias, self.geometry, self.unary,
            self.result_steps, other, self.summand_steps,
        )  # fmt: skip


@private_operator
class IntegerLinear(FusedLinear):
    """A product of 8-bit integers with an activation.

    Attributes:
        weight: laid out for the kernel.
        bias: real numbers, or None.
        data_steps: of the data.
        result_steps: of what it gives.
    """

    weight: PackedWeight  # type: ignore[assignment]
    data_steps: Steps
    result_steps: Steps

    @classmethod
    def prepared(
        cls, weight: Weights, bias: Tensor | None, n_rows: int | None, **values: Any
    ) -> IntegerLinear:
        """One for data of so many rows, None where that is not known."""
        numbers, sizes = weight
        shape = None if n_rows is None else [n_rows, numbers.shape[1]]
        return cls(
            weight=packed_product(numbers, sizes, shape), bias=bias, n_columns=len(sizes), **values
        )

    def infer_dtype(self, t: Any) -> None:
        """Of the data uint8, else that of the result."""
        t.data = torch.uint8
        t.output = self.result_steps.dtype

    def forward(self, data: Tensor) -> Tensor:
        """unary(data @ weight.T + bias)."""
        rows = data.flatten(1) if self.flatten else data.reshape(-1, data.shape[-1])
        what = (rows.contiguous(), self.data_steps, self.weight, self.bias, self.unary)
        result = integer_product(*what, self.result_steps)
        return result if self.flatten else result.view(*data.shape[:-1], self.n_columns)


# Between layers -----------------------------------------------------------------------------------


@private_operator
class Quantized(Op):
    """Real numbers as integers.

    Attributes:
        steps: of the integers, zero at 0.
        absorbed: names of the nodes that it stands for.
    """

    steps: Steps
    absorbed: tuple[str, ...]
    pointwise = True

    def infer_shape(self, s: Any) -> None:
        """The data's."""
        s.same("data", "output")

    def infer_dtype(self, t: Any) -> None:
        """That of the steps."""
        t.data, t.output = torch.float32, self.steps.dtype

    def forward(self, data: Tensor) -> Tensor:
        """The nearest integers; halves go to the even one."""
        return quantized(data / self.steps.size, self.steps.dtype)


@private_operator
class Dequantized(Op):
    """Integers as real numbers.

    Attributes:
        size: the real number that a step is.
        absorbed: names of the nodes that it stands for.
    """

    size: float
    absorbed: tuple[str, ...]
    pointwise = True

    def infer_shape(self, s: Any) -> None:
        """The data's."""
        s.same("data", "output")

    def infer_dtype(self, t: Any) -> None:
        """float32."""
        t.output = torch.float32

    def forward(self, data: Tensor) -> Tensor:
        """Data * size."""
        return data.float().mul_(self.size)


@private_operator
class Shifted(Op):
    """int8 numbers as the uint8 numbers that are 128 more, or the other way round."""

    pointwise = True

    def infer_shape(self, s: Any) -> None:
        """The data's."""
        s.same("data", "output")

    def infer_dtype(self, t: Any) -> None:
        """The other one."""
        t.output = _OTHER[t.data]

    def forward(self, data: Tensor) -> Tensor:
        """The same bits but the highest."""
        return (data.view(torch.uint8) ^ _TOP_BIT).view(_OTHER[data.dtype])


_OTHER = {torch.uint8: torch.int8, torch.int8: torch.uint8}


@private_operator
class IntegerMaxPooling(Op):
    """Max pooling of images of integers.

    Attributes:
        plain: the operator on real numbers.
        absorbed: names of the nodes that it stands for.
    """

    plain: Pooling
    absorbed: tuple[str, ...]
    item_axis = batch_apart
    is_fresh = True

    def infer_shape(self, s: Any) -> None:
        """That of the operator on real numbers."""
        self.plain.infer_shape(s)

    def forward(self, data: Tensor) -> Tensor:
        """The greatest of each window."""
        found = self.plain.max_of_integers(data)
        return self.plain.forward(data.float()).to(data.dtype) if found is None else found
