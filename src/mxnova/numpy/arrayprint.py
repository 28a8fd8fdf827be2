# SPDX-License-Identifier: Apache-2.0
"""How arrays are printed."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["set_printoptions"]


def set_printoptions(precision: Any = None, threshold: Any = None, **kwarg: Any) -> None:
    """NumPy's `set_printoptions`, which holds for its arrays too."""
    np.set_printoptions(precision=precision, threshold=threshold, **kwarg)
