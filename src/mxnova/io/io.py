# SPDX-License-Identifier: Apache-2.0
"""MXNet's module of iterators."""

from .batch import DataBatch, DataDesc, DataIter
from .mx_data_iter import MXDataIter
from .ndarray_iter import NDArrayIter
from .wrappers import PrefetchingIter, ResizeIter

__all__ = [
    "DataBatch",
    "DataDesc",
    "DataIter",
    "MXDataIter",
    "NDArrayIter",
    "PrefetchingIter",
    "ResizeIter",
]
