# SPDX-License-Identifier: Apache-2.0
"""NumPy's functions on symbols: ``F.np`` of a network's code."""

from ... import numpy_op_fallback  # noqa: F401 - registers operators
from ...core.graph.functions import function_of
from ...core.graph.numpy_symbol import SYMBOLS, _Symbol
from ...core.numpy.methods import functions, operator_functions
from . import _internal, linalg, random

_FUNCTIONS = {**functions(SYMBOLS), **operator_functions(function_of)}
globals().update(_FUNCTIONS)

__all__ = ["_Symbol", "_internal", "linalg", "random", *_FUNCTIONS]
