# SPDX-License-Identifier: Apache-2.0
"""Random numbers of MXNet's own with NumPy's semantics, on symbols."""

from ...core.graph.numpy_symbol import SYMBOLS
from ...core.numpy.methods import functions

_FUNCTIONS = functions(SYMBOLS, "extension random")
globals().update(_FUNCTIONS)

__all__ = [*_FUNCTIONS]
