# SPDX-License-Identifier: Apache-2.0
"""Random truth values, choices and counts, by NumPy's rules."""

from __future__ import annotations

from math import prod
from typing import Annotated, Any, Literal

import torch
from torch import Tensor

from ...base.errors import argument_error
from ...base.parameter_types import FloatKind, IntKind, OptionalKind, ShapeKind, TupleKind
from ...base.params import Shape
from ...base.shapes import shape_text
from ..constants import constant
from ..declaration import operator
from ..dtypes import torch_dtype
from ..infer import DTypes, Shapes
from ..random import draws
from ..random.discrete import SampleMultinomial, classes
from ..random.distributions import Generator
from ..schema import Op
from .random import Drawn


class _Unnamed(OptionalKind):
    label = ""  # MXNet has no name for the types of these parameters


_PROBABILITY = {"prob": "in [0, 1]"}

OptionalCount = Annotated["int | None", _Unnamed(IntKind())]
OptionalSize = Annotated["tuple[int, ...] | None", _Unnamed(ShapeKind())]
_Doubles = TupleKind(FloatKind("double", is_number=False))  # which must not sum to more than 1
OptionalDoubles = Annotated["tuple[float, ...] | None", _Unnamed(_Doubles)]


@operator("_npi_bernoulli")
class Bernoulli(Drawn):
    """Draws 1 with a probability, else 0.

    Args:
        input1: floats, instead of both numbers.
        prob: probability of a 1.
        logit: its logarithm less that of the probability of a 0; read where `prob` is None.
        size: shape of the result; by default that of the array.
        ctx: device of the result.
        dtype: type of the result.
        is_logit: whether the array holds logits instead of probabilities.
    """

    prob: float | None
    logit: float | None
    size: Shape | None = None
    ctx: str = "cpu"
    dtype: Literal["bool", "float16", "float32", "float64", "int32", "uint8"] = "float32"
    is_logit: bool
    bounds = _PROBABILITY
    differentiable = False

    def of_arrays(self) -> list[str]:
        if self.prob is not None or self.logit is not None:
            return []
        return ["logit" if self.is_logit else "prob"]

    @property
    def numbers(self) -> tuple[str, ...]:  # type: ignore[override]
        by_logit = self.prob is None and (self.is_logit or self.logit is not None)
        return ("logit",) if by_logit else ("prob",)

    def forward(self, input1: Tensor | None = None, *, rng: Generator) -> Tensor:
        empty = self.empty((input1,), rng)
        ((name, value),) = self.parameters((input1,), empty).items()
        noise = draws.uniform_(empty, rng, in_order=True)
        below = (noise.logit() if name == "logit" else noise) < value
        return below.to(torch_dtype(self.dtype))


@operator("_npi_choice")
class Choice(Op):
    """Draws indices into a population.

    Args:
        input1: the population, whose first axis counts, when `a` is None; else as `input2`.
        input2: probabilities of the members, (a,), with `weighted`.
        a: size of the population.
        size: shape of the result.
        ctx: device of the result.
        replace: whether a member can be drawn again.
        weighted: read probabilities, instead of all being equally likely.
    """

    a: OptionalCount
    size: OptionalSize
    ctx: str = "cpu"
    replace: bool = True
    weighted: bool = False
    differentiable = False

    def inputs(self) -> tuple[str, ...]:
        return ("input1", "input2")[: (self.a is None) + self.weighted]

    def infer_shape(self, s: Shapes) -> None:
        shape = self.size or ()
        s.output = shape
        n = self.a if self.a is not None else s.full("input1")[0] if s.rank("input1") else 0
        if self.weighted and s.full(s.inputs[-1]) != (n,):
            raise s.fail(f"{s.inputs[-1]} {shape_text(s[s.inputs[-1]])} must have shape [{n}]")
        if n < 1:
            raise argument_error(self.name, "a", n, "must be >= 1")
        if not self.replace and prod(shape) > n:
            raise s.fail(f"size={shape}: there are only a={n} to draw without replacement")

    def infer_dtype(self, t: DTypes) -> None:
        t.output = torch.int64

    def forward(
        self, input1: Tensor | None = None, input2: Tensor | None = None, *, rng: Generator
    ) -> Tensor:
        arrays = [array for array in (input1, input2) if array is not None]
        n = len(arrays[0]) if self.a is None else self.a
        shape = self.size or ()
        if self.weighted:
            return self._by_weight(arrays[-1], rng).view(shape)
        device = rng.device if rng is not None else arrays[0].device if arrays else None
        if self.replace:
            return draws.choices(n, shape, rng, device)
        return draws.subset(n, prod(shape), rng, device).view(shape)

    def _by_weight(self, weights: Tensor, rng: Generator) -> Tensor:
        n_drawn = prod(self.size or ())
        if self.replace:
            return _classes(weights, (n_drawn,), rng)
        if draws.is_exact(rng):
            keys = draws.gumbel_keys(weights, rng)
            return keys.sort(descending=True, stable=True).indices[:n_drawn]
        # The first arrivals of exponential clocks: the law of drawing one after another.
        arrivals = torch.empty_like(weights, dtype=torch.float64).exponential_(generator=rng)
        return (arrivals / weights).topk(n_drawn, largest=False).indices


@operator("_npi_multinomial")
class Multinomial(Op):
    """Counts how often each class occurs in `n` draws.

    Args:
        a: probabilities, (classes,), when `pvals` is None.
        n: number of draws.
        pvals: probabilities; what they lack to 1 goes to the last class.
        size: how many such experiments; the classes are one more axis.
    """

    n: int
    pvals: OptionalDoubles = None
    size: Shape | None = None
    differentiable = False

    def inputs(self) -> tuple[str, ...]:
        return ("a",) if self.pvals is None else ()

    def infer_shape(self, s: Shapes) -> None:
        if self.n < 0:
            raise argument_error(self.name, "n", self.n, "must be >= 0")
        if self.pvals is None:
            s.rank("a", 1)
            classes = s.a[0]
        else:
            classes = len(self.pvals)
            if sum(self.pvals) > 1 + 1e-12:
                raise argument_error(self.name, "pvals", self.pvals, "must not sum to more than 1")
        s.output = (*(self.size or ()), classes)

    def infer_dtype(self, t: DTypes) -> None:
        t.output = torch.int64

    def forward(self, a: Tensor | None = None, *, rng: Generator) -> Tensor:
        shares = self._shares(a, rng)
        size = self.size or ()
        n_draws = self.n if len(shares) else 0
        bounds = shares.cumsum(-1)
        drawn = classes(bounds, (prod(size) * n_draws,), rng, torch.float64, torch.float64)
        drawn = drawn.view(*size, n_draws)
        if a is None and draws.is_exact(rng):
            draws.leave(2 * len(shares), rng)
        counts = torch.zeros((*size, len(shares)), dtype=torch.int64, device=shares.device)
        return counts.scatter_add_(-1, drawn, torch.ones_like(drawn))

    def _shares(self, a: Tensor | None, rng: Generator) -> Tensor:
        if a is None:
            device = None if rng is None else rng.device
            return constant(tuple(self.pvals or ()), torch.float64, device)
        shares = a.double()
        if bool(shares.sum() > 1 + 1e-5):  # more than what rounding to float32 adds
            raise argument_error(self.name, "a", "array", "must not sum to more than 1")
        return shares


def _classes(shares: Tensor, shape: tuple[int, ...], rng: Generator) -> Tensor:
    sampler: Any = SampleMultinomial(shape=shape, get_prob=False, dtype="int64")
    drawn: Tensor = sampler.forward(shares, rng=rng)
    return drawn
