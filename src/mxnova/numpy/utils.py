# SPDX-License-Identifier: Apache-2.0
"""Element types and constants, by NumPy's names."""

import numpy as _np

__all__ = [
    "NAN",
    "NINF",
    "NZERO",
    "PINF",
    "PZERO",
    "NaN",
    "bool",
    "bool_",
    "e",
    "float16",
    "float32",
    "float64",
    "inf",
    "int8",
    "int32",
    "int64",
    "nan",
    "newaxis",
    "pi",
    "uint8",
]

bool = bool
bool_, float16, float32, float64 = _np.bool_, _np.float16, _np.float32, _np.float64
uint8, int8, int32, int64 = _np.uint8, _np.int8, _np.int32, _np.int64

pi, e, inf, nan, newaxis = _np.pi, _np.e, _np.inf, _np.nan, None
PZERO, NZERO, PINF, NINF, NAN, NaN = 0.0, -0.0, inf, -inf, nan, nan
