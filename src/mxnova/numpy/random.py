# SPDX-License-Identifier: Apache-2.0
"""Random numbers."""

from ..ndarray.numpy import random as _functions
from ..ndarray.numpy.random import *  # noqa: F403

__all__ = [*_functions.__all__]
