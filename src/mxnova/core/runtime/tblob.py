# SPDX-License-Identifier: Apache-2.0
"""TBlob: memory with a shape and an element type, owned by somebody else."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.utils.dlpack import from_dlpack

from ..base.dtypes import BFLOAT16, DTYPES, dtype_of, dtype_of_flag
from ..base.errors import ArgumentTypeError, MXNetError, argument_error
from ..base.shapes import shape_text

__all__ = ["TBlob"]

_TORCH = {d.flag: getattr(torch, d.name) for d in DTYPES}
_FLAGS = {dtype: flag for flag, dtype in _TORCH.items()}
_CPU, _GPU = 1, 2


class TBlob:
    """A typed view of memory. Making, reshaping and handing on copy nothing.

    Args:
        data: a tensor, a NumPy array, or anything that speaks DLPack.
    """

    __slots__ = ("_tensor",)

    def __init__(self, data: Any) -> None:
        self._tensor = _viewed(data)

    @classmethod
    def from_address(cls, dptr: int, shape: Sequence[int], type_flag: int) -> TBlob:
        """A view of CPU memory at an address, which must stay valid as long as the view is used."""
        dtype = dtype_of_flag(type_flag)
        if dtype is None:
            known = ", ".join(str(d.flag) for d in DTYPES)
            raise argument_error("TBlob", "type_flag", type_flag, f"must be one of {known}")
        size = int(np.prod(shape, dtype=np.int64)) * dtype.numpy.itemsize
        bytes_ = (ctypes.c_char * size).from_address(dptr)
        return cls(np.frombuffer(memoryview(bytes_), dtype.numpy).reshape(tuple(shape)))

    # What it is ----------------------------------------------------------------------------------

    @property
    def dptr(self) -> int:
        """Address of the first element."""
        return self._tensor.data_ptr()

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes of its axes."""
        return tuple(self._tensor.shape)

    @property
    def stride(self) -> tuple[int, ...]:
        """Elements from one to the next along each axis."""
        return self._tensor.stride()

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return self._tensor.dim()

    @property
    def size(self) -> int:
        """Number of elements."""
        return self._tensor.numel()

    @property
    def type_flag(self) -> int:
        """MXNet's number of the element type."""
        return _FLAGS[self._tensor.dtype]

    @property
    def dev_mask(self) -> int:
        """1 on the CPU, 2 on a GPU."""
        return _GPU if self._tensor.is_cuda else _CPU

    @property
    def dev_id(self) -> int:
        """Number of the GPU; 0 on the CPU."""
        return self._tensor.device.index or 0

    @property
    def is_contiguous(self) -> bool:
        """Whether elements follow each other in the order of the axes."""
        return self._tensor.is_contiguous()

    def __repr__(self) -> str:
        name = str(self._tensor.dtype).removeprefix("torch.")
        return f"<TBlob {shape_text(self.shape)} {name} at {self.dptr:#x}>"

    # Other views ---------------------------------------------------------------------------------

    def get(self, dtype: object) -> Tensor:
        """The tensor, whose element type must be `dtype`.

        Raises:
            ArgumentTypeError: it is another.
        """
        wanted = dtype_of(dtype)
        if wanted.flag != self.type_flag:
            mine = str(self._tensor.dtype).removeprefix("torch.")
            raise ArgumentTypeError(f"TBlob: holds {mine}, {wanted.name} was asked for")
        return self._tensor

    def reshape(self, *shape: int) -> TBlob:
        """The same elements in another shape.

        Raises:
            MXNetError: sizes differ, or the elements do not follow each other in memory.
        """
        if not self.is_contiguous or torch.Size(shape).numel() != self.size:
            raise MXNetError(
                f"TBlob: {shape_text(self.shape)} with strides {self.stride} "
                f"cannot be viewed as {shape_text(shape)}"
            )
        return TBlob(self._tensor.view(shape))

    def flat_to_1d(self) -> TBlob:
        """All elements in one axis."""
        return self.reshape(self.size)

    def flat_to_2d(self) -> TBlob:
        """Rows of the last axis."""
        columns = self.shape[-1] if self.ndim else 1
        return self.reshape(self.size // max(columns, 1), columns)

    def torch(self) -> Tensor:
        """A tensor of the same memory."""
        return self._tensor

    def numpy(self) -> np.ndarray[Any, Any]:
        """A NumPy array of the same memory, which must be the CPU's."""
        if self._tensor.is_cuda:
            raise MXNetError(f"{self}: NumPy cannot see memory of a GPU")
        if self._tensor.dtype is torch.bfloat16:
            values: np.ndarray[Any, Any] = self._tensor.view(torch.uint16).numpy()
            return values.view(BFLOAT16)
        return self._tensor.numpy()

    def __dlpack__(self, **options: Any) -> Any:
        return self._tensor.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[Any, int]:
        return self._tensor.__dlpack_device__()


def _viewed(data: Any) -> Tensor:
    if isinstance(data, Tensor):
        tensor = data.detach()
    elif isinstance(data, np.ndarray):
        tensor = _tensor_over(data)
    elif hasattr(data, "__dlpack__"):
        tensor = from_dlpack(data)
    else:
        raise ArgumentTypeError(f"TBlob: a {type(data).__name__} has no memory to view")
    if tensor.dtype not in _FLAGS:
        raise ArgumentTypeError(f"TBlob: {tensor.dtype} is not an element type of MXNet")
    return tensor


def _tensor_over(values: np.ndarray[Any, Any]) -> Tensor:
    dtype = dtype_of(values.dtype)
    if dtype.numpy is BFLOAT16:
        return torch.from_numpy(values.view(np.uint16)).view(torch.bfloat16)
    try:
        return torch.from_numpy(values)
    except (TypeError, ValueError) as error:
        raise MXNetError(f"TBlob: this NumPy array cannot be viewed: {error}") from None
