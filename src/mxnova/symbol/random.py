# SPDX-License-Identifier: Apache-2.0
"""Random numbers, as symbols."""

from __future__ import annotations

from typing import Any

from ..core.base.doors import door
from ..core.base.parameter_types import NOT_GIVEN
from ..core.distributions import sampler
from ..core.facade import operator_names, operators
from ..core.graph.functions import function_of
from ..core.graph.symbol import Symbol

__all__ = [
    "exponential",
    "gamma",
    "generalized_negative_binomial",
    "multinomial",
    "negative_binomial",
    "normal",
    "poisson",
    "randint",
    "randn",
    "shuffle",
    "uniform",
]


def _sampler(name: str) -> Any:
    return sampler(name, function_of, Symbol)


exponential = _sampler("exponential")
gamma = _sampler("gamma")
generalized_negative_binomial = _sampler("generalized_negative_binomial")
negative_binomial = _sampler("negative_binomial")
normal = _sampler("normal")
poisson = _sampler("poisson")
randint = _sampler("randint")
uniform = _sampler("uniform")


@door
def randn(*shape: int, loc: Any = 0, scale: Any = 1, **kwargs: Any) -> Symbol:
    """Normally distributed numbers, `shape` given as separate sizes.

    Args:
        shape: sizes of the result.
        loc: their mean.
        scale: their standard deviation.
        kwargs: dtype= as `normal` has it, name= of the node.
    """
    result: Symbol = normal(loc, scale, shape, **kwargs)
    return result


@door
def multinomial(
    data: Symbol,
    shape: Any = NOT_GIVEN,
    get_prob: bool = True,
    dtype: Any = "int32",
    **kwargs: Any,
) -> Symbol:
    """Draws from each row of probabilities in `data`.

    Args:
        data: probabilities, along the last axis.
        shape: size or sizes of what each row draws.
        get_prob: give the log-likelihoods of the draws too.
        dtype: element type of the draws.
        kwargs: name= of the node.
    """
    draw = function_of("_sample_multinomial")
    result: Symbol = draw(data, shape, get_prob, dtype=dtype, **kwargs)
    return result


@door
def shuffle(data: Symbol, **kwargs: Any) -> Symbol:
    """`data` with its first axis in random order.

    Args:
        data: the symbol.
        kwargs: name= of the node.
    """
    result: Symbol = function_of("_shuffle")(data, **kwargs)
    return result


__getattr__ = operators(__name__, function_of, "_random_")


def __dir__() -> list[str]:
    return sorted({*__all__, *(n for n in operator_names("_random_") if n.endswith("_like"))})
