# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")


from mxnova.image import Augmenter as Augmenter
from mxnova.image import BrightnessJitterAug as BrightnessJitterAug
from mxnova.image import CastAug as CastAug
from mxnova.image import CenterCropAug as CenterCropAug
from mxnova.image import ColorJitterAug as ColorJitterAug
from mxnova.image import ColorNormalizeAug as ColorNormalizeAug
from mxnova.image import ContrastJitterAug as ContrastJitterAug
from mxnova.image import CreateAugmenter as CreateAugmenter
from mxnova.image import ForceResizeAug as ForceResizeAug
from mxnova.image import HorizontalFlipAug as HorizontalFlipAug
from mxnova.image import HueJitterAug as HueJitterAug
from mxnova.image import ImageIter as ImageIter
from mxnova.image import LightingAug as LightingAug
from mxnova.image import RandomCropAug as RandomCropAug
from mxnova.image import RandomGrayAug as RandomGrayAug
from mxnova.image import RandomOrderAug as RandomOrderAug
from mxnova.image import RandomSizedCropAug as RandomSizedCropAug
from mxnova.image import ResizeAug as ResizeAug
from mxnova.image import SaturationJitterAug as SaturationJitterAug
from mxnova.image import SequentialAug as SequentialAug
def _get_interp_method(interp: int, sizes: Sequence[int] = ()) -> int: ...
from mxnova.image import center_crop as center_crop
from mxnova.image import color_normalize as color_normalize
from mxnova.image import copyMakeBorder as copyMakeBorder
from mxnova.image import fixed_crop as fixed_crop
from mxnova.image import imdecode as imdecode
from mxnova.image import imread as imread
from mxnova.image import imresize as imresize
from mxnova.image import imrotate as imrotate
from mxnova.image import random_crop as random_crop
from mxnova.image import random_rotate as random_rotate
from mxnova.image import random_size_crop as random_size_crop
from mxnova.image import resize_short as resize_short
from mxnova.image import scale_down as scale_down
