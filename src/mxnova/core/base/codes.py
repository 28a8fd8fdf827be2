# SPDX-License-Identifier: Apache-2.0
"""The numbers by which MXNet's C interface calls element types, storage types and requests."""

from __future__ import annotations

from typing import Any

from .dtypes import DTYPES

__all__ = [
    "_DTYPE_MX_TO_NP",
    "_DTYPE_NP_TO_MX",
    "_GRAD_REQ_MAP",
    "_STORAGE_TYPE_CSR",
    "_STORAGE_TYPE_DEFAULT",
    "_STORAGE_TYPE_ID_TO_STR",
    "_STORAGE_TYPE_ROW_SPARSE",
    "_STORAGE_TYPE_STR_TO_ID",
    "_STORAGE_TYPE_UNDEFINED",
]

_DTYPE_MX_TO_NP: dict[int, Any] = {-1: None} | {d.flag: d.array_dtype for d in DTYPES}
_DTYPE_NP_TO_MX = {dtype: flag for flag, dtype in _DTYPE_MX_TO_NP.items()}

_GRAD_REQ_MAP = {"null": 0, "write": 1, "add": 3}

_STORAGE_TYPE_UNDEFINED = -1
_STORAGE_TYPE_DEFAULT = 0
_STORAGE_TYPE_ROW_SPARSE = 1
_STORAGE_TYPE_CSR = 2
_STORAGE_TYPE_STR_TO_ID = {
    "undefined": _STORAGE_TYPE_UNDEFINED,
    "default": _STORAGE_TYPE_DEFAULT,
    "row_sparse": _STORAGE_TYPE_ROW_SPARSE,
    "csr": _STORAGE_TYPE_CSR,
}
_STORAGE_TYPE_ID_TO_STR = {number: name for name, number in _STORAGE_TYPE_STR_TO_ID.items()}
