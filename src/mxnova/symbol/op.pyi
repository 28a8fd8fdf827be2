# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")

from mxnova.symbol.symbol import Symbol as Symbol

def Activation(data: Symbol | None = None, act_type: Literal['relu', 'sigmoid', 'softrelu', 'softsign', 'tanh'] = ..., name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """An activation function of each element."""
def BatchNorm(data: Symbol | None = None, gamma: Symbol | None = None, beta: Symbol | None = None, moving_mean: Symbol | None = None, moving_var: Symbol | None = None, eps: float = 0.0010000000474974513, momentum: float = 0.8999999761581421, fix_gamma: bool = True, use_global_stats: bool = False, output_mean_var: bool = False, axis: int = 1, cudnn_off: bool = False, min_calib_range: float | None = None, max_calib_range: float | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """``(data - mean) / sqrt(var + eps) * gamma + beta`` with mean and variance of each channel."""
def BatchNorm_v1(data: Symbol | None = None, gamma: Symbol | None = None, beta: Symbol | None = None, eps: float = 0.0010000000474974513, momentum: float = 0.8999999761581421, fix_gamma: bool = True, use_global_stats: bool = False, output_mean_var: bool = False, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, *, moving_mean: Symbol | None = None, moving_var: Symbol | None = None, **kwargs: Any) -> Symbol:
    """BatchNorm of channels along axis 1, as files of early MXNet name it."""
def BilinearSampler(data: Symbol | None = None, grid: Symbol | None = None, cudnn_off: bool | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """`data` sampled at the positions of `grid`, linearly between pixels, 0 outside."""
def BlockGrad(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """A copy of data that lets no gradient through."""
def CTCLoss(data: Symbol | None = None, label: Symbol | None = None, data_lengths: Symbol | None = None, label_lengths: Symbol | None = None, use_data_lengths: bool = False, use_label_lengths: bool = False, blank_label: Literal['first', 'last'] = 'first', name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Negative log-probability of label sequences under unaligned predictions, (batch,)."""
def Cast(data: Symbol | None = None, dtype: str | type[Any] | _np.dtype[Any] = ..., name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Cast data to another dtype; floats truncate to integers, and nonzero is True for bool."""
def Concat(*data: Symbol | Sequence[Symbol], num_args: int = ..., dim: int = 1, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """The arrays of `data` put one after the other along one axis."""
def Convolution(data: Symbol | None = None, weight: Symbol | None = None, bias: Symbol | None = None, kernel: int | Sequence[int] = ..., stride: int | Sequence[int] | None = (), dilate: int | Sequence[int] | None = (), pad: int | Sequence[int] | None = (), num_filter: int = ..., num_group: int = 1, workspace: int = 1024, no_bias: bool = False, cudnn_tune: Literal['fastest', 'limited_workspace', 'off', None] = None, cudnn_off: bool = False, layout: Literal['NCDHW', 'NCHW', 'NCW', 'NDHWC', 'NHWC', None] = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Cross-correlation of `data` with `num_filter` kernels, plus a bias for each."""
def Convolution_v1(data: Symbol | None = None, weight: Symbol | None = None, bias: Symbol | None = None, kernel: int | Sequence[int] = ..., stride: int | Sequence[int] | None = (), dilate: int | Sequence[int] | None = (), pad: int | Sequence[int] | None = (), num_filter: int = ..., num_group: int = 1, workspace: int = 1024, no_bias: bool = False, cudnn_tune: Literal['fastest', 'limited_workspace', 'off', None] = None, cudnn_off: bool = False, layout: Literal['NCDHW', 'NCHW', 'NDHWC', 'NHWC', None] = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Convolution over 2 or 3 spatial axes, as files of early MXNet name it."""
def Correlation(data1: Symbol | None = None, data2: Symbol | None = None, kernel_size: int = 1, max_displacement: int = 1, stride1: int = 1, stride2: int = 1, pad_size: int = 0, is_multiply: bool = True, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """How alike the surroundings of each place are in two images, for each of many displacements."""
def Crop(*data: Symbol | Sequence[Symbol], num_args: int = ..., offset: int | Sequence[int] | None = (0, 0), h_w: int | Sequence[int] | None = (0, 0), center_crop: bool = False, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """A window of images, of a given size or of the size of a second array of images."""
def Custom(*data: Symbol | Sequence[Symbol], op_type: str = ..., name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """An operator written in Python and registered with ``mx.operator.register``."""
def Deconvolution(data: Symbol | None = None, weight: Symbol | None = None, bias: Symbol | None = None, kernel: int | Sequence[int] = ..., stride: int | Sequence[int] | None = (), dilate: int | Sequence[int] | None = (), pad: int | Sequence[int] | None = (), adj: int | Sequence[int] | None = (), target_shape: int | Sequence[int] | None = (), num_filter: int = ..., num_group: int = 1, workspace: int = 512, no_bias: bool = True, cudnn_tune: Literal['fastest', 'limited_workspace', 'off', None] = None, cudnn_off: bool = False, layout: Literal['NCDHW', 'NCHW', 'NCW', 'NDHWC', 'NHWC', None] = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Transpose of Convolution: every item of `data` adds its multiple of the kernels."""
def Dropout(data: Symbol | None = None, p: float = 0.5, mode: Literal['always', 'training'] = 'training', axes: int | Sequence[int] | None = (), cudnn_off: bool | None = False, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Sets random elements to 0 and scales the rest up, so that the mean stays."""
def ElementWiseSum(*args: Symbol | Sequence[Symbol], num_args: int = ..., name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Sum of its inputs."""
def Embedding(data: Symbol | None = None, weight: Symbol | None = None, input_dim: int = ..., output_dim: int = ..., dtype: str | type[Any] | _np.dtype[Any] = 'float32', sparse_grad: bool = False, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Rows of `weight`, one for each index in `data`."""
def Flatten(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """The elements of `data` as a matrix: the first axis is kept, all others become one."""
def FullyConnected(data: Symbol | None = None, weight: Symbol | None = None, bias: Symbol | None = None, num_hidden: int = ..., no_bias: bool = False, flatten: bool = True, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Linear map of the last axes: ``data @ weight.T + bias``."""
def GridGenerator(data: Symbol | None = None, transform_type: Literal['affine', 'warp'] = ..., target_shape: int | Sequence[int] | None = (0, 0), name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """A grid of sampling positions (batch, 2, height, width) for BilinearSampler."""
def GroupNorm(data: Symbol | None = None, gamma: Symbol | None = None, beta: Symbol | None = None, num_groups: int = 1, eps: float = 9.999999747378752e-06, output_mean_var: bool = False, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """``(data - mean) / sqrt(var + eps) * gamma + beta`` with the statistics of channel groups."""
def IdentityAttachKLSparseReg(data: Symbol | None = None, sparseness_target: float = 0.10000000149011612, penalty: float = 0.0010000000474974513, momentum: float = 0.8999999761581421, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, *, moving_avg: Symbol | None = None, **kwargs: Any) -> Symbol:
    """`data` itself; its gradient gets that of a penalty on the mean activation of each unit."""
def InstanceNorm(data: Symbol | None = None, gamma: Symbol | None = None, beta: Symbol | None = None, eps: float = 0.0010000000474974513, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """``(data - mean) / sqrt(var + eps) * gamma + beta`` with the statistics of each channel."""
def L2Normalization(data: Symbol | None = None, eps: float = 1.000000013351432e-10, mode: Literal['channel', 'instance', 'spatial'] = 'instance', name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """``data / sqrt(sum(data ** 2) + eps)``."""
def LRN(data: Symbol | None = None, alpha: float = 9.999999747378752e-05, beta: float = 0.75, knorm: float = 2.0, nsize: int = ..., name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """``data / (knorm + alpha / nsize * sum(data ** 2)) ** beta``, the sum over near channels."""
def LayerNorm(data: Symbol | None = None, gamma: Symbol | None = None, beta: Symbol | None = None, axis: int = -1, eps: float = 9.999999747378752e-06, output_mean_var: bool = False, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """``(data - mean) / sqrt(var + eps) * gamma + beta`` with the statistics along one axis."""
def LeakyReLU(data: Symbol | None = None, gamma: Symbol | None = None, act_type: Literal['elu', 'gelu', 'leaky', 'prelu', 'rrelu', 'selu'] = 'leaky', slope: float = 0.25, lower_bound: float = 0.125, upper_bound: float = 0.33399999141693115, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """``x`` where it is positive, something small elsewhere."""
def LinearRegressionOutput(data: Symbol | None = None, label: Symbol | None = None, grad_scale: float = 1.0, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """`data`; its gradient is that of half the squared error: ``data - label``."""
def LogisticRegressionOutput(data: Symbol | None = None, label: Symbol | None = None, grad_scale: float = 1.0, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Sigmoid of `data`; its gradient is that of the cross entropy: ``sigmoid(data) - label``."""
def MAERegressionOutput(data: Symbol | None = None, label: Symbol | None = None, grad_scale: float = 1.0, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """`data`; its gradient is that of the absolute error: 1 above the label, else -1."""
def MakeLoss(data: Symbol | None = None, grad_scale: float = 1.0, valid_thresh: float = 0.0, normalization: Literal['batch', 'null', 'valid'] = 'null', name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Return a copy of data as a loss; its gradient is a constant that ignores the head gradient."""
def Pad(data: Symbol | None = None, mode: Literal['constant', 'edge', 'reflect'] = ..., pad_width: int | Sequence[int] = ..., constant_value: float = 0.0, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """`data` with a border around its last two or three axes."""
def Pooling(data: Symbol | None = None, kernel: int | Sequence[int] | None = (), pool_type: Literal['avg', 'lp', 'max', 'sum'] = 'max', global_pool: bool = False, cudnn_off: bool = False, pooling_convention: Literal['full', 'same', 'valid'] = 'valid', stride: int | Sequence[int] | None = (), pad: int | Sequence[int] | None = (), p_value: int | None = None, count_include_pad: bool | None = None, layout: Literal['NCDHW', 'NCHW', 'NCW', 'NDHWC', 'NHWC', 'NWC', None] = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Maximum, mean, sum or Lp norm of the items under each position of a window."""
def Pooling_v1(data: Symbol | None = None, kernel: int | Sequence[int] | None = (), pool_type: Literal['avg', 'max', 'sum'] = 'max', global_pool: bool = False, pooling_convention: Literal['full', 'valid'] = 'valid', stride: int | Sequence[int] | None = (), pad: int | Sequence[int] | None = (), name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Pooling over 2 or 3 spatial axes, as files of early MXNet name it."""
def RNN(data: Symbol | None = None, parameters: Symbol | None = None, state: Symbol | None = None, state_cell: Symbol | None = None, sequence_length: Symbol | None = None, state_size: int = ..., num_layers: int = ..., bidirectional: bool = False, mode: Literal['gru', 'lstm', 'rnn_relu', 'rnn_tanh'] = ..., p: float = 0.0, state_outputs: bool = False, projection_size: int | None = None, lstm_state_clip_min: float | None = None, lstm_state_clip_max: float | None = None, lstm_state_clip_nan: bool = False, use_sequence_length: bool = False, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Recurrent network over a sequence: vanilla (ReLU or tanh), LSTM or GRU, in layers."""
def ROIPooling(data: Symbol | None = None, rois: Symbol | None = None, pooled_size: int | Sequence[int] = ..., spatial_scale: float = ..., name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """The maximum of each bin of each region, (regions, channels, *pooled_size)."""
def Reshape(data: Symbol | None = None, shape: int | Sequence[int] | None = (), reverse: bool = False, target_shape: int | Sequence[int] | None = (), keep_highest: bool = False, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """The elements of `data` in the shape that `shape` describes."""
def SVMOutput(data: Symbol | None = None, label: Symbol | None = None, margin: float = 1.0, regularization_coefficient: float = 1.0, use_linear: bool = False, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """`data`; its gradient is that of a one-against-all hinge loss."""
def SequenceLast(data: Symbol | None = None, sequence_length: Symbol | None = None, use_sequence_length: bool = False, axis: int = 0, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """The last step of each sequence."""
def SequenceMask(data: Symbol | None = None, sequence_length: Symbol | None = None, use_sequence_length: bool = False, value: float = 0.0, axis: int = 0, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """`data` with all steps behind the end of their sequence set to `value`."""
def SequenceReverse(data: Symbol | None = None, sequence_length: Symbol | None = None, use_sequence_length: bool = False, axis: int = 0, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """`data` with the steps of each sequence in reverse order; the padding stays where it is."""
def SliceChannel(data: Symbol | None = None, num_outputs: int = ..., axis: int = 1, squeeze_axis: bool = False, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """`data` cut along one axis into parts of equal size."""
def Softmax(data: Symbol | None = None, label: Symbol | None = None, grad_scale: float = 1.0, ignore_label: float = -1.0, multi_output: bool = False, use_ignore: bool = False, preserve_shape: bool = False, normalization: Literal['batch', 'null', 'valid'] = 'null', out_grad: bool = False, smooth_alpha: float = 0.0, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Softmax with the gradient of the cross entropy with `label`: ``output - one_hot(label)``."""
def SoftmaxActivation(data: Symbol | None = None, mode: Literal['channel', 'instance'] = 'instance', name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Softmax over the last axis, or over the channels at every position."""
def SoftmaxOutput(data: Symbol | None = None, label: Symbol | None = None, grad_scale: float = 1.0, ignore_label: float = -1.0, multi_output: bool = False, use_ignore: bool = False, preserve_shape: bool = False, normalization: Literal['batch', 'null', 'valid'] = 'null', out_grad: bool = False, smooth_alpha: float = 0.0, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Softmax with the gradient of the cross entropy with `label`: ``output - one_hot(label)``."""
def SpatialTransformer(data: Symbol | None = None, loc: Symbol | None = None, target_shape: int | Sequence[int] | None = (0, 0), transform_type: Literal['affine'] = ..., sampler_type: Literal['bilinear'] = ..., cudnn_off: bool | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """`data` sampled where an affine map takes the pixels of the output, 0 outside."""
def SwapAxis(data: Symbol | None = None, dim1: int = 0, dim2: int = 0, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """`data` with two axes exchanged."""
def UpSampling(*data: Symbol | Sequence[Symbol], scale: int = ..., num_filter: int = 0, sample_type: Literal['bilinear', 'nearest'] = ..., multi_input_mode: Literal['concat', 'sum'] = 'concat', num_args: int = ..., workspace: int = 512, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Images made `scale` times larger."""
def abs(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Absolute value."""
def adam_update(weight: Symbol | None = None, grad: Symbol | None = None, mean: Symbol | None = None, var: Symbol | None = None, lr: float = ..., beta1: float = 0.8999999761581421, beta2: float = 0.9990000128746033, epsilon: float = 9.99999993922529e-09, wd: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0, lazy_update: bool = True, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """``weight - lr * mean / (sqrt(var) + epsilon)``."""
def add_n(*args: Symbol | Sequence[Symbol], num_args: int = ..., name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Sum of its inputs."""
def all_finite(data: Symbol | None = None, init_output: bool = True, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """1 when every element is finite, else 0; (1,) float32."""
def amp_cast(data: Symbol | None = None, dtype: str | type[Any] | _np.dtype[Any] = ..., name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Its input as another type if it is float16 or float32, else as it is: for mixed precision."""
def amp_multicast(*data: Symbol | Sequence[Symbol], num_outputs: int = ..., cast_narrow: bool = False, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Those of the arrays that are float16 or float32 in one type: for mixed precision."""
def arccos(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Angle in [0, π] whose cosine is data."""
def arccosh(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Inverse hyperbolic cosine."""
def arcsin(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Angle in [-π/2, π/2] whose sine is data."""
def arcsinh(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Inverse hyperbolic sine."""
def arctan(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Angle in [-π/2, π/2] whose tangent is data."""
def arctanh(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Inverse hyperbolic tangent."""
def argmax(data: Symbol | None = None, axis: int | None = None, keepdims: bool = False, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Position of the largest element along an axis, in the type of data."""
def argmax_channel(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Position of the largest element along the second axis, in the type of data."""
def argmin(data: Symbol | None = None, axis: int | None = None, keepdims: bool = False, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Position of the smallest element along an axis, in the type of data."""
def argsort(data: Symbol | None = None, axis: int | None = -1, is_ascend: bool = True, dtype: str | type[Any] | _np.dtype[Any] = 'float32', name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """The indices that would put each row along one axis in order."""
def batch_dot(lhs: Symbol | None = None, rhs: Symbol | None = None, transpose_a: bool = False, transpose_b: bool = False, forward_stype: Literal['csr', 'default', 'row_sparse', None] = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Matrix products of the last two axes, one for each index of the leading axes."""
def batch_take(a: Symbol | None = None, indices: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """One element of each row of `a`, named by `indices`; those out of range are clipped."""
def broadcast_add(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """lhs + rhs."""
def broadcast_axes(data: Symbol | None = None, axis: int | Sequence[int] | None = (), size: int | Sequence[int] | None = (), name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Its input, repeated along some axes of length 1."""
def broadcast_axis(data: Symbol | None = None, axis: int | Sequence[int] | None = (), size: int | Sequence[int] | None = (), name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Its input, repeated along some axes of length 1."""
def broadcast_div(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """lhs / rhs; integers are cut toward zero."""
def broadcast_equal(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """1 where both are equal, 0 elsewhere."""
def broadcast_greater(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """1 where the first is greater, 0 elsewhere."""
def broadcast_greater_equal(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """1 where the first is not less, 0 elsewhere."""
def broadcast_hypot(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """√(lhs² + rhs²)."""
def broadcast_lesser(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """1 where the first is less, 0 elsewhere."""
def broadcast_lesser_equal(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """1 where the first is not greater, 0 elsewhere."""
def broadcast_like(lhs: Symbol | None = None, rhs: Symbol | None = None, lhs_axes: int | Sequence[int] | None = None, rhs_axes: int | Sequence[int] | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Its first input, repeated along its axes of length 1 to the shape of rhs."""
def broadcast_logical_and(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """1 where neither is 0, 0 elsewhere."""
def broadcast_logical_or(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """1 where at least one is not 0, 0 elsewhere."""
def broadcast_logical_xor(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """1 where exactly one is not 0, 0 elsewhere."""
def broadcast_maximum(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """The larger one."""
def broadcast_minimum(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """The smaller one."""
def broadcast_minus(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """lhs - rhs."""
def broadcast_mod(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Remainder of lhs / rhs with the sign of rhs; 0 where rhs is 0."""
def broadcast_mul(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """lhs · rhs."""
def broadcast_not_equal(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """1 where they differ, 0 elsewhere."""
def broadcast_plus(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """lhs + rhs."""
def broadcast_power(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """lhs to the power of rhs."""
def broadcast_sub(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """lhs - rhs."""
def broadcast_to(data: Symbol | None = None, shape: int | Sequence[int] | None = (), name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Its input, repeated along its axes of length 1 to a shape."""
def cast(data: Symbol | None = None, dtype: str | type[Any] | _np.dtype[Any] = ..., name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Cast data to another dtype; floats truncate to integers, and nonzero is True for bool."""
def cast_storage(data: Symbol | None = None, stype: Literal['csr', 'default', 'row_sparse'] = ..., name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """`data` in another storage type."""
def cbrt(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Cube root."""
def ceil(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Smallest whole number that is not below."""
def choose_element_0index(data: Symbol | None = None, index: Symbol | None = None, axis: int | None = -1, keepdims: bool = False, mode: Literal['clip', 'wrap'] = 'clip', name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """One element along one axis for each position of the other axes, named by `index`."""
def clip(data: Symbol | None = None, a_min: float = ..., a_max: float = ..., name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Its input, kept within [a_min, a_max]."""
def col2im(data: Symbol | None = None, output_size: int | Sequence[int] = ..., kernel: int | Sequence[int] = ..., stride: int | Sequence[int] | None = (), dilate: int | Sequence[int] | None = (), pad: int | Sequence[int] | None = (), name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Images from the columns that `im2col` makes; what overlaps is added up."""
def concat(*data: Symbol | Sequence[Symbol], num_args: int = ..., dim: int = 1, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """The arrays of `data` put one after the other along one axis."""
def cos(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Cosine of an angle in radians."""
def cosh(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Hyperbolic cosine."""
def crop(data: Symbol | None = None, begin: int | None | Sequence[int | None] = None, end: int | None | Sequence[int | None] = None, step: int | None | Sequence[int | None] = (), name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """A box of `data`: the elements from begin to end, by step, of each of the leading axes."""
def ctc_loss(data: Symbol | None = None, label: Symbol | None = None, data_lengths: Symbol | None = None, label_lengths: Symbol | None = None, use_data_lengths: bool = False, use_label_lengths: bool = False, blank_label: Literal['first', 'last'] = 'first', name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Negative log-probability of label sequences under unaligned predictions, (batch,)."""
def cumsum(a: Symbol | None = None, axis: int | None = None, dtype: str | type[Any] | _np.dtype[Any] | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """The sum of each element and all before it along an axis."""
def degrees(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Degrees of an angle in radians."""
def depth_to_space(data: Symbol | None = None, block_size: int = ..., name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Channels moved into square blocks of pixels, the inverse of `space_to_depth`."""
def diag(data: Symbol | None = None, k: int = 0, axis1: int = 0, axis2: int = 1, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """A diagonal of `data`, as the last axis; of a vector, the matrix that has it as diagonal."""
def dot(lhs: Symbol | None = None, rhs: Symbol | None = None, transpose_a: bool = False, transpose_b: bool = False, forward_stype: Literal['csr', 'default', 'row_sparse', None] = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Sum of products over the last axis of `lhs` and the first axis of `rhs`."""
def elemwise_add(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """lhs + rhs."""
def elemwise_div(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """lhs / rhs; integers are cut toward zero."""
def elemwise_mul(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """lhs · rhs."""
def elemwise_sub(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """lhs - rhs."""
def erf(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Error function."""
def erfinv(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Inverse of the error function."""
def exp(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """e to the power of data."""
def expand_dims(data: Symbol | None = None, axis: int = ..., name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """`data` with an axis of size one more."""
def expm1(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """exp(data) - 1, exact near 0."""
def fill_element_0index(lhs: Symbol | None = None, mhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """A copy of lhs with one element of each row replaced: ``lhs[i, rhs[i]] = mhs[i]``."""
def fix(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Nearest whole number that is not farther from zero."""
def flatten(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """The elements of `data` as a matrix: the first axis is kept, all others become one."""
def flip(data: Symbol | None = None, axis: int | Sequence[int] = ..., name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """`data` with the order of its elements reversed along some axes."""
def floor(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Largest whole number that is not above."""
def ftml_update(weight: Symbol | None = None, grad: Symbol | None = None, d: Symbol | None = None, v: Symbol | None = None, z: Symbol | None = None, lr: float = ..., beta1: float = 0.6000000238418579, beta2: float = 0.9990000128746033, epsilon: float = 9.99999993922529e-09, t: int = ..., wd: float = 0.0, rescale_grad: float = 1.0, clip_grad: float = -1.0, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Follow the moving leader: ``-z / d``."""
def ftrl_update(weight: Symbol | None = None, grad: Symbol | None = None, z: Symbol | None = None, n: Symbol | None = None, lr: float = ..., lamda1: float = 0.009999999776482582, beta: float = 1.0, wd: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Follow the regularized leader: ``-shrink(z) / ((beta + sqrt(n)) / lr + wd)``."""
def gamma(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Gamma function."""
def gammaln(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Logarithm of |Γ(data)|."""
def gather_nd(data: Symbol | None = None, indices: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """The elements (or, with fewer coordinates than axes, the slices) of `data` at some places."""
def hard_sigmoid(data: Symbol | None = None, alpha: float = 0.20000000298023224, beta: float = 0.5, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """``alpha * data + beta``, kept within [0, 1]."""
def identity(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """A copy of data."""
def im2col(data: Symbol | None = None, kernel: int | Sequence[int] = ..., stride: int | Sequence[int] | None = (), dilate: int | Sequence[int] | None = (), pad: int | Sequence[int] | None = (), name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """A column for each position of a sliding window: (batch, channels · window, positions)."""
def khatri_rao(*args: Symbol | Sequence[Symbol], num_args: int = ..., name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Column-wise Kronecker product: column k is the Kronecker product of all k-th columns."""
def lamb_update_phase1(weight: Symbol | None = None, grad: Symbol | None = None, mean: Symbol | None = None, var: Symbol | None = None, beta1: float = 0.8999999761581421, beta2: float = 0.9990000128746033, epsilon: float = 9.999999974752427e-07, t: int = ..., bias_correction: bool = True, wd: float = ..., rescale_grad: float = 1.0, clip_gradient: float = -1.0, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Direction of a LAMB step: ``mean / (sqrt(var) + epsilon) + wd * weight``."""
def lamb_update_phase2(weight: Symbol | None = None, g: Symbol | None = None, r1: Symbol | None = None, r2: Symbol | None = None, lr: float = ..., lower_bound: float = -1.0, upper_bound: float = -1.0, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """``weight - lr * r1 / r2 * g``; the ratio is 1 where one of the norms is 0."""
def linalg_det(A: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """The determinant of each matrix."""
def linalg_extractdiag(A: Symbol | None = None, offset: int = 0, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """One diagonal of each matrix."""
def linalg_extracttrian(A: Symbol | None = None, offset: int = 0, lower: bool = True, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """One triangle of each matrix, a lower one row by row, an upper one column by column."""
def linalg_gelqf(A: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """LQ factorisation ``A = L @ Q``: gives Q with orthonormal rows, and L, lower triangular."""
def linalg_gemm(A: Symbol | None = None, B: Symbol | None = None, C: Symbol | None = None, transpose_a: bool = False, transpose_b: bool = False, alpha: float = 1.0, beta: float = 1.0, axis: int = -2, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """``alpha * A @ B + beta * C``, matrix by matrix."""
def linalg_gemm2(A: Symbol | None = None, B: Symbol | None = None, transpose_a: bool = False, transpose_b: bool = False, alpha: float = 1.0, axis: int = -2, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """``alpha * A @ B``, matrix by matrix."""
def linalg_inverse(A: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """The inverse of each matrix."""
def linalg_makediag(A: Symbol | None = None, offset: int = 0, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Square matrices that are zero but for one diagonal."""
def linalg_maketrian(A: Symbol | None = None, offset: int = 0, lower: bool = True, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Square matrices that are zero but for one triangle."""
def linalg_potrf(A: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, *, lower: bool = True, **kwargs: Any) -> Symbol:
    """Cholesky factor: the lower triangular L with ``L @ L.T = A``."""
def linalg_potri(A: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, *, lower: bool = True, **kwargs: Any) -> Symbol:
    """The inverse of ``A @ A.T``: with a Cholesky factor, the inverse of what was factorised."""
def linalg_slogdet(A: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """The determinant of each matrix as its sign and the logarithm of its absolute value."""
def linalg_sumlogdiag(A: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """The sum of the logarithms of the diagonal of each matrix."""
def linalg_syrk(A: Symbol | None = None, transpose: bool = False, alpha: float = 1.0, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """``alpha * A @ A.T``, matrix by matrix."""
def linalg_trmm(A: Symbol | None = None, B: Symbol | None = None, transpose: bool = False, rightside: bool = False, lower: bool = True, alpha: float = 1.0, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """``alpha * A @ B`` with a triangular matrix `A`, matrix by matrix."""
def linalg_trsm(A: Symbol | None = None, B: Symbol | None = None, transpose: bool = False, rightside: bool = False, lower: bool = True, alpha: float = 1.0, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """The solution X of ``A @ X = alpha * B`` with a triangular matrix `A`, matrix by matrix."""
def log(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Natural logarithm."""
def log10(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Logarithm to base 10."""
def log1p(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """log(1 + data), exact near 0."""
def log2(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Logarithm to base 2."""
def log_softmax(data: Symbol | None = None, axis: int = -1, temperature: float | None = None, dtype: str | type[Any] | _np.dtype[Any] | None = None, use_length: bool | None = False, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """``log(softmax(data))``, computed without leaving the logarithm."""
def logical_not(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """1 where data is 0, 0 elsewhere."""
def make_loss(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """A copy of data as a loss to minimize: its gradient is 1, whatever flows in from above."""
def max(data: Symbol | None = None, axis: int | Sequence[int] | None = None, keepdims: bool = False, exclude: bool = False, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Largest element."""
def max_axis(data: Symbol | None = None, axis: int | Sequence[int] | None = None, keepdims: bool = False, exclude: bool = False, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Largest element."""
def mean(data: Symbol | None = None, axis: int | Sequence[int] | None = None, keepdims: bool = False, exclude: bool = False, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Mean of the elements; of integers cut toward zero."""
def min(data: Symbol | None = None, axis: int | Sequence[int] | None = None, keepdims: bool = False, exclude: bool = False, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Smallest element."""
def min_axis(data: Symbol | None = None, axis: int | Sequence[int] | None = None, keepdims: bool = False, exclude: bool = False, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Smallest element."""
def moments(data: Symbol | None = None, axes: int | Sequence[int] | None = None, keepdims: bool = False, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Mean and variance along axes; the variance is the mean square of the deviations."""
def mp_lamb_update_phase1(weight: Symbol | None = None, grad: Symbol | None = None, mean: Symbol | None = None, var: Symbol | None = None, weight32: Symbol | None = None, beta1: float = 0.8999999761581421, beta2: float = 0.9990000128746033, epsilon: float = 9.999999974752427e-07, t: int = ..., bias_correction: bool = True, wd: float = ..., rescale_grad: float = 1.0, clip_gradient: float = -1.0, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """`lamb_update_phase1` of a float32 copy of the weight; the direction is float32."""
def mp_lamb_update_phase2(weight: Symbol | None = None, g: Symbol | None = None, r1: Symbol | None = None, r2: Symbol | None = None, weight32: Symbol | None = None, lr: float = ..., lower_bound: float = -1.0, upper_bound: float = -1.0, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """`lamb_update_phase2` of a float32 copy of the weight, rounded to the weight's type."""
def mp_nag_mom_update(weight: Symbol | None = None, grad: Symbol | None = None, mom: Symbol | None = None, weight32: Symbol | None = None, lr: float = ..., momentum: float = 0.0, wd: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """`nag_mom_update` of a float32 copy of the weight, rounded to the weight's type."""
def mp_sgd_mom_update(weight: Symbol | None = None, grad: Symbol | None = None, mom: Symbol | None = None, weight32: Symbol | None = None, lr: float = ..., momentum: float = 0.0, wd: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0, lazy_update: bool = True, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """`sgd_mom_update` of a float32 copy of the weight, rounded to the weight's type."""
def mp_sgd_update(weight: Symbol | None = None, grad: Symbol | None = None, weight32: Symbol | None = None, lr: float = ..., wd: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0, lazy_update: bool = True, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """`sgd_update` of a float32 copy of the weight, rounded to the weight's type."""
def multi_all_finite(*data: Symbol | Sequence[Symbol], num_arrays: int = 1, init_output: bool = True, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """1 when every element of every array is finite, else 0; (1,) float32."""
def multi_lars(lrs: Symbol | None = None, weights_sum_sq: Symbol | None = None, grads_sum_sq: Symbol | None = None, wds: Symbol | None = None, eta: float = ..., eps: float = ..., rescale_grad: float = 1.0, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Learning rates in proportion to norm of weight over norm of gradient, for each layer."""
def multi_mp_sgd_mom_update(*data: Symbol | Sequence[Symbol], lrs: float | Sequence[float] = ..., wds: float | Sequence[float] = ..., momentum: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0, num_weights: int = 1, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """`mp_sgd_mom_update` of several weights."""
def multi_mp_sgd_update(*data: Symbol | Sequence[Symbol], lrs: float | Sequence[float] = ..., wds: float | Sequence[float] = ..., rescale_grad: float = 1.0, clip_gradient: float = -1.0, num_weights: int = 1, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """`mp_sgd_update` of several weights."""
def multi_sgd_mom_update(*data: Symbol | Sequence[Symbol], lrs: float | Sequence[float] = ..., wds: float | Sequence[float] = ..., momentum: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0, num_weights: int = 1, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """`sgd_mom_update` of several weights."""
def multi_sgd_update(*data: Symbol | Sequence[Symbol], lrs: float | Sequence[float] = ..., wds: float | Sequence[float] = ..., rescale_grad: float = 1.0, clip_gradient: float = -1.0, num_weights: int = 1, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """`sgd_update` of several weights."""
def multi_sum_sq(*data: Symbol | Sequence[Symbol], num_arrays: int = ..., name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Sum of the squares of each array; (num_arrays,) float32."""
def nag_mom_update(weight: Symbol | None = None, grad: Symbol | None = None, mom: Symbol | None = None, lr: float = ..., momentum: float = 0.0, wd: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Step along Nesterov's accelerated gradient: to where the next momentum will lead."""
def nanprod(data: Symbol | None = None, axis: int | Sequence[int] | None = None, keepdims: bool = False, exclude: bool = False, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Product of the elements, NaN counting as 1."""
def nansum(data: Symbol | None = None, axis: int | Sequence[int] | None = None, keepdims: bool = False, exclude: bool = False, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Sum of the elements, NaN counting as 0."""
def negative(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """-data."""
def norm(data: Symbol | None = None, ord: int = 2, axis: int | Sequence[int] | None = None, out_dtype: str | type[Any] | _np.dtype[Any] | None = None, keepdims: bool = False, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Return Σ|data| or √Σdata² along axes, without overflow or underflow of the squares."""
def normal(loc: float = 0.0, scale: float = 1.0, shape: int | Sequence[int] | None = None, ctx: str = '', dtype: str | type[Any] | _np.dtype[Any] = 'None', name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Draws from the normal distribution."""
def one_hot(indices: Symbol | None = None, depth: int = ..., on_value: float = 1.0, off_value: float = 0.0, dtype: str | type[Any] | _np.dtype[Any] = 'float32', name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """A vector for each index: `on_value` at the index, `off_value` elsewhere."""
def ones_like(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Ones of the shape and type of data."""
def pad(data: Symbol | None = None, mode: Literal['constant', 'edge', 'reflect'] = ..., pad_width: int | Sequence[int] = ..., constant_value: float = 0.0, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """`data` with a border around its last two or three axes."""
def pick(data: Symbol | None = None, index: Symbol | None = None, axis: int | None = -1, keepdims: bool = False, mode: Literal['clip', 'wrap'] = 'clip', name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """One element along one axis for each position of the other axes, named by `index`."""
def preloaded_multi_mp_sgd_mom_update(*data: Symbol | Sequence[Symbol], momentum: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0, num_weights: int = 1, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """`mp_sgd_mom_update` of several weights, with learning rates and weight decays in arrays."""
def preloaded_multi_mp_sgd_update(*data: Symbol | Sequence[Symbol], rescale_grad: float = 1.0, clip_gradient: float = -1.0, num_weights: int = 1, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """`mp_sgd_update` of several weights, with learning rates and weight decays in arrays."""
def preloaded_multi_sgd_mom_update(*data: Symbol | Sequence[Symbol], momentum: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0, num_weights: int = 1, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """`sgd_mom_update` of several weights, with learning rates and weight decays in arrays."""
def preloaded_multi_sgd_update(*data: Symbol | Sequence[Symbol], rescale_grad: float = 1.0, clip_gradient: float = -1.0, num_weights: int = 1, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """`sgd_update` of several weights, with learning rates and weight decays in arrays."""
def prod(data: Symbol | None = None, axis: int | Sequence[int] | None = None, keepdims: bool = False, exclude: bool = False, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Product of the elements."""
def radians(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Radians of an angle in degrees."""
def random_exponential(lam: float = 1.0, shape: int | Sequence[int] | None = None, ctx: str = '', dtype: str | type[Any] | _np.dtype[Any] = 'None', name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Draws from the exponential distribution."""
def random_gamma(alpha: float = 1.0, beta: float = 1.0, shape: int | Sequence[int] | None = None, ctx: str = '', dtype: str | type[Any] | _np.dtype[Any] = 'None', name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Draws from the gamma distribution."""
def random_generalized_negative_binomial(mu: float = 1.0, alpha: float = 1.0, shape: int | Sequence[int] | None = None, ctx: str = '', dtype: str | type[Any] | _np.dtype[Any] = 'None', name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Draws from the negative binomial distribution with a given mean and dispersion."""
def random_negative_binomial(k: int = 1, p: float = 1.0, shape: int | Sequence[int] | None = None, ctx: str = '', dtype: str | type[Any] | _np.dtype[Any] = 'None', name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Draws from the negative binomial distribution: failures before the k-th success."""
def random_normal(loc: float = 0.0, scale: float = 1.0, shape: int | Sequence[int] | None = None, ctx: str = '', dtype: str | type[Any] | _np.dtype[Any] = 'None', name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Draws from the normal distribution."""
def random_pdf_dirichlet(sample: Symbol | None = None, alpha: Symbol | None = None, is_log: bool = False, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Density of the Dirichlet distribution."""
def random_pdf_exponential(sample: Symbol | None = None, lam: Symbol | None = None, is_log: bool = False, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Density of the exponential distribution."""
def random_pdf_gamma(sample: Symbol | None = None, alpha: Symbol | None = None, beta: Symbol | None = None, is_log: bool = False, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Density of the gamma distribution."""
def random_pdf_generalized_negative_binomial(sample: Symbol | None = None, mu: Symbol | None = None, alpha: Symbol | None = None, is_log: bool = False, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Probability of counts under the negative binomial distribution of given mean."""
def random_pdf_negative_binomial(sample: Symbol | None = None, k: Symbol | None = None, p: Symbol | None = None, is_log: bool = False, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Probability of that many failures before the k-th success."""
def random_pdf_normal(sample: Symbol | None = None, mu: Symbol | None = None, sigma: Symbol | None = None, is_log: bool = False, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Density of the normal distribution."""
def random_pdf_poisson(sample: Symbol | None = None, lam: Symbol | None = None, is_log: bool = False, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Probability of counts under the Poisson distribution."""
def random_pdf_uniform(sample: Symbol | None = None, low: Symbol | None = None, high: Symbol | None = None, is_log: bool = False, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Density of the uniform distribution: ``1 / (high - low)``."""
def random_poisson(lam: float = 1.0, shape: int | Sequence[int] | None = None, ctx: str = '', dtype: str | type[Any] | _np.dtype[Any] = 'None', name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Draws from the Poisson distribution."""
def random_randint(low: int = ..., high: int = ..., shape: int | Sequence[int] | None = None, ctx: str = '', dtype: Literal['None', 'int32', 'int64'] = 'None', name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Draws integers from [low, high), all equally likely."""
def random_uniform(low: float = 0.0, high: float = 1.0, shape: int | Sequence[int] | None = None, ctx: str = '', dtype: str | type[Any] | _np.dtype[Any] = 'None', name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Draws from the uniform distribution on [low, high)."""
def ravel_multi_index(data: Symbol | None = None, shape: int | Sequence[int] | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Coordinates to positions in the flattened array."""
def rcbrt(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """1 / ∛data."""
def reciprocal(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """1 / data."""
def relu(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """max(data, 0)."""
def repeat(data: Symbol | None = None, repeats: int = ..., axis: int | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Each element of `data` several times in a row."""
def reset_arrays(*data: Symbol | Sequence[Symbol], num_arrays: int = ..., name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Set all arrays to zero, in place; there is no output."""
def reshape(data: Symbol | None = None, shape: int | Sequence[int] | None = (), reverse: bool = False, target_shape: int | Sequence[int] | None = (), keep_highest: bool = False, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """The elements of `data` in the shape that `shape` describes."""
def reshape_like(lhs: Symbol | None = None, rhs: Symbol | None = None, lhs_begin: int | None = None, lhs_end: int | None = None, rhs_begin: int | None = None, rhs_end: int | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """`lhs` with its axes lhs_begin … lhs_end replaced by the axes rhs_begin … rhs_end of `rhs`."""
def reverse(data: Symbol | None = None, axis: int | Sequence[int] = ..., name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """`data` with the order of its elements reversed along some axes."""
def rint(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Nearest whole number; halves go down."""
def rmsprop_update(weight: Symbol | None = None, grad: Symbol | None = None, n: Symbol | None = None, lr: float = ..., gamma1: float = 0.949999988079071, epsilon: float = 9.99999993922529e-09, wd: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0, clip_weights: float = -1.0, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """``weight - lr * grad / sqrt(n + epsilon)``."""
def rmspropalex_update(weight: Symbol | None = None, grad: Symbol | None = None, n: Symbol | None = None, g: Symbol | None = None, delta: Symbol | None = None, lr: float = ..., gamma1: float = 0.949999988079071, gamma2: float = 0.8999999761581421, epsilon: float = 9.99999993922529e-09, wd: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0, clip_weights: float = -1.0, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """``weight + delta``: RMSProp with momentum, scaled by the gradient's standard deviation."""
def round(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Nearest whole number; halves go away from zero."""
def rsqrt(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """1 / √data."""
def sample_exponential(lam: Symbol | None = None, shape: int | Sequence[int] | None = (), dtype: str | type[Any] | _np.dtype[Any] = 'None', name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Draws from the exponential distribution."""
def sample_gamma(alpha: Symbol | None = None, beta: Symbol | None = None, shape: int | Sequence[int] | None = (), dtype: str | type[Any] | _np.dtype[Any] = 'None', name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Draws from the gamma distribution."""
def sample_generalized_negative_binomial(mu: Symbol | None = None, alpha: Symbol | None = None, shape: int | Sequence[int] | None = (), dtype: str | type[Any] | _np.dtype[Any] = 'None', name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Draws from the negative binomial distribution with a given mean and dispersion."""
def sample_multinomial(data: Symbol | None = None, shape: int | Sequence[int] | None = (), get_prob: bool = False, dtype: str | type[Any] | _np.dtype[Any] = 'int32', name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Draws classes by their probabilities; the gradient is that of their log-probability."""
def sample_negative_binomial(k: Symbol | None = None, p: Symbol | None = None, shape: int | Sequence[int] | None = (), dtype: str | type[Any] | _np.dtype[Any] = 'None', name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Draws from the negative binomial distribution: failures before the k-th success."""
def sample_normal(mu: Symbol | None = None, sigma: Symbol | None = None, shape: int | Sequence[int] | None = (), dtype: str | type[Any] | _np.dtype[Any] = 'None', name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Draws from the normal distribution."""
def sample_poisson(lam: Symbol | None = None, shape: int | Sequence[int] | None = (), dtype: str | type[Any] | _np.dtype[Any] = 'None', name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Draws from the Poisson distribution."""
def sample_uniform(low: Symbol | None = None, high: Symbol | None = None, shape: int | Sequence[int] | None = (), dtype: str | type[Any] | _np.dtype[Any] = 'None', name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Draws from the uniform distribution on [low, high)."""
def scatter_nd(data: Symbol | None = None, indices: Symbol | None = None, shape: int | Sequence[int] = ..., name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """An array of zeros with the values of `data` written at some places."""
def sgd_mom_update(weight: Symbol | None = None, grad: Symbol | None = None, mom: Symbol | None = None, lr: float = ..., momentum: float = 0.0, wd: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0, lazy_update: bool = True, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """``weight + mom``, after ``mom = momentum * mom - lr * (grad + wd * weight)``."""
def sgd_update(weight: Symbol | None = None, grad: Symbol | None = None, lr: float = ..., wd: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0, lazy_update: bool = True, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """``weight - lr * (grad + wd * weight)``, with the gradient rescaled and clipped."""
def shape_array(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """The shape of data, as an int64 vector."""
def shuffle(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """`data` with its slices along the first axis in random order."""
def sigmoid(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """1 / (1 + exp(-data))."""
def sign(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """-1, 0 or 1: the sign."""
def signsgd_update(weight: Symbol | None = None, grad: Symbol | None = None, lr: float = ..., wd: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """``(1 - lr * wd) * weight - lr * sign(grad)``."""
def signum_update(weight: Symbol | None = None, grad: Symbol | None = None, mom: Symbol | None = None, lr: float = ..., momentum: float = 0.0, wd: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0, wd_lh: float = 0.0, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Step by the sign of the momentum: ``(1 - lr * wd_lh) * weight + lr * sign(mom)``."""
def sin(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Sine of an angle in radians."""
def sinh(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Hyperbolic sine."""
def size_array(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """The number of elements of data, as an int64 vector of one."""
def slice(data: Symbol | None = None, begin: int | None | Sequence[int | None] = None, end: int | None | Sequence[int | None] = None, step: int | None | Sequence[int | None] = (), name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """A box of `data`: the elements from begin to end, by step, of each of the leading axes."""
def slice_axis(data: Symbol | None = None, axis: int = ..., begin: int = ..., end: int | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """The part of `data` from begin to end of one axis."""
def slice_like(data: Symbol | None = None, shape_like: Symbol | None = None, axes: int | Sequence[int] | None = (), name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """The leading part of `data` that is as large as `shape_like` along some axes."""
def smooth_l1(data: Symbol | None = None, scalar: float = 1.0, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, *, is_int: bool = True, **kwargs: Any) -> Symbol:
    """(scalar · data)² / 2 where |data| < 1 / scalar², else |data| - 1 / (2 · scalar²)."""
def softmax(data: Symbol | None = None, length: Symbol | None = None, axis: int = -1, temperature: float | None = None, dtype: str | type[Any] | _np.dtype[Any] | None = None, use_length: bool | None = False, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """``exp(data / temperature, dtype)`` divided by its sum along one axis."""
def softmax_cross_entropy(data: Symbol | None = None, label: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Sum over the batch of ``-log(softmax(data))`` at the labels, shape (1,)."""
def softmin(data: Symbol | None = None, axis: int = -1, temperature: float | None = None, dtype: str | type[Any] | _np.dtype[Any] | None = None, use_length: bool | None = False, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """``softmax(-data)``."""
def softsign(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """data / (1 + |data|)."""
def sort(data: Symbol | None = None, axis: int | None = -1, is_ascend: bool = True, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """The elements of each row along one axis in order."""
def space_to_depth(data: Symbol | None = None, block_size: int = ..., name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Square blocks of pixels moved into channels, the inverse of `depth_to_space`."""
def split(data: Symbol | None = None, num_outputs: int = ..., axis: int = 1, squeeze_axis: bool = False, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """`data` cut along one axis into parts of equal size."""
def sqrt(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Square root."""
def square(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """data²."""
def squeeze(data: Symbol | None = None, axis: int | Sequence[int] | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """`data` without axes of size one; when nothing remains, an array of shape (1,)."""
def stack(*data: Symbol | Sequence[Symbol], axis: int = 0, num_args: int = ..., name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """The arrays of `data` side by side along a new axis."""
def stop_gradient(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """A copy of data that lets no gradient through."""
def sum(data: Symbol | None = None, axis: int | Sequence[int] | None = None, keepdims: bool = False, exclude: bool = False, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Sum of the elements."""
def sum_axis(data: Symbol | None = None, axis: int | Sequence[int] | None = None, keepdims: bool = False, exclude: bool = False, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Sum of the elements."""
def swapaxes(data: Symbol | None = None, dim1: int = 0, dim2: int = 0, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """`data` with two axes exchanged."""
def take(a: Symbol | None = None, indices: Symbol | None = None, axis: int = 0, mode: Literal['clip', 'raise', 'wrap'] = 'clip', name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """The slices of `a` along one axis that `indices` names; its shape replaces that axis."""
def tan(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Tangent of an angle in radians."""
def tanh(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Hyperbolic tangent."""
def tile(data: Symbol | None = None, reps: int | Sequence[int] = ..., name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Copies of the whole of `data` side by side."""
def topk(data: Symbol | None = None, axis: int | None = -1, k: int = 1, ret_typ: Literal['both', 'indices', 'mask', 'value'] = 'indices', is_ascend: bool = False, dtype: str | type[Any] | _np.dtype[Any] = 'float32', name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """The `k` largest (or smallest) elements of each row along one axis, in order."""
def transpose(data: Symbol | None = None, axes: int | Sequence[int] | None = (), name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """`data` with its axes in another order."""
def trunc(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Whole part, toward zero."""
def uniform(low: float = 0.0, high: float = 1.0, shape: int | Sequence[int] | None = None, ctx: str = '', dtype: str | type[Any] | _np.dtype[Any] = 'None', name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Draws from the uniform distribution on [low, high)."""
def unravel_index(data: Symbol | None = None, shape: int | Sequence[int] | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Positions in a flattened array to coordinates, a column for each."""
def where(condition: Symbol | None = None, x: Symbol | None = None, y: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Elements of `x` where `condition` is not zero, elements of `y` elsewhere."""
def zeros_like(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Zeros of the shape and type of data."""
