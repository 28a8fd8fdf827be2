# SPDX-License-Identifier: Apache-2.0
"""Conversion of errors that kernels raise into MXNetError."""

from __future__ import annotations

import re
from collections.abc import Iterable

import torch

from ..base.errors import MXNetError, from_foreign
from .dtypes import dtype_name

__all__ = ["from_kernel"]

_EVERYWHERE = (torch.float32, torch.float64)  # kernels that take numbers take these
# ATen's words for an element type that a kernel does not take.
_OF_TYPES = re.compile(
    "not implemented for '|[Dd]types? not supported|does not support .* dtypes|floating[- ]point"
    "|can't be cast to the desired output type|[Ee]xpected scalar type|following scalar types"
    "|not supported by torch.iinfo|bool tensors?,? .*not supported|Boolean inputs not supported"
    "|dtype to be equal to|cannot be converted to type"
)


def from_kernel(
    error: Exception, where: str, given: Iterable[tuple[str, torch.dtype | None]]
) -> MXNetError:
    """Return the MXNetError for an error of a kernel; a dtype error names the input.

    Args:
        error: what was raised.
        where: the operator and what it was given.
        given: names of the inputs and their types.
    """
    if str(error) == "ZeroDivisionError":  # all that ATen says
        return MXNetError(f"{where}: an integer divided by zero")
    if _OF_TYPES.search(str(error)):
        for name, dtype in given:
            if dtype is not None and dtype not in _EVERYWHERE:
                wanted = "expected one that it computes with, such as float32"
                return MXNetError(f"{where}: {name} has type {dtype_name(dtype)}, {wanted}")
    return from_foreign(error, where)
