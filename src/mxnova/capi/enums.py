# SPDX-License-Identifier: Apache-2.0
"""Numbers that C has for devices, element types, storage types and shapes."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from ..core.base.codes import _GRAD_REQ_MAP, _STORAGE_TYPE_ID_TO_STR, _STORAGE_TYPE_STR_TO_ID
from ..core.base.errors import ArgumentError
from ..core.base.scopes import is_np_shape
from ..core.nd.base_array import BaseArray
from ..core.op.dtypes import mx_dtype, torch_dtype
from ..core.runtime.context import Context
from .arguments import element_type

__all__ = ["context_at", "dtype_at", "flag_of", "is_open", "request_at", "stype_at", "stype_number"]


def context_at(dev_type: int, dev_id: int) -> Context:
    """The context of these numbers."""
    name = Context.devtype2str.get(dev_type)
    if name is None:
        known = ", ".join(f"{number}: {name}" for number, name in Context.devtype2str.items())
        raise ArgumentError(f"dev_type={dev_type}: must be one of {known}")
    return Context(name, dev_id)


def dtype_at(flag: int) -> torch.dtype:
    """The element type of this number."""
    return torch_dtype(element_type(flag).name)


def flag_of(dtype: torch.dtype) -> int:
    """The number of an element type."""
    return mx_dtype(dtype).flag


def stype_at(number: int) -> str:
    """The storage type of this number."""
    name = _STORAGE_TYPE_ID_TO_STR.get(number)
    if name is None:
        raise ArgumentError(f"storage_type={number}: is the number of no storage type")
    return name


def stype_number(array: BaseArray) -> int:
    """The number of an array's storage type; -1 for one without memory."""
    return _STORAGE_TYPE_STR_TO_ID[array.stype] if hasattr(array, "_raw") else -1


_REQUESTS = {number: name for name, number in _GRAD_REQ_MAP.items()}


def request_at(number: int) -> str:
    """What to do with a gradient; writing in place is writing."""
    name = "write" if number == 2 else _REQUESTS.get(number)
    if name is None:
        raise ArgumentError(f"grad_req={number}: must be 0 (null), 1 (write) or 3 (add)")
    return name


def is_open(shape: Sequence[int]) -> bool:
    """Whether a shape leaves sizes open, so that an array has no memory yet."""
    return any(size < 0 for size in shape) or not (shape or is_np_shape())
