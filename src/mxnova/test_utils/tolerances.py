# SPDX-License-Identifier: Apache-2.0
"""How exact numbers of an element type are expected to be."""

from __future__ import annotations

import numbers
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from ..core.base.dtypes import BFLOAT16
from ..core.nd.array import NDArray
from ..core.runtime.torch_cudnn import convolves_in_tf32, multiplies_in_tf32

__all__ = [
    "default_atols",
    "default_numeric_eps",
    "default_rtols",
    "effective_dtype",
    "get_atol",
    "get_etol",
    "get_rtol",
    "get_tolerance",
    "get_tols",
]

Tolerances = Mapping[Any, float]

_FLOAT16, _FLOAT32, _FLOAT64 = map(np.dtype, (np.float16, np.float32, np.float64))
_EXACT = ("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
_RTOLS: Tolerances = {BFLOAT16: 1e-1, _FLOAT16: 1e-2, _FLOAT32: 1e-4, _FLOAT64: 1e-5}
_ATOLS: Tolerances = {BFLOAT16: 1e-1, _FLOAT16: 1e-1, _FLOAT32: 1e-3, _FLOAT64: 1e-20}
_STEPS: Tolerances = {_FLOAT16: 2.0**-6, _FLOAT32: 2.0**-9, _FLOAT64: 2.0**-14}
_ZEROS: Tolerances = {np.dtype(name): 0 for name in _EXACT}


def default_rtols() -> dict[np.dtype[Any], float]:
    """The relative tolerance for each element type; integers must be equal."""
    return {**_RTOLS, **_ZEROS}


def default_atols() -> dict[np.dtype[Any], float]:
    """The absolute tolerance for each element type; integers must be equal."""
    return {**_ATOLS, **_ZEROS}


def default_numeric_eps() -> dict[np.dtype[Any], float]:
    """The step of difference quotients for each element type."""
    return dict(_STEPS)


def effective_dtype(dat: Any) -> np.dtype[Any]:
    """The element type whose precision the results of `dat` have.

    It is that of `dat`, but for float32 on GPUs that multiply in TF32, which has float16's digits.
    """
    dtype = np.dtype(dat.dtype)
    return _FLOAT16 if dtype == _FLOAT32 and _is_multiplied_in_tf32(dat) else dtype


def _is_multiplied_in_tf32(dat: Any) -> bool:
    if not isinstance(dat, NDArray) or dat.context.device_type != "gpu":
        return False
    allowed = convolves_in_tf32() or multiplies_in_tf32()
    return allowed and torch.cuda.get_device_capability(dat.context.device) >= (8, 0)


def get_tolerance(dat: Any, tol: float | Tolerances | None, default_tol: Tolerances) -> float:
    """The tolerance for `dat`.

    Args:
        dat: an array.
        tol: a number, which holds for every type; or tolerances by element type; or None.
        default_tol: tolerances by element type, for types that `tol` has none for.
    """
    if isinstance(tol, numbers.Number):
        return tol
    dtype = effective_dtype(dat)
    given = {np.dtype(k): v for k, v in tol.items()} if tol else {}  # type: ignore[union-attr]
    return given[dtype] if dtype in given else default_tol[dtype]


def get_tols(
    x: Any, y: Any, rtol: float | Tolerances | None, atol: float | Tolerances | None
) -> tuple[float, float]:
    """(relative, absolute) tolerance for comparing `x` and `y`: of the less exact of the two.

    Python numbers are as exact as what they are compared with.
    """
    pair = [_with_dtype(x, y), _with_dtype(y, x)]
    return (
        max(get_tolerance(v, rtol, default_rtols()) for v in pair),
        max(get_tolerance(v, atol, default_atols()) for v in pair),
    )


def _with_dtype(value: Any, other: Any) -> Any:
    if isinstance(value, numbers.Number) and not isinstance(value, np.generic):
        return np.asarray(value, getattr(other, "dtype", np.float64))
    return value if hasattr(value, "dtype") else np.asarray(value)


def get_rtol(rtol: float | None = None, dtype: Any = _FLOAT64) -> float:
    """`rtol`, or the relative tolerance of `dtype`."""
    return default_rtols()[np.dtype(dtype)] if rtol is None else rtol


def get_atol(atol: float | None = None, dtype: Any = _FLOAT64) -> float:
    """`atol`, or the absolute tolerance of `dtype`."""
    return default_atols()[np.dtype(dtype)] if atol is None else atol


def get_etol(etol: float | None = None) -> float:
    """`etol`, the share of elements that may be wrong, or 0."""
    return 0 if etol is None else etol
