# SPDX-License-Identifier: Apache-2.0
"""Linear algebra."""

from ..core.base.doors import facade
from ..ndarray.numpy import linalg as _functions
from ..ndarray.numpy.linalg import *  # noqa: F403
from . import fallback_linalg
from .fallback_linalg import *  # noqa: F403

__all__ = [*_functions.__all__, *fallback_linalg.__all__]


facade(__name__)
