# SPDX-License-Identifier: Apache-2.0
"""How arrays are printed."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["set_printoptions"]


def set_printoptions(precision: Any = None, threshold: Any = None, **kwarg: Any) -> None:
    """Sets how arrays are printed, those of NumPy, too.

    Args:
        precision: digits after the decimal point.
        threshold: elements above which the middle of an array is left out.
        **kwarg: of NumPy's `set_printoptions`.

    Example:
        >>> np.set_printoptions(precision=2)
        >>> np.array([1 / 3])
        array([0.33])
        >>> np.set_printoptions(precision=8)
    """
    np.set_printoptions(precision=precision, threshold=threshold, **kwarg)
