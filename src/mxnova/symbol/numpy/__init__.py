# SPDX-License-Identifier: Apache-2.0
"""NumPy's functions on symbols: ``F.np`` of a network's code."""

from ...core.graph.numpy_symbol import SYMBOLS, _Symbol
from ...core.numpy.methods import functions
from . import _internal, linalg, random

_FUNCTIONS = functions(SYMBOLS)
globals().update(_FUNCTIONS)

__all__ = ["_Symbol", "_internal", "linalg", "random", *_FUNCTIONS]
