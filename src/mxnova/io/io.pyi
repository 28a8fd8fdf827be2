# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")


from mxnova.io import CSVIter as CSVIter
from mxnova.io import DataBatch as DataBatch
from mxnova.io import DataDesc as DataDesc
from mxnova.io import DataIter as DataIter
from mxnova.io import ImageDetRecordIter as ImageDetRecordIter
from mxnova.io import ImageRecordInt8Iter as ImageRecordInt8Iter
from mxnova.io import ImageRecordIter as ImageRecordIter
from mxnova.io import ImageRecordIter_v1 as ImageRecordIter_v1
from mxnova.io import ImageRecordUInt8Iter as ImageRecordUInt8Iter
from mxnova.io import ImageRecordUInt8Iter_v1 as ImageRecordUInt8Iter_v1
from mxnova.io import LibSVMIter as LibSVMIter
from mxnova.io import MNISTIter as MNISTIter
from mxnova.io import MXDataIter as MXDataIter
from mxnova.io import NDArrayIter as NDArrayIter
from mxnova.io import PrefetchingIter as PrefetchingIter
from mxnova.io import ResizeIter as ResizeIter
