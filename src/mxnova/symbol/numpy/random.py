# SPDX-License-Identifier: Apache-2.0
"""Random numbers by NumPy's names, on symbols."""

from ...context import current_context
from ...core.graph.numpy_symbol import SYMBOLS
from ...core.numpy.methods import functions

_FUNCTIONS = functions(SYMBOLS, "random")
globals().update(_FUNCTIONS)

__all__ = ["current_context", *_FUNCTIONS]
