# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")

from mxnova.ndarray.ndarray import NDArray as NDArray

from mxnova.ndarray.ndarray import current_context as current_context
def exponential(scale: Any = 1, shape: Any = ..., dtype: Any = ..., ctx: Any = None, out: Any = None, **kwargs: Any) -> NDArray: ...
def exponential_like(data: NDArray | None = None, lam: float = 1.0, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Draws from the exponential distribution."""
def gamma(alpha: Any = 1, beta: Any = 1, shape: Any = ..., dtype: Any = ..., ctx: Any = None, out: Any = None, **kwargs: Any) -> NDArray: ...
def gamma_like(data: NDArray | None = None, alpha: float = 1.0, beta: float = 1.0, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Draws from the gamma distribution."""
def generalized_negative_binomial(mu: Any = 1, alpha: Any = 1, shape: Any = ..., dtype: Any = ..., ctx: Any = None, out: Any = None, **kwargs: Any) -> NDArray: ...
def generalized_negative_binomial_like(data: NDArray | None = None, mu: float = 1.0, alpha: float = 1.0, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Draws from the negative binomial distribution with a given mean and dispersion."""
def multinomial(data: NDArray, shape: Any = ..., get_prob: bool = False, out: Any = None, dtype: Any = 'int32', **kwargs: Any) -> Any: ...
def negative_binomial(k: Any = 1, p: Any = 1, shape: Any = ..., dtype: Any = ..., ctx: Any = None, out: Any = None, **kwargs: Any) -> NDArray: ...
def negative_binomial_like(data: NDArray | None = None, k: int = 1, p: float = 1.0, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Draws from the negative binomial distribution: failures before the k-th success."""
def normal(loc: Any = 0, scale: Any = 1, shape: Any = ..., dtype: Any = ..., ctx: Any = None, out: Any = None, **kwargs: Any) -> NDArray: ...
def normal_like(data: NDArray | None = None, loc: float = 0.0, scale: float = 1.0, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Draws from the normal distribution."""
def poisson(lam: Any = 1, shape: Any = ..., dtype: Any = ..., ctx: Any = None, out: Any = None, **kwargs: Any) -> NDArray: ...
def poisson_like(data: NDArray | None = None, lam: float = 1.0, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Draws from the Poisson distribution."""
def randint(low: Any, high: Any, shape: Any = ..., dtype: Any = ..., ctx: Any = None, out: Any = None, **kwargs: Any) -> NDArray: ...
def randn(*shape: int, loc: Any = 0, scale: Any = 1, **kwargs: Any) -> NDArray: ...
def shuffle(data: NDArray, **kwargs: Any) -> NDArray: ...
from mxnova.ndarray.contrib import uniform as uniform
def uniform_like(data: NDArray | None = None, low: float = 0.0, high: float = 1.0, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Draws from the uniform distribution on [low, high)."""
