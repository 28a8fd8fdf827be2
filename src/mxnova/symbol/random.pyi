# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")

from mxnova.symbol.symbol import Symbol as Symbol

def exponential(scale: Any = 1, shape: Any = ..., dtype: Any = ..., **kwargs: Any) -> Symbol: ...
def exponential_like(data: Symbol | None = None, lam: float = 1.0, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Draws from the exponential distribution."""
def gamma(alpha: Any = 1, beta: Any = 1, shape: Any = ..., dtype: Any = ..., **kwargs: Any) -> Symbol: ...
def gamma_like(data: Symbol | None = None, alpha: float = 1.0, beta: float = 1.0, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Draws from the gamma distribution."""
def generalized_negative_binomial(mu: Any = 1, alpha: Any = 1, shape: Any = ..., dtype: Any = ..., **kwargs: Any) -> Symbol: ...
def generalized_negative_binomial_like(data: Symbol | None = None, mu: float = 1.0, alpha: float = 1.0, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Draws from the negative binomial distribution with a given mean and dispersion."""
def multinomial(data: Symbol, shape: Any = ..., get_prob: bool = True, dtype: Any = 'int32', **kwargs: Any) -> Symbol: ...
def negative_binomial(k: Any = 1, p: Any = 1, shape: Any = ..., dtype: Any = ..., **kwargs: Any) -> Symbol: ...
def negative_binomial_like(data: Symbol | None = None, k: int = 1, p: float = 1.0, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Draws from the negative binomial distribution: failures before the k-th success."""
def normal(loc: Any = 0, scale: Any = 1, shape: Any = ..., dtype: Any = ..., **kwargs: Any) -> Symbol: ...
def normal_like(data: Symbol | None = None, loc: float = 0.0, scale: float = 1.0, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Draws from the normal distribution."""
def poisson(lam: Any = 1, shape: Any = ..., dtype: Any = ..., **kwargs: Any) -> Symbol: ...
def poisson_like(data: Symbol | None = None, lam: float = 1.0, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Draws from the Poisson distribution."""
def randint(low: Any, high: Any, shape: Any = ..., dtype: Any = ..., **kwargs: Any) -> Symbol: ...
def randn(*shape: int, loc: Any = 0, scale: Any = 1, **kwargs: Any) -> Symbol: ...
def shuffle(data: Symbol, **kwargs: Any) -> Symbol: ...
from mxnova.symbol.contrib import uniform as uniform
def uniform_like(data: Symbol | None = None, low: float = 0.0, high: float = 1.0, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Draws from the uniform distribution on [low, high)."""
