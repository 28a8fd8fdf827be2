# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")

from mxnova.symbol.symbol import Symbol as Symbol

def ElementWiseSum(*args: Symbol | Sequence[Symbol], num_args: int = ..., name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Sum of its inputs."""
def Embedding(data: Symbol | None = None, weight: Symbol | None = None, input_dim: int = ..., output_dim: int = ..., dtype: str | type[Any] | _np.dtype[Any] = 'float32', sparse_grad: bool = False, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Rows of `weight`, one for each index in `data`."""
def FullyConnected(data: Symbol | None = None, weight: Symbol | None = None, bias: Symbol | None = None, num_hidden: int = ..., no_bias: bool = False, flatten: bool = True, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Linear map of the last axes: ``data @ weight.T + bias``."""
def LinearRegressionOutput(data: Symbol | None = None, label: Symbol | None = None, grad_scale: float = 1.0, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """`data`; its gradient is that of half the squared error: ``data - label``."""
def LogisticRegressionOutput(data: Symbol | None = None, label: Symbol | None = None, grad_scale: float = 1.0, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Sigmoid of `data`; its gradient is that of the cross entropy: ``sigmoid(data) - label``."""
def MAERegressionOutput(data: Symbol | None = None, label: Symbol | None = None, grad_scale: float = 1.0, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """`data`; its gradient is that of the absolute error: 1 above the label, else -1."""
def _contrib_round_ste(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Nearest whole number, halves away from zero; the gradient passes as it is (Bengio et al., Estimating or Propagating Gradients Through Stochastic Neurons, 2013)."""
def _contrib_sign_ste(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """-1, 0 or 1: the sign; the gradient passes as it is."""
def abs(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Absolute value."""
def adagrad_update(weight: Symbol | None = None, grad: Symbol | None = None, history: Symbol | None = None, lr: float = ..., epsilon: float = 1.0000000116860974e-07, wd: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """``weight - lr * grad / sqrt(history + epsilon)``, with the gradient rescaled and clipped."""
def adam_update(weight: Symbol | None = None, grad: Symbol | None = None, mean: Symbol | None = None, var: Symbol | None = None, lr: float = ..., beta1: float = 0.8999999761581421, beta2: float = 0.9990000128746033, epsilon: float = 9.99999993922529e-09, wd: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0, lazy_update: bool = True, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """``weight - lr * mean / (sqrt(var) + epsilon)``."""
def add_n(*args: Symbol | Sequence[Symbol], num_args: int = ..., name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Sum of its inputs."""
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
def broadcast_add(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """lhs + rhs."""
def broadcast_div(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """lhs / rhs; integers are cut toward zero."""
def broadcast_minus(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """lhs - rhs."""
def broadcast_mul(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """lhs · rhs."""
def broadcast_plus(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """lhs + rhs."""
def broadcast_sub(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """lhs - rhs."""
def cast_storage(data: Symbol | None = None, stype: Literal['csr', 'default', 'row_sparse'] = ..., name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """`data` in another storage type."""
def cbrt(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Cube root."""
def ceil(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Smallest whole number that is not below."""
def clip(data: Symbol | None = None, a_min: float = ..., a_max: float = ..., name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Its input, kept within [a_min, a_max]."""
def concat(*data: Symbol | Sequence[Symbol], num_args: int = ..., dim: int = 1, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """The arrays of `data` put one after the other along one axis."""
def cos(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Cosine of an angle in radians."""
def cosh(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Hyperbolic cosine."""
def degrees(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Degrees of an angle in radians."""
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
def exp(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """e to the power of data."""
def expm1(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """exp(data) - 1, exact near 0."""
def fix(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Nearest whole number that is not farther from zero."""
def floor(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Largest whole number that is not above."""
def ftrl_update(weight: Symbol | None = None, grad: Symbol | None = None, z: Symbol | None = None, n: Symbol | None = None, lr: float = ..., lamda1: float = 0.009999999776482582, beta: float = 1.0, wd: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Follow the regularized leader: ``-shrink(z) / ((beta + sqrt(n)) / lr + wd)``."""
def gamma(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Gamma function."""
def gammaln(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Logarithm of |Γ(data)|."""
def log(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Natural logarithm."""
def log10(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Logarithm to base 10."""
def log1p(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """log(1 + data), exact near 0."""
def log2(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Logarithm to base 2."""
def make_loss(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """A copy of data as a loss to minimize: its gradient is 1, whatever flows in from above."""
def mean(data: Symbol | None = None, axis: int | Sequence[int] | None = None, keepdims: bool = False, exclude: bool = False, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Mean of the elements; of integers cut toward zero."""
def negative(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """-data."""
def norm(data: Symbol | None = None, ord: int = 2, axis: int | Sequence[int] | None = None, out_dtype: str | type[Any] | _np.dtype[Any] | None = None, keepdims: bool = False, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Return Σ|data| or √Σdata² along axes, without overflow or underflow of the squares."""
def radians(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Radians of an angle in degrees."""
def relu(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """max(data, 0)."""
def retain(data: Symbol | None = None, indices: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """`data` with all rows but those in `indices` set to zero."""
def rint(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Nearest whole number; halves go down."""
def round(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Nearest whole number; halves go away from zero."""
def rsqrt(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """1 / √data."""
def sgd_mom_update(weight: Symbol | None = None, grad: Symbol | None = None, mom: Symbol | None = None, lr: float = ..., momentum: float = 0.0, wd: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0, lazy_update: bool = True, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """``weight + mom``, after ``mom = momentum * mom - lr * (grad + wd * weight)``."""
def sgd_update(weight: Symbol | None = None, grad: Symbol | None = None, lr: float = ..., wd: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0, lazy_update: bool = True, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """``weight - lr * (grad + wd * weight)``, with the gradient rescaled and clipped."""
def sigmoid(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """1 / (1 + exp(-data))."""
def sign(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """-1, 0 or 1: the sign."""
def sin(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Sine of an angle in radians."""
def sinh(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Hyperbolic sine."""
def slice(data: Symbol | None = None, begin: int | None | Sequence[int | None] = None, end: int | None | Sequence[int | None] = None, step: int | None | Sequence[int | None] = (), name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """A box of `data`: the elements from begin to end, by step, of each of the leading axes."""
def sqrt(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Square root."""
def square(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """data²."""
def stop_gradient(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """A copy of data that lets no gradient through."""
def sum(data: Symbol | None = None, axis: int | Sequence[int] | None = None, keepdims: bool = False, exclude: bool = False, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Sum of the elements."""
def tan(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Tangent of an angle in radians."""
def tanh(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Hyperbolic tangent."""
def trunc(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Whole part, toward zero."""
def where(condition: Symbol | None = None, x: Symbol | None = None, y: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Elements of `x` where `condition` is not zero, elements of `y` elsewhere."""
def zeros_like(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Zeros of the shape and type of data."""
