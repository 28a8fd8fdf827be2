# SPDX-License-Identifier: Apache-2.0
"""What annotations call the arrays of functions that serve several worlds.

To checkers they are Any; stubs show the class of the world: `NDArray`, `mx.np.ndarray`, `Symbol`.
"""

from __future__ import annotations

from typing import Any

__all__ = ["Array", "ArrayOrNumber"]

Array = Any
ArrayOrNumber = Any  # elementwise functions of numbers return numbers
