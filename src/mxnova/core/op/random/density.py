# SPDX-License-Identifier: Apache-2.0
"""Probabilities of samples, or their logarithms, with gradients.

Parameters are one for each row of samples: their axes are the first of the sample's. Whether a
sample can occur at all is not looked at; counts have no gradient.
"""

from __future__ import annotations

from collections.abc import Callable

from torch import Tensor

from ...base.shapes import shape_text
from ..declaration import function_operator
from ..infer import Shapes
from ..schema import Op

_Density = Callable[..., Tensor]


def _shape(op: Op, s: Shapes) -> None:
    sample, *parameters = s.inputs
    axes = s[sample]
    for name in parameters:
        if len(s[name]) > len(axes):
            raise s.fail(f"{name} {shape_text(s[name])} has more axes than {shape_text(axes)}")
        s[name] = axes[: len(s[name])]
    s.output = axes


def _dirichlet_shape(op: Op, s: Shapes) -> None:
    *axes, classes = s.sample
    s.alpha = (*axes[: len(s.alpha) - 1], classes)
    s.output = tuple(axes) or (1,)


def _density(name: str) -> Callable[[_Density], _Density]:
    return function_operator(f"_random_pdf_{name}", f"random_pdf_{name}", shape=_shape)


def _per_sample(sample: Tensor, *parameters: Tensor) -> list[Tensor]:
    """`parameters` with as many axes as `sample`."""
    return [p.reshape((*p.shape, *(1,) * (sample.ndim - p.ndim))) for p in parameters]


def _result(logarithm: Tensor, is_log: bool) -> Tensor:
    return logarithm if is_log else logarithm.exp()


@_density("uniform")
def uniform(sample: Tensor, low: Tensor, high: Tensor, *, is_log: bool = False) -> Tensor:
    """Density of the uniform distribution: ``1 / (high - low)``.

    Args:
        sample: floats.
        low: lower bounds.
        high: upper bounds.
        is_log: give the logarithm.
    """
    low, high = _per_sample(sample, low, high)
    return _result(-(high - low).log(), is_log).expand_as(sample)


@_density("normal")
def normal(sample: Tensor, mu: Tensor, sigma: Tensor, *, is_log: bool = False) -> Tensor:
    """Density of the normal distribution.

    Args:
        sample: floats.
        mu: means.
        sigma: standard deviations.
        is_log: give the logarithm.
    """
    mu, sigma = _per_sample(sample, mu, sigma)
    z = (sample - mu) / sigma
    return _result(-0.5 * z * z - sigma.log() - _HALF_LOG_2PI, is_log)


@_density("gamma")
def gamma(sample: Tensor, alpha: Tensor, beta: Tensor, *, is_log: bool = False) -> Tensor:
    """Density of the gamma distribution.

    Args:
        sample: floats.
        alpha: shapes of the distributions.
        beta: their rates (the sampling operators take scales, 1 over these).
        is_log: give the logarithm.
    """
    alpha, beta = _per_sample(sample, alpha, beta)
    logarithm = alpha * beta.log() + (alpha - 1) * sample.log() - beta * sample - alpha.lgamma()
    return _result(logarithm, is_log)


@_density("exponential")
def exponential(sample: Tensor, lam: Tensor, *, is_log: bool = False) -> Tensor:
    """Density of the exponential distribution.

    Args:
        sample: floats.
        lam: rates.
        is_log: give the logarithm.
    """
    (lam,) = _per_sample(sample, lam)
    return _result(lam.log() - lam * sample, is_log)


@_density("poisson")
def poisson(sample: Tensor, lam: Tensor, *, is_log: bool = False) -> Tensor:
    """Probability of counts under the Poisson distribution.

    Args:
        sample: counts, as floats.
        lam: means.
        is_log: give the logarithm.
    """
    count = sample.detach()
    (lam,) = _per_sample(count, lam)
    return _result(count * lam.log() - lam - (count + 1).lgamma(), is_log)


@_density("negative_binomial")
def negative_binomial(sample: Tensor, k: Tensor, p: Tensor, *, is_log: bool = False) -> Tensor:
    """Probability of that many failures before the k-th success.

    Args:
        sample: counts, as floats.
        k: successes.
        p: probabilities of a success.
        is_log: give the logarithm.
    """
    count = sample.detach()
    return _result(_log_failures(count, *_per_sample(count, k, p)), is_log)


@_density("generalized_negative_binomial")
def generalized_negative_binomial(
    sample: Tensor, mu: Tensor, alpha: Tensor, *, is_log: bool = False
) -> Tensor:
    """Probability of counts under the negative binomial distribution of given mean.

    Args:
        sample: counts, as floats.
        mu: means.
        alpha: dispersions: the variance is ``mu + alpha * mu**2``.
        is_log: give the logarithm.
    """
    count = sample.detach()
    mu, alpha = _per_sample(count, mu, alpha)
    return _result(_log_failures(count, 1 / alpha, 1 / (mu * alpha + 1)), is_log)


def _log_failures(count: Tensor, k: Tensor, p: Tensor) -> Tensor:
    ways = (count + k).lgamma() - (count + 1).lgamma() - k.lgamma()
    return ways + k * p.log() + count * (1 - p).log()


@function_operator("_random_pdf_dirichlet", "random_pdf_dirichlet", shape=_dirichlet_shape)
def dirichlet(sample: Tensor, alpha: Tensor, *, is_log: bool = False) -> Tensor:
    """Density of the Dirichlet distribution.

    Args:
        sample: shares that sum to 1, (…, classes).
        alpha: concentrations, one for each class; its other axes are the first of the sample's.
        is_log: give the logarithm.
    """
    *rows, classes = alpha.shape
    alpha = alpha.reshape(*rows, *(1,) * (sample.ndim - alpha.ndim), classes)
    logarithm = ((alpha - 1) * sample.log()).sum(-1) + alpha.sum(-1).lgamma()
    logarithm = logarithm - alpha.lgamma().sum(-1)
    return _result(logarithm.view(sample.shape[:-1] or (1,)), is_log)


_HALF_LOG_2PI = 0.9189385332046727
