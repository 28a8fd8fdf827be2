# SPDX-License-Identifier: Apache-2.0
"""Arrays and operators on them: every operator is a function here."""

from ..core.exec.bind.cached_op import CachedOp
from ..core.exec.calls import custom  # noqa: F401 - registers Custom
from ..core.facade import operator_names, operators
from ..core.nd.array import NDArray
from ..core.nd.array_functions import concatenate, histogram, imdecode, moveaxis, onehot_encode
from ..core.nd.creation import (
    arange,
    array,
    empty,
    eye,
    from_dlpack,
    from_numpy,
    from_torch,
    full,
    linspace,
    ones,
    to_dlpack_for_read,
    to_dlpack_for_write,
    zeros,
)
from ..core.nd.files import load, load_frombuffer, save
from ..core.nd.functions import function_of
from ..core.nd.functions import invoke_by_name as invoke
from ..core.nd.sparse import BaseSparseNDArray, CSRNDArray, RowSparseNDArray
from ..core.runtime.context import waitall
from . import _internal, contrib, image, linalg, ndarray, op, random, register, sparse, utils
from . import numpy as np
from . import numpy_extension as npx
from .arithmetic import (
    add,
    divide,
    equal,
    greater,
    greater_equal,
    lesser,
    lesser_equal,
    logical_and,
    logical_or,
    logical_xor,
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
    "CachedOp",
    "NDArray",
    "RowSparseNDArray",
    "_internal",
    "add",
    "arange",
    "array",
    "concatenate",
    "contrib",
    "divide",
    "empty",
    "equal",
    "eye",
    "from_dlpack",
    "from_numpy",
    "from_torch",
    "full",
    "greater",
    "greater_equal",
    "histogram",
    "image",
    "imdecode",
    "invoke",
    "lesser",
    "lesser_equal",
    "linalg",
    "linspace",
    "load",
    "load_frombuffer",
    "logical_and",
    "logical_or",
    "logical_xor",
    "maximum",
    "minimum",
    "modulo",
    "moveaxis",
    "multiply",
    "ndarray",
    "not_equal",
    "np",
    "npx",
    "onehot_encode",
    "ones",
    "op",
    "power",
    "random",
    "register",
    "save",
    "sparse",
    "split_v2",
    "subtract",
    "to_dlpack_for_read",
    "to_dlpack_for_write",
    "true_divide",
    "utils",
    "waitall",
    "zeros",
]
__all__ += [n for n in operator_names() if n not in __all__]

__getattr__ = operators(__name__, function_of)


def __dir__() -> list[str]:
    return sorted({*__all__, *operator_names()})  # some may be registered since
