# SPDX-License-Identifier: Apache-2.0
"""Copies that leave ATen's other threads alone."""

from __future__ import annotations

from ctypes import memmove

from torch import Tensor
from torch.autograd.graph import increment_version

from ..runtime import tuning

__all__ = ["copy"]


def copy(target: Tensor, source: Tensor) -> None:
    """Copies values into a tensor; shapes that differ are broadcast.

    Threads that ATen wakes for it look for more work afterwards, on cores that others may want, as
    another runtime's threads. An image of 600 KB takes one thread 19 µs; two take 15 to 230, and
    up to 300 more of a core's time.
    """
    if (
        target.numel() >= tuning.COPY_MIN_SIZE
        and target.nbytes <= tuning.COPY_MAX_BYTES
        and target.dtype is source.dtype
        and target.shape == source.shape
        and target.is_cpu
        and source.is_cpu
        and target.is_contiguous()
        and source.is_contiguous()
    ):
        memmove(target.data_ptr(), source.data_ptr(), target.nbytes)
        increment_version(target)
    else:
        try:
            target.copy_(source)
        except RuntimeError:  # They overlap, as a matrix and its transpose do.
            if source.untyped_storage().data_ptr() != target.untyped_storage().data_ptr():
                raise
            target.copy_(source.clone())
