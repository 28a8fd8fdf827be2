# SPDX-License-Identifier: Apache-2.0
"""Random numbers of MXNet's own with NumPy's semantics."""

from ..ndarray.numpy_extension import random as _functions
from ..ndarray.numpy_extension.random import *  # noqa: F403
from ..random import seed

__all__ = ["seed", *_functions.__all__]
