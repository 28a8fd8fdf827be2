# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")

from mxnova.ndarray.ndarray import Context as Context
from mxnova.ndarray.ndarray import NDArray as NDArray

from mxnova.ndarray.op import Activation as Activation
class BaseSparseNDArray(NDArray):
    @property
    def T(self) -> NDArray: ...
    def __abs__(self) -> BaseSparseNDArray: ...  # type: ignore[override]
    def __add__(self, other: Any) -> BaseSparseNDArray: ...  # type: ignore[override]
    def __copy__(self) -> NDArray: ...
    def __div__(self, other: Any) -> BaseSparseNDArray: ...  # type: ignore[override]
    def __eq__(self, other: Any) -> BaseSparseNDArray: ...  # type: ignore[override]
    def __ge__(self, other: Any) -> BaseSparseNDArray: ...  # type: ignore[override]
    def __gt__(self, other: Any) -> BaseSparseNDArray: ...  # type: ignore[override]
    def __iadd__(self, other: Any) -> BaseSparseNDArray: ...  # type: ignore[override]
    def __imul__(self, other: Any) -> BaseSparseNDArray: ...  # type: ignore[override]
    def __isub__(self, other: Any) -> BaseSparseNDArray: ...  # type: ignore[override]
    def __itruediv__(self, other: Any) -> BaseSparseNDArray: ...  # type: ignore[override]
    def __le__(self, other: Any) -> BaseSparseNDArray: ...  # type: ignore[override]
    def __len__(self) -> int: ...
    def __lt__(self, other: Any) -> BaseSparseNDArray: ...  # type: ignore[override]
    def __mod__(self, other: Any) -> BaseSparseNDArray: ...  # type: ignore[override]
    def __mul__(self, other: Any) -> BaseSparseNDArray: ...  # type: ignore[override]
    def __ne__(self, other: Any) -> BaseSparseNDArray: ...  # type: ignore[override]
    def __neg__(self) -> BaseSparseNDArray: ...  # type: ignore[override]
    def __pow__(self, other: Any) -> BaseSparseNDArray: ...  # type: ignore[override]
    def __radd__(self, other: Any) -> BaseSparseNDArray: ...  # type: ignore[override]
    def __rdiv__(self, other: Any) -> BaseSparseNDArray: ...  # type: ignore[override]
    def __rmod__(self, other: Any) -> BaseSparseNDArray: ...  # type: ignore[override]
    def __rmul__(self, other: Any) -> BaseSparseNDArray: ...  # type: ignore[override]
    def __rpow__(self, other: Any) -> BaseSparseNDArray: ...  # type: ignore[override]
    def __rsub__(self, other: Any) -> BaseSparseNDArray: ...  # type: ignore[override]
    def __rtruediv__(self, other: Any) -> BaseSparseNDArray: ...  # type: ignore[override]
    def __setitem__(self, key: Any, value: Any) -> None: ...
    def __sub__(self, other: Any) -> BaseSparseNDArray: ...  # type: ignore[override]
    def __truediv__(self, other: Any) -> BaseSparseNDArray: ...  # type: ignore[override]
    def asnumpy(self) -> _np.ndarray[Any, Any]: ...
    def astype(self, dtype: Any, copy: bool = True) -> NDArray: ...
    def attach_grad(self, grad_req: str = 'write', stype: str | None = None) -> None: ...
    def check_format(self, full_check: bool = True) -> None: ...
    def copy(self) -> NDArray: ...
    def copyto(self, other: NDArray | Context) -> NDArray | Any: ...
    @property
    def data(self) -> NDArray: ...
    def detach(self) -> NDArray: ...
    @property
    def dtype(self) -> Any: ...
    @property
    def indices(self) -> NDArray: ...
    def reshape(self, *shape: Any, **kwargs: Any) -> NDArray: ...  # type: ignore[override]
    @overload
    def tostype(self, stype: Literal['csr']) -> CSRNDArray: ...
    @overload
    def tostype(self, stype: Literal['row_sparse']) -> RowSparseNDArray: ...
    @overload
    def tostype(self, stype: str) -> NDArray: ...
from mxnova.ndarray.op import BatchNorm as BatchNorm
from mxnova.ndarray.op import BatchNorm_v1 as BatchNorm_v1
from mxnova.ndarray.op import BilinearSampler as BilinearSampler
from mxnova.ndarray.op import BlockGrad as BlockGrad
class CSRNDArray(BaseSparseNDArray):
    def __getitem__(self, key: Any) -> NDArray: ...
    def asscipy(self) -> Any: ...
    @property
    def indptr(self) -> NDArray: ...
    stype: Any
from mxnova.ndarray.op import CTCLoss as CTCLoss
from mxnova.ndarray.op import Cast as Cast
from mxnova.ndarray.op import Concat as Concat
from mxnova.ndarray.op import Convolution as Convolution
from mxnova.ndarray.op import Convolution_v1 as Convolution_v1
from mxnova.ndarray.op import Correlation as Correlation
from mxnova.ndarray.op import Crop as Crop
from mxnova.ndarray.op import Custom as Custom
from mxnova.ndarray.op import Deconvolution as Deconvolution
from mxnova.ndarray.op import Dropout as Dropout
def ElementWiseSum(*args: NDArray | Sequence[NDArray], num_args: int = ..., out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Sum of its inputs."""
def Embedding(data: NDArray | None = None, weight: NDArray | None = None, input_dim: int = ..., output_dim: int = ..., dtype: str | type[Any] | _np.dtype[Any] = 'float32', sparse_grad: bool = False, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Rows of `weight`, one for each index in `data`."""
from mxnova.ndarray.op import Flatten as Flatten
def FullyConnected(data: NDArray | None = None, weight: NDArray | None = None, bias: NDArray | None = None, num_hidden: int = ..., no_bias: bool = False, flatten: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Linear map of the last axes: ``data @ weight.T + bias``."""
from mxnova.ndarray.op import GridGenerator as GridGenerator
from mxnova.ndarray.op import GroupNorm as GroupNorm
from mxnova.ndarray.op import IdentityAttachKLSparseReg as IdentityAttachKLSparseReg
from mxnova.ndarray.op import InstanceNorm as InstanceNorm
from mxnova.ndarray.op import L2Normalization as L2Normalization
from mxnova.ndarray.op import LRN as LRN
from mxnova.ndarray.op import LayerNorm as LayerNorm
from mxnova.ndarray.op import LeakyReLU as LeakyReLU
def LinearRegressionOutput(data: NDArray | None = None, label: NDArray | None = None, grad_scale: float = 1.0, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """`data`; its gradient is that of half the squared error: ``data - label``."""
def LogisticRegressionOutput(data: NDArray | None = None, label: NDArray | None = None, grad_scale: float = 1.0, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Sigmoid of `data`; its gradient is that of the cross entropy: ``sigmoid(data) - label``."""
def MAERegressionOutput(data: NDArray | None = None, label: NDArray | None = None, grad_scale: float = 1.0, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """`data`; its gradient is that of the absolute error: 1 above the label, else -1."""
from mxnova.ndarray.op import MakeLoss as MakeLoss
from mxnova.ndarray.op import Pad as Pad
from mxnova.ndarray.op import Pooling as Pooling
from mxnova.ndarray.op import Pooling_v1 as Pooling_v1
from mxnova.ndarray.op import RNN as RNN
from mxnova.ndarray.op import ROIPooling as ROIPooling
from mxnova.ndarray.op import Reshape as Reshape
class RowSparseNDArray(BaseSparseNDArray):
    def __getitem__(self, key: Any) -> NDArray: ...
    def retain(self, *args: Any, **kwargs: Any) -> NDArray: ...
    stype: Any
from mxnova.ndarray.op import SVMOutput as SVMOutput
from mxnova.ndarray.op import SequenceLast as SequenceLast
from mxnova.ndarray.op import SequenceMask as SequenceMask
from mxnova.ndarray.op import SequenceReverse as SequenceReverse
from mxnova.ndarray.op import SliceChannel as SliceChannel
from mxnova.ndarray.op import Softmax as Softmax
from mxnova.ndarray.op import SoftmaxActivation as SoftmaxActivation
from mxnova.ndarray.op import SoftmaxOutput as SoftmaxOutput
from mxnova.ndarray.op import SpatialTransformer as SpatialTransformer
from mxnova.ndarray.op import SwapAxis as SwapAxis
from mxnova.ndarray.op import UpSampling as UpSampling
def _contrib_round_ste(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Nearest whole number, halves away from zero; the gradient passes as it is (Bengio et al., Estimating or Propagating Gradients Through Stochastic Neurons, 2013)."""
def _contrib_sign_ste(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """-1, 0 or 1: the sign; the gradient passes as it is."""
def abs(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Absolute value."""
def adagrad_update(weight: NDArray | None = None, grad: NDArray | None = None, history: NDArray | None = None, lr: float = ..., epsilon: float = 1.0000000116860974e-07, wd: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """``weight - lr * grad / sqrt(history + epsilon)``, with the gradient rescaled and clipped."""
def adam_update(weight: NDArray | None = None, grad: NDArray | None = None, mean: NDArray | None = None, var: NDArray | None = None, lr: float = ..., beta1: float = 0.8999999761581421, beta2: float = 0.9990000128746033, epsilon: float = 9.99999993922529e-09, wd: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0, lazy_update: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """``weight - lr * mean / (sqrt(var) + epsilon)``."""
def add(lhs: Any, rhs: Any) -> Any: ...
def add_n(*args: NDArray | Sequence[NDArray], num_args: int = ..., out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Sum of its inputs."""
from mxnova.ndarray.op import all_finite as all_finite
from mxnova.ndarray.op import amp_cast as amp_cast
from mxnova.ndarray.op import amp_multicast as amp_multicast
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
from mxnova.ndarray.op import argmax as argmax
from mxnova.ndarray.op import argmax_channel as argmax_channel
from mxnova.ndarray.op import argmin as argmin
from mxnova.ndarray.op import argsort as argsort
def array(source_array: Any, ctx: Context | None = None, dtype: Any = None) -> NDArray: ...
from mxnova.ndarray.op import batch_dot as batch_dot
from mxnova.ndarray.op import batch_take as batch_take
def broadcast_add(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """lhs + rhs."""
from mxnova.ndarray.op import broadcast_axes as broadcast_axes
from mxnova.ndarray.op import broadcast_axis as broadcast_axis
def broadcast_div(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """lhs / rhs; integers are cut toward zero."""
from mxnova.ndarray.op import broadcast_equal as broadcast_equal
from mxnova.ndarray.op import broadcast_greater as broadcast_greater
from mxnova.ndarray.op import broadcast_greater_equal as broadcast_greater_equal
from mxnova.ndarray.op import broadcast_hypot as broadcast_hypot
from mxnova.ndarray.op import broadcast_lesser as broadcast_lesser
from mxnova.ndarray.op import broadcast_lesser_equal as broadcast_lesser_equal
from mxnova.ndarray.op import broadcast_like as broadcast_like
from mxnova.ndarray.op import broadcast_logical_and as broadcast_logical_and
from mxnova.ndarray.op import broadcast_logical_or as broadcast_logical_or
from mxnova.ndarray.op import broadcast_logical_xor as broadcast_logical_xor
from mxnova.ndarray.op import broadcast_maximum as broadcast_maximum
from mxnova.ndarray.op import broadcast_minimum as broadcast_minimum
def broadcast_minus(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """lhs - rhs."""
from mxnova.ndarray.op import broadcast_mod as broadcast_mod
def broadcast_mul(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """lhs · rhs."""
from mxnova.ndarray.op import broadcast_not_equal as broadcast_not_equal
def broadcast_plus(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """lhs + rhs."""
from mxnova.ndarray.op import broadcast_power as broadcast_power
def broadcast_sub(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """lhs - rhs."""
from mxnova.ndarray.op import broadcast_to as broadcast_to
from mxnova.ndarray.ndarray import c_array_buf as c_array_buf
from mxnova.ndarray.op import cast as cast
def cast_storage(data: NDArray | None = None, stype: Literal['csr', 'default', 'row_sparse'] = ..., out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """`data` in another storage type."""
def cbrt(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Cube root."""
def ceil(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Smallest whole number that is not below."""
from mxnova.ndarray.ndarray import check_call as check_call
from mxnova.ndarray.op import choose_element_0index as choose_element_0index
def clip(data: NDArray | None = None, a_min: float = ..., a_max: float = ..., out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Its input, kept within [a_min, a_max]."""
from mxnova.ndarray.op import col2im as col2im
def concat(*data: NDArray | Sequence[NDArray], num_args: int = ..., dim: int = 1, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """The arrays of `data` put one after the other along one axis."""
def cos(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Cosine of an angle in radians."""
def cosh(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Hyperbolic cosine."""
from mxnova.ndarray.op import crop as crop
def csr_matrix(arg1: Any, shape: Any = None, ctx: Context | None = None, dtype: Any = None) -> CSRNDArray: ...
from mxnova.ndarray.op import ctc_loss as ctc_loss
from mxnova.ndarray.op import cumsum as cumsum
from mxnova.ndarray.ndarray import current_context as current_context
def degrees(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Degrees of an angle in radians."""
from mxnova.ndarray.op import depth_to_space as depth_to_space
from mxnova.ndarray.op import diag as diag
def divide(lhs: Any, rhs: Any) -> Any: ...
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
def empty(stype: str, shape: Any, ctx: Context | None = None, dtype: Any = None) -> NDArray: ...
from mxnova.ndarray.op import erf as erf
from mxnova.ndarray.op import erfinv as erfinv
def exp(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """e to the power of data."""
from mxnova.ndarray.op import expand_dims as expand_dims
def expm1(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """exp(data) - 1, exact near 0."""
from mxnova.ndarray.op import fill_element_0index as fill_element_0index
def fix(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Nearest whole number that is not farther from zero."""
from mxnova.ndarray.op import flatten as flatten
from mxnova.ndarray.op import flip as flip
def floor(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Largest whole number that is not above."""
from mxnova.ndarray.op import ftml_update as ftml_update
def ftrl_update(weight: NDArray | None = None, grad: NDArray | None = None, z: NDArray | None = None, n: NDArray | None = None, lr: float = ..., lamda1: float = 0.009999999776482582, beta: float = 1.0, wd: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Follow the regularized leader: ``-shrink(z) / ((beta + sqrt(n)) / lr + wd)``."""
def gamma(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Gamma function."""
def gammaln(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Logarithm of |Γ(data)|."""
from mxnova.ndarray.op import gather_nd as gather_nd
def gs_retain(data: Any = None, indices: Any = None, out: Any = None, name: Any = None, **kwargs: Any) -> Any: ...
from mxnova.ndarray.op import hard_sigmoid as hard_sigmoid
from mxnova.ndarray.op import identity as identity
from mxnova.ndarray.op import im2col as im2col
from mxnova.ndarray.op import khatri_rao as khatri_rao
from mxnova.ndarray.op import lamb_update_phase1 as lamb_update_phase1
from mxnova.ndarray.op import lamb_update_phase2 as lamb_update_phase2
from mxnova.ndarray.op import linalg_det as linalg_det
from mxnova.ndarray.op import linalg_extractdiag as linalg_extractdiag
from mxnova.ndarray.op import linalg_extracttrian as linalg_extracttrian
from mxnova.ndarray.op import linalg_gelqf as linalg_gelqf
from mxnova.ndarray.op import linalg_gemm as linalg_gemm
from mxnova.ndarray.op import linalg_gemm2 as linalg_gemm2
from mxnova.ndarray.op import linalg_inverse as linalg_inverse
from mxnova.ndarray.op import linalg_makediag as linalg_makediag
from mxnova.ndarray.op import linalg_maketrian as linalg_maketrian
from mxnova.ndarray.op import linalg_potrf as linalg_potrf
from mxnova.ndarray.op import linalg_potri as linalg_potri
from mxnova.ndarray.op import linalg_slogdet as linalg_slogdet
from mxnova.ndarray.op import linalg_sumlogdiag as linalg_sumlogdiag
from mxnova.ndarray.op import linalg_syrk as linalg_syrk
from mxnova.ndarray.op import linalg_trmm as linalg_trmm
from mxnova.ndarray.op import linalg_trsm as linalg_trsm
def log(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Natural logarithm."""
def log10(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Logarithm to base 10."""
def log1p(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """log(1 + data), exact near 0."""
def log2(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Logarithm to base 2."""
from mxnova.ndarray.op import log_softmax as log_softmax
from mxnova.ndarray.op import logical_not as logical_not
def make_loss(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """A copy of data as a loss to minimize: its gradient is 1, whatever flows in from above."""
from mxnova.ndarray.op import max as max
from mxnova.ndarray.op import max_axis as max_axis
def mean(data: NDArray | None = None, axis: int | Sequence[int] | None = None, keepdims: bool = False, exclude: bool = False, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Mean of the elements; of integers cut toward zero."""
from mxnova.ndarray.op import min as min
from mxnova.ndarray.op import min_axis as min_axis
from mxnova.ndarray.op import moments as moments
from mxnova.ndarray.op import mp_lamb_update_phase1 as mp_lamb_update_phase1
from mxnova.ndarray.op import mp_lamb_update_phase2 as mp_lamb_update_phase2
from mxnova.ndarray.op import mp_nag_mom_update as mp_nag_mom_update
from mxnova.ndarray.op import mp_sgd_mom_update as mp_sgd_mom_update
from mxnova.ndarray.op import mp_sgd_update as mp_sgd_update
from mxnova.ndarray.op import multi_all_finite as multi_all_finite
from mxnova.ndarray.op import multi_lars as multi_lars
from mxnova.ndarray.op import multi_mp_sgd_mom_update as multi_mp_sgd_mom_update
from mxnova.ndarray.op import multi_mp_sgd_update as multi_mp_sgd_update
from mxnova.ndarray.op import multi_sgd_mom_update as multi_sgd_mom_update
from mxnova.ndarray.op import multi_sgd_update as multi_sgd_update
from mxnova.ndarray.op import multi_sum_sq as multi_sum_sq
def multiply(lhs: Any, rhs: Any) -> Any: ...
from mxnova.ndarray.op import nag_mom_update as nag_mom_update
from mxnova.ndarray.op import nanprod as nanprod
from mxnova.ndarray.op import nansum as nansum
def negative(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """-data."""
def norm(data: NDArray | None = None, ord: int = 2, axis: int | Sequence[int] | None = None, out_dtype: str | type[Any] | _np.dtype[Any] | None = None, keepdims: bool = False, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Return Σ|data| or √Σdata² along axes, without overflow or underflow of the squares."""
from mxnova.ndarray.op import normal as normal
from mxnova.ndarray.op import one_hot as one_hot
from mxnova.ndarray.op import ones_like as ones_like
from mxnova.ndarray.op import pad as pad
from mxnova.ndarray.op import pick as pick
from mxnova.ndarray.op import preloaded_multi_mp_sgd_mom_update as preloaded_multi_mp_sgd_mom_update
from mxnova.ndarray.op import preloaded_multi_mp_sgd_update as preloaded_multi_mp_sgd_update
from mxnova.ndarray.op import preloaded_multi_sgd_mom_update as preloaded_multi_sgd_mom_update
from mxnova.ndarray.op import preloaded_multi_sgd_update as preloaded_multi_sgd_update
from mxnova.ndarray.op import prod as prod
def radians(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Radians of an angle in degrees."""
from mxnova.ndarray.op import random_exponential as random_exponential
from mxnova.ndarray.op import random_gamma as random_gamma
from mxnova.ndarray.op import random_generalized_negative_binomial as random_generalized_negative_binomial
from mxnova.ndarray.op import random_negative_binomial as random_negative_binomial
from mxnova.ndarray.op import random_normal as random_normal
from mxnova.ndarray.op import random_pdf_dirichlet as random_pdf_dirichlet
from mxnova.ndarray.op import random_pdf_exponential as random_pdf_exponential
from mxnova.ndarray.op import random_pdf_gamma as random_pdf_gamma
from mxnova.ndarray.op import random_pdf_generalized_negative_binomial as random_pdf_generalized_negative_binomial
from mxnova.ndarray.op import random_pdf_negative_binomial as random_pdf_negative_binomial
from mxnova.ndarray.op import random_pdf_normal as random_pdf_normal
from mxnova.ndarray.op import random_pdf_poisson as random_pdf_poisson
from mxnova.ndarray.op import random_pdf_uniform as random_pdf_uniform
from mxnova.ndarray.op import random_poisson as random_poisson
from mxnova.ndarray.op import random_randint as random_randint
from mxnova.ndarray.op import random_uniform as random_uniform
from mxnova.ndarray.op import ravel_multi_index as ravel_multi_index
from mxnova.ndarray.op import rcbrt as rcbrt
from mxnova.ndarray.op import reciprocal as reciprocal
def relu(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """max(data, 0)."""
from mxnova.ndarray.op import repeat as repeat
from mxnova.ndarray.op import reset_arrays as reset_arrays
from mxnova.ndarray.op import reshape as reshape
from mxnova.ndarray.op import reshape_like as reshape_like
def retain(data: NDArray | None = None, indices: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """`data` with all rows but those in `indices` set to zero."""
from mxnova.ndarray.op import reverse as reverse
def rint(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Nearest whole number; halves go down."""
from mxnova.ndarray.op import rmsprop_update as rmsprop_update
from mxnova.ndarray.op import rmspropalex_update as rmspropalex_update
def round(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Nearest whole number; halves go away from zero."""
def row_sparse_array(arg1: Any, shape: Any = None, ctx: Context | None = None, dtype: Any = None) -> RowSparseNDArray: ...
def rsqrt(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """1 / √data."""
from mxnova.ndarray.op import sample_exponential as sample_exponential
from mxnova.ndarray.op import sample_gamma as sample_gamma
from mxnova.ndarray.op import sample_generalized_negative_binomial as sample_generalized_negative_binomial
from mxnova.ndarray.op import sample_multinomial as sample_multinomial
from mxnova.ndarray.op import sample_negative_binomial as sample_negative_binomial
from mxnova.ndarray.op import sample_normal as sample_normal
from mxnova.ndarray.op import sample_poisson as sample_poisson
from mxnova.ndarray.op import sample_uniform as sample_uniform
from mxnova.ndarray.op import scatter_nd as scatter_nd
def sgd_mom_update(weight: NDArray | None = None, grad: NDArray | None = None, mom: NDArray | None = None, lr: float = ..., momentum: float = 0.0, wd: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0, lazy_update: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """``weight + mom``, after ``mom = momentum * mom - lr * (grad + wd * weight)``."""
def sgd_update(weight: NDArray | None = None, grad: NDArray | None = None, lr: float = ..., wd: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0, lazy_update: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """``weight - lr * (grad + wd * weight)``, with the gradient rescaled and clipped."""
from mxnova.ndarray.op import shape_array as shape_array
from mxnova.ndarray.op import shuffle as shuffle
def sigmoid(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """1 / (1 + exp(-data))."""
def sign(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """-1, 0 or 1: the sign."""
from mxnova.ndarray.op import signsgd_update as signsgd_update
from mxnova.ndarray.op import signum_update as signum_update
def sin(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Sine of an angle in radians."""
def sinh(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Hyperbolic sine."""
from mxnova.ndarray.op import size_array as size_array
def slice(data: NDArray | None = None, begin: int | None | Sequence[int | None] = None, end: int | None | Sequence[int | None] = None, step: int | None | Sequence[int | None] = (), out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """A box of `data`: the elements from begin to end, by step, of each of the leading axes."""
from mxnova.ndarray.op import slice_axis as slice_axis
from mxnova.ndarray.op import slice_like as slice_like
from mxnova.ndarray.op import smooth_l1 as smooth_l1
from mxnova.ndarray.op import softmax as softmax
from mxnova.ndarray.op import softmax_cross_entropy as softmax_cross_entropy
from mxnova.ndarray.op import softmin as softmin
from mxnova.ndarray.op import softsign as softsign
from mxnova.ndarray.op import sort as sort
from mxnova.ndarray.op import space_to_depth as space_to_depth
from mxnova.ndarray.op import split as split
def sqrt(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Square root."""
def square(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """data²."""
from mxnova.ndarray.op import squeeze as squeeze
from mxnova.ndarray.op import stack as stack
def stop_gradient(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """A copy of data that lets no gradient through."""
def subtract(lhs: Any, rhs: Any) -> Any: ...
def sum(data: NDArray | None = None, axis: int | Sequence[int] | None = None, keepdims: bool = False, exclude: bool = False, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Sum of the elements."""
from mxnova.ndarray.op import sum_axis as sum_axis
from mxnova.ndarray.op import swapaxes as swapaxes
from mxnova.ndarray.op import take as take
def tan(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Tangent of an angle in radians."""
def tanh(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Hyperbolic tangent."""
from mxnova.ndarray.op import tile as tile
from mxnova.ndarray.op import topk as topk
from mxnova.ndarray.op import transpose as transpose
def trunc(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Whole part, toward zero."""
from mxnova.ndarray.op import uniform as uniform
from mxnova.ndarray.op import unravel_index as unravel_index
def where(condition: NDArray | None = None, x: NDArray | None = None, y: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Elements of `x` where `condition` is not zero, elements of `y` elsewhere."""
def zeros(stype: str, shape: Any, ctx: Context | None = None, dtype: Any = None, **_: Any) -> NDArray: ...
def zeros_like(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Zeros of the shape and type of data."""
