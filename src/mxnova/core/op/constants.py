# SPDX-License-Identifier: Apache-2.0
"""Numbers that are known before an operator runs, as tensors beside its arrays."""

from __future__ import annotations

import functools
from typing import Any

import torch
from torch import Tensor

from ..runtime.torch_api import is_traced

__all__ = ["constant"]


def constant(values: tuple[Any, ...], dtype: torch.dtype, device: torch.device | None) -> Tensor:
    """The numbers of a tuple, or of tuples, as a tensor that nobody writes to.

    It is kept: a GPU has to finish all its work before it takes numbers from the CPU. Numbers that
    compare equal, such as 0.0 and -0.0, share one. One number alone is better filled in:
    ``torch.full``.
    """
    make = _made if is_traced() else _kept  # what a tracer makes has no values
    return make(values, dtype, device)


def _made(values: tuple[Any, ...], dtype: torch.dtype, device: torch.device | None) -> Tensor:
    return torch.tensor(values, dtype=dtype, device=device)


_kept = functools.lru_cache(maxsize=256)(_made)
