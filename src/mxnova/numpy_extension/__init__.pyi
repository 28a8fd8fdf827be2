# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")

from mxnova.ndarray.ndarray import Context as Context

from mxnova.ndarray.ndarray import Context as Context
from mxnova.ndarray.numpy_extension import _image_adjust_lighting as _image_adjust_lighting
from mxnova.ndarray.numpy_extension import _image_crop as _image_crop
from mxnova.ndarray.numpy_extension import _image_flip_left_right as _image_flip_left_right
from mxnova.ndarray.numpy_extension import _image_flip_top_bottom as _image_flip_top_bottom
from mxnova.ndarray.numpy_extension import _image_normalize as _image_normalize
from mxnova.ndarray.numpy_extension import _image_random_brightness as _image_random_brightness
from mxnova.ndarray.numpy_extension import _image_random_color_jitter as _image_random_color_jitter
from mxnova.ndarray.numpy_extension import _image_random_contrast as _image_random_contrast
from mxnova.ndarray.numpy_extension import _image_random_flip_left_right as _image_random_flip_left_right
from mxnova.ndarray.numpy_extension import _image_random_flip_top_bottom as _image_random_flip_top_bottom
from mxnova.ndarray.numpy_extension import _image_random_hue as _image_random_hue
from mxnova.ndarray.numpy_extension import _image_random_lighting as _image_random_lighting
from mxnova.ndarray.numpy_extension import _image_random_saturation as _image_random_saturation
from mxnova.ndarray.numpy_extension import _image_resize as _image_resize
from mxnova.ndarray.numpy_extension import _image_to_tensor as _image_to_tensor
from mxnova.ndarray.numpy_extension import activation as activation
from mxnova.ndarray.numpy_extension import arange_like as arange_like
from mxnova.ndarray.numpy_extension import batch_dot as batch_dot
from mxnova.ndarray.numpy_extension import batch_flatten as batch_flatten
from mxnova.ndarray.numpy_extension import batch_norm as batch_norm
from mxnova.ndarray.numpy_extension import cast as cast
from mxnova.ndarray.ndarray import check_call as check_call
from mxnova.base import classproperty as classproperty
def constraint_check(x: Any, msg: str = 'Constraint violated.') -> Any: ...
from mxnova.ndarray.numpy_extension import convolution as convolution
from mxnova.context import cpu as cpu
from mxnova.context import cpu_pinned as cpu_pinned
from mxnova.ndarray.ndarray import current_context as current_context
from mxnova.ndarray.numpy_extension import deconvolution as deconvolution
from mxnova.ndarray.numpy_extension import dropout as dropout
from mxnova.ndarray.numpy_extension import embedding as embedding
from mxnova.ndarray.numpy_extension import erf as erf
from mxnova.ndarray.numpy_extension import erfinv as erfinv
from mxnova.ndarray.numpy_extension import fully_connected as fully_connected
from mxnova.ndarray.numpy_extension import gamma as gamma
from mxnova.ndarray.numpy_extension import gammaln as gammaln
from mxnova.ndarray.numpy_extension import gather_nd as gather_nd
def get_cuda_compute_capability(ctx: Context) -> int: ...
from mxnova.context import gpu as gpu
from mxnova.context import gpu_memory_info as gpu_memory_info
from mxnova.numpy_extension import image as image
from mxnova.ndarray.ndarray import is_np_array as is_np_array
from mxnova.symbol.symbol import is_np_shape as is_np_shape
from mxnova.ndarray.numpy_extension import layer_norm as layer_norm
from mxnova.ndarray.numpy_extension import leaky_relu as leaky_relu
def load(file: str) -> Any: ...
from mxnova.ndarray.numpy_extension import log_softmax as log_softmax
from mxnova.ndarray.numpy_extension import multibox_detection as multibox_detection
from mxnova.ndarray.numpy_extension import multibox_prior as multibox_prior
from mxnova.ndarray.numpy_extension import multibox_target as multibox_target
def nonzero(a: Any) -> Any: ...
def np_array(active: bool = True) -> AbstractContextManager[None]: ...
def np_shape(active: bool = True) -> AbstractContextManager[None]: ...
from mxnova.context import num_gpus as num_gpus
from mxnova.ndarray.numpy_extension import one_hot as one_hot
from mxnova.ndarray.numpy_extension import pick as pick
from mxnova.ndarray.numpy_extension import pooling as pooling
from mxnova.numpy_extension import random as random
from mxnova.ndarray.numpy_extension import relu as relu
def reset_np() -> None: ...
from mxnova.ndarray.numpy_extension import reshape as reshape
from mxnova.ndarray.numpy_extension import reshape_like as reshape_like
from mxnova.ndarray.numpy_extension import rnn as rnn
from mxnova.ndarray.numpy_extension import roi_pooling as roi_pooling
def save(file: str, arr: Any) -> None: ...
def seed(seed: int, ctx: Any = 'all') -> None: ...
from mxnova.ndarray.numpy_extension import sequence_mask as sequence_mask
def set_np(shape: bool = True, array: bool = True) -> None: ...
from mxnova.ndarray.numpy_extension import shape_array as shape_array
from mxnova.ndarray.numpy_extension import sigmoid as sigmoid
from mxnova.ndarray.numpy_extension import slice as slice
from mxnova.ndarray.numpy_extension import smooth_l1 as smooth_l1
from mxnova.ndarray.numpy_extension import softmax as softmax
from mxnova.ndarray.numpy_extension import topk as topk
def use_np(func: Any) -> Any: ...
def use_np_array(func: Any) -> Any: ...
def use_np_shape(func: Any) -> Any: ...
from mxnova.numpy_extension import utils as utils
from mxnova.ndarray.ndarray import waitall as waitall
from mxnova.base import with_metaclass as with_metaclass
