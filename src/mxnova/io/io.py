# SPDX-License-Identifier: Apache-2.0
"""MXNet's module of iterators."""

from .array_files import CSVIter, LibSVMIter, MNISTIter
from .batch import DataBatch, DataDesc, DataIter
from .mx_data_iter import MXDataIter
from .ndarray_iter import NDArrayIter
from .wrappers import PrefetchingIter, ResizeIter

__all__ = [
    "CSVIter",
    "DataBatch",
    "DataDesc",
    "DataIter",
    "LibSVMIter",
    "MNISTIter",
    "MXDataIter",
    "NDArrayIter",
    "PrefetchingIter",
    "ResizeIter",
]
