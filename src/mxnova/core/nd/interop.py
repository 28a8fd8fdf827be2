# SPDX-License-Identifier: Apache-2.0
"""Values and memory shared with NumPy and other libraries."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.utils.dlpack import from_dlpack

from ..base.dtypes import BFLOAT16
from ..base.errors import ArgumentError, ArgumentTypeError, AssertedError, from_foreign, shown
from ..op.dtypes import dtype_name, mx_dtype
from .base_array import BaseArray

__all__ = [
    "Interchange",
    "Number",
    "as_numbers",
    "numpy_of",
    "tensor_from",
    "tensor_of_capsule",
    "written",
]

Number = (int, float, np.generic)

# NumPy's kinds of numbers that ATen has: truth values, integers and floating-point numbers.
_NUMERIC = "biuf"


# NumPy --------------------------------------------------------------------------------------------


_MOST_AXES = 64 if np.lib.NumpyVersion(np.__version__) >= "2.0.0" else 32


def numpy_of(tensor: Tensor, copy: bool) -> np.ndarray[Any, Any]:
    """The values of a tensor as a NumPy array; without `copy` it shares CPU memory.

    Raises:
        ArgumentError: it has more axes than NumPy's arrays.
        MXNetError: what a GPU worked out failed.
    """
    if tensor.dim() > _MOST_AXES:
        raise ArgumentError(f"an array of {tensor.dim()} axes: NumPy's have up to {_MOST_AXES}")
    try:
        if tensor.dtype is torch.bfloat16:
            bits = tensor.detach().contiguous().view(torch.uint16)
            values: np.ndarray[Any, Any] = bits.cpu().numpy().view(BFLOAT16)
        else:
            values = tensor.numpy(force=True)  # whatever its device, and whether it has a gradient
    except RuntimeError as error:
        raise from_foreign(error, "values of an array") from error
    return values.copy(order="C") if copy and not tensor.is_cuda else values


def tensor_from(values: np.ndarray[Any, Any]) -> Tensor:
    """An ATen tensor over the memory of a NumPy array, copied only where ATen cannot view it."""
    if not values.flags.writeable or any(s < 0 for s in values.strides):
        values = values.copy()
    if not values.dtype.isnative:
        values = values.astype(values.dtype.newbyteorder("="))
    if values.dtype == BFLOAT16:
        return torch.from_numpy(values.view(np.uint16)).view(torch.bfloat16)
    return torch.from_numpy(values)


def as_numbers(value: Any, dtype: torch.dtype) -> np.ndarray[Any, Any]:
    """A NumPy array of numbers; what is none, such as None or text, becomes one of `dtype`.

    Raises:
        TypeError, ValueError, OverflowError, RecursionError: NumPy cannot make it one.
    """
    try:
        values = np.asarray(value)
    except ValueError as error:
        advice = "; pad rows to one length" if "inhomogeneous" in str(error) else ""
        raise ValueError(f"{str(error).rstrip('.')}{advice}") from None
    if values.dtype.kind in _NUMERIC or values.dtype == BFLOAT16:
        return values
    target = np.dtype(np.float32) if dtype is torch.bfloat16 else mx_dtype(dtype).numpy
    return values.astype(target, casting="safe" if values.dtype.kind in "cmM" else "unsafe")


def written(value: Any, like: Tensor) -> Tensor | float:
    """A value to write into `like`, as a tensor or as a number that its type can hold."""
    tensor = getattr(value, "_tensor", None)
    if isinstance(tensor, Tensor):
        return tensor.to(like.device)
    try:
        if isinstance(value, Number):
            return _number(value, like)
        values = as_numbers(value, like.dtype)
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        kind = ArgumentError if isinstance(value, np.ndarray) else ArgumentTypeError
        raise kind(
            f"NDArray: cannot write {shown(value)} into {dtype_name(like.dtype)} elements: {error}"
        ) from None
    return tensor_from(values).to(like.device)


_LARGEST_HALF = 65504.0  # every type of real numbers has it


def _number(value: Any, like: Tensor) -> Tensor | float:
    """A number; in integers fractions are cut and what does not fit wraps around, as in C.

    What is beyond a type of real numbers becomes infinity; ATen refuses such a Python number.
    """
    plain = value.item() if isinstance(value, np.generic) else value
    if not isinstance(plain, (int, float)):
        raise TypeError("not a real number")
    if like.dtype is torch.bool:
        return bool(plain)
    if like.is_floating_point() and isinstance(plain, float) and abs(plain) <= _LARGEST_HALF:
        return plain
    if isinstance(plain, int) and 0 <= plain < 128:  # every type has it
        return plain
    if isinstance(plain, int) and -(2**63) <= plain < 2**63:
        return torch.tensor(plain, device=like.device).to(like.dtype)
    return torch.tensor(plain, dtype=torch.float64, device=like.device).to(like.dtype)


# Arrays -------------------------------------------------------------------------------------------


class Interchange(BaseArray):
    """Gives a class of arrays the protocols by which other libraries share its memory."""

    __slots__ = ()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        if copy is not False:
            values = numpy_of(self._tensor, copy=True)
            return values if dtype is None else values.astype(dtype, copy=False)
        self._chunk.foreign = True
        values = numpy_of(self._tensor, copy=False)
        if self._tensor.is_cuda or (dtype is not None and np.dtype(dtype) != values.dtype):
            raise ArgumentError("an NDArray on a GPU or of another element type needs a copy")
        return values

    def to_torch(self) -> Tensor:
        """An ATen tensor of the same memory."""
        self._chunk.foreign = True
        tensor: Tensor = self._target
        return tensor

    def to_dlpack_for_read(self) -> Any:
        """A capsule "dltensor" over its memory, to be consumed once and only read."""
        self._chunk.foreign = True
        return self._tensor.__dlpack__()

    def to_dlpack_for_write(self) -> Any:
        """A capsule "dltensor" over its memory, to be consumed once; writes are seen here."""
        return self.to_torch().__dlpack__()

    def __dlpack__(self, **kwargs: Any) -> Any:
        return self.to_torch().__dlpack__(**kwargs)

    def __dlpack_device__(self) -> tuple[Any, int]:
        device: tuple[Any, int] = self._raw.__dlpack_device__()
        return device


def tensor_of_capsule(source: Any) -> Tensor:
    """The tensor over the memory of a capsule "dltensor", or of an object that gives one."""
    try:
        return from_dlpack(source)
    except (RuntimeError, BufferError, TypeError, AttributeError) as error:
        raise AssertedError(
            f"from_dlpack: {shown(source)} is no capsule that can be consumed: {error}"
        ) from None
