# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")

from mxnova.ndarray.ndarray import NDArray as NDArray

def Activation(data: NDArray | None = None, act_type: Literal['relu', 'sigmoid', 'softrelu', 'softsign', 'tanh'] = ..., out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """An activation function of each element."""
def BatchNorm(data: NDArray | None = None, gamma: NDArray | None = None, beta: NDArray | None = None, moving_mean: NDArray | None = None, moving_var: NDArray | None = None, eps: float = 0.0010000000474974513, momentum: float = 0.8999999761581421, fix_gamma: bool = True, use_global_stats: bool = False, output_mean_var: bool = False, axis: int = 1, cudnn_off: bool = False, min_calib_range: float | None = None, max_calib_range: float | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """``(data - mean) / sqrt(var + eps) * gamma + beta`` with mean and variance of each channel."""
def BatchNorm_v1(data: NDArray | None = None, gamma: NDArray | None = None, beta: NDArray | None = None, eps: float = 0.0010000000474974513, momentum: float = 0.8999999761581421, fix_gamma: bool = True, use_global_stats: bool = False, output_mean_var: bool = False, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, *, moving_mean: NDArray | None = None, moving_var: NDArray | None = None, **kwargs: Any) -> Any:
    """BatchNorm of channels along axis 1, as files of early MXNet name it."""
def BilinearSampler(data: NDArray | None = None, grid: NDArray | None = None, cudnn_off: bool | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """`data` sampled at the positions of `grid`, linearly between pixels, 0 outside."""
def BlockGrad(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """A copy of data that lets no gradient through."""
def CTCLoss(data: NDArray | None = None, label: NDArray | None = None, data_lengths: NDArray | None = None, label_lengths: NDArray | None = None, use_data_lengths: bool = False, use_label_lengths: bool = False, blank_label: Literal['first', 'last'] = 'first', out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Negative log-probability of label sequences under unaligned predictions, (batch,)."""
def Cast(data: NDArray | None = None, dtype: str | type[Any] | _np.dtype[Any] = ..., out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Cast data to another dtype; floats truncate to integers, and nonzero is True for bool."""
def Concat(*data: NDArray | Sequence[NDArray], num_args: int = ..., dim: int = 1, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """The arrays of `data` put one after the other along one axis."""
def Convolution(data: NDArray | None = None, weight: NDArray | None = None, bias: NDArray | None = None, kernel: int | Sequence[int] = ..., stride: int | Sequence[int] | None = (), dilate: int | Sequence[int] | None = (), pad: int | Sequence[int] | None = (), num_filter: int = ..., num_group: int = 1, workspace: int = 1024, no_bias: bool = False, cudnn_tune: Literal['fastest', 'limited_workspace', 'off', None] = None, cudnn_off: bool = False, layout: Literal['NCDHW', 'NCHW', 'NCW', 'NDHWC', 'NHWC', None] = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Cross-correlation of `data` with `num_filter` kernels, plus a bias for each."""
def Convolution_v1(data: NDArray | None = None, weight: NDArray | None = None, bias: NDArray | None = None, kernel: int | Sequence[int] = ..., stride: int | Sequence[int] | None = (), dilate: int | Sequence[int] | None = (), pad: int | Sequence[int] | None = (), num_filter: int = ..., num_group: int = 1, workspace: int = 1024, no_bias: bool = False, cudnn_tune: Literal['fastest', 'limited_workspace', 'off', None] = None, cudnn_off: bool = False, layout: Literal['NCDHW', 'NCHW', 'NDHWC', 'NHWC', None] = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Convolution over 2 or 3 spatial axes, as files of early MXNet name it."""
def Correlation(data1: NDArray | None = None, data2: NDArray | None = None, kernel_size: int = 1, max_displacement: int = 1, stride1: int = 1, stride2: int = 1, pad_size: int = 0, is_multiply: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """How alike the surroundings of each place are in two images, for each of many displacements."""
def Crop(*data: NDArray | Sequence[NDArray], num_args: int = ..., offset: int | Sequence[int] | None = (0, 0), h_w: int | Sequence[int] | None = (0, 0), center_crop: bool = False, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """A window of images, of a given size or of the size of a second array of images."""
def Custom(*data: NDArray | Sequence[NDArray], op_type: str = ..., out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """An operator written in Python and registered with ``mx.operator.register``."""
def Deconvolution(data: NDArray | None = None, weight: NDArray | None = None, bias: NDArray | None = None, kernel: int | Sequence[int] = ..., stride: int | Sequence[int] | None = (), dilate: int | Sequence[int] | None = (), pad: int | Sequence[int] | None = (), adj: int | Sequence[int] | None = (), target_shape: int | Sequence[int] | None = (), num_filter: int = ..., num_group: int = 1, workspace: int = 512, no_bias: bool = True, cudnn_tune: Literal['fastest', 'limited_workspace', 'off', None] = None, cudnn_off: bool = False, layout: Literal['NCDHW', 'NCHW', 'NCW', 'NDHWC', 'NHWC', None] = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Transpose of Convolution: every item of `data` adds its multiple of the kernels."""
def Dropout(data: NDArray | None = None, p: float = 0.5, mode: Literal['always', 'training'] = 'training', axes: int | Sequence[int] | None = (), cudnn_off: bool | None = False, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Sets random elements to 0 and scales the rest up, so that the mean stays."""
def ElementWiseSum(*args: NDArray | Sequence[NDArray], num_args: int = ..., out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Sum of its inputs."""
def Embedding(data: NDArray | None = None, weight: NDArray | None = None, input_dim: int = ..., output_dim: int = ..., dtype: str | type[Any] | _np.dtype[Any] = 'float32', sparse_grad: bool = False, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Rows of `weight`, one for each index in `data`."""
def Flatten(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """The elements of `data` as a matrix: the first axis is kept, all others become one."""
def FullyConnected(data: NDArray | None = None, weight: NDArray | None = None, bias: NDArray | None = None, num_hidden: int = ..., no_bias: bool = False, flatten: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Linear map of the last axes: ``data @ weight.T + bias``."""
def GridGenerator(data: NDArray | None = None, transform_type: Literal['affine', 'warp'] = ..., target_shape: int | Sequence[int] | None = (0, 0), out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """A grid of sampling positions (batch, 2, height, width) for BilinearSampler."""
def GroupNorm(data: NDArray | None = None, gamma: NDArray | None = None, beta: NDArray | None = None, num_groups: int = 1, eps: float = 9.999999747378752e-06, output_mean_var: bool = False, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """``(data - mean) / sqrt(var + eps) * gamma + beta`` with the statistics of channel groups."""
def IdentityAttachKLSparseReg(data: NDArray | None = None, sparseness_target: float = 0.10000000149011612, penalty: float = 0.0010000000474974513, momentum: float = 0.8999999761581421, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, *, moving_avg: NDArray | None = None, **kwargs: Any) -> NDArray:
    """`data` itself; its gradient gets that of a penalty on the mean activation of each unit."""
def InstanceNorm(data: NDArray | None = None, gamma: NDArray | None = None, beta: NDArray | None = None, eps: float = 0.0010000000474974513, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """``(data - mean) / sqrt(var + eps) * gamma + beta`` with the statistics of each channel."""
def L2Normalization(data: NDArray | None = None, eps: float = 1.000000013351432e-10, mode: Literal['channel', 'instance', 'spatial'] = 'instance', out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """``data / sqrt(sum(data ** 2) + eps)``."""
def LRN(data: NDArray | None = None, alpha: float = 9.999999747378752e-05, beta: float = 0.75, knorm: float = 2.0, nsize: int = ..., out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """``data / (knorm + alpha / nsize * sum(data ** 2)) ** beta``, the sum over near channels."""
def LayerNorm(data: NDArray | None = None, gamma: NDArray | None = None, beta: NDArray | None = None, axis: int = -1, eps: float = 9.999999747378752e-06, output_mean_var: bool = False, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """``(data - mean) / sqrt(var + eps) * gamma + beta`` with the statistics along one axis."""
def LeakyReLU(data: NDArray | None = None, gamma: NDArray | None = None, act_type: Literal['elu', 'gelu', 'leaky', 'prelu', 'rrelu', 'selu'] = 'leaky', slope: float = 0.25, lower_bound: float = 0.125, upper_bound: float = 0.33399999141693115, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """``x`` where it is positive, something small elsewhere."""
def LinearRegressionOutput(data: NDArray | None = None, label: NDArray | None = None, grad_scale: float = 1.0, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """`data`; its gradient is that of half the squared error: ``data - label``."""
def LogisticRegressionOutput(data: NDArray | None = None, label: NDArray | None = None, grad_scale: float = 1.0, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Sigmoid of `data`; its gradient is that of the cross entropy: ``sigmoid(data) - label``."""
def MAERegressionOutput(data: NDArray | None = None, label: NDArray | None = None, grad_scale: float = 1.0, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """`data`; its gradient is that of the absolute error: 1 above the label, else -1."""
def MakeLoss(data: NDArray | None = None, grad_scale: float = 1.0, valid_thresh: float = 0.0, normalization: Literal['batch', 'null', 'valid'] = 'null', out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Return a copy of data as a loss; its gradient is a constant that ignores the head gradient."""
def Pad(data: NDArray | None = None, mode: Literal['constant', 'edge', 'reflect'] = ..., pad_width: int | Sequence[int] = ..., constant_value: float = 0.0, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """`data` with a border around its last two or three axes."""
def Pooling(data: NDArray | None = None, kernel: int | Sequence[int] | None = (), pool_type: Literal['avg', 'lp', 'max', 'sum'] = 'max', global_pool: bool = False, cudnn_off: bool = False, pooling_convention: Literal['full', 'same', 'valid'] = 'valid', stride: int | Sequence[int] | None = (), pad: int | Sequence[int] | None = (), p_value: int | None = None, count_include_pad: bool | None = None, layout: Literal['NCDHW', 'NCHW', 'NCW', 'NDHWC', 'NHWC', 'NWC', None] = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Maximum, mean, sum or Lp norm of the items under each position of a window."""
def Pooling_v1(data: NDArray | None = None, kernel: int | Sequence[int] | None = (), pool_type: Literal['avg', 'max', 'sum'] = 'max', global_pool: bool = False, pooling_convention: Literal['full', 'valid'] = 'valid', stride: int | Sequence[int] | None = (), pad: int | Sequence[int] | None = (), out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Pooling over 2 or 3 spatial axes, as files of early MXNet name it."""
def RNN(data: NDArray | None = None, parameters: NDArray | None = None, state: NDArray | None = None, state_cell: NDArray | None = None, sequence_length: NDArray | None = None, state_size: int = ..., num_layers: int = ..., bidirectional: bool = False, mode: Literal['gru', 'lstm', 'rnn_relu', 'rnn_tanh'] = ..., p: float = 0.0, state_outputs: bool = False, projection_size: int | None = None, lstm_state_clip_min: float | None = None, lstm_state_clip_max: float | None = None, lstm_state_clip_nan: bool = False, use_sequence_length: bool = False, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """Recurrent network over a sequence: vanilla (ReLU or tanh), LSTM or GRU, in layers."""
def ROIPooling(data: NDArray | None = None, rois: NDArray | None = None, pooled_size: int | Sequence[int] = ..., spatial_scale: float = ..., out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """The maximum of each bin of each region, (regions, channels, *pooled_size)."""
def Reshape(data: NDArray | None = None, shape: int | Sequence[int] | None = (), reverse: bool = False, target_shape: int | Sequence[int] | None = (), keep_highest: bool = False, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """The elements of `data` in the shape that `shape` describes."""
def SVMOutput(data: NDArray | None = None, label: NDArray | None = None, margin: float = 1.0, regularization_coefficient: float = 1.0, use_linear: bool = False, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """`data`; its gradient is that of a one-against-all hinge loss."""
def SequenceLast(data: NDArray | None = None, sequence_length: NDArray | None = None, use_sequence_length: bool = False, axis: int = 0, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """The last step of each sequence."""
def SequenceMask(data: NDArray | None = None, sequence_length: NDArray | None = None, use_sequence_length: bool = False, value: float = 0.0, axis: int = 0, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """`data` with all steps behind the end of their sequence set to `value`."""
def SequenceReverse(data: NDArray | None = None, sequence_length: NDArray | None = None, use_sequence_length: bool = False, axis: int = 0, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """`data` with the steps of each sequence in reverse order; the padding stays where it is."""
def SliceChannel(data: NDArray | None = None, num_outputs: int = ..., axis: int = 1, squeeze_axis: bool = False, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """`data` cut along one axis into parts of equal size."""
def Softmax(data: NDArray | None = None, label: NDArray | None = None, grad_scale: float = 1.0, ignore_label: float = -1.0, multi_output: bool = False, use_ignore: bool = False, preserve_shape: bool = False, normalization: Literal['batch', 'null', 'valid'] = 'null', out_grad: bool = False, smooth_alpha: float = 0.0, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Softmax with the gradient of the cross entropy with `label`: ``output - one_hot(label)``."""
def SoftmaxActivation(data: NDArray | None = None, mode: Literal['channel', 'instance'] = 'instance', out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Softmax over the last axis, or over the channels at every position."""
def SoftmaxOutput(data: NDArray | None = None, label: NDArray | None = None, grad_scale: float = 1.0, ignore_label: float = -1.0, multi_output: bool = False, use_ignore: bool = False, preserve_shape: bool = False, normalization: Literal['batch', 'null', 'valid'] = 'null', out_grad: bool = False, smooth_alpha: float = 0.0, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Softmax with the gradient of the cross entropy with `label`: ``output - one_hot(label)``."""
def SpatialTransformer(data: NDArray | None = None, loc: NDArray | None = None, target_shape: int | Sequence[int] | None = (0, 0), transform_type: Literal['affine'] = ..., sampler_type: Literal['bilinear'] = ..., cudnn_off: bool | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """`data` sampled where an affine map takes the pixels of the output, 0 outside."""
def SwapAxis(data: NDArray | None = None, dim1: int = 0, dim2: int = 0, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """`data` with two axes exchanged."""
def UpSampling(*data: NDArray | Sequence[NDArray], scale: int = ..., num_filter: int = 0, sample_type: Literal['bilinear', 'nearest'] = ..., multi_input_mode: Literal['concat', 'sum'] = 'concat', num_args: int = ..., workspace: int = 512, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Images made `scale` times larger."""
def abs(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Absolute value."""
def adam_update(weight: NDArray | None = None, grad: NDArray | None = None, mean: NDArray | None = None, var: NDArray | None = None, lr: float = ..., beta1: float = 0.8999999761581421, beta2: float = 0.9990000128746033, epsilon: float = 9.99999993922529e-09, wd: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0, lazy_update: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """``weight - lr * mean / (sqrt(var) + epsilon)``."""
def add_n(*args: NDArray | Sequence[NDArray], num_args: int = ..., out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Sum of its inputs."""
def all_finite(data: NDArray | None = None, init_output: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """1 when every element is finite, else 0; (1,) float32."""
def amp_cast(data: NDArray | None = None, dtype: str | type[Any] | _np.dtype[Any] = ..., out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Its input as another type if it is float16 or float32, else as it is: for mixed precision."""
def amp_multicast(*data: NDArray | Sequence[NDArray], num_outputs: int = ..., cast_narrow: bool = False, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """Those of the arrays that are float16 or float32 in one type: for mixed precision."""
def arccos(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Angle in [0, π] whose cosine is data."""
def arccosh(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Inverse hyperbolic cosine."""
def arcsin(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Angle in [-π/2, π/2] whose sine is data."""
def arcsinh(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Inverse hyperbolic sine."""
def arctan(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Angle in [-π/2, π/2] whose tangent is data."""
def arctanh(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Inverse hyperbolic tangent."""
def argmax(data: NDArray | None = None, axis: int | None = None, keepdims: bool = False, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Position of the largest element along an axis, in the type of data."""
def argmax_channel(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Position of the largest element along the second axis, in the type of data."""
def argmin(data: NDArray | None = None, axis: int | None = None, keepdims: bool = False, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Position of the smallest element along an axis, in the type of data."""
def argsort(data: NDArray | None = None, axis: int | None = -1, is_ascend: bool = True, dtype: str | type[Any] | _np.dtype[Any] = 'float32', out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """The indices that would put each row along one axis in order."""
def batch_dot(lhs: NDArray | None = None, rhs: NDArray | None = None, transpose_a: bool = False, transpose_b: bool = False, forward_stype: Literal['csr', 'default', 'row_sparse', None] = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Matrix products of the last two axes, one for each index of the leading axes."""
def batch_take(a: NDArray | None = None, indices: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """One element of each row of `a`, named by `indices`; those out of range are clipped."""
def broadcast_add(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """lhs + rhs."""
def broadcast_axes(data: NDArray | None = None, axis: int | Sequence[int] | None = (), size: int | Sequence[int] | None = (), out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Its input, repeated along some axes of length 1."""
def broadcast_axis(data: NDArray | None = None, axis: int | Sequence[int] | None = (), size: int | Sequence[int] | None = (), out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Its input, repeated along some axes of length 1."""
def broadcast_div(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """lhs / rhs; integers are cut toward zero."""
def broadcast_equal(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """1 where both are equal, 0 elsewhere."""
def broadcast_greater(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """1 where the first is greater, 0 elsewhere."""
def broadcast_greater_equal(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """1 where the first is not less, 0 elsewhere."""
def broadcast_hypot(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """√(lhs² + rhs²)."""
def broadcast_lesser(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """1 where the first is less, 0 elsewhere."""
def broadcast_lesser_equal(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """1 where the first is not greater, 0 elsewhere."""
def broadcast_like(lhs: NDArray | None = None, rhs: NDArray | None = None, lhs_axes: int | Sequence[int] | None = None, rhs_axes: int | Sequence[int] | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Its first input, repeated along its axes of length 1 to the shape of rhs."""
def broadcast_logical_and(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """1 where neither is 0, 0 elsewhere."""
def broadcast_logical_or(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """1 where at least one is not 0, 0 elsewhere."""
def broadcast_logical_xor(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """1 where exactly one is not 0, 0 elsewhere."""
def broadcast_maximum(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """The larger one."""
def broadcast_minimum(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """The smaller one."""
def broadcast_minus(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """lhs - rhs."""
def broadcast_mod(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Remainder of lhs / rhs with the sign of rhs; 0 where rhs is 0."""
def broadcast_mul(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """lhs · rhs."""
def broadcast_not_equal(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """1 where they differ, 0 elsewhere."""
def broadcast_plus(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """lhs + rhs."""
def broadcast_power(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """lhs to the power of rhs."""
def broadcast_sub(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """lhs - rhs."""
def broadcast_to(data: NDArray | None = None, shape: int | Sequence[int] | None = (), out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Its input, repeated along its axes of length 1 to a shape."""
def cast(data: NDArray | None = None, dtype: str | type[Any] | _np.dtype[Any] = ..., out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Cast data to another dtype; floats truncate to integers, and nonzero is True for bool."""
def cast_storage(data: NDArray | None = None, stype: Literal['csr', 'default', 'row_sparse'] = ..., out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """`data` in another storage type."""
def cbrt(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Cube root."""
def ceil(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Smallest whole number that is not below."""
def choose_element_0index(data: NDArray | None = None, index: NDArray | None = None, axis: int | None = -1, keepdims: bool = False, mode: Literal['clip', 'wrap'] = 'clip', out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """One element along one axis for each position of the other axes, named by `index`."""
def clip(data: NDArray | None = None, a_min: float = ..., a_max: float = ..., out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Its input, kept within [a_min, a_max]."""
def col2im(data: NDArray | None = None, output_size: int | Sequence[int] = ..., kernel: int | Sequence[int] = ..., stride: int | Sequence[int] | None = (), dilate: int | Sequence[int] | None = (), pad: int | Sequence[int] | None = (), out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Images from the columns that `im2col` makes; what overlaps is added up."""
def concat(*data: NDArray | Sequence[NDArray], num_args: int = ..., dim: int = 1, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """The arrays of `data` put one after the other along one axis."""
def cos(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Cosine of an angle in radians."""
def cosh(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Hyperbolic cosine."""
def crop(data: NDArray | None = None, begin: int | None | Sequence[int | None] = None, end: int | None | Sequence[int | None] = None, step: int | None | Sequence[int | None] = (), out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """A box of `data`: the elements from begin to end, by step, of each of the leading axes."""
def ctc_loss(data: NDArray | None = None, label: NDArray | None = None, data_lengths: NDArray | None = None, label_lengths: NDArray | None = None, use_data_lengths: bool = False, use_label_lengths: bool = False, blank_label: Literal['first', 'last'] = 'first', out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Negative log-probability of label sequences under unaligned predictions, (batch,)."""
def cumsum(a: NDArray | None = None, axis: int | None = None, dtype: str | type[Any] | _np.dtype[Any] | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """The sum of each element and all before it along an axis."""
def degrees(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Degrees of an angle in radians."""
def depth_to_space(data: NDArray | None = None, block_size: int = ..., out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Channels moved into square blocks of pixels, the inverse of `space_to_depth`."""
def diag(data: NDArray | None = None, k: int = 0, axis1: int = 0, axis2: int = 1, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """A diagonal of `data`, as the last axis; of a vector, the matrix that has it as diagonal."""
def dot(lhs: NDArray | None = None, rhs: NDArray | None = None, transpose_a: bool = False, transpose_b: bool = False, forward_stype: Literal['csr', 'default', 'row_sparse', None] = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Sum of products over the last axis of `lhs` and the first axis of `rhs`."""
def elemwise_add(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """lhs + rhs."""
def elemwise_div(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """lhs / rhs; integers are cut toward zero."""
def elemwise_mul(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """lhs · rhs."""
def elemwise_sub(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """lhs - rhs."""
def erf(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Error function."""
def erfinv(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Inverse of the error function."""
def exp(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """e to the power of data."""
def expand_dims(data: NDArray | None = None, axis: int = ..., out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """`data` with an axis of size one more."""
def expm1(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """exp(data) - 1, exact near 0."""
def fill_element_0index(lhs: NDArray | None = None, mhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """A copy of lhs with one element of each row replaced: ``lhs[i, rhs[i]] = mhs[i]``."""
def fix(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Nearest whole number that is not farther from zero."""
def flatten(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """The elements of `data` as a matrix: the first axis is kept, all others become one."""
def flip(data: NDArray | None = None, axis: int | Sequence[int] = ..., out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """`data` with the order of its elements reversed along some axes."""
def floor(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Largest whole number that is not above."""
def ftml_update(weight: NDArray | None = None, grad: NDArray | None = None, d: NDArray | None = None, v: NDArray | None = None, z: NDArray | None = None, lr: float = ..., beta1: float = 0.6000000238418579, beta2: float = 0.9990000128746033, epsilon: float = 9.99999993922529e-09, t: int = ..., wd: float = 0.0, rescale_grad: float = 1.0, clip_grad: float = -1.0, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Follow the moving leader: ``-z / d``."""
def ftrl_update(weight: NDArray | None = None, grad: NDArray | None = None, z: NDArray | None = None, n: NDArray | None = None, lr: float = ..., lamda1: float = 0.009999999776482582, beta: float = 1.0, wd: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Follow the regularized leader: ``-shrink(z) / ((beta + sqrt(n)) / lr + wd)``."""
def gamma(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Gamma function."""
def gammaln(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Logarithm of |Γ(data)|."""
def gather_nd(data: NDArray | None = None, indices: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """The elements (or, with fewer coordinates than axes, the slices) of `data` at some places."""
def hard_sigmoid(data: NDArray | None = None, alpha: float = 0.20000000298023224, beta: float = 0.5, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """``alpha * data + beta``, kept within [0, 1]."""
def identity(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """A copy of data."""
def im2col(data: NDArray | None = None, kernel: int | Sequence[int] = ..., stride: int | Sequence[int] | None = (), dilate: int | Sequence[int] | None = (), pad: int | Sequence[int] | None = (), out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """A column for each position of a sliding window: (batch, channels · window, positions)."""
def khatri_rao(*args: NDArray | Sequence[NDArray], num_args: int = ..., out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Column-wise Kronecker product: column k is the Kronecker product of all k-th columns."""
def lamb_update_phase1(weight: NDArray | None = None, grad: NDArray | None = None, mean: NDArray | None = None, var: NDArray | None = None, beta1: float = 0.8999999761581421, beta2: float = 0.9990000128746033, epsilon: float = 9.999999974752427e-07, t: int = ..., bias_correction: bool = True, wd: float = ..., rescale_grad: float = 1.0, clip_gradient: float = -1.0, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Direction of a LAMB step: ``mean / (sqrt(var) + epsilon) + wd * weight``."""
def lamb_update_phase2(weight: NDArray | None = None, g: NDArray | None = None, r1: NDArray | None = None, r2: NDArray | None = None, lr: float = ..., lower_bound: float = -1.0, upper_bound: float = -1.0, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """``weight - lr * r1 / r2 * g``; the ratio is 1 where one of the norms is 0."""
def linalg_det(A: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """The determinant of each matrix."""
def linalg_extractdiag(A: NDArray | None = None, offset: int = 0, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """One diagonal of each matrix."""
def linalg_extracttrian(A: NDArray | None = None, offset: int = 0, lower: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """One triangle of each matrix, a lower one row by row, an upper one column by column."""
def linalg_gelqf(A: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """LQ factorisation ``A = L @ Q``: gives Q with orthonormal rows, and L, lower triangular."""
def linalg_gemm(A: NDArray | None = None, B: NDArray | None = None, C: NDArray | None = None, transpose_a: bool = False, transpose_b: bool = False, alpha: float = 1.0, beta: float = 1.0, axis: int = -2, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """``alpha * A @ B + beta * C``, matrix by matrix."""
def linalg_gemm2(A: NDArray | None = None, B: NDArray | None = None, transpose_a: bool = False, transpose_b: bool = False, alpha: float = 1.0, axis: int = -2, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """``alpha * A @ B``, matrix by matrix."""
def linalg_inverse(A: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """The inverse of each matrix."""
def linalg_makediag(A: NDArray | None = None, offset: int = 0, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Square matrices that are zero but for one diagonal."""
def linalg_maketrian(A: NDArray | None = None, offset: int = 0, lower: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Square matrices that are zero but for one triangle."""
def linalg_potrf(A: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, *, lower: bool = True, **kwargs: Any) -> NDArray:
    """Cholesky factor: the lower triangular L with ``L @ L.T = A``."""
def linalg_potri(A: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, *, lower: bool = True, **kwargs: Any) -> NDArray:
    """The inverse of ``A @ A.T``: with a Cholesky factor, the inverse of what was factorised."""
def linalg_slogdet(A: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """The determinant of each matrix as its sign and the logarithm of its absolute value."""
def linalg_sumlogdiag(A: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """The sum of the logarithms of the diagonal of each matrix."""
def linalg_syrk(A: NDArray | None = None, transpose: bool = False, alpha: float = 1.0, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """``alpha * A @ A.T``, matrix by matrix."""
def linalg_trmm(A: NDArray | None = None, B: NDArray | None = None, transpose: bool = False, rightside: bool = False, lower: bool = True, alpha: float = 1.0, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """``alpha * A @ B`` with a triangular matrix `A`, matrix by matrix."""
def linalg_trsm(A: NDArray | None = None, B: NDArray | None = None, transpose: bool = False, rightside: bool = False, lower: bool = True, alpha: float = 1.0, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """The solution X of ``A @ X = alpha * B`` with a triangular matrix `A`, matrix by matrix."""
def log(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Natural logarithm."""
def log10(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Logarithm to base 10."""
def log1p(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """log(1 + data), exact near 0."""
def log2(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Logarithm to base 2."""
def log_softmax(data: NDArray | None = None, axis: int = -1, temperature: float | None = None, dtype: str | type[Any] | _np.dtype[Any] | None = None, use_length: bool | None = False, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """``log(softmax(data))``, computed without leaving the logarithm."""
def logical_not(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """1 where data is 0, 0 elsewhere."""
def make_loss(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """A copy of data as a loss to minimize: its gradient is 1, whatever flows in from above."""
def max(data: NDArray | None = None, axis: int | Sequence[int] | None = None, keepdims: bool = False, exclude: bool = False, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Largest element."""
def max_axis(data: NDArray | None = None, axis: int | Sequence[int] | None = None, keepdims: bool = False, exclude: bool = False, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Largest element."""
def mean(data: NDArray | None = None, axis: int | Sequence[int] | None = None, keepdims: bool = False, exclude: bool = False, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Mean of the elements; of integers cut toward zero."""
def min(data: NDArray | None = None, axis: int | Sequence[int] | None = None, keepdims: bool = False, exclude: bool = False, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Smallest element."""
def min_axis(data: NDArray | None = None, axis: int | Sequence[int] | None = None, keepdims: bool = False, exclude: bool = False, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Smallest element."""
def moments(data: NDArray | None = None, axes: int | Sequence[int] | None = None, keepdims: bool = False, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """Mean and variance along axes; the variance is the mean square of the deviations."""
def mp_lamb_update_phase1(weight: NDArray | None = None, grad: NDArray | None = None, mean: NDArray | None = None, var: NDArray | None = None, weight32: NDArray | None = None, beta1: float = 0.8999999761581421, beta2: float = 0.9990000128746033, epsilon: float = 9.999999974752427e-07, t: int = ..., bias_correction: bool = True, wd: float = ..., rescale_grad: float = 1.0, clip_gradient: float = -1.0, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """`lamb_update_phase1` of a float32 copy of the weight; the direction is float32."""
def mp_lamb_update_phase2(weight: NDArray | None = None, g: NDArray | None = None, r1: NDArray | None = None, r2: NDArray | None = None, weight32: NDArray | None = None, lr: float = ..., lower_bound: float = -1.0, upper_bound: float = -1.0, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """`lamb_update_phase2` of a float32 copy of the weight, rounded to the weight's type."""
def mp_nag_mom_update(weight: NDArray | None = None, grad: NDArray | None = None, mom: NDArray | None = None, weight32: NDArray | None = None, lr: float = ..., momentum: float = 0.0, wd: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """`nag_mom_update` of a float32 copy of the weight, rounded to the weight's type."""
def mp_sgd_mom_update(weight: NDArray | None = None, grad: NDArray | None = None, mom: NDArray | None = None, weight32: NDArray | None = None, lr: float = ..., momentum: float = 0.0, wd: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0, lazy_update: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """`sgd_mom_update` of a float32 copy of the weight, rounded to the weight's type."""
def mp_sgd_update(weight: NDArray | None = None, grad: NDArray | None = None, weight32: NDArray | None = None, lr: float = ..., wd: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0, lazy_update: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """`sgd_update` of a float32 copy of the weight, rounded to the weight's type."""
def multi_all_finite(*data: NDArray | Sequence[NDArray], num_arrays: int = 1, init_output: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """1 when every element of every array is finite, else 0; (1,) float32."""
def multi_lars(lrs: NDArray | None = None, weights_sum_sq: NDArray | None = None, grads_sum_sq: NDArray | None = None, wds: NDArray | None = None, eta: float = ..., eps: float = ..., rescale_grad: float = 1.0, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Learning rates in proportion to norm of weight over norm of gradient, for each layer."""
def multi_mp_sgd_mom_update(*data: NDArray | Sequence[NDArray], lrs: float | Sequence[float] = ..., wds: float | Sequence[float] = ..., momentum: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0, num_weights: int = 1, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """`mp_sgd_mom_update` of several weights."""
def multi_mp_sgd_update(*data: NDArray | Sequence[NDArray], lrs: float | Sequence[float] = ..., wds: float | Sequence[float] = ..., rescale_grad: float = 1.0, clip_gradient: float = -1.0, num_weights: int = 1, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """`mp_sgd_update` of several weights."""
def multi_sgd_mom_update(*data: NDArray | Sequence[NDArray], lrs: float | Sequence[float] = ..., wds: float | Sequence[float] = ..., momentum: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0, num_weights: int = 1, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """`sgd_mom_update` of several weights."""
def multi_sgd_update(*data: NDArray | Sequence[NDArray], lrs: float | Sequence[float] = ..., wds: float | Sequence[float] = ..., rescale_grad: float = 1.0, clip_gradient: float = -1.0, num_weights: int = 1, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """`sgd_update` of several weights."""
def multi_sum_sq(*data: NDArray | Sequence[NDArray], num_arrays: int = ..., out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Sum of the squares of each array; (num_arrays,) float32."""
def nag_mom_update(weight: NDArray | None = None, grad: NDArray | None = None, mom: NDArray | None = None, lr: float = ..., momentum: float = 0.0, wd: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Step along Nesterov's accelerated gradient: to where the next momentum will lead."""
def nanprod(data: NDArray | None = None, axis: int | Sequence[int] | None = None, keepdims: bool = False, exclude: bool = False, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Product of the elements, NaN counting as 1."""
def nansum(data: NDArray | None = None, axis: int | Sequence[int] | None = None, keepdims: bool = False, exclude: bool = False, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Sum of the elements, NaN counting as 0."""
def negative(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """-data."""
def norm(data: NDArray | None = None, ord: int = 2, axis: int | Sequence[int] | None = None, out_dtype: str | type[Any] | _np.dtype[Any] | None = None, keepdims: bool = False, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Return Σ|data| or √Σdata² along axes, without overflow or underflow of the squares."""
def normal(loc: float = 0.0, scale: float = 1.0, shape: int | Sequence[int] | None = None, ctx: str = '', dtype: str | type[Any] | _np.dtype[Any] = 'None', out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Draws from the normal distribution."""
def one_hot(indices: NDArray | None = None, depth: int = ..., on_value: float = 1.0, off_value: float = 0.0, dtype: str | type[Any] | _np.dtype[Any] = 'float32', out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """A vector for each index: `on_value` at the index, `off_value` elsewhere."""
def ones_like(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Ones of the shape and type of data."""
def pad(data: NDArray | None = None, mode: Literal['constant', 'edge', 'reflect'] = ..., pad_width: int | Sequence[int] = ..., constant_value: float = 0.0, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """`data` with a border around its last two or three axes."""
def pick(data: NDArray | None = None, index: NDArray | None = None, axis: int | None = -1, keepdims: bool = False, mode: Literal['clip', 'wrap'] = 'clip', out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """One element along one axis for each position of the other axes, named by `index`."""
def preloaded_multi_mp_sgd_mom_update(*data: NDArray | Sequence[NDArray], momentum: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0, num_weights: int = 1, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """`mp_sgd_mom_update` of several weights, with learning rates and weight decays in arrays."""
def preloaded_multi_mp_sgd_update(*data: NDArray | Sequence[NDArray], rescale_grad: float = 1.0, clip_gradient: float = -1.0, num_weights: int = 1, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """`mp_sgd_update` of several weights, with learning rates and weight decays in arrays."""
def preloaded_multi_sgd_mom_update(*data: NDArray | Sequence[NDArray], momentum: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0, num_weights: int = 1, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """`sgd_mom_update` of several weights, with learning rates and weight decays in arrays."""
def preloaded_multi_sgd_update(*data: NDArray | Sequence[NDArray], rescale_grad: float = 1.0, clip_gradient: float = -1.0, num_weights: int = 1, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """`sgd_update` of several weights, with learning rates and weight decays in arrays."""
def prod(data: NDArray | None = None, axis: int | Sequence[int] | None = None, keepdims: bool = False, exclude: bool = False, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Product of the elements."""
def radians(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Radians of an angle in degrees."""
def random_exponential(lam: float = 1.0, shape: int | Sequence[int] | None = None, ctx: str = '', dtype: str | type[Any] | _np.dtype[Any] = 'None', out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Draws from the exponential distribution."""
def random_gamma(alpha: float = 1.0, beta: float = 1.0, shape: int | Sequence[int] | None = None, ctx: str = '', dtype: str | type[Any] | _np.dtype[Any] = 'None', out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Draws from the gamma distribution."""
def random_generalized_negative_binomial(mu: float = 1.0, alpha: float = 1.0, shape: int | Sequence[int] | None = None, ctx: str = '', dtype: str | type[Any] | _np.dtype[Any] = 'None', out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Draws from the negative binomial distribution with a given mean and dispersion."""
def random_negative_binomial(k: int = 1, p: float = 1.0, shape: int | Sequence[int] | None = None, ctx: str = '', dtype: str | type[Any] | _np.dtype[Any] = 'None', out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Draws from the negative binomial distribution: failures before the k-th success."""
def random_normal(loc: float = 0.0, scale: float = 1.0, shape: int | Sequence[int] | None = None, ctx: str = '', dtype: str | type[Any] | _np.dtype[Any] = 'None', out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Draws from the normal distribution."""
def random_pdf_dirichlet(sample: NDArray | None = None, alpha: NDArray | None = None, is_log: bool = False, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Density of the Dirichlet distribution."""
def random_pdf_exponential(sample: NDArray | None = None, lam: NDArray | None = None, is_log: bool = False, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Density of the exponential distribution."""
def random_pdf_gamma(sample: NDArray | None = None, alpha: NDArray | None = None, beta: NDArray | None = None, is_log: bool = False, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Density of the gamma distribution."""
def random_pdf_generalized_negative_binomial(sample: NDArray | None = None, mu: NDArray | None = None, alpha: NDArray | None = None, is_log: bool = False, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Probability of counts under the negative binomial distribution of given mean."""
def random_pdf_negative_binomial(sample: NDArray | None = None, k: NDArray | None = None, p: NDArray | None = None, is_log: bool = False, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Probability of that many failures before the k-th success."""
def random_pdf_normal(sample: NDArray | None = None, mu: NDArray | None = None, sigma: NDArray | None = None, is_log: bool = False, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Density of the normal distribution."""
def random_pdf_poisson(sample: NDArray | None = None, lam: NDArray | None = None, is_log: bool = False, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Probability of counts under the Poisson distribution."""
def random_pdf_uniform(sample: NDArray | None = None, low: NDArray | None = None, high: NDArray | None = None, is_log: bool = False, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Density of the uniform distribution: ``1 / (high - low)``."""
def random_poisson(lam: float = 1.0, shape: int | Sequence[int] | None = None, ctx: str = '', dtype: str | type[Any] | _np.dtype[Any] = 'None', out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Draws from the Poisson distribution."""
def random_randint(low: int = ..., high: int = ..., shape: int | Sequence[int] | None = None, ctx: str = '', dtype: Literal['None', 'int32', 'int64'] = 'None', out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Draws integers from [low, high), all equally likely."""
def random_uniform(low: float = 0.0, high: float = 1.0, shape: int | Sequence[int] | None = None, ctx: str = '', dtype: str | type[Any] | _np.dtype[Any] = 'None', out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Draws from the uniform distribution on [low, high)."""
def ravel_multi_index(data: NDArray | None = None, shape: int | Sequence[int] | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Coordinates to positions in the flattened array."""
def rcbrt(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """1 / ∛data."""
def reciprocal(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """1 / data."""
def relu(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """max(data, 0)."""
def repeat(data: NDArray | None = None, repeats: int = ..., axis: int | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Each element of `data` several times in a row."""
def reset_arrays(*data: NDArray | Sequence[NDArray], num_arrays: int = ..., out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """Set all arrays to zero, in place; there is no output."""
def reshape(data: NDArray | None = None, shape: int | Sequence[int] | None = (), reverse: bool = False, target_shape: int | Sequence[int] | None = (), keep_highest: bool = False, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """The elements of `data` in the shape that `shape` describes."""
def reshape_like(lhs: NDArray | None = None, rhs: NDArray | None = None, lhs_begin: int | None = None, lhs_end: int | None = None, rhs_begin: int | None = None, rhs_end: int | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """`lhs` with its axes lhs_begin … lhs_end replaced by the axes rhs_begin … rhs_end of `rhs`."""
def reverse(data: NDArray | None = None, axis: int | Sequence[int] = ..., out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """`data` with the order of its elements reversed along some axes."""
def rint(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Nearest whole number; halves go down."""
def rmsprop_update(weight: NDArray | None = None, grad: NDArray | None = None, n: NDArray | None = None, lr: float = ..., gamma1: float = 0.949999988079071, epsilon: float = 9.99999993922529e-09, wd: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0, clip_weights: float = -1.0, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """``weight - lr * grad / sqrt(n + epsilon)``."""
def rmspropalex_update(weight: NDArray | None = None, grad: NDArray | None = None, n: NDArray | None = None, g: NDArray | None = None, delta: NDArray | None = None, lr: float = ..., gamma1: float = 0.949999988079071, gamma2: float = 0.8999999761581421, epsilon: float = 9.99999993922529e-09, wd: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0, clip_weights: float = -1.0, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """``weight + delta``: RMSProp with momentum, scaled by the gradient's standard deviation."""
def round(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Nearest whole number; halves go away from zero."""
def rsqrt(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """1 / √data."""
def sample_exponential(lam: NDArray | None = None, shape: int | Sequence[int] | None = (), dtype: str | type[Any] | _np.dtype[Any] = 'None', out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Draws from the exponential distribution."""
def sample_gamma(alpha: NDArray | None = None, beta: NDArray | None = None, shape: int | Sequence[int] | None = (), dtype: str | type[Any] | _np.dtype[Any] = 'None', out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Draws from the gamma distribution."""
def sample_generalized_negative_binomial(mu: NDArray | None = None, alpha: NDArray | None = None, shape: int | Sequence[int] | None = (), dtype: str | type[Any] | _np.dtype[Any] = 'None', out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Draws from the negative binomial distribution with a given mean and dispersion."""
def sample_multinomial(data: NDArray | None = None, shape: int | Sequence[int] | None = (), get_prob: bool = False, dtype: str | type[Any] | _np.dtype[Any] = 'int32', out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """Draws classes by their probabilities; the gradient is that of their log-probability."""
def sample_negative_binomial(k: NDArray | None = None, p: NDArray | None = None, shape: int | Sequence[int] | None = (), dtype: str | type[Any] | _np.dtype[Any] = 'None', out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Draws from the negative binomial distribution: failures before the k-th success."""
def sample_normal(mu: NDArray | None = None, sigma: NDArray | None = None, shape: int | Sequence[int] | None = (), dtype: str | type[Any] | _np.dtype[Any] = 'None', out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Draws from the normal distribution."""
def sample_poisson(lam: NDArray | None = None, shape: int | Sequence[int] | None = (), dtype: str | type[Any] | _np.dtype[Any] = 'None', out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Draws from the Poisson distribution."""
def sample_uniform(low: NDArray | None = None, high: NDArray | None = None, shape: int | Sequence[int] | None = (), dtype: str | type[Any] | _np.dtype[Any] = 'None', out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Draws from the uniform distribution on [low, high)."""
def scatter_nd(data: NDArray | None = None, indices: NDArray | None = None, shape: int | Sequence[int] = ..., out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """An array of zeros with the values of `data` written at some places."""
def sgd_mom_update(weight: NDArray | None = None, grad: NDArray | None = None, mom: NDArray | None = None, lr: float = ..., momentum: float = 0.0, wd: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0, lazy_update: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """``weight + mom``, after ``mom = momentum * mom - lr * (grad + wd * weight)``."""
def sgd_update(weight: NDArray | None = None, grad: NDArray | None = None, lr: float = ..., wd: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0, lazy_update: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """``weight - lr * (grad + wd * weight)``, with the gradient rescaled and clipped."""
def shape_array(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """The shape of data, as an int64 vector."""
def shuffle(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """`data` with its slices along the first axis in random order."""
def sigmoid(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """1 / (1 + exp(-data))."""
def sign(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """-1, 0 or 1: the sign."""
def signsgd_update(weight: NDArray | None = None, grad: NDArray | None = None, lr: float = ..., wd: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """``(1 - lr * wd) * weight - lr * sign(grad)``."""
def signum_update(weight: NDArray | None = None, grad: NDArray | None = None, mom: NDArray | None = None, lr: float = ..., momentum: float = 0.0, wd: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0, wd_lh: float = 0.0, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Step by the sign of the momentum: ``(1 - lr * wd_lh) * weight + lr * sign(mom)``."""
def sin(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Sine of an angle in radians."""
def sinh(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Hyperbolic sine."""
def size_array(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """The number of elements of data, as an int64 vector of one."""
def slice(data: NDArray | None = None, begin: int | None | Sequence[int | None] = None, end: int | None | Sequence[int | None] = None, step: int | None | Sequence[int | None] = (), out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """A box of `data`: the elements from begin to end, by step, of each of the leading axes."""
def slice_axis(data: NDArray | None = None, axis: int = ..., begin: int = ..., end: int | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """The part of `data` from begin to end of one axis."""
def slice_like(data: NDArray | None = None, shape_like: NDArray | None = None, axes: int | Sequence[int] | None = (), out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """The leading part of `data` that is as large as `shape_like` along some axes."""
def smooth_l1(data: NDArray | None = None, scalar: float = 1.0, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, *, is_int: bool = True, **kwargs: Any) -> NDArray:
    """(scalar · data)² / 2 where |data| < 1 / scalar², else |data| - 1 / (2 · scalar²)."""
def softmax(data: NDArray | None = None, length: NDArray | None = None, axis: int = -1, temperature: float | None = None, dtype: str | type[Any] | _np.dtype[Any] | None = None, use_length: bool | None = False, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """``exp(data / temperature, dtype)`` divided by its sum along one axis."""
def softmax_cross_entropy(data: NDArray | None = None, label: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Sum over the batch of ``-log(softmax(data))`` at the labels, shape (1,)."""
def softmin(data: NDArray | None = None, axis: int = -1, temperature: float | None = None, dtype: str | type[Any] | _np.dtype[Any] | None = None, use_length: bool | None = False, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """``softmax(-data)``."""
def softsign(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """data / (1 + |data|)."""
def sort(data: NDArray | None = None, axis: int | None = -1, is_ascend: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """The elements of each row along one axis in order."""
def space_to_depth(data: NDArray | None = None, block_size: int = ..., out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Square blocks of pixels moved into channels, the inverse of `depth_to_space`."""
def split(data: NDArray | None = None, num_outputs: int = ..., axis: int = 1, squeeze_axis: bool = False, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """`data` cut along one axis into parts of equal size."""
def sqrt(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Square root."""
def square(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """data²."""
def squeeze(data: NDArray | None = None, axis: int | Sequence[int] | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """`data` without axes of size one; when nothing remains, an array of shape (1,)."""
def stack(*data: NDArray | Sequence[NDArray], axis: int = 0, num_args: int = ..., out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """The arrays of `data` side by side along a new axis."""
def stop_gradient(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """A copy of data that lets no gradient through."""
def sum(data: NDArray | None = None, axis: int | Sequence[int] | None = None, keepdims: bool = False, exclude: bool = False, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Sum of the elements."""
def sum_axis(data: NDArray | None = None, axis: int | Sequence[int] | None = None, keepdims: bool = False, exclude: bool = False, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Sum of the elements."""
def swapaxes(data: NDArray | None = None, dim1: int = 0, dim2: int = 0, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """`data` with two axes exchanged."""
def take(a: NDArray | None = None, indices: NDArray | None = None, axis: int = 0, mode: Literal['clip', 'raise', 'wrap'] = 'clip', out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """The slices of `a` along one axis that `indices` names; its shape replaces that axis."""
def tan(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Tangent of an angle in radians."""
def tanh(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Hyperbolic tangent."""
def tile(data: NDArray | None = None, reps: int | Sequence[int] = ..., out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Copies of the whole of `data` side by side."""
def topk(data: NDArray | None = None, axis: int | None = -1, k: int = 1, ret_typ: Literal['both', 'indices', 'mask', 'value'] = 'indices', is_ascend: bool = False, dtype: str | type[Any] | _np.dtype[Any] = 'float32', out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """The `k` largest (or smallest) elements of each row along one axis, in order."""
def transpose(data: NDArray | None = None, axes: int | Sequence[int] | None = (), out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """`data` with its axes in another order."""
def trunc(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Whole part, toward zero."""
def uniform(low: float = 0.0, high: float = 1.0, shape: int | Sequence[int] | None = None, ctx: str = '', dtype: str | type[Any] | _np.dtype[Any] = 'None', out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Draws from the uniform distribution on [low, high)."""
def unravel_index(data: NDArray | None = None, shape: int | Sequence[int] | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Positions in a flattened array to coordinates, a column for each."""
def where(condition: NDArray | None = None, x: NDArray | None = None, y: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Elements of `x` where `condition` is not zero, elements of `y` elsewhere."""
def zeros_like(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Zeros of the shape and type of data."""
