# SPDX-License-Identifier: Apache-2.0
"""Iterators over batches, as Module and the training loops of its time take them."""

from . import io, utils
from .io import (
    DataBatch,
    DataDesc,
    DataIter,
    MXDataIter,
    NDArrayIter,
    PrefetchingIter,
    ResizeIter,
)

__all__ = [
    "DataBatch",
    "DataDesc",
    "DataIter",
    "MXDataIter",
    "NDArrayIter",
    "PrefetchingIter",
    "ResizeIter",
    "io",
    "utils",
]
