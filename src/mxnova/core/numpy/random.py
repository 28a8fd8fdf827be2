# SPDX-License-Identifier: Apache-2.0
"""Random numbers: ``np.random``. Parameters are numbers or arrays; arrays broadcast."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from ..base.array_hints import Array
from ..base.errors import ArgumentError, shown
from ..runtime.context import Context
from .namespaces import NUMBER, World, dtype_text, function

__all__ = ["context_text", "drawn", "dtype_of_draws"]


def context_text(ctx: Any) -> str:
    """Return the context in which to draw, as operators take it."""
    return str(Context.get_current() if ctx is None else ctx)


def _sizes(size: Any) -> Any:
    return None if isinstance(size, tuple) and not size else size


def _is_number(value: Any) -> bool:
    """Whether it is one of NumPy's arrays without axes."""
    return isinstance(value, np.ndarray) and not value.ndim


def drawn(F: World, operator: str, parameters: dict[str, Any], size: Any, **attrs: Any) -> Any:
    """The result of an operator that draws: each parameter that is an array is an input of it."""
    arrays = []
    for name, value in parameters.items():
        if isinstance(value, F.array):
            arrays.append(value)
            attrs[name] = None
        elif isinstance(value, NUMBER) or _is_number(value):
            attrs[name] = float(value)
        else:
            raise ArgumentError(
                f"random: {name}={shown(value)}: must be a number or an array like the others"
            )
    return getattr(F, operator)(*arrays, size=_sizes(size), **attrs)


def dtype_of_draws(dtype: Any) -> Any:
    """Return the dtype of the result, as operators take it."""
    return dtype_text(np.float32 if dtype is None else dtype)


def _plain(name: str, operator: str, parameters: dict[str, Any], what: str) -> None:
    """A distribution whose arguments are its parameters, `size`, `ctx` and `out`."""
    names = list(parameters)
    if len(names) == 1:
        default = parameters[names[0]]
        (only,) = names

        def one(F: World, first: Any, size: Any = None, ctx: Any = None, out: Any = None) -> Any:
            given = {only: first}
            return drawn(F, operator, given, size, ctx=context_text(ctx), out=out)

        implementation = _renamed(one, only, default)
    else:

        def implementation(
            F: World,
            loc: Any = 0.0,
            scale: Any = 1.0,
            size: Any = None,
            ctx: Any = None,
            out: Any = None,
        ) -> Array:
            given = {"loc": loc, "scale": scale}
            return drawn(F, operator, given, size, ctx=context_text(ctx), out=out)

    implementation.__name__ = name
    implementation.__doc__ = what
    function(implementation)


def _renamed(implementation: Any, name: str, default: Any) -> Any:
    """`implementation` with its second argument called `name`, which may have a default."""

    def public(F: World, *args: Any, **kwargs: Any) -> Any:
        if name in kwargs:
            args = (kwargs.pop(name), *args)
        elif not args and default is not None:
            args = (default,)
        return implementation(F, *args, **kwargs)

    world, first, *rest = inspect.signature(implementation).parameters.values()
    first = first.replace(name=name, default=first.empty if default is None else default)
    public.__signature__ = inspect.Signature([world, first, *rest])  # type: ignore[attr-defined]
    public.__module__ = implementation.__module__
    return public


_plain("exponential", "_npi_exponential", {"scale": 1.0}, "Exponentially distributed numbers.")
_plain("rayleigh", "_npi_rayleigh", {"scale": 1.0}, "Rayleigh distributed numbers.")
_plain("pareto", "_npi_pareto", {"a": None}, "Pareto (Lomax) distributed numbers.")
_plain("weibull", "_npi_weibull", {"a": None}, "Weibull distributed numbers.")
_plain("gumbel", "_npi_gumbel", {"loc": 0.0, "scale": 1.0}, "Gumbel distributed numbers.")
_plain("logistic", "_npi_logistic", {"loc": 0.0, "scale": 1.0}, "Logistically distributed numbers.")


@function
def uniform(
    F: World,
    low: Any = 0.0,
    high: Any = 1.0,
    size: Any = None,
    dtype: Any = None,
    ctx: Any = None,
    out: Any = None,
) -> Array:
    """Draw from the uniform distribution over ``[low, high)``."""
    given = {"low": low, "high": high}
    return drawn(
        F, "_npi_uniform", given, size, ctx=context_text(ctx), dtype=dtype_of_draws(dtype), out=out
    )


@function
def normal(
    F: World,
    loc: Any = 0.0,
    scale: Any = 1.0,
    size: Any = None,
    dtype: Any = None,
    ctx: Any = None,
    out: Any = None,
) -> Array:
    """Draw from the normal distribution."""
    given = {"loc": loc, "scale": scale}
    return drawn(
        F, "_npi_normal", given, size, ctx=context_text(ctx), dtype=dtype_of_draws(dtype), out=out
    )


@function
def lognormal(
    F: World,
    mean: Any = 0.0,
    sigma: Any = 1.0,
    size: Any = None,
    dtype: Any = None,
    ctx: Any = None,
    out: Any = None,
) -> Array:
    """Draw from the log-normal distribution."""
    return F._npi_exp(normal(F, mean, sigma, size, dtype, ctx), out=out)


@function
def gamma(
    F: World,
    shape: Any,
    scale: Any = 1.0,
    size: Any = None,
    dtype: Any = None,
    ctx: Any = None,
    out: Any = None,
) -> Array:
    """Draw from the gamma distribution."""
    given = {"shape": shape, "scale": scale}
    return drawn(
        F, "_npi_gamma", given, size, ctx=context_text(ctx), dtype=dtype_of_draws(dtype), out=out
    )


@function
def beta(F: World, a: Any, b: Any, size: Any = None, dtype: Any = None, ctx: Any = None) -> Array:
    """Draw from the beta distribution."""
    first = gamma(F, a, 1.0, size, dtype, ctx)
    return first / (first + gamma(F, b, 1.0, size, dtype, ctx))


@function
def chisquare(F: World, df: Any, size: Any = None, dtype: Any = None, ctx: Any = None) -> Array:
    """Draw from the chi-square distribution."""
    return gamma(F, df / 2, 2.0, size, dtype, ctx)


@function
def power(F: World, a: Any, size: Any = None) -> Array:
    """Draw from the power distribution over [0, 1] with density ``a * x**(a - 1)``."""
    return drawn(F, "_npi_powerd", {"a": a}, size)


@function
def randint(
    F: World,
    low: int,
    high: int | None = None,
    size: Any = None,
    dtype: Any = None,
    ctx: Any = None,
    out: Any = None,
) -> Array:
    """Draw uniform integers from ``[low, high)``; a single bound is the upper one."""
    low, high = (0, low) if high is None else (low, high)
    shape = 1 if size is None and out is not None else () if size is None else size
    return F._npi_random_randint(
        low, high, shape=shape, dtype=dtype_text(dtype or "int64"), ctx=context_text(ctx), out=out
    )


@function
def rand(F: World, *size: int, **kwargs: Any) -> Array:
    """Draw from the uniform distribution over [0, 1), in the shape `size`."""
    return uniform(F, 0, 1, size=size, **kwargs)


@function
def randn(F: World, *size: int, **kwargs: Any) -> Array:
    """Draw from the standard normal distribution, in the shape `size`."""
    return normal(F, 0, 1, size=size, **kwargs)


@function
def choice(
    F: World,
    a: Any,
    size: Any = None,
    replace: bool = True,
    p: Any = None,
    ctx: Any = None,
    out: Any = None,
) -> Array:
    """Sample entries of an array, or integers below `a`, with weights `p`."""
    weights = [] if p is None else [p]
    attrs = {
        "size": _sizes(size),
        "replace": replace,
        "ctx": context_text(ctx),
        "weighted": bool(weights),
    }
    if isinstance(a, (int, np.integer)) or _is_number(a):
        return F._npi_choice(*weights, a=int(a), **attrs, out=out)
    at = F._npi_choice(a, *weights, a=None, **attrs)
    return F._npi_take(a, at, axis=0, mode="clip", out=out)


@function
def multinomial(F: World, n: int, pvals: Any, size: Any = None, **kwargs: Any) -> Array:
    """Return how often each outcome occurred in `n` draws with probabilities `pvals`."""
    if isinstance(pvals, F.array):
        return F._npi_multinomial(pvals, n=n, pvals=None, size=_sizes(size))
    if isinstance(pvals, np.ndarray):
        raise ValueError("multinomial: pvals: a numpy.ndarray: must be a list or an array of ours")
    return F._npi_multinomial(n=n, pvals=tuple(pvals), size=_sizes(size))


@function
def multivariate_normal(
    F: World, mean: Any, cov: Any, size: Any = None, check_valid: Any = None, tol: Any = None
) -> Array:
    """Draw vectors from the multivariate normal distribution with `mean` and covariance `cov`."""
    if check_valid is not None or tol is not None:
        raise NotImplementedError("multivariate_normal: check_valid and tol are not supported")
    if F.is_symbolic:
        return F.Custom(mean, cov, op_type="mvn_fallback", size=str(size))
    if cov.dtype == np.float16:  # which there is no factorization of
        cov = cov.astype("float32")
    factor = F._npi_cholesky(cov)
    batch = (size,) if isinstance(size, int) else tuple(size or ())
    common = np.broadcast_shapes(tuple(mean.shape[:-1]), tuple(cov.shape[:-2]))
    noise = normal(F, 0, 1, (*batch, *common, mean.shape[-1]), cov.dtype)
    turned = F._npi_matmul(factor, F._npi_expand_dims(noise, axis=-1))
    return (mean + F._np_squeeze(turned, axis=-1)).astype(mean.dtype)


@function
def shuffle(F: World, x: Any) -> None:
    """Shuffle the array along its first axis, in place."""
    F._npi_shuffle(x, out=x)
