# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")


from mxnova.gluon.data.vision import CIFAR10 as CIFAR10
from mxnova.gluon.data.vision import CIFAR100 as CIFAR100
from mxnova.gluon.data.vision import FashionMNIST as FashionMNIST
from mxnova.gluon.data.vision import ImageFolderDataset as ImageFolderDataset
from mxnova.gluon.data.vision import ImageRecordDataset as ImageRecordDataset
from mxnova.gluon.data.vision import MNIST as MNIST
