# SPDX-License-Identifier: Apache-2.0
"""NumPy's functions on arrays: ``F.np`` of a network's code."""

from ...core.nd.numpy_array import ARRAYS
from ...core.numpy.methods import functions
from . import _internal, linalg, random

_FUNCTIONS = functions(ARRAYS)
globals().update(_FUNCTIONS)

__all__ = ["_internal", "linalg", "random", *_FUNCTIONS]
