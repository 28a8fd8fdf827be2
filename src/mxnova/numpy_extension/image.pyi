# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")


from mxnova.image import CreateAugmenter as CreateAugmenter
from mxnova.image import CreateDetAugmenter as CreateDetAugmenter
from mxnova.image import CreateMultiRandCropAugmenter as CreateMultiRandCropAugmenter
from mxnova.ndarray.numpy_extension.image import adjust_lighting as adjust_lighting
from mxnova.image import center_crop as center_crop
from mxnova.image import color_normalize as color_normalize
from mxnova.image import copyMakeBorder as copyMakeBorder
from mxnova.ndarray.numpy_extension.image import crop as crop
from mxnova.image import fixed_crop as fixed_crop
from mxnova.ndarray.numpy_extension.image import flip_left_right as flip_left_right
from mxnova.ndarray.numpy_extension.image import flip_top_bottom as flip_top_bottom
from mxnova.image import imdecode as imdecode
from mxnova.image import imread as imread
from mxnova.image import imresize as imresize
from mxnova.image import imrotate as imrotate
from mxnova.ndarray.ndarray import is_np_array as is_np_array
from mxnova.ndarray.numpy_extension.image import normalize as normalize
from mxnova.ndarray.numpy_extension.image import random_brightness as random_brightness
from mxnova.ndarray.numpy_extension.image import random_color_jitter as random_color_jitter
from mxnova.ndarray.numpy_extension.image import random_contrast as random_contrast
from mxnova.image import random_crop as random_crop
from mxnova.ndarray.numpy_extension.image import random_flip_left_right as random_flip_left_right
from mxnova.ndarray.numpy_extension.image import random_flip_top_bottom as random_flip_top_bottom
from mxnova.ndarray.numpy_extension.image import random_hue as random_hue
from mxnova.ndarray.numpy_extension.image import random_lighting as random_lighting
from mxnova.image import random_rotate as random_rotate
from mxnova.ndarray.numpy_extension.image import random_saturation as random_saturation
from mxnova.image import random_size_crop as random_size_crop
from mxnova.ndarray.numpy_extension.image import resize as resize
from mxnova.image import resize_short as resize_short
from mxnova.image import scale_down as scale_down
from mxnova.ndarray.numpy_extension.image import to_tensor as to_tensor
