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
    r"""An array of the numbers in a text, as NumPy's `genfromtxt` reads them.

    Args:
        *args: of NumPy's function: a path or an open file, and how it is read.
        **kwargs: of NumPy's function; ``ctx`` is the context of the array.

    Example:
        >>> import io
        >>> np.genfromtxt(io.StringIO("1 2\n3 4"))
        array([[1., 2.],
               [3., 4.]], dtype=float64)
    """
    ctx = kwargs.pop("ctx", None)
    values = np.genfromtxt(*args, **kwargs)
    return array(values, dtype=values.dtype, ctx=ctx)
