# SPDX-License-Identifier: Apache-2.0
"""Random numbers: `seed`, and what `mx.nd.random` draws."""

from __future__ import annotations

import numpy as np

from .core.base.doors import door, facade
from .core.base.errors import ArgumentError, shown
from .core.runtime import resource
from .core.runtime.context import Context, context_of
from .ndarray.random import (
    exponential,
    gamma,
    generalized_negative_binomial,
    multinomial,
    negative_binomial,
    normal,
    poisson,
    randint,
    randn,
    shuffle,
    uniform,
)

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
    "seed",
    "shuffle",
    "uniform",
]


@door
def seed(seed_state: int, ctx: Context | str = "all", *, exact: bool | None = None) -> None:
    """Restarts the random stream of a context.

    Args:
        seed_state: where to start; the same number gives the same sequence.
        ctx: the context; ``all``: every one, each with a stream of its own. A GPU that this machine
            does not have is no error, as in MXNet.
        exact: whether CPU contexts draw the numbers that MXNet 1.9.1 draws for this seed; default:
            as before, at first as ``MXNET_RANDOM`` says.

    Raises:
        ArgumentError: `seed_state` is no integer.
    """
    if not isinstance(seed_state, (int, np.integer)):
        raise ArgumentError(f"seed: seed_state={shown(seed_state)}: must be an integer")
    resource.seed(int(seed_state), None if ctx == "all" else context_of(ctx), exact)


facade(__name__)
