# SPDX-License-Identifier: Apache-2.0
"""Linear algebra by NumPy's names, on symbols."""

from ...core.graph.numpy_symbol import SYMBOLS
from ...core.numpy.methods import functions

_FUNCTIONS = functions(SYMBOLS, "linalg")
globals().update(_FUNCTIONS)

__all__ = [*_FUNCTIONS]
