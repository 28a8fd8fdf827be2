# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")

from mxnova.ndarray.ndarray import NDArray as NDArray

def _CachedOp(*data: NDArray | Sequence[NDArray], out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """Runs a graph: what a group of nodes becomes that is made one node."""
def _CrossDeviceCopy(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """A copy of data, on the device of its reader."""
def _Div(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """lhs / rhs; integers are cut toward zero."""
def _DivScalar(data: NDArray | None = None, scalar: float = 1.0, is_int: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """data / scalar; integers are cut toward zero."""
def _Equal(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """1 where both are equal, 0 elsewhere."""
def _EqualScalar(data: NDArray | None = None, scalar: float = 1.0, is_int: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """1 where both are equal, 0 elsewhere; of data and scalar."""
def _Greater(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """1 where the first is greater, 0 elsewhere."""
def _GreaterEqualScalar(data: NDArray | None = None, scalar: float = 1.0, is_int: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """1 where the first is not less, 0 elsewhere; of data and scalar."""
def _GreaterScalar(data: NDArray | None = None, scalar: float = 1.0, is_int: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """1 where the first is greater, 0 elsewhere; of data and scalar."""
def _Greater_Equal(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """1 where the first is not less, 0 elsewhere."""
def _Hypot(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """√(lhs² + rhs²)."""
def _HypotScalar(data: NDArray | None = None, scalar: float = 1.0, is_int: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """√(data² + scalar²)."""
def _Lesser(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """1 where the first is less, 0 elsewhere."""
def _LesserEqualScalar(data: NDArray | None = None, scalar: float = 1.0, is_int: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """1 where the first is not greater, 0 elsewhere; of data and scalar."""
def _LesserScalar(data: NDArray | None = None, scalar: float = 1.0, is_int: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """1 where the first is less, 0 elsewhere; of data and scalar."""
def _Lesser_Equal(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """1 where the first is not greater, 0 elsewhere."""
def _LogicalAndScalar(data: NDArray | None = None, scalar: float = 1.0, is_int: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """1 where neither is 0, 0 elsewhere; of data and scalar."""
def _LogicalOrScalar(data: NDArray | None = None, scalar: float = 1.0, is_int: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """1 where at least one is not 0, 0 elsewhere; of data and scalar."""
def _LogicalXorScalar(data: NDArray | None = None, scalar: float = 1.0, is_int: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """1 where exactly one is not 0, 0 elsewhere; of data and scalar."""
def _Logical_And(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """1 where neither is 0, 0 elsewhere."""
def _Logical_Or(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """1 where at least one is not 0, 0 elsewhere."""
def _Logical_Xor(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """1 where exactly one is not 0, 0 elsewhere."""
def _Maximum(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """The larger one."""
def _MaximumScalar(data: NDArray | None = None, scalar: float = 1.0, is_int: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """The larger one of data and scalar."""
def _Minimum(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """The smaller one."""
def _MinimumScalar(data: NDArray | None = None, scalar: float = 1.0, is_int: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """The smaller one of data and scalar."""
def _Minus(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """lhs - rhs."""
def _MinusScalar(data: NDArray | None = None, scalar: float = 1.0, is_int: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """data - scalar."""
def _Mod(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Remainder of lhs / rhs with the sign of rhs; 0 where rhs is 0."""
def _ModScalar(data: NDArray | None = None, scalar: float = 1.0, is_int: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Remainder of data / scalar with the sign of scalar; 0 when that is 0."""
def _Mul(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """lhs · rhs."""
def _MulScalar(data: NDArray | None = None, scalar: float = 1.0, is_int: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """data · scalar."""
def _NotEqualScalar(data: NDArray | None = None, scalar: float = 1.0, is_int: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """1 where they differ, 0 elsewhere; of data and scalar."""
def _Not_Equal(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """1 where they differ, 0 elsewhere."""
def _Plus(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """lhs + rhs."""
def _PlusScalar(data: NDArray | None = None, scalar: float = 1.0, is_int: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """data + scalar."""
def _Power(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """lhs to the power of rhs."""
def _PowerScalar(data: NDArray | None = None, scalar: float = 1.0, is_int: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """data to the power of scalar."""
def _RDivScalar(data: NDArray | None = None, scalar: float = 1.0, is_int: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """scalar / data; integers are cut toward zero."""
def _RMinusScalar(data: NDArray | None = None, scalar: float = 1.0, is_int: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """scalar - data."""
def _RModScalar(data: NDArray | None = None, scalar: float = 1.0, is_int: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Remainder of scalar / data with the sign of data; 0 where that is 0."""
def _RPowerScalar(data: NDArray | None = None, scalar: float = 1.0, is_int: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """scalar to the power of data."""
def _adamw_update(weight: NDArray | None = None, grad: NDArray | None = None, mean: NDArray | None = None, var: NDArray | None = None, rescale_grad: NDArray | None = None, lr: float = ..., beta1: float = 0.8999999761581421, beta2: float = 0.9990000128746033, epsilon: float = 9.99999993922529e-09, wd: float = 0.0, eta: float = ..., clip_gradient: float = -1.0, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """``weight - eta * (lr * mean / (sqrt(var) + epsilon) + wd * weight)``."""
def _add(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """lhs + rhs."""
def _arange(start: float = ..., stop: float | None = None, step: float = 1.0, repeat: int = 1, infer_range: bool = False, ctx: str = '', dtype: str | type[Any] | _np.dtype[Any] = 'float32', out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """start, start + step, … up to but without stop."""
def _cond(*data: NDArray | Sequence[NDArray], num_args: int = ..., num_outputs: int = ..., cond_input_locs: int | Sequence[int] = ..., then_input_locs: int | Sequence[int] = ..., else_input_locs: int | Sequence[int] = ..., out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """Runs one of two bodies, as a condition says."""
def _copy(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """A copy of data."""
def _copyto(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Copy data into the output, with a cast to its dtype and a transfer to its device."""
def _crop_assign(lhs: NDArray | None = None, rhs: NDArray | None = None, begin: int | None | Sequence[int | None] = None, end: int | None | Sequence[int | None] = None, step: int | None | Sequence[int | None] = (), out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """`lhs` with the box that `slice` would read replaced by `rhs`."""
def _crop_assign_scalar(data: NDArray | None = None, scalar: float = 0.0, begin: int | None | Sequence[int | None] = None, end: int | None | Sequence[int | None] = None, step: int | None | Sequence[int | None] = (), out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """`data` with the box that `slice` would read filled with a number."""
def _cvcopyMakeBorder(src: NDArray | None = None, top: int = ..., bot: int = ..., left: int = ..., right: int = ..., type: int = 0, value: float = 0.0, values: float | Sequence[float] = (), out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """An image with a frame around it."""
def _cvimdecode(buf: NDArray | None = None, flag: int = 1, to_rgb: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """The image in the bytes of a JPEG, PNG or other file: uint8 (height, width, channels)."""
def _cvimread(filename: str = ..., flag: int = 1, to_rgb: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """The image in a file: uint8 (height, width, channels)."""
def _cvimresize(src: NDArray | None = None, w: int = ..., h: int = ..., interp: int = 1, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """An image brought to another size."""
def _div(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """lhs / rhs; integers are cut toward zero."""
def _div_scalar(data: NDArray | None = None, scalar: float = 1.0, is_int: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """data / scalar; integers are cut toward zero."""
def _equal(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """1 where both are equal, 0 elsewhere."""
def _equal_scalar(data: NDArray | None = None, scalar: float = 1.0, is_int: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """1 where both are equal, 0 elsewhere; of data and scalar."""
def _eye(N: int = ..., M: int = 0, k: int = 0, ctx: str = '', dtype: str | type[Any] | _np.dtype[Any] = 'float32', out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """A matrix with ones on one diagonal and zeros elsewhere."""
def _foreach(*data: NDArray | Sequence[NDArray], num_args: int = ..., num_outputs: int = ..., num_out_data: int = ..., in_state_locs: int | Sequence[int] = ..., in_data_locs: int | Sequence[int] = ..., remain_locs: int | Sequence[int] = ..., out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """Runs a body over the first axis of arrays, carrying states from step to step."""
def _full(shape: int | Sequence[int] | None = None, ctx: str = '', dtype: str | type[Any] | _np.dtype[Any] = 'float32', value: float = ..., out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """An array of one value."""
def _grad_add(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """lhs + rhs, as gradients are summed."""
def _greater(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """1 where the first is greater, 0 elsewhere."""
def _greater_equal(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """1 where the first is not less, 0 elsewhere."""
def _greater_equal_scalar(data: NDArray | None = None, scalar: float = 1.0, is_int: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """1 where the first is not less, 0 elsewhere; of data and scalar."""
def _greater_scalar(data: NDArray | None = None, scalar: float = 1.0, is_int: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """1 where the first is greater, 0 elsewhere; of data and scalar."""
def _histogram(data: NDArray | None = None, bins: NDArray | None = None, bin_cnt: int | None = None, range: float | Sequence[float] | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """Return the number of elements in each bin, and the bin edges."""
def _hypot(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """√(lhs² + rhs²)."""
def _hypot_scalar(data: NDArray | None = None, scalar: float = 1.0, is_int: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """√(data² + scalar²)."""
def _identity_with_attr_like_rhs(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """A copy of lhs; shapes and types are inferred from rhs too."""
def _lesser(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """1 where the first is less, 0 elsewhere."""
def _lesser_equal(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """1 where the first is not greater, 0 elsewhere."""
def _lesser_equal_scalar(data: NDArray | None = None, scalar: float = 1.0, is_int: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """1 where the first is not greater, 0 elsewhere; of data and scalar."""
def _lesser_scalar(data: NDArray | None = None, scalar: float = 1.0, is_int: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """1 where the first is less, 0 elsewhere; of data and scalar."""
def _linspace(start: float = ..., stop: float = ..., num: int = ..., endpoint: bool = True, ctx: str = '', dtype: str | type[Any] | _np.dtype[Any] = 'float32', out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Numbers from start to stop at equal distances."""
def _logical_and(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """1 where neither is 0, 0 elsewhere."""
def _logical_and_scalar(data: NDArray | None = None, scalar: float = 1.0, is_int: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """1 where neither is 0, 0 elsewhere; of data and scalar."""
def _logical_or(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """1 where at least one is not 0, 0 elsewhere."""
def _logical_or_scalar(data: NDArray | None = None, scalar: float = 1.0, is_int: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """1 where at least one is not 0, 0 elsewhere; of data and scalar."""
def _logical_xor(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """1 where exactly one is not 0, 0 elsewhere."""
def _logical_xor_scalar(data: NDArray | None = None, scalar: float = 1.0, is_int: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """1 where exactly one is not 0, 0 elsewhere; of data and scalar."""
def _maximum(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """The larger one."""
def _maximum_scalar(data: NDArray | None = None, scalar: float = 1.0, is_int: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """The larger one of data and scalar."""
def _minimum(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """The smaller one."""
def _minimum_scalar(data: NDArray | None = None, scalar: float = 1.0, is_int: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """The smaller one of data and scalar."""
def _minus(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """lhs - rhs."""
def _minus_scalar(data: NDArray | None = None, scalar: float = 1.0, is_int: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """data - scalar."""
def _mod(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Remainder of lhs / rhs with the sign of rhs; 0 where rhs is 0."""
def _mod_scalar(data: NDArray | None = None, scalar: float = 1.0, is_int: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Remainder of data / scalar with the sign of scalar; 0 when that is 0."""
def _mp_adamw_update(weight: NDArray | None = None, grad: NDArray | None = None, mean: NDArray | None = None, var: NDArray | None = None, weight32: NDArray | None = None, rescale_grad: NDArray | None = None, lr: float = ..., beta1: float = 0.8999999761581421, beta2: float = 0.9990000128746033, epsilon: float = 9.99999993922529e-09, wd: float = 0.0, eta: float = ..., clip_gradient: float = -1.0, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """`_adamw_update` of a float32 copy of the weight, rounded to the weight's type."""
def _mul(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """lhs · rhs."""
def _mul_scalar(data: NDArray | None = None, scalar: float = 1.0, is_int: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """data · scalar."""
def _multi_adam_update(*data: NDArray | Sequence[NDArray], lrs: float | Sequence[float] = ..., wds: float | Sequence[float] = ..., rescale_grad: float = 1.0, clip_gradient: float = -1.0, num_weights: int = 1, beta1: float = 0.8999999761581421, beta2: float = 0.9990000128746033, epsilon: float = 9.99999993922529e-09, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """`adam_update` of several weights."""
def _multi_adamw_update(*data: NDArray | Sequence[NDArray], lrs: float | Sequence[float] = ..., beta1: float = 0.8999999761581421, beta2: float = 0.9990000128746033, epsilon: float = 9.99999993922529e-09, wds: float | Sequence[float] = ..., etas: float | Sequence[float] = ..., clip_gradient: float = -1.0, num_weights: int = 1, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """`_adamw_update` of several weights."""
def _multi_ftrl_update(*data: NDArray | Sequence[NDArray], lrs: float | Sequence[float] = ..., wds: float | Sequence[float] = ..., rescale_grad: float = 1.0, clip_gradient: float = -1.0, num_weights: int = 1, lamda1: float = 0.009999999776482582, beta: float = 1.0, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """`ftrl_update` of several weights."""
def _multi_lamb_update(*data: NDArray | Sequence[NDArray], learning_rates: float | Sequence[float] = ..., beta1: float = 0.8999999761581421, beta2: float = 0.9990000128746033, epsilon: float = 9.999999974752427e-07, wds: float | Sequence[float] = ..., rescale_grad: float = 1.0, lower_bound: float = -1.0, upper_bound: float = -1.0, clip_gradient: float = -1.0, bias_correction: bool = True, step_count: int | Sequence[int] = ..., num_tensors: int = 1, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """Both phases of LAMB (`lamb_update_phase1`, `lamb_update_phase2`) for several weights."""
def _multi_mp_adam_update(*data: NDArray | Sequence[NDArray], lrs: float | Sequence[float] = ..., wds: float | Sequence[float] = ..., rescale_grad: float = 1.0, clip_gradient: float = -1.0, num_weights: int = 1, beta1: float = 0.8999999761581421, beta2: float = 0.9990000128746033, epsilon: float = 9.99999993922529e-09, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """`_multi_adam_update` of float32 copies of the weights, rounded to the weights' type."""
def _multi_mp_adamw_update(*data: NDArray | Sequence[NDArray], lrs: float | Sequence[float] = ..., beta1: float = 0.8999999761581421, beta2: float = 0.9990000128746033, epsilon: float = 9.99999993922529e-09, wds: float | Sequence[float] = ..., etas: float | Sequence[float] = ..., clip_gradient: float = -1.0, num_weights: int = 1, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """`_mp_adamw_update` of several weights."""
def _multi_mp_lamb_update(*data: NDArray | Sequence[NDArray], learning_rates: float | Sequence[float] = ..., beta1: float = 0.8999999761581421, beta2: float = 0.9990000128746033, epsilon: float = 9.999999974752427e-07, wds: float | Sequence[float] = ..., rescale_grad: float = 1.0, lower_bound: float = -1.0, upper_bound: float = -1.0, clip_gradient: float = -1.0, bias_correction: bool = True, step_count: int | Sequence[int] = ..., num_tensors: int = 1, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """`_multi_lamb_update` of float32 copies of the weights, rounded to the weights' type."""
def _multi_nag_mom_update(*data: NDArray | Sequence[NDArray], lrs: float | Sequence[float] = ..., wds: float | Sequence[float] = ..., rescale_grad: float = 1.0, clip_gradient: float = -1.0, num_weights: int = 1, momentum: float = 0.0, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """`nag_mom_update` of several weights."""
def _multi_rmsprop_update(*data: NDArray | Sequence[NDArray], lrs: float | Sequence[float] = ..., wds: float | Sequence[float] = ..., rescale_grad: float = 1.0, clip_gradient: float = -1.0, num_weights: int = 1, gamma1: float = 0.949999988079071, epsilon: float = 9.99999993922529e-09, clip_weights: float = -1.0, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """`rmsprop_update` of several weights."""
def _multi_rmspropalex_update(*data: NDArray | Sequence[NDArray], lrs: float | Sequence[float] = ..., wds: float | Sequence[float] = ..., rescale_grad: float = 1.0, clip_gradient: float = -1.0, num_weights: int = 1, gamma1: float = 0.949999988079071, epsilon: float = 9.99999993922529e-09, clip_weights: float = -1.0, gamma2: float = 0.8999999761581421, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """`rmspropalex_update` of several weights."""
def _multi_signum_update(*data: NDArray | Sequence[NDArray], lrs: float | Sequence[float] = ..., wds: float | Sequence[float] = ..., rescale_grad: float = 1.0, clip_gradient: float = -1.0, num_weights: int = 1, momentum: float = 0.0, wd_lh: float = 0.0, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """`signum_update` of several weights."""
def _not_equal(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """1 where they differ, 0 elsewhere."""
def _not_equal_scalar(data: NDArray | None = None, scalar: float = 1.0, is_int: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """1 where they differ, 0 elsewhere; of data and scalar."""
def _onehot_encode(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Rows of zeros with a 1 where the row's index says; an index out of range leaves its row 0."""
def _ones(shape: int | Sequence[int] | None = (), ctx: str = '', dtype: str | type[Any] | _np.dtype[Any] = 'float32', out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Ones."""
def _plus(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """lhs + rhs."""
def _plus_scalar(data: NDArray | None = None, scalar: float = 1.0, is_int: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """data + scalar."""
def _power(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """lhs to the power of rhs."""
def _power_scalar(data: NDArray | None = None, scalar: float = 1.0, is_int: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """data to the power of scalar."""
def _random_exponential(lam: float = 1.0, shape: int | Sequence[int] | None = None, ctx: str = '', dtype: str | type[Any] | _np.dtype[Any] = 'None', out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Draws from the exponential distribution."""
def _random_gamma(alpha: float = 1.0, beta: float = 1.0, shape: int | Sequence[int] | None = None, ctx: str = '', dtype: str | type[Any] | _np.dtype[Any] = 'None', out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Draws from the gamma distribution."""
def _random_generalized_negative_binomial(mu: float = 1.0, alpha: float = 1.0, shape: int | Sequence[int] | None = None, ctx: str = '', dtype: str | type[Any] | _np.dtype[Any] = 'None', out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Draws from the negative binomial distribution with a given mean and dispersion."""
def _random_negative_binomial(k: int = 1, p: float = 1.0, shape: int | Sequence[int] | None = None, ctx: str = '', dtype: str | type[Any] | _np.dtype[Any] = 'None', out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Draws from the negative binomial distribution: failures before the k-th success."""
def _random_normal(loc: float = 0.0, scale: float = 1.0, shape: int | Sequence[int] | None = None, ctx: str = '', dtype: str | type[Any] | _np.dtype[Any] = 'None', out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Draws from the normal distribution."""
def _random_pdf_dirichlet(sample: NDArray | None = None, alpha: NDArray | None = None, is_log: bool = False, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Density of the Dirichlet distribution."""
def _random_pdf_exponential(sample: NDArray | None = None, lam: NDArray | None = None, is_log: bool = False, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Density of the exponential distribution."""
def _random_pdf_gamma(sample: NDArray | None = None, alpha: NDArray | None = None, beta: NDArray | None = None, is_log: bool = False, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Density of the gamma distribution."""
def _random_pdf_generalized_negative_binomial(sample: NDArray | None = None, mu: NDArray | None = None, alpha: NDArray | None = None, is_log: bool = False, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Probability of counts under the negative binomial distribution of given mean."""
def _random_pdf_negative_binomial(sample: NDArray | None = None, k: NDArray | None = None, p: NDArray | None = None, is_log: bool = False, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Probability of that many failures before the k-th success."""
def _random_pdf_normal(sample: NDArray | None = None, mu: NDArray | None = None, sigma: NDArray | None = None, is_log: bool = False, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Density of the normal distribution."""
def _random_pdf_poisson(sample: NDArray | None = None, lam: NDArray | None = None, is_log: bool = False, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Probability of counts under the Poisson distribution."""
def _random_pdf_uniform(sample: NDArray | None = None, low: NDArray | None = None, high: NDArray | None = None, is_log: bool = False, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Density of the uniform distribution: ``1 / (high - low)``."""
def _random_poisson(lam: float = 1.0, shape: int | Sequence[int] | None = None, ctx: str = '', dtype: str | type[Any] | _np.dtype[Any] = 'None', out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Draws from the Poisson distribution."""
def _random_randint(low: int = ..., high: int = ..., shape: int | Sequence[int] | None = None, ctx: str = '', dtype: Literal['None', 'int32', 'int64'] = 'None', out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Draws integers from [low, high), all equally likely."""
def _random_uniform(low: float = 0.0, high: float = 1.0, shape: int | Sequence[int] | None = None, ctx: str = '', dtype: str | type[Any] | _np.dtype[Any] = 'None', out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Draws from the uniform distribution on [low, high)."""
def _ravel_multi_index(data: NDArray | None = None, shape: int | Sequence[int] | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Coordinates to positions in the flattened array."""
def _rdiv_scalar(data: NDArray | None = None, scalar: float = 1.0, is_int: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """scalar / data; integers are cut toward zero."""
def _rminus_scalar(data: NDArray | None = None, scalar: float = 1.0, is_int: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """scalar - data."""
def _rmod_scalar(data: NDArray | None = None, scalar: float = 1.0, is_int: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Remainder of scalar / data with the sign of data; 0 where that is 0."""
def _rnn_param_concat(*data: NDArray | Sequence[NDArray], num_args: int = ..., dim: int = 1, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """`Concat` for the weights of a recurrent layer: sizes not known share what the result leaves."""
def _rpower_scalar(data: NDArray | None = None, scalar: float = 1.0, is_int: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """scalar to the power of data."""
def _sample_exponential(lam: NDArray | None = None, shape: int | Sequence[int] | None = (), dtype: str | type[Any] | _np.dtype[Any] = 'None', out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Draws from the exponential distribution."""
def _sample_gamma(alpha: NDArray | None = None, beta: NDArray | None = None, shape: int | Sequence[int] | None = (), dtype: str | type[Any] | _np.dtype[Any] = 'None', out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Draws from the gamma distribution."""
def _sample_generalized_negative_binomial(mu: NDArray | None = None, alpha: NDArray | None = None, shape: int | Sequence[int] | None = (), dtype: str | type[Any] | _np.dtype[Any] = 'None', out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Draws from the negative binomial distribution with a given mean and dispersion."""
def _sample_multinomial(data: NDArray | None = None, shape: int | Sequence[int] | None = (), get_prob: bool = False, dtype: str | type[Any] | _np.dtype[Any] = 'int32', out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """Draws classes by their probabilities; the gradient is that of their log-probability."""
def _sample_negative_binomial(k: NDArray | None = None, p: NDArray | None = None, shape: int | Sequence[int] | None = (), dtype: str | type[Any] | _np.dtype[Any] = 'None', out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Draws from the negative binomial distribution: failures before the k-th success."""
def _sample_normal(mu: NDArray | None = None, sigma: NDArray | None = None, shape: int | Sequence[int] | None = (), dtype: str | type[Any] | _np.dtype[Any] = 'None', out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Draws from the normal distribution."""
def _sample_poisson(lam: NDArray | None = None, shape: int | Sequence[int] | None = (), dtype: str | type[Any] | _np.dtype[Any] = 'None', out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Draws from the Poisson distribution."""
def _sample_uniform(low: NDArray | None = None, high: NDArray | None = None, shape: int | Sequence[int] | None = (), dtype: str | type[Any] | _np.dtype[Any] = 'None', out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Draws from the uniform distribution on [low, high)."""
def _sample_unique_zipfian(range_max: int = ..., shape: int | Sequence[int] | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """Draws different integers, rows of them, small ones more often: for sampled softmax."""
def _scatter_elemwise_div(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """lhs / rhs, on the stored rows of a sparse lhs only."""
def _scatter_minus_scalar(data: NDArray | None = None, scalar: float = 1.0, is_int: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """data - scalar, on the stored elements of a sparse array."""
def _scatter_plus_scalar(data: NDArray | None = None, scalar: float = 1.0, is_int: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """data + scalar, on the stored elements of a sparse array."""
def _scatter_set_nd(lhs: NDArray | None = None, rhs: NDArray | None = None, indices: NDArray | None = None, shape: int | Sequence[int] = ..., out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """`lhs` with the values of `rhs` written at some places."""
def _set_value(src: float = ..., out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Fills the output with a number."""
def _sg_mkldnn_conv(*data: NDArray | Sequence[NDArray], with_bn: bool = False, with_act: bool = False, with_sum: bool = False, with_postsum_act: bool = False, quantized: bool = False, min_calib_range: float | None = None, max_calib_range: float | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """Convolution with BatchNorm, activation, sum and activation, as its subgraph has them."""
def _sg_mkldnn_fully_connected(*data: NDArray | Sequence[NDArray], quantized: bool = False, enable_float_output: bool = False, with_eltwise: bool = False, min_calib_range: float | None = None, max_calib_range: float | None = None, channel_wise_quantize: bool | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """FullyConnected with an activation, as its subgraph has them."""
def _sg_mkldnn_selfatt_qk(queries_keys_values: NDArray | None = None, heads: int = ..., quantized: bool = False, enable_float_output: bool = False, min_calib_range: float | None = None, max_calib_range: float | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """`_contrib_interleaved_matmul_selfatt_qk` as MXNet's oneDNN backend writes it into graphs."""
def _sg_mkldnn_selfatt_valatt(queries_keys_values: NDArray | None = None, attention: NDArray | None = None, heads: int = ..., quantized: bool = False, enable_float_output: bool = False, min_calib_range: float | None = None, max_calib_range: float | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """`_contrib_interleaved_matmul_selfatt_valatt` as MXNet's oneDNN backend writes it into graphs."""
def _shuffle(data: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """`data` with its slices along the first axis in random order."""
def _slice_assign(lhs: NDArray | None = None, rhs: NDArray | None = None, begin: int | None | Sequence[int | None] = None, end: int | None | Sequence[int | None] = None, step: int | None | Sequence[int | None] = (), out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """`lhs` with the box that `slice` would read replaced by `rhs`."""
def _slice_assign_scalar(data: NDArray | None = None, scalar: float = 0.0, begin: int | None | Sequence[int | None] = None, end: int | None | Sequence[int | None] = None, step: int | None | Sequence[int | None] = (), out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """`data` with the box that `slice` would read filled with a number."""
def _split_v2(data: NDArray | None = None, indices: int | Sequence[int] = ..., axis: int = 1, squeeze_axis: bool = False, sections: int = 0, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """`data` cut along one axis, at given places or into parts of almost equal size."""
def _square_sum(data: NDArray | None = None, axis: int | Sequence[int] | None = None, keepdims: bool = False, exclude: bool = False, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Sum of the squares of the elements."""
def _sub(lhs: NDArray | None = None, rhs: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """lhs - rhs."""
def _unravel_index(data: NDArray | None = None, shape: int | Sequence[int] | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Positions in a flattened array to coordinates, a column for each."""
def _while_loop(*data: NDArray | Sequence[NDArray], num_args: int = ..., num_outputs: int = ..., num_out_data: int = ..., max_iterations: int = ..., cond_input_locs: int | Sequence[int] = ..., func_input_locs: int | Sequence[int] = ..., func_var_locs: int | Sequence[int] = ..., out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """Runs a body while a condition on the loop variables holds, at most `max_iterations` times."""
def _zeros(shape: int | Sequence[int] | None = (), ctx: str = '', dtype: str | type[Any] | _np.dtype[Any] = 'float32', out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Zeros."""
def _zeros_without_dtype(shape: int | Sequence[int] | None = None, ctx: str = '', dtype: int = -1, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Zeros of a type that may be left open."""
