# SPDX-License-Identifier: Apache-2.0
"""Random numbers of MXNet's own with NumPy's semantics, on arrays."""

from ...core.nd.numpy_array import ARRAYS
from ...core.numpy.methods import functions

_FUNCTIONS = functions(ARRAYS, "extension random")
globals().update(_FUNCTIONS)

__all__ = [*_FUNCTIONS]
