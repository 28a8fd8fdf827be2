# SPDX-License-Identifier: Apache-2.0
"""Random numbers of MXNet's own with NumPy's semantics."""

from typing import Any

from ..ndarray.numpy_extension import random as _functions
from ..ndarray.numpy_extension.random import *  # noqa: F403
from ..random import seed as _seed

__all__ = ["seed", *_functions.__all__]


def seed(seed: int, ctx: Any = "all") -> None:
    """Seeds the random numbers of a context, or of all; see `mx.random.seed`.

    Args:
        seed: the number to start from.
        ctx: a context, or ``"all"``.

    Example:
        >>> mx.npx.seed(1)
    """
    _seed(seed, ctx)
