# SPDX-License-Identifier: Apache-2.0
"""Random integers, classes and orders."""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from typing import Annotated, Literal

import torch
from torch import Tensor

from ...base.errors import ArgumentError
from ...base.parameter_types import IntKind
from ...base.params import Shape
from ...base.shapes import from_user
from ..declaration import operator
from ..dtypes import torch_dtype
from ..families.creation import PartialShape
from ..infer import DTypes, Shapes
from ..schema import Op
from . import draws
from .distributions import Generator, whole_shape

_Bound = Annotated[int, IntKind("long", -(2**63), 2**63 - 1, is_number=True)]


@operator("_random_randint", "_npi_random_randint", "random_randint")
class RandomInt(Op):
    """Draws integers from [low, high), all equally likely.

    Args:
        low: least integer.
        high: bound, excluded.
        shape: shape of the result.
        ctx: device of the result.
        dtype: type of the result; int32 by default.
    """

    low: _Bound
    high: _Bound
    shape: PartialShape = None
    ctx: str = ""
    dtype: Literal["None", "int32", "int64"] = "None"
    differentiable = False

    @property
    def _type(self) -> torch.dtype:
        return torch.int32 if self.dtype == "None" else torch_dtype(self.dtype)

    def infer_shape(self, s: Shapes) -> None:
        s.output = from_user(self.shape)

    def infer_dtype(self, t: DTypes) -> None:
        t.output = self._type

    def settled(self, shape: tuple[int, ...], dtype: torch.dtype) -> Op:
        if self.shape == shape:
            return self
        return self.changed(shape=shape)

    def forward(self, *, rng: Generator) -> Tensor:
        if self.low >= self.high:
            raise ArgumentError(
                f"{self.name}: low={self.low}, high={self.high}: low must be below high"
            )
        device = None if rng is None else rng.device
        shape = whole_shape(self)
        drawn = draws.integers(self.low, self.high, shape, rng, device)
        return drawn.to(self._type)


def classes(
    bounds: Tensor, shape: Sequence[int], rng: Generator, drawn: torch.dtype, rounded: torch.dtype
) -> Tensor:
    """For each row of `bounds` the classes into which uniform numbers fall.

    Args:
        bounds: (…, classes), where classes end.
        shape: of all draws.
        rng: the random stream.
        drawn: type that numbers are drawn in.
        rounded: type that they are then rounded to.
    """
    points = torch.empty(tuple(shape), dtype=drawn, device=bounds.device)
    points = draws.uniform_(points, rng, in_order=True).to(rounded).reshape(*bounds.shape[:-1], -1)
    right = not draws.is_exact(rng)  # a number at a bound: MXNet takes the class before it
    index = torch.searchsorted(bounds, points.to(bounds.dtype), right=right)
    return index.clamp_(max=bounds.shape[-1] - 1)


@operator("_sample_multinomial", "sample_multinomial")
class SampleMultinomial(Op):
    """Draws classes by their probabilities; the gradient is that of their log-probability.

    Args:
        data: probabilities that sum to 1 along the last axis, (…, classes).
        shape: how many to draw from each.
        get_prob: also give the log-probabilities of what was drawn.
        dtype: type of the classes.
    """

    shape: Shape = ()
    get_prob: bool = False
    dtype: Literal["float16", "float32", "float64", "int32", "uint8"] = "int32"

    def outputs(self) -> tuple[str, ...]:
        return ("output0", "output1") if self.get_prob else ("output",)

    def infer_shape(self, s: Shapes) -> None:
        leading = s.data[:-1]
        drawn = (*leading, *self.shape)
        for name in s.outputs:
            s[name] = drawn or (1,)

    def infer_dtype(self, t: DTypes) -> None:
        data = t.data
        t[t.outputs[0]] = torch_dtype(self.dtype)
        if self.get_prob:
            t.output1 = data

    def forward(self, data: Tensor, *, rng: Generator) -> Tensor | tuple[Tensor, Tensor]:
        leading = data.shape[:-1]
        with torch.no_grad():
            bounds = draws.bounds(data, rng)
            kinds = (torch.float32, data.dtype) if draws.is_exact(rng) else (bounds.dtype,) * 2
            index = classes(bounds, (*leading, *self.shape), rng, *kinds)
        shape = (*leading, *self.shape) or (1,)
        drawn = index.view(shape).to(torch_dtype(self.dtype))
        if not self.get_prob:
            return drawn
        return drawn, data.gather(-1, index).log().view(shape)


@operator("_sample_unique_zipfian")
class SampleUniqueZipfian(Op):
    """Draws different integers, rows of them, small ones more often: for sampled softmax.

    The probability of k is ``log((k + 2) / (k + 1)) / log(range_max + 1)``. Gives the draws,
    int64, and for each row how often it was drawn until there were enough different ones.

    Args:
        range_max: bound of the integers, excluded.
        shape: (rows, integers in a row).
    """

    range_max: int
    shape: PartialShape = None
    differentiable = False

    def outputs(self) -> tuple[str, ...]:
        return ("output0", "output1")

    def infer_shape(self, s: Shapes) -> None:
        if self.shape is None or len(self.shape) != 2:
            raise s.fail(f"shape={self.shape}: must be rows and integers in a row")
        if self.shape[1] > self.range_max:
            raise s.fail(f"shape={self.shape}: there are only {self.range_max} integers")
        s.output0, s.output1 = self.shape, self.shape[:1]

    def infer_dtype(self, t: DTypes) -> None:
        t.output0 = t.output1 = torch.int64

    def forward(self, *, rng: Generator) -> tuple[Tensor, Tensor]:
        n_rows, n = self.shape or (0, 0)
        drawn = self._draws(n_rows, 2 * n, rng)
        while True:
            new = _first_seen(drawn)
            count = new.cumsum(1)
            if bool((count[:, -1] >= n).all()):
                break
            drawn = torch.cat((drawn, self._draws(n_rows, drawn.shape[1], rng)), 1)
        chosen = drawn[new & (count <= n)].view(n_rows, n)
        return chosen, (count < n).sum(1) + 1

    def _draws(self, n_rows: int, n: int, rng: Generator) -> Tensor:
        device = None if rng is None else rng.device
        uniform = torch.empty((n_rows, n), dtype=torch.float64, device=device)
        uniform.uniform_(generator=rng)
        drawn = (uniform * log(self.range_max + 1)).exp().long() - 1
        return drawn.clamp_(0, self.range_max - 1)


def _first_seen(drawn: Tensor) -> Tensor:
    """Mask of the elements that no equal one precedes in their row."""
    ordered, order = drawn.sort(dim=1, stable=True)
    first = torch.ones_like(ordered, dtype=torch.bool)
    first[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    return torch.zeros_like(first).scatter_(1, order, first)


@operator("_shuffle", "_npi_shuffle", "shuffle")
class Shuffle(Op):
    """`data` with its slices along the first axis in random order.

    Args:
        data: (n, …).
    """

    differentiable = None

    def infer_shape(self, s: Shapes) -> None:
        s.same("data", "output")

    def forward(self, data: Tensor, *, rng: Generator) -> Tensor:
        order = draws.order(len(data), rng, data.device, rising=data.ndim == 1)
        return data.index_select(0, order)
