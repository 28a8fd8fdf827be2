# SPDX-License-Identifier: Apache-2.0
"""NumPy's functions on arrays: ``F.np`` of a network's code."""

from ...core.nd.functions import function_of
from ...core.nd.numpy_array import ARRAYS
from ...core.numpy.methods import functions, operator_functions
from . import _internal, linalg, random

_FUNCTIONS = {**functions(ARRAYS), **operator_functions(function_of)}
globals().update(_FUNCTIONS)

__all__ = ["_internal", "linalg", "random", *_FUNCTIONS]
