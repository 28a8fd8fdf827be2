# SPDX-License-Identifier: Apache-2.0
"""Arrays out of text."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.nd.numpy_array import ndarray
from ..core.runtime.context import current_context
from .multiarray import array

__all__ = ["array", "current_context", "genfromtxt"]


def genfromtxt(*args: Any, **kwargs: Any) -> ndarray:
    """NumPy's `genfromtxt`; ``ctx`` is the context of the array."""
    ctx = kwargs.pop("ctx", None)
    values = np.genfromtxt(*args, **kwargs)
    return array(values, dtype=values.dtype, ctx=ctx)
