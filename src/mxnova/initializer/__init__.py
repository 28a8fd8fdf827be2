# SPDX-License-Identifier: Apache-2.0
"""First values of parameters.

An initializer is called with the name of a parameter (`InitDesc`) and the array to fill. The name's
ending says what the parameter is: weights are what initializers differ in; biases and the like have
values of their own. A parameter with an initializer among its attributes is filled by that one.
"""

# ruff: noqa: F401 - programs take modules from here, too
from .. import ndarray, random, registry
from ..core.base.doors import facade
from ..ndarray import NDArray
from .base import InitDesc, Initializer, alias, create, register
from .by_name import Load, Mixed
from .constant import Constant, One, Zero
from .drawn import MSRAPrelu, Normal, Orthogonal, Uniform, Xavier
from .layers import Bilinear, FusedRNN, LSTMBias

__all__ = [
    "Bilinear",
    "Constant",
    "FusedRNN",
    "InitDesc",
    "Initializer",
    "LSTMBias",
    "Load",
    "MSRAPrelu",
    "Mixed",
    "Normal",
    "One",
    "Orthogonal",
    "Uniform",
    "Xavier",
    "Zero",
    "alias",
    "create",
    "register",
]


facade(__name__)
