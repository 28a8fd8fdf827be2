# SPDX-License-Identifier: Apache-2.0
"""Names that NumPy dropped since MXNet's time (1.16 to 1.23), and what to write today."""

from __future__ import annotations

__all__ = ["BUILTINS", "EXCEPTIONS", "NUMBERS", "RENAMED", "REPLACEMENTS"]

BUILTINS = {  # name -> what it was another name of
    "bool": "bool",
    "complex": "complex",
    "float": "float",
    "int": "int",
    "long": "int",
    "object": "object",
    "str": "str",
    "unicode": "str",
}
RENAMED = {  # name -> NumPy's name today
    "alltrue": "all",
    "bool8": "bool_",
    "bytes0": "bytes_",
    "cfloat": "complex128",
    "clongfloat": "clongdouble",
    "complex_": "complex128",
    "cumproduct": "cumprod",
    "float_": "float64",
    "Inf": "inf",
    "Infinity": "inf",
    "infty": "inf",
    "int0": "intp",
    "longcomplex": "clongdouble",
    "longfloat": "longdouble",
    "mat": "asmatrix",
    "NAN": "nan",
    "NaN": "nan",
    "object0": "object_",
    "product": "prod",
    "rank": "ndim",
    "round_": "round",
    "row_stack": "vstack",
    "singlecomplex": "complex64",
    "sometrue": "any",
    "str0": "str_",
    "string_": "bytes_",
    "trapz": "trapezoid",
    "typeDict": "sctypeDict",
    "uint0": "uintp",
    "unicode_": "str_",
    "void0": "void",
}
EXCEPTIONS = (
    "AxisError",
    "ComplexWarning",
    "RankWarning",
    "TooHardError",
    "ModuleDeprecationWarning",
    "VisibleDeprecationWarning",
)
NUMBERS = {"NINF": float("-inf"), "NZERO": -0.0, "PINF": float("inf"), "PZERO": 0.0}
_WRITTEN = {  # what else is restored -> what is written today
    "alen": "len(a)",
    "asfarray": "np.asarray(a, dtype=float)",
    "asscalar": "a.item()",
    "cast": "np.asarray(x, dtype)",
    "find_common_type": "np.result_type(...)",
    "in1d": "np.isin(a, b)",
    "issubclass_": "issubclass(a, b)",
    "issubsctype": "np.issubdtype(a, b)",
    "math": "import math",
    "msort": "np.sort(a, axis=0)",
    "nbytes": "np.dtype(t).itemsize",
    "obj2sctype": "np.dtype(t).type",
    "sctype2char": "np.dtype(t).char",
    "sctypes": "the types by name",
}
REPLACEMENTS = {
    **{name: now for name, now in BUILTINS.items() if name not in ("bool", "long")},
    **{name: f"np.{now}" for name, now in RENAMED.items()},
    **{name: f"np.exceptions.{name}" for name in EXCEPTIONS},
    **{name: str(value).replace("inf", "np.inf") for name, value in NUMBERS.items()},
    **_WRITTEN,
}
"""What to write today for a name that NumPy 2 lacks."""
