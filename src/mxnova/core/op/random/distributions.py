# SPDX-License-Identifier: Apache-2.0
"""Distributions that can be drawn from, each in three operators made from one function.

``_sample_x`` draws for every element of its parameter arrays, ``_random_x`` takes numbers and a
shape, ``_random_x_like`` numbers and an array that gives shape and type.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias, TypeVar

import torch
from torch import Tensor

from ...base.errors import ArgumentError, MXNetError, argument_error, of_values
from ...base.params import Shape, doc_of_arguments
from ...base.shapes import from_user
from ...runtime import torch_api
from ...runtime.torch_api import is_traced
from ..declaration import operator, register_function
from ..dtypes import dtype_name, torch_dtype
from ..families.creation import PartialShape
from ..infer import DTypes, Shapes
from ..schema import Op
from . import draws, exact_samplers

FloatType: TypeAlias = Literal["None", "float16", "float32", "float64"]
Generator: TypeAlias = torch.Generator | None

F = TypeVar("F", bound=Callable[..., Tensor])


def result_type(dtype: str) -> torch.dtype:
    """The element type that a parameter `dtype` asks for; ``None`` is float32."""
    return torch.float32 if dtype == "None" else torch_dtype(dtype)


# The three operators ------------------------------------------------------------------------------


def _sample_shape(op: Op, s: Shapes) -> None:
    shape = op.attr("shape")
    if shape is None or 0 in shape:
        raise argument_error(op.name, "shape", shape, "must have no axis of length 0")
    s.same(*s.inputs)
    first = s.inputs[0]
    if s.known(first) is None:
        leading = len(s.output) - len(shape)
        s[first] = s.output[: max(leading, 0)]
    s.same(*s.inputs)
    s.output = (*s[first], *shape)


def _sample_dtype(op: Op, t: DTypes) -> None:
    t.same(*t.inputs)
    if t.known(t.inputs[0]) is not None:
        t.output = result_type(op.attr("dtype"))


class _Drawn(Op):
    """The base of operators whose distribution parameters are numbers."""

    draw: Callable[..., Tensor]
    parameters: tuple[str, ...]
    check: Callable[..., str | None]
    differentiable = False

    def _numbers(self, device: torch.device | None) -> list[Tensor]:
        """The parameters, to be read."""
        is_kept = device is not None and device.type == "cpu" and not is_traced()
        return self._on_cpu if is_kept else self._made(device)

    @functools.cached_property
    def _on_cpu(self) -> list[Tensor]:
        return self._made(torch.device("cpu"))

    def _made(self, device: torch.device | None) -> list[Tensor]:
        self._check()
        return [torch.full((), float(self.attr(n)), device=device) for n in self.parameters]

    def _check(self) -> None:
        values = {name: self.attr(name) for name in self.parameters}
        reason = type(self).check(**values)
        if reason:
            given = ", ".join(f"{name}={value}" for name, value in values.items())
            raise of_values(ArgumentError(f"{self.name}: {given}: {reason}"))


def whole_shape(op: Op) -> tuple[int, ...]:
    """Return parameter `shape` of an operator; raises if neither it nor inference set it."""
    shape: tuple[int, ...] | None = op.attr("shape")
    if shape is None or min(shape, default=0) < 0:
        raise argument_error(op.name, "shape", shape, "must be fully given")
    return shape


class _Random(_Drawn):
    def infer_shape(self, s: Shapes) -> None:
        s.output = from_user(self.attr("shape"))

    def infer_dtype(self, t: DTypes) -> None:
        t.output = result_type(self.attr("dtype"))

    def settled(self, shape: tuple[int, ...], dtype: torch.dtype) -> Op:
        if self.attr("shape") == shape:
            return self
        return self.changed(shape=shape)

    def forward(self, *, rng: Generator) -> Tensor:
        numbers = self._numbers(None if rng is None else rng.device)
        shape, dtype = whole_shape(self), self.attr("dtype")
        return type(self).draw(*numbers, shape=shape, dtype=dtype, rng=rng)


class _RandomLike(_Drawn):
    def infer_shape(self, s: Shapes) -> None:
        s.same("data", "output")

    def infer_dtype(self, t: DTypes) -> None:
        t.same("data", "output")
        if not t.data.is_floating_point:
            raise MXNetError(f"{self.name}: data has type {dtype_name(t.data)}, not one of floats")

    def forward(self, data: Tensor, *, rng: Generator) -> Tensor:
        dtype = dtype_name(data.dtype)
        return type(self).draw(*self._numbers(data.device), shape=data.shape, dtype=dtype, rng=rng)


_MORE_DOCS = {
    "loc": "mean.",
    "scale": "standard deviation.",
    "shape": "shape of the result.",
    "ctx": "device of the result.",
    "dtype": "type of the result; float32 by default.",
    "data": "gives shape and type of the result.",
}


def distribution(
    name: str, *aliases: str, check: Callable[..., str | None], **defaults: float
) -> Callable[[F], F]:
    """Makes the operators of distribution `name` from the function that draws from it.

    Args:
        name: as in ``_random_<name>``.
        aliases: further names of ``_random_<name>``.
        check: what is wrong with numbers as parameters, or None.
        defaults: of the parameters, in their order; integers take integers.
    """
    kinds = {parameter: type(default) for parameter, default in defaults.items()}

    def declare(draw: F) -> F:
        register_function(
            (f"_sample_{name}", f"sample_{name}"),
            draw,
            shape=_sample_shape,
            dtype=_sample_dtype,
            differentiable=False,
        )
        common = {"draw": staticmethod(draw), "check": staticmethod(check), **defaults}
        common["parameters"] = tuple(defaults)
        shaped = {**kinds, "shape": PartialShape, "ctx": str, "dtype": FloatType}
        full = {**common, "shape": None, "ctx": "", "dtype": "None"}
        names = (f"_random_{name}", f"random_{name}", *aliases)
        operator(*names)(_subclass(_Random, draw, shaped, full))
        operator(f"_random_{name}_like")(_subclass(_RandomLike, draw, kinds, common))
        return draw

    return declare


def _subclass(
    base: type[Op], draw: Callable[..., Tensor], fields: dict[str, Any], members: dict[str, Any]
) -> type[Op]:
    known = {**doc_of_arguments(draw.__doc__ or ""), **_MORE_DOCS}
    names = (*fields, *(["data"] if base is _RandomLike else []))
    arguments = "".join(f"    {n}: {known[n]}\n" for n in names)
    summary = (draw.__doc__ or "").split("\n")[0]
    body = {
        **members,
        "__annotations__": fields,
        "__doc__": f"{summary}\n\nArgs:\n{arguments}",
        "__module__": __name__,
    }
    return type(draw.__name__, (base,), body)


def _prepared(
    shape: Sequence[int], dtype: str, rng: Generator, *parameters: Tensor
) -> tuple[Tensor, ...]:
    """An array to fill with draws, and `parameters` as what can be broadcast with it."""
    wide = draws.wide_type(result_type(dtype), rng)
    device = parameters[0].device if rng is None else rng.device
    filler = torch.empty((*parameters[0].shape, *shape), dtype=wide, device=device)
    axes = (1,) * len(shape)
    if not draws.is_exact(rng):
        parameters = tuple([p.to(wide) for p in parameters])
    return filler, *[p.reshape(p.shape + axes) if p.dim() else p for p in parameters]


_NEVER_ZERO = 2.0**-25  # half of the distance between uniform numbers


def exponential_draws(filler: Tensor, rng: Generator, in_order: bool = False) -> Tensor:
    """`filler`, filled with draws of mean 1, none of them 0 unless drawn exactly.

    ATen draws number by number from doubles: a million in 26 ms, where this takes 5.
    """
    if draws.is_exact(rng):
        return draws.exponential_(filler, rng, in_order=in_order)
    if filler.dtype is not torch.float32 or filler.device.type != "cpu":
        return filler.exponential_(generator=rng)
    return filler.uniform_(_NEVER_ZERO, 1, generator=rng).log_().neg_()


# The distributions --------------------------------------------------------------------------------


@distribution(
    "uniform",
    "uniform",
    check=lambda low, high: None if low <= high else "low must not be above high",
    low=0.0,
    high=1.0,
)
def uniform(
    low: Tensor, high: Tensor, *, shape: Shape = (), dtype: FloatType = "None", rng: Generator
) -> Tensor:
    """Draws from the uniform distribution on [low, high).

    Args:
        low: lower bound, included.
        high: upper bound, excluded.
        shape: how many to draw for each element.
        dtype: type of the result; float32 by default.
    """
    drawn, low, width = _prepared(shape, dtype, rng, low, high - low)
    return draws.scaled(draws.uniform_(drawn, rng), width, low, rng).to(result_type(dtype))


@distribution(
    "normal",
    "normal",
    check=lambda loc, scale: None if scale > 0 else "scale must be > 0",
    loc=0.0,
    scale=1.0,
)
def normal(
    mu: Tensor, sigma: Tensor, *, shape: Shape = (), dtype: FloatType = "None", rng: Generator
) -> Tensor:
    """Draws from the normal distribution.

    Args:
        mu: mean.
        sigma: standard deviation.
        shape: how many to draw for each element.
        dtype: type of the result; float32 by default.
    """
    drawn, mu, sigma = _prepared(shape, dtype, rng, mu, sigma)
    return draws.scaled(draws.normal_(drawn, rng), sigma, mu, rng).to(result_type(dtype))


@distribution("exponential", check=lambda lam: None if lam > 0 else "lam must be > 0", lam=1.0)
def exponential(
    lam: Tensor, *, shape: Shape = (), dtype: FloatType = "None", rng: Generator
) -> Tensor:
    """Draws from the exponential distribution.

    Args:
        lam: rate: 1 over the mean.
        shape: how many to draw for each element.
        dtype: type of the result; float32 by default.
    """
    drawn, lam = _prepared(shape, dtype, rng, lam)
    return (exponential_draws(drawn, rng) / lam).to(result_type(dtype))


@distribution(
    "gamma",
    check=lambda alpha, beta: None if min(alpha, beta) > 0 else "both must be > 0",
    alpha=1.0,
    beta=1.0,
)
def gamma(
    alpha: Tensor, beta: Tensor, *, shape: Shape = (), dtype: FloatType = "None", rng: Generator
) -> Tensor:
    """Draws from the gamma distribution.

    Args:
        alpha: shape of the distribution.
        beta: scale of the distribution.
        shape: how many to draw for each element.
        dtype: type of the result; float32 by default.
    """
    if draws.is_exact(rng):
        return draws.sampled(exact_samplers.gamma, rng, shape, dtype, alpha, beta)
    drawn, alpha, beta = _prepared(shape, dtype, rng, alpha, beta)
    return _gamma(alpha.expand_as(drawn), rng).mul_(beta).to(result_type(dtype))


@distribution("poisson", check=lambda lam: None if lam >= 0 else "lam must be >= 0", lam=1.0)
def poisson(lam: Tensor, *, shape: Shape = (), dtype: FloatType = "None", rng: Generator) -> Tensor:
    """Draws from the Poisson distribution.

    Args:
        lam: mean.
        shape: how many to draw for each element.
        dtype: type of the result; float32 by default.
    """
    if draws.is_exact(rng):
        return draws.sampled(exact_samplers.poisson, rng, shape, dtype, lam)
    drawn, lam = _prepared(shape, dtype, rng, lam)
    return torch.poisson(lam.expand_as(drawn), generator=rng).to(result_type(dtype))


@distribution(
    "negative_binomial",
    check=lambda k, p: None if k >= 0 and 0 < p <= 1 else "k must be >= 0, p in (0, 1]",
    k=1,
    p=1.0,
)
def negative_binomial(
    k: Tensor, p: Tensor, *, shape: Shape = (), dtype: FloatType = "None", rng: Generator
) -> Tensor:
    """Draws from the negative binomial distribution: failures before the k-th success.

    Args:
        k: successes.
        p: probability of a success.
        shape: how many to draw for each element.
        dtype: type of the result; float32 by default.
    """
    if draws.is_exact(rng):
        return draws.sampled(exact_samplers.negative_binomial, rng, shape, dtype, k, p)
    drawn, k, p = _prepared(shape, dtype, rng, k, p)
    rate = _gamma(k.expand_as(drawn), rng) * ((1 - p) / p)
    return torch.poisson(rate, generator=rng).to(result_type(dtype))


@distribution(
    "generalized_negative_binomial",
    check=lambda mu, alpha: None if min(mu, alpha) >= 0 else "both must be >= 0",
    mu=1.0,
    alpha=1.0,
)
def generalized_negative_binomial(
    mu: Tensor, alpha: Tensor, *, shape: Shape = (), dtype: FloatType = "None", rng: Generator
) -> Tensor:
    """Draws from the negative binomial distribution with a given mean and dispersion.

    Args:
        mu: mean.
        alpha: dispersion: the variance is ``mu + alpha * mu**2``.
        shape: how many to draw for each element.
        dtype: type of the result; float32 by default.
    """
    if draws.is_exact(rng):
        sampler = exact_samplers.generalized_negative_binomial
        return draws.sampled(sampler, rng, shape, dtype, mu, alpha)
    drawn, mu, alpha = _prepared(shape, dtype, rng, mu, alpha)
    spread = _gamma((1 / alpha.clamp(min=1e-30)).expand_as(drawn), rng) * alpha
    rate = mu * torch.where(alpha > 0, spread, 1.0)
    return torch.poisson(rate, generator=rng).to(result_type(dtype))


def _gamma(shape: Tensor, rng: Generator) -> Tensor:
    """A draw of scale 1 for every element of `shape`."""
    return torch_api.standard_gamma(shape, rng)
