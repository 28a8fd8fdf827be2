# SPDX-License-Identifier: Apache-2.0
"""What files of arrays consist of: see the package's docstring."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy.typing as npt

from mxnova.core.base.dtypes import DType, dtype_of

__all__ = [
    "I32",
    "INDEX_DTYPE",
    "LIST_HEADER",
    "LIST_MAGIC",
    "N_AUX",
    "PLACEMENT",
    "STORAGE_TYPES",
    "U64",
    "V1",
    "V2",
    "V3",
    "Array",
    "ArrayRecord",
    "ParamsFile",
]

Array: TypeAlias = npt.NDArray[Any]

LIST_MAGIC = 0x112
V1, V2, V3 = 0xF993FAC8, 0xF993FAC9, 0xF993FACA
STORAGE_TYPES = ("default", "row_sparse", "csr")
N_AUX = {"default": 0, "row_sparse": 1, "csr": 2}
INDEX_DTYPE = dtype_of("int64")  # the only one that MXNet's sparse kernels take

I32, U64 = struct.Struct("<i"), struct.Struct("<Q")
LIST_HEADER = struct.Struct("<QQQ")
PLACEMENT = struct.Struct("<iii")  # device type, device id, dtype flag


@dataclass(frozen=True, slots=True, eq=False)
class ArrayRecord:
    """One stored array.

    Attributes:
        stype: "default", "row_sparse" or "csr".
        shape: The shape of the array.
        dtype: Its element type; `data.dtype` is `dtype.numpy`, so bfloat16 data has the one-field
            dtype `dtypes.BFLOAT16`, and `data.view(np.uint16)` gives its bits.
        data: The whole array in `shape`, or the stored values: `(n,)` of csr, `(n, *shape[1:])`
            of row_sparse.
        aux: int64 index arrays: `(indptr, indices)` of csr, `(indices,)` of row_sparse.
        context: Device type and id that the array was saved from.
    """

    stype: str
    shape: tuple[int, ...]
    dtype: DType
    data: Array
    aux: tuple[Array, ...] = ()
    context: tuple[int, int] = (1, 0)


@dataclass(frozen=True, slots=True, eq=False)
class ParamsFile:
    """The arrays of a file in order (None: an empty handle) and their names (empty: a list)."""

    records: list[ArrayRecord | None]
    names: list[str]
