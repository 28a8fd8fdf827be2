# SPDX-License-Identifier: Apache-2.0
"""Arrays with NumPy's semantics: ``mx.np.ndarray``."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..base.doors import door, leave
from ..base.errors import ArgumentError, MXNetError, shown
from ..numpy.elementwise import BINARY, COMPARISONS, operators_of
from ..numpy.methods import FUNCTIONS, PYTHON_OPERATORS, NumpyMethods
from ..numpy.namespaces import NUMBER, World
from ..op.dtypes import dtype_name
from ..op.schema import find
from .arithmetic import negation, refuse_if_recorded
from .array import NDArray
from .base_array import CLASSES
from .calls.fast_calls import binary_call, scalar_call, unary_call
from .creation import array
from .functions import function_of
from .recording import STATE, recorded_write
from .tape import is_live
from .wrapping import receive, viewed_as

__all__ = ["ARRAYS", "by_numpy", "ndarray"]


class ndarray(NumpyMethods, NDArray):  # type: ignore[misc]  # noqa: N801 - NumPy's name
    """An array of one element type on one context, with NumPy's semantics.

    NumPy's own functions take it too: what is not computed here is computed by NumPy.

    Args:
        handle: a tensor, or the handle of an array; programs call `mx.np.array` instead.
        writable: whether its elements can be changed.

    Example:
        >>> x = np.array([[1, 2], [3, 4]])
        >>> isinstance(x, np.ndarray), x.shape, x.dtype
        (True, (2, 2), dtype('float32'))
        >>> x[x > 2]
        array([3., 4.])
    """

    __slots__ = ()
    __hash__ = object.__hash__

    # What it is ----------------------------------------------------------------------------------

    @property
    def dtype(self) -> Any:
        """Element type, as NumPy's dtype."""
        return np.dtype(NDArray.dtype.fget(self))  # type: ignore[attr-defined]

    @door
    def item(self, *args: Any) -> Any:
        """An element as a Python number."""
        if not args and self.size != 1:
            return self.asscalar()  # refuses it, with a way out
        return self.asnumpy().item(*args)

    def tolist(self) -> Any:
        """The elements as Python numbers in nested lists."""
        return self.asnumpy().tolist()

    def __repr__(self) -> str:
        text = repr(self.asnumpy())
        dtype = self.dtype
        if "dtype=" in text:
            text = f"{text[: text.rindex(',')]})" if dtype == np.float32 else text
        elif dtype not in (np.float32, np.bool_):  # NumPy tells only what it does not assume
            text = f"{text[:-1]}, dtype={dtype})"
        is_on_cpu = self.context.device_type.startswith("cpu")
        return text if is_on_cpu else f"{text[:-1]}, ctx={self.context})"

    def __str__(self) -> str:
        text = str(self.asnumpy())
        is_plain = self.context.device_type.startswith("cpu") or not self.ndim
        return text if is_plain else f"{text} @{self.context}"

    def __format__(self, fmt: str) -> str:
        return format(self.item(), fmt) if not self.ndim else object.__format__(self, fmt)

    def __round__(self, n: int = 0) -> Any:
        return self.round(n)

    # Other classes -------------------------------------------------------------------------------

    def as_nd_ndarray(self) -> NDArray:
        """The same array with MXNet's legacy semantics."""
        array: NDArray = viewed_as(self, NDArray)
        return array

    def as_in_ctx(self, ctx: Any) -> Any:
        """Itself when it is on `ctx`, else a copy there."""
        return self.as_in_context(ctx)

    def as_np_ndarray(self) -> ndarray:
        """Itself."""
        return self

    def astype(  # type: ignore[override]
        self,
        dtype: Any,
        order: str = "K",
        casting: str = "unsafe",
        subok: bool = True,
        copy: bool = True,
    ) -> Any:
        """The array with elements of `dtype`; itself when it has it already and `copy` is off."""
        try:
            if order not in ("K", "C", None) or casting != "unsafe" or not subok:
                raise ArgumentError(
                    f"astype: order={shown(order)}, casting={shown(casting)}, "
                    f"subok={shown(subok)}: must be K or C, unsafe, and true"
                )
            return super().astype(dtype, copy)
        except Exception as error:
            leave(error)
            raise

    def reshape_view(self, *shape: Any, **kwargs: Any) -> Any:
        """The same memory in another shape, given as numbers or a tuple; -1: what remains."""
        return NDArray.reshape(self, *shape, **kwargs)

    def copy(self, order: str = "C") -> Any:
        """A copy on the same context."""
        if order not in ("C", "K"):
            raise NotImplementedError(f"copy: order={shown(order)}: must be C")
        return super().copy()

    def __reduce__(self) -> Any:
        return ndarray, (None,), self.__getstate__()

    # NumPy's own functions ------------------------------------------------------------------------

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        own = FUNCTIONS[""].get(ufunc.__name__)
        out = kwargs.pop("out", None)
        if method != "__call__" or own is None:
            made = by_numpy(getattr(ufunc, method), list(map(_weak, inputs)), kwargs)
            return made if out is None else _put(out[0], made)
        if out is not None:
            kwargs["out"] = out[0]
        return own(ARRAYS, *inputs, **kwargs)

    def __array_function__(
        self, func: Any, types: Any, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> Any:
        package, _, module = func.__module__.partition(".")
        own = FUNCTIONS.get(module, {}).get(func.__name__) if package == "numpy" else None
        try:
            if own is None:
                return by_numpy(func, args, kwargs)
            made = own(ARRAYS, *args, **kwargs)
            return _in_tuple(func, made) if isinstance(made, (list, tuple)) else made
        except (TypeError, NotImplementedError):  # NumPy's function takes more
            return by_numpy(func, args, kwargs)


_GIVE_TUPLES = () if np.__version__ < "2" else (np.broadcast_arrays, np.meshgrid)


def _in_tuple(func: Callable[..., Any], made: Any) -> Any:
    """Several arrays in the kind of list, or named tuple, that NumPy's `func` gives."""
    if func.__module__ == "numpy.linalg":
        return _tuple_of(func)(made)
    return tuple(made) if func in _GIVE_TUPLES else made


@functools.cache
def _tuple_of(func: Callable[..., Any]) -> Callable[[Any], Any]:
    kind = type(func(np.eye(1)))
    return getattr(kind, "_make", tuple)


def _weak(value: Any) -> Any:
    """NumPy's number as Python's, which does not widen an array's type."""
    return value.item() if isinstance(value, np.generic) else value


def _put(out: Any, values: Any) -> Any:
    out[...] = values
    return out


def by_numpy(func: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """What NumPy's function gives for the values; its arrays are ours.

    Raises:
        ArgumentError: a gradient would have to flow through it.
    """
    if STATE.recording and any(map(is_live, _arrays_in([*args, *kwargs.values()]))):
        raise ArgumentError(
            f"{func.__name__}: computed by NumPy itself, so that gradients do not flow through it: "
            "call it outside autograd.record(), or on x.detach()"
        )
    values, named = _numpys(args), _numpys(kwargs)
    types = _float_types([*values, *named.values()])
    if func.__name__ not in _ORDERING or _FLOAT16 not in types:
        return _ours(func(*values, **named))
    values, named = _cast(values, _FLOAT16, _FLOAT32), _cast(named, _FLOAT16, _FLOAT32)
    found = func(*values, **named)
    return _ours(found if _FLOAT32 in types else _cast(found, _FLOAT32, _FLOAT16))


_FLOAT16, _FLOAT32 = np.dtype(np.float16), np.dtype(np.float32)
# Functions that sort. NumPy's do not order float16 on every processor.
_ORDERING = frozenset(
    """argpartition argsort in1d intersect1d isin lexsort median msort nanmedian nanpercentile
    nanquantile partition percentile quantile searchsorted setdiff1d setxor1d sort union1d unique
    unique_all unique_counts unique_inverse unique_values""".split()  # noqa: SIM905
)


def _arrays_in(values: Iterable[Any]) -> Iterator[NDArray]:
    for value in values:
        if isinstance(value, NDArray):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from _arrays_in(value)


def _numpys(value: Any) -> Any:
    if isinstance(value, NDArray):
        return value.asnumpy()
    if isinstance(value, (list, tuple)):
        return _mapped(_numpys, value)
    return {k: _numpys(v) for k, v in value.items()} if isinstance(value, dict) else value


def _float_types(values: Iterable[Any]) -> set[Any]:
    """Types of the arrays of real numbers among values and lists of them."""
    found = set()
    for value in values:
        if isinstance(value, (list, tuple)):
            found |= _float_types(value)
        elif isinstance(value, np.ndarray) and value.dtype.kind == "f":
            found.add(value.dtype)
    return found


def _cast(value: Any, dtype: np.dtype[Any], to: np.dtype[Any]) -> Any:
    """Arrays and numbers of `dtype` in another type, in lists too; anything else as it is."""
    if isinstance(value, (np.ndarray, np.floating)) and value.dtype == dtype:
        return value.astype(to)
    if isinstance(value, dict):
        return {k: _cast(v, dtype, to) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return _mapped(lambda v: _cast(v, dtype, to), value)
    return value


def _mapped(function: Callable[[Any], Any], values: list[Any] | tuple[Any, ...]) -> Any:
    """A list, tuple or named tuple of what `function` gives for its items."""
    items = [function(v) for v in values]
    return type(values)(*items) if hasattr(values, "_fields") else type(values)(items)


def _ours(value: Any) -> Any:
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        return array_of(value)
    return _mapped(_ours, value) if isinstance(value, (list, tuple)) else value


def array_of(values: np.ndarray[Any, Any]) -> ndarray:
    """The array of NumPy's values, on the current context."""
    made: ndarray = viewed_as(array(values, dtype=values.dtype), ndarray)
    return made


_BITWISE = ("bitwise_and", "bitwise_or", "bitwise_xor")
OPERATORS = BINARY | COMPARISONS

CLASSES["numpy"] = ndarray
ARRAYS = World(function_of, NDArray, "mx.np.ndarray", is_symbolic=False, taken=array_of)
ndarray._world = ARRAYS


def _fast(name: str, function: str) -> Callable[..., Any]:
    """Python's operator between arrays, and an array and a number, at once; else the function."""
    both, right, left = operators_of(function)
    slow = getattr(NumpyMethods, name)
    reflected = name.startswith("__r")
    type_ = find(left if reflected else right)
    of_fraction, of_integer = (scalar_call(type_, is_int=is_int) for is_int in (False, True))

    def with_other(self: ndarray, other: Any) -> Any:
        kind = type(other)
        if kind is float:
            return of_fraction(self, other)
        if kind is int:
            return of_integer(self, float(other))
        return slow(self, other)

    method = with_other if reflected else binary_call(find(both), with_other)
    method.__name__ = method.__qualname__ = name
    return method


def _in_place(name: str) -> Callable[..., Any]:
    """The method for ``self <op>= other``: the result takes the array's element type."""
    binary = getattr(ndarray, f"__{name}__")
    is_quotient = name in ("truediv", "div")

    def method(self: ndarray, other: Any) -> Any:
        try:
            refuse_if_recorded(self)
            if not self._chunk.writable:
                raise ArgumentError(f"__i{name}__: the array is read-only")
            result = binary(self, other)
            if result._tracked is not None:
                raise recorded_write()
            loses = result._raw.is_floating_point() and not self._raw.is_floating_point()
            if loses and (is_quotient or not isinstance(other, NUMBER)):
                given, kept = dtype_name(result._raw.dtype), dtype_name(self._raw.dtype)
                raise MXNetError(f"__i{name}__: elements of {given} do not fit into one of {kept}")
            receive(self, result._value, f"__i{name}__")
            return self
        except Exception as error:
            leave(error)
            raise

    method.__name__ = method.__qualname__ = f"__i{name}__"
    return method


for _name, _function in PYTHON_OPERATORS.items():
    if _function in OPERATORS and _function not in _BITWISE:
        setattr(ndarray, f"__{_name}__", _fast(f"__{_name}__", _function))
        if _function not in COMPARISONS:
            setattr(ndarray, f"__r{_name}__", _fast(f"__r{_name}__", _function))
setattr(ndarray, "__neg__", negation("_npi_negative", "_npi_multiply_scalar", is_int=True))  # noqa: B010
setattr(ndarray, "__abs__", unary_call(find("_npi_absolute")))  # noqa: B010
for _name in ("add", "sub", "mul", "truediv", "div", "mod", "and", "or", "xor", "matmul"):
    setattr(ndarray, f"__i{_name}__", _in_place(_name))
