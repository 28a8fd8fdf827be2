# SPDX-License-Identifier: Apache-2.0
"""Sparse arrays, and operators on them."""

from ..core.facade import operator_names, operators
from ..core.nd.creation import array, empty, zeros
from ..core.nd.functions import function_of
from ..core.nd.sparse import BaseSparseNDArray, CSRNDArray, RowSparseNDArray

__all__ = ["BaseSparseNDArray", "CSRNDArray", "RowSparseNDArray", "array", "empty", "zeros"]

__getattr__ = operators(__name__, function_of)


def __dir__() -> list[str]:
    return sorted({*__all__, *operator_names()})
