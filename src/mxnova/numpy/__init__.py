# SPDX-License-Identifier: Apache-2.0
"""NumPy's functions on arrays that live on CPUs and GPUs and have gradients: ``mx.np``."""

import numpy as _numpy

from ..core.base.doors import facade
from ..core.nd.numpy_array import ndarray
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
from .multiarray import array
from .utils import *  # noqa: F403

globals().update(multiarray._FUNCTIONS)
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
    "multiarray",
    "ndarray",
    "random",
    "set_printoptions",
    "stride_tricks",
    "utils",
    *multiarray.FUNCTIONS,
    *fallback.__all__,
    *utils.__all__,
]


facade(__name__)
