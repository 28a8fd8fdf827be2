# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")


from mxnova.image import CreateDetAugmenter as CreateDetAugmenter
from mxnova.image import CreateMultiRandCropAugmenter as CreateMultiRandCropAugmenter
from mxnova.image import DetAugmenter as DetAugmenter
from mxnova.image import DetBorrowAug as DetBorrowAug
from mxnova.image import DetHorizontalFlipAug as DetHorizontalFlipAug
from mxnova.image import DetRandomCropAug as DetRandomCropAug
from mxnova.image import DetRandomPadAug as DetRandomPadAug
from mxnova.image import DetRandomSelectAug as DetRandomSelectAug
from mxnova.image import ImageDetIter as ImageDetIter
from mxnova.image import copyMakeBorder as copyMakeBorder
