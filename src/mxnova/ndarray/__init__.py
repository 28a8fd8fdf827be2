# SPDX-License-Identifier: Apache-2.0
"""Arrays and operators on them: every operator is a function here."""

from ..core.facade import operator_names, operators
from ..core.nd.array import NDArray
from ..core.nd.creation import arange, array, empty, eye, from_numpy, full, linspace, ones, zeros
from ..core.nd.files import load, load_frombuffer, save
from ..core.nd.functions import function_of
from ..core.nd.functions import invoke_by_name as invoke
from ..core.nd.sparse import BaseSparseNDArray, CSRNDArray, RowSparseNDArray
from ..core.runtime.context import waitall
from . import _internal, contrib, image, linalg, op, sparse
from .arithmetic import (
    add,
    divide,
    equal,
    greater,
    greater_equal,
    lesser,
    lesser_equal,
    maximum,
    minimum,
    modulo,
    multiply,
    not_equal,
    power,
    split_v2,
    subtract,
    true_divide,
)

__all__ = [
    "BaseSparseNDArray",
    "CSRNDArray",
    "NDArray",
    "RowSparseNDArray",
    "_internal",
    "add",
    "arange",
    "array",
    "contrib",
    "divide",
    "empty",
    "equal",
    "eye",
    "from_numpy",
    "full",
    "greater",
    "greater_equal",
    "image",
    "invoke",
    "lesser",
    "lesser_equal",
    "linalg",
    "linspace",
    "load",
    "load_frombuffer",
    "maximum",
    "minimum",
    "modulo",
    "multiply",
    "not_equal",
    "ones",
    "op",
    "power",
    "save",
    "sparse",
    "split_v2",
    "subtract",
    "true_divide",
    "waitall",
    "zeros",
]

__getattr__ = operators(__name__, function_of)


def __dir__() -> list[str]:
    return sorted({*__all__, *operator_names()})
