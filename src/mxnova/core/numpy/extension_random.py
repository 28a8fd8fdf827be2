# SPDX-License-Identifier: Apache-2.0
"""MXNet's own random functions: ``npx.random``."""

from __future__ import annotations

from typing import Any

from ..base.array_hints import Array
from ..base.errors import ArgumentError
from .namespaces import World, dtype_text, function
from .random import context_text, drawn, dtype_of_draws

__all__: list[str] = []


@function
def bernoulli(
    F: World,
    prob: Any = None,
    logit: Any = None,
    size: Any = None,
    dtype: Any = None,
    ctx: Any = None,
    out: Any = None,
) -> Array:
    """Draw 1 with the given probability, else 0; the probability may be given as a logit."""
    if (prob is None) == (logit is None):
        raise ArgumentError("bernoulli: prob, logit: exactly one of them is needed")
    given = {"prob": prob} if logit is None else {"logit": logit}
    other = {"logit" if logit is None else "prob": None}
    attrs = {**other, "is_logit": prob is None, "ctx": context_text(ctx)}
    dtype = dtype_text(dtype or "float32")
    return drawn(F, "_npi_bernoulli", given, size, **attrs, dtype=dtype, out=out)


@function
def uniform_n(
    F: World,
    low: Any = 0.0,
    high: Any = 1.0,
    batch_shape: Any = None,
    dtype: Any = None,
    ctx: Any = None,
) -> Array:
    """Draw from uniform distributions, `batch_shape` numbers for each pair of parameters."""
    attrs = {"dtype": dtype_of_draws(dtype), "ctx": context_text(ctx)}
    return drawn(F, "_npi_uniform_n", {"low": low, "high": high}, batch_shape, **attrs)


@function
def normal_n(
    F: World,
    loc: Any = 0.0,
    scale: Any = 1.0,
    batch_shape: Any = None,
    dtype: Any = None,
    ctx: Any = None,
) -> Array:
    """Draw from normal distributions, `batch_shape` numbers for each pair of parameters."""
    attrs = {"dtype": dtype_of_draws(dtype), "ctx": context_text(ctx)}
    return drawn(F, "_npi_normal_n", {"loc": loc, "scale": scale}, batch_shape, **attrs)
