# SPDX-License-Identifier: Apache-2.0
"""CSR and row_sparse arrays: an NDArray whose values lie in sparse storage."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor

from ...formats import params
from ..base.errors import (
    ArgumentError,
    ArgumentTypeError,
    AssertedTypeError,
    FormatError,
    NotSupportedForSparseNDArray,
    OutOfRangeError,
    shown,
)
from ..base.user_warnings import warn_user
from ..op import arithmetic as operators
from ..op.dtypes import mx_dtype, torch_dtype
from ..op.schema import find
from ..op.sparse.storage import STORAGE, RowSparse, Sparse, parts_of
from ..op.traits import Form
from ..runtime.context import Context, context_of, is_there
from .arithmetic import refuse_if_recorded
from .array import NDArray, Number, array_from_numpy
from .autograd import attach
from .base_array import CLASSES
from .calls.dispatch import invoke
from .files import array_of_record, dumps_array
from .html import sparse_html
from .recording import STATE
from .sparse_format import check_format
from .tape import is_live
from .wrapping import empty_sparse, receive, wrap, wrap_sparse

__all__ = ["BaseSparseNDArray", "CSRNDArray", "RowSparseNDArray"]


class BaseSparseNDArray(NDArray):
    """What CSR and row_sparse arrays have in common.

    Args:
        handle: the tensor that holds the numbers.
        writable: whether the array may be written to.

    Example:
        >>> isinstance(mx.nd.zeros((2, 2)).tostype("csr"), mx.nd.sparse.BaseSparseNDArray)
        True
    """

    __slots__ = ()

    _castable: ClassVar[tuple[str, ...]]  # storage types that its values can be copied to

    @property
    def dtype(self) -> Any:
        """Element type, as NumPy's scalar type."""
        return mx_dtype(self._raw.dtype).array_dtype

    @property
    def data(self) -> NDArray:
        """A copy of the stored values."""
        return self._part(parts_of(self._value).data)

    @property
    def indices(self) -> NDArray:
        """Columns (CSR) or rows (row_sparse) of the stored values, a copy."""
        return self._part(parts_of(self._value).indices)

    @property
    def T(self) -> NDArray:  # noqa: N802 - MXNet's name
        """The array with its axes reversed, dense."""
        turned: NDArray = self._apply("transpose", (), {})
        return turned

    def _part(self, tensor: Tensor) -> NDArray:
        return wrap(tensor.clone(), self.context, NDArray)

    @property
    def _num_aux(self) -> int:
        return len(parts_of(self._value).aux)

    @property
    def _aux_types(self) -> list[Any]:
        return [mx_dtype(a.dtype).array_dtype for a in parts_of(self._value).aux]

    def check_format(self, full_check: bool = True) -> None:
        """Raises MXNetError where the parts of the storage contradict each other.

        Args:
            full_check: look at every index, which takes time, not only at shapes and types.
        """
        check_format(self._value, full_check)

    # Copies, casts, moves ------------------------------------------------------------------------

    def _with(self, record: Sparse, context: Context | None = None) -> Any:
        return wrap_sparse(record, context or self.context)

    def astype(self, dtype: Any, copy: bool = True) -> NDArray:
        """The array with elements of `dtype`; itself when it has it already and `copy` is off."""
        wanted = torch_dtype(dtype)
        if not copy and wanted is self._value.dtype:
            return self
        return self._moved(self.context, wanted)

    def copy(self) -> NDArray:
        """A copy on the same context."""
        if STATE.recording and is_live(self):
            copied: NDArray = self._apply("_copy", (), {})
            return copied
        return self._moved(self.context, self._value.dtype)

    __copy__ = copy

    def _moved(self, context: Context, dtype: torch.dtype) -> NDArray:
        moved: NDArray = wrap_sparse(self._value.to(context.device, dtype), context)
        return moved

    def copyto(self, other: NDArray | Context) -> NDArray | Any:
        """Writes its values into `other`, or copies it to a context; returns the copy.

        An array is not copied to itself: that is warned of, and the result is False.
        """
        if isinstance(other, Context):
            return self._moved(other, self._value.dtype)
        if not isinstance(other, NDArray):
            raise ArgumentTypeError(f"copyto: {type(other).__name__} is no array and no context")
        if other.stype not in self._castable:
            raise ArgumentTypeError(f"copyto: {self.stype} values cannot go to {other.stype}")
        if other is self:
            warn_user("copyto: an array is copied to itself", RuntimeWarning)
            return False
        if other is not self:
            receive(other, self._value, "copyto")
        return other

    def tostype(self, stype: str) -> NDArray:
        """The array stored as `stype`."""
        if stype in STORAGE and stype not in self._castable:
            raise ArgumentError(f"cast_storage: {self.stype} values cannot go to {stype}")
        cast: NDArray = invoke(find("cast_storage").of({"stype": stype}), [self])
        return cast

    def asnumpy(self) -> np.ndarray[Any, Any]:
        """A dense NumPy array of its values."""
        return wrap(self._value.dense(), self.context, NDArray).asnumpy()

    def detach(self) -> NDArray:
        """An array of the same memory that gradients do not flow through."""
        array: NDArray = self._with(self._value)
        array._chunk = self._chunk
        return array

    def reshape(self, *shape: Any, **kwargs: Any) -> NDArray:
        """Not for sparse arrays: raises."""
        raise NotSupportedForSparseNDArray("reshape", None, *shape)

    # Access --------------------------------------------------------------------------------------

    def __setitem__(self, key: Any, value: Any) -> None:
        if not (isinstance(key, slice) and key == slice(None)):
            error = ArgumentError if isinstance(key, slice) else AssertedTypeError
            raise error(f"{type(self).__name__} can be assigned to by [:] only, not [{shown(key)}]")
        refuse_if_recorded(self)
        if isinstance(value, NDArray):
            if value is not self:  # which `array[:] += other` assigns
                value.copyto(self)
        elif isinstance(value, np.ndarray):
            warn_user("a NumPy array is copied to sparse storage", RuntimeWarning)
            array_from_numpy(value, self.context).astype(self.dtype).copyto(self)
        elif isinstance(value, Number):
            self._fill(float(value))
        else:
            raise ArgumentTypeError(f"{type(self).__name__}[:]: {type(value).__name__} is no array")

    def _fill(self, value: float) -> None:
        raise ArgumentError(f"{type(self).__name__}[:]: {value} is no array")

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        sizes = "x".join(map(str, self.shape))
        return f"\n<{type(self).__name__} {sizes} @{self.context}>"

    def _repr_html_(self) -> str:
        """What a notebook shows: a table of what is stored."""
        return sparse_html(self)

    def __reduce__(self) -> Any:
        return _unpickled, (bytes(dumps_array(self)), str(self.context))

    # Gradients -----------------------------------------------------------------------------------

    def attach_grad(self, grad_req: str = "write", stype: str | None = None) -> None:
        """Makes it a leaf: gradients of what is computed from it go to `grad`.

        Args:
            grad_req: null, write or add.
            stype: storage type of `grad`; default: its own.
        """
        device, dtype = self._value.data.device, self._value.dtype
        if stype == "default":
            zeros = wrap(torch.zeros(self.shape, dtype=dtype, device=device), self.context)
        else:
            zeros = empty_sparse(stype or self.stype, self.shape, self.context, dtype)
        attach(self, zeros, grad_req)


class CSRNDArray(BaseSparseNDArray):
    """A matrix stored by rows: `data[indptr[i]:indptr[i+1]]` at columns `indices[…]` of row i.

    Args:
        handle: the tensor that holds the numbers.
        writable: whether the array may be written to.

    Example:
        >>> x = mx.nd.array([[0, 1], [2, 0]]).tostype("csr")
        >>> x.indices.asnumpy()
        array([1, 0])
    """

    __slots__ = ()
    stype = "csr"
    _castable = ("default", "csr")

    @property
    def indptr(self) -> NDArray:
        """Where each row starts in `data`, a copy; one more than there are rows."""
        record: Any = parts_of(self._value)
        return self._part(record.indptr)

    def __getitem__(self, key: Any) -> NDArray:
        """Rows: ``x[i]`` (as a matrix of one row) and ``x[i:j]``."""
        if isinstance(key, (int, np.integer)):
            if not -self.shape[0] <= key < self.shape[0]:
                raise OutOfRangeError(f"CSRNDArray: [{key}]: there are {self.shape[0]} rows")
            begin = int(key) % self.shape[0]
            return self._rows(begin, begin + 1)
        if not isinstance(key, slice) or key.step is not None:
            raise ArgumentError(f"CSRNDArray: [{shown(key)}]: only [i] and [i:j] give rows")
        if key == slice(None):
            return self
        return self._rows(key.start or 0, key.stop or self.shape[0])

    def _rows(self, begin: int, end: int) -> NDArray:
        rows: NDArray = self._apply("slice", (), {"begin": (begin,), "end": (end,)})
        return rows

    def asscipy(self) -> Any:
        """A scipy.sparse.csr_matrix with a copy of the values."""
        from scipy.sparse import csr_matrix

        record = self._value
        parts = [self._part(t).asnumpy() for t in (record.data, record.indices, record.indptr)]
        return csr_matrix(tuple(parts), shape=self.shape, dtype=self.dtype)


class RowSparseNDArray(BaseSparseNDArray):
    """An array of which only the rows `indices` are stored; the others are zero.

    Args:
        handle: the tensor that holds the numbers.
        writable: whether the array may be written to.

    Example:
        >>> x = mx.nd.array([[0, 0], [2, 3]]).tostype("row_sparse")
        >>> x.data.asnumpy()
        array([[2., 3.]], dtype=float32)
    """

    __slots__ = ()
    stype = "row_sparse"
    _castable = ("default", "row_sparse")

    def __getitem__(self, key: Any) -> NDArray:
        """Itself, by ``x[:]``."""
        if isinstance(key, slice) and key == slice(None):
            return self
        raise ArgumentError(f"RowSparseNDArray: [{key}]: only [:] is possible")

    def retain(self, *args: Any, **kwargs: Any) -> NDArray:
        """The array with all rows but the given ones set to zero, see `sparse_retain`."""
        kept: NDArray = self._apply("_sparse_retain", args, kwargs)
        return kept

    def _fill(self, value: float) -> None:
        record = self._value
        data = record.data.new_full(record.shape, value)
        rows = torch.arange(record.shape[0], device=data.device)
        self._target = RowSparse(data, rows, record.shape)


CLASSES["csr"] = CSRNDArray
CLASSES["row_sparse"] = RowSparseNDArray


def _unpickled(content: bytes, context: str) -> Any:
    record = params.loads_array(bytearray(content))
    if record is None:
        raise FormatError("a pickled array without shape and values")
    array: Any = array_of_record(record)
    wanted = context_of(context)
    return array.as_in_context(wanted) if is_there(wanted) else array


# Arithmetic ---------------------------------------------------------------------------------------


_STRICT = ("add", "subtract", "multiply", "divide")  # which keep storage types for equal shapes


def _binary(row: operators.Method) -> Callable[..., Any]:
    """The method for ``self <op> other``: the strict form where shapes are equal."""
    name, function, reflected = row
    broadcast, scalar = operators.of_arrays(function), operators.with_number(function, reflected)
    strict = broadcast
    if function in _STRICT and not reflected:
        strict = operators.of_arrays(function, Form.ELEMENTWISE)

    def method(self: BaseSparseNDArray, other: Any) -> Any:
        if isinstance(other, NDArray):
            form = strict if self.shape == other.shape else broadcast
            pair = (other, self) if reflected else (self, other)
            return invoke(form.plain, pair)
        if isinstance(other, Number):
            return self._apply(scalar.name, (), {"scalar": float(other)})
        return NotImplemented

    method.__name__ = method.__qualname__ = name
    return method


def _in_place(function: Callable[[Any, Any], Any], name: str) -> Callable[..., Any]:
    def method(self: BaseSparseNDArray, other: Any) -> Any:
        refuse_if_recorded(self)
        function(self, other).copyto(self)
        return self

    method.__name__ = method.__qualname__ = name
    return method


for _row in operators.PYTHON_METHODS:
    setattr(BaseSparseNDArray, _row.name, _binary(_row))
for _name in ("add", "sub", "mul", "truediv"):
    _function = getattr(operator, _name)
    setattr(BaseSparseNDArray, f"__i{_name}__", _in_place(_function, f"__i{_name}__"))
BaseSparseNDArray.__hash__ = object.__hash__  # type: ignore[method-assign, assignment]


def _by_operator(name: str) -> Callable[[BaseSparseNDArray], Any]:
    def method(self: BaseSparseNDArray) -> Any:
        return self._apply(name, (), {})

    return method


setattr(BaseSparseNDArray, "__neg__", _by_operator("negative"))  # noqa: B010
setattr(BaseSparseNDArray, "__abs__", _by_operator("abs"))  # noqa: B010
