# SPDX-License-Identifier: Apache-2.0
"""Random numbers by NumPy's names, on arrays."""

from ...context import current_context
from ...core.nd.numpy_array import ARRAYS
from ...core.numpy.methods import functions

_FUNCTIONS = functions(ARRAYS, "random")
globals().update(_FUNCTIONS)

__all__ = ["current_context", *_FUNCTIONS]
