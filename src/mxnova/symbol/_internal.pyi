# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")

from mxnova.symbol.symbol import Symbol as Symbol

def _CachedOp(*data: Symbol, subgraph: str, name: str | None = None, **_flags: Any) -> Symbol: ...
def _CrossDeviceCopy(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """A copy of data, on the device of its reader."""
def _Div(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """lhs / rhs; integers are cut toward zero."""
def _DivScalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """data / scalar; integers are cut toward zero."""
def _Equal(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """1 where both are equal, 0 elsewhere."""
def _EqualScalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """1 where both are equal, 0 elsewhere; of data and scalar."""
def _Greater(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """1 where the first is greater, 0 elsewhere."""
def _GreaterEqualScalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """1 where the first is not less, 0 elsewhere; of data and scalar."""
def _GreaterScalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """1 where the first is greater, 0 elsewhere; of data and scalar."""
def _Greater_Equal(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """1 where the first is not less, 0 elsewhere."""
def _Hypot(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """√(lhs² + rhs²)."""
def _HypotScalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """√(data² + scalar²)."""
def _Lesser(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """1 where the first is less, 0 elsewhere."""
def _LesserEqualScalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """1 where the first is not greater, 0 elsewhere; of data and scalar."""
def _LesserScalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """1 where the first is less, 0 elsewhere; of data and scalar."""
def _Lesser_Equal(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """1 where the first is not greater, 0 elsewhere."""
def _LogicalAndScalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """1 where neither is 0, 0 elsewhere; of data and scalar."""
def _LogicalOrScalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """1 where at least one is not 0, 0 elsewhere; of data and scalar."""
def _LogicalXorScalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """1 where exactly one is not 0, 0 elsewhere; of data and scalar."""
def _Logical_And(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """1 where neither is 0, 0 elsewhere."""
def _Logical_Or(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """1 where at least one is not 0, 0 elsewhere."""
def _Logical_Xor(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """1 where exactly one is not 0, 0 elsewhere."""
def _Maximum(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """The larger one."""
def _MaximumScalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """The larger one of data and scalar."""
def _Minimum(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """The smaller one."""
def _MinimumScalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """The smaller one of data and scalar."""
def _Minus(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """lhs - rhs."""
def _MinusScalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """data - scalar."""
def _Mod(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Remainder of lhs / rhs with the sign of rhs; 0 where rhs is 0."""
def _ModScalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Remainder of data / scalar with the sign of scalar; 0 when that is 0."""
def _Mul(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """lhs · rhs."""
def _MulScalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """data · scalar."""
def _NotEqualScalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """1 where they differ, 0 elsewhere; of data and scalar."""
def _Not_Equal(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """1 where they differ, 0 elsewhere."""
def _Plus(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """lhs + rhs."""
def _PlusScalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """data + scalar."""
def _Power(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """lhs to the power of rhs."""
def _PowerScalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """data to the power of scalar."""
def _RDivScalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """scalar / data; integers are cut toward zero."""
def _RMinusScalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """scalar - data."""
def _RModScalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Remainder of scalar / data with the sign of data; 0 where that is 0."""
def _RPowerScalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """scalar to the power of data."""
def _adamw_update(weight: Symbol | None = None, grad: Symbol | None = None, mean: Symbol | None = None, var: Symbol | None = None, rescale_grad: Symbol | None = None, lr: float = ..., beta1: float = 0.8999999761581421, beta2: float = 0.9990000128746033, epsilon: float = 9.99999993922529e-09, wd: float = 0.0, eta: float = ..., clip_gradient: float = -1.0, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """``weight - eta * (lr * mean / (sqrt(var) + epsilon) + wd * weight)``."""
def _add(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """lhs + rhs."""
def _arange(start: float = ..., stop: float | None = None, step: float = 1.0, repeat: int = 1, infer_range: bool = False, ctx: str = '', dtype: str | type[Any] | _np.dtype[Any] = 'float32', name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """start, start + step, … up to but without stop."""
def _cond(*data: Symbol | Sequence[Symbol], num_args: int = ..., num_outputs: int = ..., cond_input_locs: int | Sequence[int] = ..., then_input_locs: int | Sequence[int] = ..., else_input_locs: int | Sequence[int] = ..., name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Runs one of two bodies, as a condition says."""
def _copy(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """A copy of data."""
def _copyto(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Copy data into the output, with a cast to its dtype and a transfer to its device."""
def _crop_assign(lhs: Symbol | None = None, rhs: Symbol | None = None, begin: int | None | Sequence[int | None] = None, end: int | None | Sequence[int | None] = None, step: int | None | Sequence[int | None] = (), name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """`lhs` with the box that `slice` would read replaced by `rhs`."""
def _crop_assign_scalar(data: Symbol | None = None, scalar: float = 0.0, begin: int | None | Sequence[int | None] = None, end: int | None | Sequence[int | None] = None, step: int | None | Sequence[int | None] = (), name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """`data` with the box that `slice` would read filled with a number."""
def _cvcopyMakeBorder(src: Symbol | None = None, top: int = ..., bot: int = ..., left: int = ..., right: int = ..., type: int = 0, value: float = 0.0, values: float | Sequence[float] = (), name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """An image with a frame around it."""
def _cvimdecode(buf: Symbol | None = None, flag: int = 1, to_rgb: bool = True, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """The image in the bytes of a JPEG, PNG or other file: uint8 (height, width, channels)."""
def _cvimread(filename: str = ..., flag: int = 1, to_rgb: bool = True, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """The image in a file: uint8 (height, width, channels)."""
def _cvimresize(src: Symbol | None = None, w: int = ..., h: int = ..., interp: int = 1, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """An image brought to another size."""
def _div(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """lhs / rhs; integers are cut toward zero."""
def _div_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """data / scalar; integers are cut toward zero."""
def _equal(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """1 where both are equal, 0 elsewhere."""
def _equal_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """1 where both are equal, 0 elsewhere; of data and scalar."""
def _eye(N: int = ..., M: int = 0, k: int = 0, ctx: str = '', dtype: str | type[Any] | _np.dtype[Any] = 'float32', name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """A matrix with ones on one diagonal and zeros elsewhere."""
def _foreach(*data: Symbol | Sequence[Symbol], num_args: int = ..., num_outputs: int = ..., num_out_data: int = ..., in_state_locs: int | Sequence[int] = ..., in_data_locs: int | Sequence[int] = ..., remain_locs: int | Sequence[int] = ..., name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Runs a body over the first axis of arrays, carrying states from step to step."""
def _full(shape: int | Sequence[int] | None = None, ctx: str = '', dtype: str | type[Any] | _np.dtype[Any] = 'float32', value: float = ..., name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """An array of one value."""
def _grad_add(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """lhs + rhs, as gradients are summed."""
def _greater(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """1 where the first is greater, 0 elsewhere."""
def _greater_equal(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """1 where the first is not less, 0 elsewhere."""
def _greater_equal_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """1 where the first is not less, 0 elsewhere; of data and scalar."""
def _greater_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """1 where the first is greater, 0 elsewhere; of data and scalar."""
def _histogram(data: Symbol | None = None, bins: Symbol | None = None, bin_cnt: int | None = None, range: float | Sequence[float] | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Return the number of elements in each bin, and the bin edges."""
def _hypot(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """√(lhs² + rhs²)."""
def _hypot_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """√(data² + scalar²)."""
def _identity_with_attr_like_rhs(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """A copy of lhs; shapes and types are inferred from rhs too."""
def _lesser(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """1 where the first is less, 0 elsewhere."""
def _lesser_equal(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """1 where the first is not greater, 0 elsewhere."""
def _lesser_equal_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """1 where the first is not greater, 0 elsewhere; of data and scalar."""
def _lesser_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """1 where the first is less, 0 elsewhere; of data and scalar."""
def _linspace(start: float = ..., stop: float = ..., num: int = ..., endpoint: bool = True, ctx: str = '', dtype: str | type[Any] | _np.dtype[Any] = 'float32', name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Numbers from start to stop at equal distances."""
def _logical_and(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """1 where neither is 0, 0 elsewhere."""
def _logical_and_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """1 where neither is 0, 0 elsewhere; of data and scalar."""
def _logical_or(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """1 where at least one is not 0, 0 elsewhere."""
def _logical_or_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """1 where at least one is not 0, 0 elsewhere; of data and scalar."""
def _logical_xor(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """1 where exactly one is not 0, 0 elsewhere."""
def _logical_xor_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """1 where exactly one is not 0, 0 elsewhere; of data and scalar."""
def _maximum(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """The larger one."""
def _maximum_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """The larger one of data and scalar."""
def _minimum(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """The smaller one."""
def _minimum_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """The smaller one of data and scalar."""
def _minus(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """lhs - rhs."""
def _minus_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """data - scalar."""
def _mod(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Remainder of lhs / rhs with the sign of rhs; 0 where rhs is 0."""
def _mod_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Remainder of data / scalar with the sign of scalar; 0 when that is 0."""
def _mp_adamw_update(weight: Symbol | None = None, grad: Symbol | None = None, mean: Symbol | None = None, var: Symbol | None = None, weight32: Symbol | None = None, rescale_grad: Symbol | None = None, lr: float = ..., beta1: float = 0.8999999761581421, beta2: float = 0.9990000128746033, epsilon: float = 9.99999993922529e-09, wd: float = 0.0, eta: float = ..., clip_gradient: float = -1.0, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """`_adamw_update` of a float32 copy of the weight, rounded to the weight's type."""
def _mul(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """lhs · rhs."""
def _mul_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """data · scalar."""
def _multi_adam_update(*data: Symbol | Sequence[Symbol], lrs: float | Sequence[float] = ..., wds: float | Sequence[float] = ..., rescale_grad: float = 1.0, clip_gradient: float = -1.0, num_weights: int = 1, beta1: float = 0.8999999761581421, beta2: float = 0.9990000128746033, epsilon: float = 9.99999993922529e-09, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """`adam_update` of several weights."""
def _multi_adamw_update(*data: Symbol | Sequence[Symbol], lrs: float | Sequence[float] = ..., beta1: float = 0.8999999761581421, beta2: float = 0.9990000128746033, epsilon: float = 9.99999993922529e-09, wds: float | Sequence[float] = ..., etas: float | Sequence[float] = ..., clip_gradient: float = -1.0, num_weights: int = 1, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """`_adamw_update` of several weights."""
def _multi_ftrl_update(*data: Symbol | Sequence[Symbol], lrs: float | Sequence[float] = ..., wds: float | Sequence[float] = ..., rescale_grad: float = 1.0, clip_gradient: float = -1.0, num_weights: int = 1, lamda1: float = 0.009999999776482582, beta: float = 1.0, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """`ftrl_update` of several weights."""
def _multi_lamb_update(*data: Symbol | Sequence[Symbol], learning_rates: float | Sequence[float] = ..., beta1: float = 0.8999999761581421, beta2: float = 0.9990000128746033, epsilon: float = 9.999999974752427e-07, wds: float | Sequence[float] = ..., rescale_grad: float = 1.0, lower_bound: float = -1.0, upper_bound: float = -1.0, clip_gradient: float = -1.0, bias_correction: bool = True, step_count: int | Sequence[int] = ..., num_tensors: int = 1, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Both phases of LAMB (`lamb_update_phase1`, `lamb_update_phase2`) for several weights."""
def _multi_mp_adam_update(*data: Symbol | Sequence[Symbol], lrs: float | Sequence[float] = ..., wds: float | Sequence[float] = ..., rescale_grad: float = 1.0, clip_gradient: float = -1.0, num_weights: int = 1, beta1: float = 0.8999999761581421, beta2: float = 0.9990000128746033, epsilon: float = 9.99999993922529e-09, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """`_multi_adam_update` of float32 copies of the weights, rounded to the weights' type."""
def _multi_mp_adamw_update(*data: Symbol | Sequence[Symbol], lrs: float | Sequence[float] = ..., beta1: float = 0.8999999761581421, beta2: float = 0.9990000128746033, epsilon: float = 9.99999993922529e-09, wds: float | Sequence[float] = ..., etas: float | Sequence[float] = ..., clip_gradient: float = -1.0, num_weights: int = 1, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """`_mp_adamw_update` of several weights."""
def _multi_mp_lamb_update(*data: Symbol | Sequence[Symbol], learning_rates: float | Sequence[float] = ..., beta1: float = 0.8999999761581421, beta2: float = 0.9990000128746033, epsilon: float = 9.999999974752427e-07, wds: float | Sequence[float] = ..., rescale_grad: float = 1.0, lower_bound: float = -1.0, upper_bound: float = -1.0, clip_gradient: float = -1.0, bias_correction: bool = True, step_count: int | Sequence[int] = ..., num_tensors: int = 1, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """`_multi_lamb_update` of float32 copies of the weights, rounded to the weights' type."""
def _multi_nag_mom_update(*data: Symbol | Sequence[Symbol], lrs: float | Sequence[float] = ..., wds: float | Sequence[float] = ..., rescale_grad: float = 1.0, clip_gradient: float = -1.0, num_weights: int = 1, momentum: float = 0.0, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """`nag_mom_update` of several weights."""
def _multi_rmsprop_update(*data: Symbol | Sequence[Symbol], lrs: float | Sequence[float] = ..., wds: float | Sequence[float] = ..., rescale_grad: float = 1.0, clip_gradient: float = -1.0, num_weights: int = 1, gamma1: float = 0.949999988079071, epsilon: float = 9.99999993922529e-09, clip_weights: float = -1.0, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """`rmsprop_update` of several weights."""
def _multi_rmspropalex_update(*data: Symbol | Sequence[Symbol], lrs: float | Sequence[float] = ..., wds: float | Sequence[float] = ..., rescale_grad: float = 1.0, clip_gradient: float = -1.0, num_weights: int = 1, gamma1: float = 0.949999988079071, epsilon: float = 9.99999993922529e-09, clip_weights: float = -1.0, gamma2: float = 0.8999999761581421, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """`rmspropalex_update` of several weights."""
def _multi_signum_update(*data: Symbol | Sequence[Symbol], lrs: float | Sequence[float] = ..., wds: float | Sequence[float] = ..., rescale_grad: float = 1.0, clip_gradient: float = -1.0, num_weights: int = 1, momentum: float = 0.0, wd_lh: float = 0.0, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """`signum_update` of several weights."""
def _not_equal(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """1 where they differ, 0 elsewhere."""
def _not_equal_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """1 where they differ, 0 elsewhere; of data and scalar."""
def _onehot_encode(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Rows of zeros with a 1 where the row's index says; an index out of range leaves its row 0."""
def _ones(shape: int | Sequence[int] | None = (), ctx: str = '', dtype: str | type[Any] | _np.dtype[Any] = 'float32', name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Ones."""
def _plus(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """lhs + rhs."""
def _plus_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """data + scalar."""
def _power(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """lhs to the power of rhs."""
def _power_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """data to the power of scalar."""
def _random_exponential(lam: float = 1.0, shape: int | Sequence[int] | None = None, ctx: str = '', dtype: str | type[Any] | _np.dtype[Any] = 'None', name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Draws from the exponential distribution."""
def _random_gamma(alpha: float = 1.0, beta: float = 1.0, shape: int | Sequence[int] | None = None, ctx: str = '', dtype: str | type[Any] | _np.dtype[Any] = 'None', name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Draws from the gamma distribution."""
def _random_generalized_negative_binomial(mu: float = 1.0, alpha: float = 1.0, shape: int | Sequence[int] | None = None, ctx: str = '', dtype: str | type[Any] | _np.dtype[Any] = 'None', name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Draws from the negative binomial distribution with a given mean and dispersion."""
def _random_negative_binomial(k: int = 1, p: float = 1.0, shape: int | Sequence[int] | None = None, ctx: str = '', dtype: str | type[Any] | _np.dtype[Any] = 'None', name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Draws from the negative binomial distribution: failures before the k-th success."""
def _random_normal(loc: float = 0.0, scale: float = 1.0, shape: int | Sequence[int] | None = None, ctx: str = '', dtype: str | type[Any] | _np.dtype[Any] = 'None', name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Draws from the normal distribution."""
def _random_pdf_dirichlet(sample: Symbol | None = None, alpha: Symbol | None = None, is_log: bool = False, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Density of the Dirichlet distribution."""
def _random_pdf_exponential(sample: Symbol | None = None, lam: Symbol | None = None, is_log: bool = False, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Density of the exponential distribution."""
def _random_pdf_gamma(sample: Symbol | None = None, alpha: Symbol | None = None, beta: Symbol | None = None, is_log: bool = False, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Density of the gamma distribution."""
def _random_pdf_generalized_negative_binomial(sample: Symbol | None = None, mu: Symbol | None = None, alpha: Symbol | None = None, is_log: bool = False, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Probability of counts under the negative binomial distribution of given mean."""
def _random_pdf_negative_binomial(sample: Symbol | None = None, k: Symbol | None = None, p: Symbol | None = None, is_log: bool = False, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Probability of that many failures before the k-th success."""
def _random_pdf_normal(sample: Symbol | None = None, mu: Symbol | None = None, sigma: Symbol | None = None, is_log: bool = False, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Density of the normal distribution."""
def _random_pdf_poisson(sample: Symbol | None = None, lam: Symbol | None = None, is_log: bool = False, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Probability of counts under the Poisson distribution."""
def _random_pdf_uniform(sample: Symbol | None = None, low: Symbol | None = None, high: Symbol | None = None, is_log: bool = False, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Density of the uniform distribution: ``1 / (high - low)``."""
def _random_poisson(lam: float = 1.0, shape: int | Sequence[int] | None = None, ctx: str = '', dtype: str | type[Any] | _np.dtype[Any] = 'None', name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Draws from the Poisson distribution."""
def _random_randint(low: int = ..., high: int = ..., shape: int | Sequence[int] | None = None, ctx: str = '', dtype: Literal['None', 'int32', 'int64'] = 'None', name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Draws integers from [low, high), all equally likely."""
def _random_uniform(low: float = 0.0, high: float = 1.0, shape: int | Sequence[int] | None = None, ctx: str = '', dtype: str | type[Any] | _np.dtype[Any] = 'None', name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Draws from the uniform distribution on [low, high)."""
def _ravel_multi_index(data: Symbol | None = None, shape: int | Sequence[int] | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Coordinates to positions in the flattened array."""
def _rdiv_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """scalar / data; integers are cut toward zero."""
def _rminus_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """scalar - data."""
def _rmod_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Remainder of scalar / data with the sign of data; 0 where that is 0."""
def _rnn_param_concat(*data: Symbol | Sequence[Symbol], num_args: int = ..., dim: int = 1, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """`Concat` for the weights of a recurrent layer: sizes not known share what the result leaves."""
def _rpower_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """scalar to the power of data."""
def _sample_exponential(lam: Symbol | None = None, shape: int | Sequence[int] | None = (), dtype: str | type[Any] | _np.dtype[Any] = 'None', name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Draws from the exponential distribution."""
def _sample_gamma(alpha: Symbol | None = None, beta: Symbol | None = None, shape: int | Sequence[int] | None = (), dtype: str | type[Any] | _np.dtype[Any] = 'None', name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Draws from the gamma distribution."""
def _sample_generalized_negative_binomial(mu: Symbol | None = None, alpha: Symbol | None = None, shape: int | Sequence[int] | None = (), dtype: str | type[Any] | _np.dtype[Any] = 'None', name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Draws from the negative binomial distribution with a given mean and dispersion."""
def _sample_multinomial(data: Symbol | None = None, shape: int | Sequence[int] | None = (), get_prob: bool = False, dtype: str | type[Any] | _np.dtype[Any] = 'int32', name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Draws classes by their probabilities; the gradient is that of their log-probability."""
def _sample_negative_binomial(k: Symbol | None = None, p: Symbol | None = None, shape: int | Sequence[int] | None = (), dtype: str | type[Any] | _np.dtype[Any] = 'None', name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Draws from the negative binomial distribution: failures before the k-th success."""
def _sample_normal(mu: Symbol | None = None, sigma: Symbol | None = None, shape: int | Sequence[int] | None = (), dtype: str | type[Any] | _np.dtype[Any] = 'None', name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Draws from the normal distribution."""
def _sample_poisson(lam: Symbol | None = None, shape: int | Sequence[int] | None = (), dtype: str | type[Any] | _np.dtype[Any] = 'None', name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Draws from the Poisson distribution."""
def _sample_uniform(low: Symbol | None = None, high: Symbol | None = None, shape: int | Sequence[int] | None = (), dtype: str | type[Any] | _np.dtype[Any] = 'None', name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Draws from the uniform distribution on [low, high)."""
def _sample_unique_zipfian(range_max: int = ..., shape: int | Sequence[int] | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Draws different integers, rows of them, small ones more often: for sampled softmax."""
def _scatter_elemwise_div(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """lhs / rhs, on the stored rows of a sparse lhs only."""
def _scatter_minus_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """data - scalar, on the stored elements of a sparse array."""
def _scatter_plus_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """data + scalar, on the stored elements of a sparse array."""
def _scatter_set_nd(lhs: Symbol | None = None, rhs: Symbol | None = None, indices: Symbol | None = None, shape: int | Sequence[int] = ..., name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """`lhs` with the values of `rhs` written at some places."""
def _set_value(src: float = ..., name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Fills the output with a number."""
def _sg_mkldnn_conv(*data: Symbol | Sequence[Symbol], with_bn: bool = False, with_act: bool = False, with_sum: bool = False, with_postsum_act: bool = False, quantized: bool = False, min_calib_range: float | None = None, max_calib_range: float | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Convolution with BatchNorm, activation, sum and activation, as its subgraph has them."""
def _sg_mkldnn_fully_connected(*data: Symbol | Sequence[Symbol], quantized: bool = False, enable_float_output: bool = False, with_eltwise: bool = False, min_calib_range: float | None = None, max_calib_range: float | None = None, channel_wise_quantize: bool | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """FullyConnected with an activation, as its subgraph has them."""
def _sg_mkldnn_selfatt_qk(queries_keys_values: Symbol | None = None, heads: int = ..., quantized: bool = False, enable_float_output: bool = False, min_calib_range: float | None = None, max_calib_range: float | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """`_contrib_interleaved_matmul_selfatt_qk` as MXNet's oneDNN backend writes it into graphs."""
def _sg_mkldnn_selfatt_valatt(queries_keys_values: Symbol | None = None, attention: Symbol | None = None, heads: int = ..., quantized: bool = False, enable_float_output: bool = False, min_calib_range: float | None = None, max_calib_range: float | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """`_contrib_interleaved_matmul_selfatt_valatt` as MXNet's oneDNN backend writes it into graphs."""
def _shuffle(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """`data` with its slices along the first axis in random order."""
def _slice_assign(lhs: Symbol | None = None, rhs: Symbol | None = None, begin: int | None | Sequence[int | None] = None, end: int | None | Sequence[int | None] = None, step: int | None | Sequence[int | None] = (), name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """`lhs` with the box that `slice` would read replaced by `rhs`."""
def _slice_assign_scalar(data: Symbol | None = None, scalar: float = 0.0, begin: int | None | Sequence[int | None] = None, end: int | None | Sequence[int | None] = None, step: int | None | Sequence[int | None] = (), name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """`data` with the box that `slice` would read filled with a number."""
def _split_v2(data: Symbol | None = None, indices: int | Sequence[int] = ..., axis: int = 1, squeeze_axis: bool = False, sections: int = 0, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """`data` cut along one axis, at given places or into parts of almost equal size."""
def _square_sum(data: Symbol | None = None, axis: int | Sequence[int] | None = None, keepdims: bool = False, exclude: bool = False, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Sum of the squares of the elements."""
def _sub(lhs: Symbol | None = None, rhs: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """lhs - rhs."""
def _unravel_index(data: Symbol | None = None, shape: int | Sequence[int] | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Positions in a flattened array to coordinates, a column for each."""
def _while_loop(*data: Symbol | Sequence[Symbol], num_args: int = ..., num_outputs: int = ..., num_out_data: int = ..., max_iterations: int = ..., cond_input_locs: int | Sequence[int] = ..., func_input_locs: int | Sequence[int] = ..., func_var_locs: int | Sequence[int] = ..., name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Runs a body while a condition on the loop variables holds, at most `max_iterations` times."""
def _zeros(shape: int | Sequence[int] | None = (), ctx: str = '', dtype: str | type[Any] | _np.dtype[Any] = 'float32', name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Zeros."""
def _zeros_without_dtype(shape: int | Sequence[int] | None = None, ctx: str = '', dtype: int = -1, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Zeros of a type that may be left open."""
