# SPDX-License-Identifier: Apache-2.0
"""Copies that leave ATen's other threads alone."""

from __future__ import annotations

from ctypes import memmove

from torch import Tensor
from torch.autograd.graph import increment_version

__all__ = ["copy"]

_SHARED_OUT = 32_768  # elements; fewer ATen copies in one thread
_LARGEST = 1 << 22  # bytes; beyond it several threads are worth waking


def copy(target: Tensor, source: Tensor) -> None:
    """Copies values into a tensor; shapes that differ are broadcast.

    Threads that ATen wakes for it look for more work afterwards, on cores that others may want, as
    another runtime's threads. An image of 600 KB takes one thread 19 µs; two take 15 to 230, and
    up to 300 more of a core's time.
    """
    if (
        target.numel() >= _SHARED_OUT
        and target.nbytes <= _LARGEST
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
        except RuntimeError:  # a view of the same memory, such as a matrix's own transpose
            if source.untyped_storage().data_ptr() != target.untyped_storage().data_ptr():
                raise
            target.copy_(source.clone())
