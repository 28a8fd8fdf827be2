# SPDX-License-Identifier: Apache-2.0
"""Random numbers."""

from ..core.base.doors import facade
from ..ndarray.numpy import random as _functions
from ..ndarray.numpy.random import *  # noqa: F403

__all__ = [*_functions.__all__]


facade(__name__)
