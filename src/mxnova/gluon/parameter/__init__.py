# SPDX-License-Identifier: Apache-2.0
"""Arrays that blocks learn: parameters, constants, and dicts of them by name."""

# ruff: noqa: F401 - programs take what it is made of from here, too
from ... import autograd, context, initializer, ndarray, symbol
from ...context import Context, cpu
from ...core.base.doors import facade
from ...core.base.errors import MXNetError
from ...core.graph.symbol import Symbol
from ...core.nd.array import NDArray
from .arrays import DeferredInitializationError
from .constant import Constant
from .parameter import Parameter
from .parameter_dict import ParameterDict
from .shapes import shape_is_known

__all__ = [
    "Constant",
    "DeferredInitializationError",
    "Parameter",
    "ParameterDict",
    "shape_is_known",
    "tensor_types",
]

tensor_types = (Symbol, NDArray)


facade(__name__)
