# SPDX-License-Identifier: Apache-2.0
"""NumPy's functions on arrays that live on CPUs and GPUs and have gradients: ``mx.np``."""

import numpy as _numpy

from ..core.nd.numpy_array import ndarray
from ..ndarray.numpy import *  # noqa: F403
from . import (
    arrayprint,
    fallback,
    fallback_linalg,
    function_base,
    io,
    linalg,
    multiarray,
    random,
    stride_tricks,
    utils,
)
from .arrayprint import set_printoptions
from .fallback import *  # noqa: F403
from .io import genfromtxt
from .multiarray import array, may_share_memory, shares_memory
from .utils import *  # noqa: F403

finfo = _numpy.finfo
__all__ = [
    "array",
    "arrayprint",
    "fallback",
    "fallback_linalg",
    "finfo",
    "function_base",
    "genfromtxt",
    "io",
    "linalg",
    "may_share_memory",
    "multiarray",
    "ndarray",
    "random",
    "set_printoptions",
    "shares_memory",
    "stride_tricks",
    "utils",
    *multiarray.FUNCTIONS,
    *fallback.__all__,
    *utils.__all__,
]
