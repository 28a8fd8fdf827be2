# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")

from mxnova.symbol.numpy import _Symbol as _Symbol

def _image_adjust_lighting(data: _Symbol | None = None, alpha: float | Sequence[float] = ..., name: str | None = None, attr: Mapping[str, str] | None = None, out: _Symbol | Sequence[_Symbol] | None = None, **kwargs: Any) -> _Symbol:
    """The image shifted along the principal components of the colors of ImageNet."""
def _image_crop(data: _Symbol | None = None, x: int = ..., y: int = ..., width: int = ..., height: int = ..., name: str | None = None, attr: Mapping[str, str] | None = None, out: _Symbol | Sequence[_Symbol] | None = None, **kwargs: Any) -> _Symbol:
    """A rectangle of images."""
def _image_flip_left_right(data: _Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: _Symbol | Sequence[_Symbol] | None = None, **kwargs: Any) -> _Symbol:
    """The image with left and right exchanged."""
def _image_flip_top_bottom(data: _Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: _Symbol | Sequence[_Symbol] | None = None, **kwargs: Any) -> _Symbol:
    """The image with top and bottom exchanged."""
def _image_normalize(data: _Symbol | None = None, mean: float | Sequence[float] = (0.0, 0.0, 0.0, 0.0), std: float | Sequence[float] = (1.0, 1.0, 1.0, 1.0), name: str | None = None, attr: Mapping[str, str] | None = None, out: _Symbol | Sequence[_Symbol] | None = None, **kwargs: Any) -> _Symbol:
    """``(data - mean) / std``."""
def _image_random_brightness(data: _Symbol | None = None, min_factor: float = ..., max_factor: float = ..., name: str | None = None, attr: Mapping[str, str] | None = None, out: _Symbol | Sequence[_Symbol] | None = None, **kwargs: Any) -> _Symbol:
    """``data * factor``."""
def _image_random_color_jitter(data: _Symbol | None = None, brightness: float = ..., contrast: float = ..., saturation: float = ..., hue: float = ..., name: str | None = None, attr: Mapping[str, str] | None = None, out: _Symbol | Sequence[_Symbol] | None = None, **kwargs: Any) -> _Symbol:
    """The image with brightness, contrast, saturation and hue changed in random order."""
def _image_random_contrast(data: _Symbol | None = None, min_factor: float = ..., max_factor: float = ..., name: str | None = None, attr: Mapping[str, str] | None = None, out: _Symbol | Sequence[_Symbol] | None = None, **kwargs: Any) -> _Symbol:
    """``data * factor + mean * (1 - factor)``, the mean that of the gray image."""
def _image_random_flip_left_right(data: _Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: _Symbol | Sequence[_Symbol] | None = None, **kwargs: Any) -> _Symbol:
    """The image, in half of all cases with left and right exchanged."""
def _image_random_flip_top_bottom(data: _Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: _Symbol | Sequence[_Symbol] | None = None, **kwargs: Any) -> _Symbol:
    """The image, in half of all cases with top and bottom exchanged."""
def _image_random_hue(data: _Symbol | None = None, min_factor: float = ..., max_factor: float = ..., name: str | None = None, attr: Mapping[str, str] | None = None, out: _Symbol | Sequence[_Symbol] | None = None, **kwargs: Any) -> _Symbol:
    """The image with its hue turned by `factor` rounds."""
def _image_random_lighting(data: _Symbol | None = None, alpha_std: float = 0.05000000074505806, name: str | None = None, attr: Mapping[str, str] | None = None, out: _Symbol | Sequence[_Symbol] | None = None, **kwargs: Any) -> _Symbol:
    """_image_adjust_lighting by normally distributed amounts."""
def _image_random_saturation(data: _Symbol | None = None, min_factor: float = ..., max_factor: float = ..., name: str | None = None, attr: Mapping[str, str] | None = None, out: _Symbol | Sequence[_Symbol] | None = None, **kwargs: Any) -> _Symbol:
    """``data * factor + 0.114 * blue * (1 - factor)``."""
def _image_resize(data: _Symbol | None = None, size: int | Sequence[int] | None = (), keep_ratio: bool = False, interp: int = 1, name: str | None = None, attr: Mapping[str, str] | None = None, out: _Symbol | Sequence[_Symbol] | None = None, **kwargs: Any) -> _Symbol:
    """Images brought to another size."""
def _image_to_tensor(data: _Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: _Symbol | Sequence[_Symbol] | None = None, **kwargs: Any) -> _Symbol:
    """``data / 255`` in float32, channels first."""
def activation(data: Any = None, act_type: Any = None, name: Any = None, attr: Any = None, out: Any = None, **kwargs: Any) -> Any: ...
def arange_like(data: Any = None, start: Any = 0.0, step: Any = 1.0, repeat: Any = 1, ctx: Any = '', axis: Any = None, name: Any = None, attr: Any = None, out: Any = None, **kwargs: Any) -> Any: ...
def batch_dot(lhs: _Symbol | None = None, rhs: _Symbol | None = None, transpose_a: bool = False, transpose_b: bool = False, forward_stype: Literal['csr', 'default', 'row_sparse', None] = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: _Symbol | Sequence[_Symbol] | None = None, **kwargs: Any) -> _Symbol:
    """Matrix products of the last two axes, one for each index of the leading axes."""
def batch_flatten(data: Any = None, name: Any = None, attr: Any = None, out: Any = None, **kwargs: Any) -> Any: ...
def batch_norm(data: Any = None, gamma: Any = None, beta: Any = None, moving_mean: Any = None, moving_var: Any = None, eps: Any = 0.0010000000474974513, momentum: Any = 0.8999999761581421, fix_gamma: Any = True, use_global_stats: Any = False, output_mean_var: Any = False, axis: Any = 1, cudnn_off: Any = False, min_calib_range: Any = None, max_calib_range: Any = None, name: Any = None, attr: Any = None, out: Any = None, **kwargs: Any) -> Any: ...
def cast(data: _Symbol | None = None, dtype: str | type[Any] | _np.dtype[Any] = ..., name: str | None = None, attr: Mapping[str, str] | None = None, out: _Symbol | Sequence[_Symbol] | None = None, **kwargs: Any) -> _Symbol:
    """Cast data to another dtype; floats truncate to integers, and nonzero is True for bool."""
def constraint_check(input: Any = None, msg: Any = 'Constraint violated.', name: Any = None, attr: Any = None, out: Any = None, **kwargs: Any) -> Any: ...
def convolution(data: Any = None, weight: Any = None, bias: Any = None, kernel: Any = None, stride: Any = (), dilate: Any = (), pad: Any = (), num_filter: Any = None, num_group: Any = 1, workspace: Any = 1024, no_bias: Any = False, cudnn_tune: Any = None, cudnn_off: Any = False, layout: Any = None, name: Any = None, attr: Any = None, out: Any = None, **kwargs: Any) -> Any: ...
def deconvolution(data: Any = None, weight: Any = None, bias: Any = None, kernel: Any = None, stride: Any = (), dilate: Any = (), pad: Any = (), adj: Any = (), target_shape: Any = (), num_filter: Any = None, num_group: Any = 1, workspace: Any = 512, no_bias: Any = True, cudnn_tune: Any = None, cudnn_off: Any = False, layout: Any = None, name: Any = None, attr: Any = None, out: Any = None, **kwargs: Any) -> Any: ...
def dropout(data: Any = None, p: Any = 0.5, mode: Any = 'training', axes: Any = (), cudnn_off: Any = False, name: Any = None, attr: Any = None, out: Any = None, **kwargs: Any) -> Any: ...
def embedding(data: Any = None, weight: Any = None, input_dim: Any = None, output_dim: Any = None, dtype: Any = 'float32', sparse_grad: Any = False, name: Any = None, attr: Any = None, out: Any = None, **kwargs: Any) -> Any: ...
def erf(data: _Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: _Symbol | Sequence[_Symbol] | None = None, **kwargs: Any) -> _Symbol:
    """Error function."""
def erfinv(data: _Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: _Symbol | Sequence[_Symbol] | None = None, **kwargs: Any) -> _Symbol:
    """Inverse of the error function."""
def fully_connected(data: Any = None, weight: Any = None, bias: Any = None, num_hidden: Any = None, no_bias: Any = False, flatten: Any = True, name: Any = None, attr: Any = None, out: Any = None, **kwargs: Any) -> Any: ...
def gamma(data: _Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: _Symbol | Sequence[_Symbol] | None = None, **kwargs: Any) -> _Symbol:
    """Gamma function."""
def gammaln(data: _Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: _Symbol | Sequence[_Symbol] | None = None, **kwargs: Any) -> _Symbol:
    """Logarithm of |Γ(data)|."""
def gather_nd(data: _Symbol | None = None, indices: _Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: _Symbol | Sequence[_Symbol] | None = None, **kwargs: Any) -> _Symbol:
    """The elements (or, with fewer coordinates than axes, the slices) of `data` at some places."""
from mxnova.symbol.numpy_extension import image as image
def layer_norm(data: Any = None, gamma: Any = None, beta: Any = None, axis: Any = -1, eps: Any = 9.999999747378752e-06, output_mean_var: Any = False, name: Any = None, attr: Any = None, out: Any = None, **kwargs: Any) -> Any: ...
def leaky_relu(data: Any = None, gamma: Any = None, act_type: Any = 'leaky', slope: Any = 0.25, lower_bound: Any = 0.125, upper_bound: Any = 0.33399999141693115, name: Any = None, attr: Any = None, out: Any = None, **kwargs: Any) -> Any: ...
def log_softmax(data: _Symbol | None = None, axis: int = -1, temperature: float | None = None, dtype: str | type[Any] | _np.dtype[Any] | None = None, use_length: bool | None = False, name: str | None = None, attr: Mapping[str, str] | None = None, out: _Symbol | Sequence[_Symbol] | None = None, **kwargs: Any) -> _Symbol:
    """``log(softmax(data))``, computed without leaving the logarithm."""
def multibox_detection(cls_prob: Any = None, loc_pred: Any = None, anchor: Any = None, clip: Any = True, threshold: Any = 0.009999999776482582, background_id: Any = 0, nms_threshold: Any = 0.5, force_suppress: Any = False, variances: Any = (0.10000000149011612, 0.10000000149011612, 0.20000000298023224, 0.20000000298023224), nms_topk: Any = -1, name: Any = None, attr: Any = None, out: Any = None, **kwargs: Any) -> Any: ...
def multibox_prior(data: Any = None, sizes: Any = (1.0,), ratios: Any = (1.0,), clip: Any = False, steps: Any = (-1.0, -1.0), offsets: Any = (0.5, 0.5), name: Any = None, attr: Any = None, out: Any = None, **kwargs: Any) -> Any: ...
def multibox_target(anchor: Any = None, label: Any = None, cls_pred: Any = None, overlap_threshold: Any = 0.5, ignore_label: Any = -1.0, negative_mining_ratio: Any = -1.0, negative_mining_thresh: Any = 0.5, minimum_negative_samples: Any = 0, variances: Any = (0.10000000149011612, 0.10000000149011612, 0.20000000298023224, 0.20000000298023224), name: Any = None, attr: Any = None, out: Any = None, **kwargs: Any) -> Any: ...
def nonzero(x: Any = None, name: Any = None, attr: Any = None, out: Any = None, **kwargs: Any) -> Any: ...
def one_hot(indices: _Symbol | None = None, depth: int = ..., on_value: float = 1.0, off_value: float = 0.0, dtype: str | type[Any] | _np.dtype[Any] = 'float32', name: str | None = None, attr: Mapping[str, str] | None = None, out: _Symbol | Sequence[_Symbol] | None = None, **kwargs: Any) -> _Symbol:
    """A vector for each index: `on_value` at the index, `off_value` elsewhere."""
def pick(data: _Symbol | None = None, index: _Symbol | None = None, axis: int | None = -1, keepdims: bool = False, mode: Literal['clip', 'wrap'] = 'clip', name: str | None = None, attr: Mapping[str, str] | None = None, out: _Symbol | Sequence[_Symbol] | None = None, **kwargs: Any) -> _Symbol:
    """One element along one axis for each position of the other axes, named by `index`."""
def pooling(data: Any = None, kernel: Any = (), pool_type: Any = 'max', global_pool: Any = False, cudnn_off: Any = False, pooling_convention: Any = 'valid', stride: Any = (), pad: Any = (), p_value: Any = None, count_include_pad: Any = None, layout: Any = None, name: Any = None, attr: Any = None, out: Any = None, **kwargs: Any) -> Any: ...
from mxnova.symbol.numpy_extension import random as random
def relu(data: _Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: _Symbol | Sequence[_Symbol] | None = None, **kwargs: Any) -> _Symbol:
    """max(data, 0)."""
def reshape(a: Any = None, newshape: Any = None, reverse: bool = False, order: Any = 'C', name: str | None = None, attr: Mapping[str, str] | None = None, out: _Symbol | Sequence[_Symbol] | None = None, **kwargs: Any) -> _Symbol:
    """The elements of `data` in the shape that `shape` describes."""
def reshape_like(lhs: _Symbol | None = None, rhs: _Symbol | None = None, lhs_begin: int | None = None, lhs_end: int | None = None, rhs_begin: int | None = None, rhs_end: int | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: _Symbol | Sequence[_Symbol] | None = None, **kwargs: Any) -> _Symbol:
    """`lhs` with its axes lhs_begin … lhs_end replaced by the axes rhs_begin … rhs_end of `rhs`."""
def rnn(data: Any = None, parameters: Any = None, state: Any = None, state_cell: Any = None, sequence_length: Any = None, state_size: Any = None, num_layers: Any = None, bidirectional: Any = False, mode: Any = None, p: Any = 0.0, state_outputs: Any = False, projection_size: Any = None, lstm_state_clip_min: Any = None, lstm_state_clip_max: Any = None, lstm_state_clip_nan: Any = False, use_sequence_length: Any = False, name: Any = None, attr: Any = None, out: Any = None, **kwargs: Any) -> Any: ...
def roi_pooling(data: Any = None, rois: Any = None, pooled_size: Any = None, spatial_scale: Any = None, name: Any = None, attr: Any = None, out: Any = None, **kwargs: Any) -> Any: ...
def sequence_mask(data: Any = None, sequence_length: Any = None, use_sequence_length: Any = False, value: Any = 0.0, axis: Any = 0, name: Any = None, attr: Any = None, out: Any = None, **kwargs: Any) -> Any: ...
def shape_array(data: _Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: _Symbol | Sequence[_Symbol] | None = None, **kwargs: Any) -> _Symbol:
    """The shape of data, as an int64 vector."""
def sigmoid(data: _Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: _Symbol | Sequence[_Symbol] | None = None, **kwargs: Any) -> _Symbol:
    """1 / (1 + exp(-data))."""
def slice(data: _Symbol | None = None, begin: int | None | Sequence[int | None] = None, end: int | None | Sequence[int | None] = None, step: int | None | Sequence[int | None] = (), name: str | None = None, attr: Mapping[str, str] | None = None, out: _Symbol | Sequence[_Symbol] | None = None, **kwargs: Any) -> _Symbol:
    """A box of `data`: the elements from begin to end, by step, of each of the leading axes."""
def smooth_l1(data: _Symbol | None = None, scalar: float = 1.0, name: str | None = None, attr: Mapping[str, str] | None = None, out: _Symbol | Sequence[_Symbol] | None = None, *, is_int: bool = True, **kwargs: Any) -> _Symbol:
    """(scalar · data)² / 2 where |data| < 1 / scalar², else |data| - 1 / (2 · scalar²)."""
def softmax(data: _Symbol | None = None, length: _Symbol | None = None, axis: int = -1, temperature: float | None = None, dtype: str | type[Any] | _np.dtype[Any] | None = None, use_length: bool | None = False, name: str | None = None, attr: Mapping[str, str] | None = None, out: _Symbol | Sequence[_Symbol] | None = None, **kwargs: Any) -> _Symbol:
    """``exp(data / temperature, dtype)`` divided by its sum along one axis."""
def topk(data: _Symbol | None = None, axis: int | None = -1, k: int = 1, ret_typ: Literal['both', 'indices', 'mask', 'value'] = 'indices', is_ascend: bool = False, dtype: str | type[Any] | _np.dtype[Any] = 'float32', name: str | None = None, attr: Mapping[str, str] | None = None, out: _Symbol | Sequence[_Symbol] | None = None, **kwargs: Any) -> _Symbol:
    """The `k` largest (or smallest) elements of each row along one axis, in order."""
