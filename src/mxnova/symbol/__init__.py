# SPDX-License-Identifier: Apache-2.0
"""Symbols and operators on them: every operator is a function here."""

from ..core.exec.bind import symbol_methods  # noqa: F401 - Symbol.bind
from ..core.exec.calls import control_flow, custom  # noqa: F401 - registers operators
from ..core.exec.fused import mkldnn_layers  # noqa: F401 - registers operators
from ..core.facade import operator_names, operators
from ..core.graph.functions import function_of
from ..core.graph.functions import invoke_by_name as invoke
from ..core.graph.symbol import Group, Symbol, Variable, var
from . import _internal, contrib, image, linalg, op, random, register, sparse, symbol
from . import numpy as np
from . import numpy_extension as npx
from .creation import (
    arange,
    eye,
    full,
    histogram,
    hypot,
    linspace,
    maximum,
    minimum,
    ones,
    pow,
    power,
    split_v2,
    zeros,
)
from .files import fromjson, load, load_json

__all__ = [
    "Group",
    "Symbol",
    "Variable",
    "_internal",
    "arange",
    "contrib",
    "eye",
    "fromjson",
    "full",
    "histogram",
    "hypot",
    "image",
    "invoke",
    "linalg",
    "linspace",
    "load",
    "load_json",
    "maximum",
    "minimum",
    "np",
    "npx",
    "ones",
    "op",
    "pow",
    "power",
    "random",
    "register",
    "sparse",
    "split_v2",
    "symbol",
    "var",
    "zeros",
]
__all__ += [n for n in operator_names() if n not in __all__]

__getattr__ = operators(__name__, function_of)


def __dir__() -> list[str]:
    return sorted({*__all__, *operator_names()})  # some may be registered since
