# SPDX-License-Identifier: Apache-2.0
"""Random numbers of NumPy's distributions, their parameters numbers or arrays.

An array stands for the parameter that is None. Parameters are broadcast with each other and to
`size`; where a draw is a function of noise and parameters, its gradient is that of the function.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Literal, TypeVar

import torch
from torch import Tensor

from ...base.errors import MXNetError, argument_error, told_as
from ...base.params import Shape, doc_of_arguments
from ...base.shapes import shape_text
from ...runtime import torch_api
from ...runtime.torch_api import is_traced
from ..declaration import operator
from ..dtypes import torch_dtype
from ..infer import DTypes, Shapes
from ..random import draws
from ..random.distributions import Generator, exponential_draws
from ..schema import Op

F = TypeVar("F", bound=Callable[..., Tensor])
Bounds = dict[str, str]  # parameter -> what must hold for it

_HOLDS: dict[str, Callable[[Any], Any]] = {
    ">= 0": lambda x: x >= 0,
    "> 0": lambda x: x > 0,
    "in [0, 1]": lambda x: (x >= 0) & (x <= 1),
}


class Drawn(Op):
    """The base of distributions whose parameters are numbers or arrays.

    Attributes:
        numbers: names of the parameters; an array is read for each that is None.
        bounds: what must hold for them.
        batched: whether `size` comes before the shape of the parameters instead of being the whole.
    """

    numbers: ClassVar[tuple[str, ...]]
    bounds: ClassVar[Bounds] = {}
    batched: ClassVar[bool] = False
    size: tuple[int, ...] | None
    dtype: str = "float32"

    def of_arrays(self) -> list[str]:
        """Return the parameters that are given as arrays, in order."""
        return [name for name in self.numbers if self.attr(name) is None]

    def inputs(self) -> tuple[str, ...]:
        return tuple(f"input{i}" for i, _ in enumerate(self.of_arrays(), 1))

    def infer_shape(self, s: Shapes) -> None:
        size = None if self.batched else self.size
        for output in s.outputs:
            s[output] = size
        shapes = [s.full(name) for name in s.inputs]
        shape = self._shape(shapes)
        if shape is None or size not in (None, shape):
            listing = " and ".join(map(shape_text, shapes))
            raise s.fail(f"parameters {listing} cannot be broadcast to size {self.size}")
        for output in s.outputs:
            s[output] = shape

    def _shape(self, shapes: list[tuple[int, ...]]) -> tuple[int, ...] | None:
        """The shape of the result for arrays of these shapes, None where they do not fit."""
        size = self.size or ()
        try:
            return (*size, *_broadcast(*shapes)) if self.batched else _broadcast(size, *shapes)
        except RuntimeError:
            return None

    def infer_dtype(self, t: DTypes) -> None:
        for name in t.outputs:
            t[name] = torch_dtype(self.dtype)

    def parameters(self, arrays: tuple[Tensor | None, ...], like: Tensor) -> dict[str, Tensor]:
        """Numbers and arrays by name, of the type of `like`; arrays are checked here."""
        self._check()
        given = {n: a for n, a in zip(self.of_arrays(), arrays, strict=False) if a is not None}
        for name, array in given.items():
            bound = self.bounds.get(name)
            if bound and not is_traced() and not bool(_HOLDS[bound](array).all()):
                raise self._beyond(name, "array", f"must be {bound} everywhere")
        return {
            name: given[name].to(like.dtype)
            if name in given
            else like.new_full((), self.attr(name))
            for name in self.numbers
        }

    def _check(self) -> None:
        for name, bound in self.bounds.items():
            value = self.attr(name)
            if value is not None and not _HOLDS[bound](value):
                raise self._beyond(name, value, f"must be {bound}")

    def _beyond(self, name: str, value: object, reason: str) -> MXNetError:
        return told_as("ValueError", argument_error(self.name, name, value, reason))

    def empty(self, arrays: tuple[Tensor | None, ...], rng: Generator) -> Tensor:
        """An array of the shape of the result, to be filled; float64 for results of that type."""
        known = [array for array in arrays if array is not None]
        shape = self._shape([tuple(array.shape) for array in known]) or ()
        double = self.dtype == "float64" and not draws.is_exact(rng)
        wide = torch.float64 if double else torch.float32
        device = rng.device if rng is not None else known[0].device if known else None
        return torch.empty(shape, dtype=wide, device=device)


def _broadcast(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(torch.broadcast_shapes(*shapes))  # type: ignore[no-untyped-call]


# Rows ---------------------------------------------------------------------------------------------


class _OfOne(Drawn):
    draw: ClassVar[Callable[..., Tensor]]

    def forward(self, input1: Tensor | None = None, *, rng: Generator) -> Any:
        return self._run((input1,), rng)

    def _run(self, arrays: tuple[Tensor | None, ...], rng: Generator) -> Any:
        noise = self.empty(arrays, rng)
        drawn = type(self).draw(noise, rng, **self.parameters(arrays, noise))
        drawn = drawn.to(torch_dtype(self.dtype))
        return (drawn, noise.to(drawn.dtype)) if self.differentiable else drawn

    def outputs(self) -> tuple[str, ...]:
        """With a gradient, also the noise, which no Symbol shows."""
        return ("output0", "output1") if self.differentiable else ("output",)

    def n_visible(self) -> int:
        return 1


class _OfTwo(_OfOne):
    def forward(
        self, input1: Tensor | None = None, input2: Tensor | None = None, *, rng: Generator
    ) -> Any:
        return self._run((input1, input2), rng)


_MORE_DOCS = {
    "input1": "floats, instead of the first parameter that is None.",
    "input2": "floats, instead of the second parameter that is None.",
    "size": "shape of the result; by default that of the parameters.",
    "ctx": "device of the result.",
    "dtype": "type of the result.",
}
_BATCH_DOC = "axes that the result has before those of the parameters."

FloatType = Literal["float16", "float32", "float64"]


def _distribution(
    name: str,
    *numbers: str,
    bounds: Bounds | None = None,
    typed: bool = False,
    has_ctx: bool = True,
    differentiable: bool = True,
    batched: bool = False,
    **defaults: float | None,
) -> Callable[[F], F]:
    """Makes operator `name` from a function that fills an array with noise and shapes it.

    Args:
        name: registered name.
        numbers: parameters; those without a default are required.
        bounds: what must hold for them.
        typed: whether there is a parameter `dtype`.
        has_ctx: whether there is a parameter `ctx`.
        differentiable: whether parameters have gradients.
        batched: see Drawn.
        defaults: of `numbers`.
    """

    def declare(draw: F) -> F:
        fields: dict[str, Any] = dict.fromkeys(numbers, float | None)
        fields["size"] = Shape | None
        fields |= {"ctx": str} if has_ctx else {}
        fields |= {"dtype": FloatType} if typed else {}
        members = {"size": None, "ctx": "cpu", "dtype": "float32", **defaults}
        body = {
            **{name: value for name, value in members.items() if name in (*fields, *defaults)},
            "__annotations__": fields,
            "__doc__": _doc(draw, fields, batched),
            "__module__": __name__,
            "draw": staticmethod(draw),
            "numbers": numbers,
            "bounds": bounds or {},
            "batched": batched,
            "differentiable": differentiable,
        }
        base = _OfTwo if len(numbers) == 2 else _OfOne
        operator(name)(type(draw.__name__, (base,), body))
        return draw

    return declare


def _doc(draw: Callable[..., Tensor], fields: dict[str, Any], batched: bool) -> str:
    known = {**_MORE_DOCS, **doc_of_arguments(draw.__doc__ or "")}
    if batched:
        known["size"] = _BATCH_DOC
    arrays = [f"input{i}" for i, kind in enumerate(fields.values(), 1) if kind == float | None]
    lines = "".join(f"    {name}: {known[name]}\n" for name in (*arrays, *fields))
    return f"{(draw.__doc__ or '').splitlines()[0]}\n\nArgs:\n{lines}"


# The distributions --------------------------------------------------------------------------------


@_distribution("_npi_uniform", "low", "high", typed=True, differentiable=False)
@_distribution("_npi_uniform_n", "low", "high", typed=True, differentiable=False, batched=True)
def uniform(noise: Tensor, rng: Generator, low: Tensor, high: Tensor) -> Tensor:
    """Draws from the uniform distribution on [low, high).

    Args:
        low: lower bound, included.
        high: upper bound, excluded; may be below `low`.
    """
    return low + draws.uniform_(noise, rng, in_order=True) * (high - low)


_SCALE = {"scale": ">= 0"}


@_distribution("_npi_normal", "loc", "scale", bounds=_SCALE, typed=True)
@_distribution("_npi_normal_n", "loc", "scale", bounds=_SCALE, typed=True, batched=True)
def normal(noise: Tensor, rng: Generator, loc: Tensor, scale: Tensor) -> Tensor:
    """Draws from the normal distribution.

    Args:
        loc: mean.
        scale: standard deviation.
    """
    return loc + draws.normal_(noise, rng, in_order=True) * scale


@_distribution("_npi_gumbel", "loc", "scale", bounds=_SCALE)
def gumbel(noise: Tensor, rng: Generator, loc: Tensor, scale: Tensor) -> Tensor:
    """Draws from the Gumbel distribution: ``exp(-exp(-(x - loc) / scale))`` are below x.

    Args:
        loc: mode.
        scale: spread: the standard deviation is ``scale * pi / sqrt(6)``.
    """
    return loc - exponential_draws(noise, rng, in_order=True).log_().to(noise.dtype) * scale


@_distribution("_npi_logistic", "loc", "scale", bounds=_SCALE)
def logistic(noise: Tensor, rng: Generator, loc: Tensor, scale: Tensor) -> Tensor:
    """Draws from the logistic distribution: ``1 / (1 + exp(-(x - loc) / scale))`` are below x.

    Args:
        loc: mean.
        scale: spread: the standard deviation is ``scale * pi / sqrt(3)``.
    """
    if draws.is_exact(rng):
        return loc + draws.logistic_(noise, rng) * scale
    return loc + exponential_draws(noise, rng, in_order=True).expm1_().log_() * scale


@_distribution(
    "_npi_gamma",
    "shape",
    "scale",
    bounds={"shape": "> 0", "scale": "> 0"},
    typed=True,
    differentiable=False,
)
def gamma(noise: Tensor, rng: Generator, shape: Tensor, scale: Tensor) -> Tensor:
    """Draws from the gamma distribution.

    Args:
        shape: shape of the distribution: its mean is ``shape * scale``.
        scale: scale of the distribution.
    """
    return torch_api.standard_gamma(noise.zero_() + shape, rng) * scale


@_distribution("_npi_exponential", "scale", bounds=_SCALE, scale=1.0)
def exponential(noise: Tensor, rng: Generator, scale: Tensor) -> Tensor:
    """Draws from the exponential distribution.

    Args:
        scale: mean.
    """
    drawn = exponential_draws(noise, rng, in_order=True)
    return (noise if scale.ndim and draws.is_exact(rng) else drawn) * scale


@_distribution("_npi_rayleigh", "scale", bounds=_SCALE, scale=1.0)
def rayleigh(noise: Tensor, rng: Generator, scale: Tensor) -> Tensor:
    """Draws from the Rayleigh distribution: ``exp(-(x / scale)**2 / 2)`` are above x.

    Args:
        scale: mode.
    """
    return exponential_draws(noise, rng, in_order=True).mul_(2).sqrt_().to(noise.dtype) * scale


_POSITIVE = {"a": "> 0"}


@_distribution("_npi_pareto", "a", bounds=_POSITIVE, a=None)
def pareto(noise: Tensor, rng: Generator, a: Tensor) -> Tensor:
    """Draws from the Pareto distribution of the second kind: ``(1 + x) ** -a`` are above x.

    Args:
        a: shape of the distribution.
    """
    return torch.expm1(exponential_draws(noise, rng, in_order=True) / a)


@_distribution("_npi_weibull", "a", bounds=_POSITIVE, a=None)
def weibull(noise: Tensor, rng: Generator, a: Tensor) -> Tensor:
    """Draws from the Weibull distribution: ``exp(-x**a)`` are above x.

    Args:
        a: shape of the distribution.
    """
    if draws.is_exact(rng):
        return draws.power(draws.exponential_(noise, rng, in_order=True, wide=False), 1 / a)
    return exponential_draws(noise, rng, in_order=True) ** (1 / a)


@_distribution("_npi_powerd", "a", bounds=_POSITIVE, has_ctx=False, differentiable=False, a=None)
def power(noise: Tensor, rng: Generator, a: Tensor) -> Tensor:
    """Draws from the power distribution on [0, 1]: ``x**a`` are below x.

    Args:
        a: shape of the distribution.
    """
    uniform = draws.uniform_(noise, rng, in_order=True)
    if draws.is_exact(rng):
        draws.leave(1, rng)
        return draws.power(1 - uniform, 1 / a)
    return uniform ** (1 / a)
