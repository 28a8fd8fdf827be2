# SPDX-License-Identifier: Apache-2.0
"""NDArray-list files (`.params`): the list or dictionary of arrays that `mx.nd.save` writes.

One layout, little-endian throughout (`i` int32, `I` uint32, `q` int64, `Q` uint64):

    list    Q magic 0x112, Q reserved, Q count, arrays, Q count of names (0 or as arrays), names
    name    Q length, UTF-8 bytes
    shape   i ndim, ndim × q
    array   V2/V3: I magic, i storage type, [shape of the stored values], shape, context, i dtype
            flag, [i dtype flag, shape] of each index array, stored values, index arrays
            V1: I magic, shape, context, i dtype flag, values
            V0: I ndim, ndim × I, context, i dtype flag, values
    context i device type (1 cpu, 2 gpu, 3 pinned, 5 shared), i device id

The parts in brackets belong to sparse arrays only. An array without dimensions is the empty
handle ("none") and ends after its shape, except in V3, the form of NumPy shape semantics, where
it is a scalar.
"""

from __future__ import annotations

from .layout import ArrayRecord, ParamsFile
from .reading import FACTOR, loads_array, read
from .writing import bytes_of, dumps, dumps_array, write

__all__ = [
    "FACTOR",
    "ArrayRecord",
    "ParamsFile",
    "bytes_of",
    "dumps",
    "dumps_array",
    "loads_array",
    "read",
    "write",
]
