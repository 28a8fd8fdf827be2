# SPDX-License-Identifier: Apache-2.0
"""Whether the parts of sparse storage fit together."""

from __future__ import annotations

import torch
from torch import Tensor

from ..base.errors import MXNetError
from ..op.sparse.storage import Csr, RowSparse, Sparse, broken, parts_of

__all__ = ["check_format", "check_lengths", "usable"]


def check_format(record: Sparse, full: bool) -> None:
    """Raises MXNetError where the parts contradict each other.

    Args:
        record: the storage.
        full: look at every index, not only at shapes and types.
    """
    record = parts_of(record)
    for part in record.aux:
        if part.dtype is not torch.int64 or part.dim() != 1:
            raise _broken(record, f"its indices must be a vector of int64, not {part.dtype}")
    check_lengths(record)
    if isinstance(record, Csr):
        _check_csr(record, full)
    else:
        _check_rows(record, full)


def _check_csr(record: Csr, full: bool) -> None:
    indptr, indices = record.indptr, record.indices
    if len(record.shape) != 2 or len(indptr) != record.shape[0] + 1:
        raise _broken(record, f"indptr has {len(indptr)} entries, one more than rows is needed")
    if not full:
        return
    _check_range(record)
    same_row = record.rows().diff() == 0
    if bool((same_row & (indices.diff() <= 0)).any()):
        raise _broken(record, "indices must rise within each row")


def _check_rows(record: RowSparse, full: bool) -> None:
    if not full:
        return
    _check_range(record)
    if bool((record.indices.diff() <= 0).any()):
        raise _broken(record, "indices must rise")


def check_lengths(record: Sparse) -> None:
    """Raises MXNetError unless there is an index for each value, or row of values."""
    if len(record.data) != len(record.indices):
        counts = f"{len(record.data)} values have {len(record.indices)} indices"
        raise _broken(record, counts)


def usable(record: Sparse) -> Sparse:
    """`record`; one that refuses to be read where a part of it points beyond another."""
    try:
        check_format(record, full=False)
        _check_range(record)
    except MXNetError as error:
        return broken(record, str(error))
    return record


def _check_range(record: Sparse) -> None:
    """Raises MXNetError where a part points beyond another, or beyond the array."""
    if isinstance(record, Csr):
        indptr = record.indptr
        if int(indptr[0]) != 0 or int(indptr[-1]) != len(record.indices):
            raise _broken(record, "indptr must start with 0 and end with the number of values")
        if bool((indptr.diff() < 0).any()):
            raise _broken(record, "indptr must not fall")
        if _outside(record.indices, record.shape[1]):
            raise _broken(record, "indices: one is not a column")
    elif _outside(record.indices, record.shape[0]):
        raise _broken(record, "indices: one is not a row")


def _outside(indices: Tensor, size: int) -> bool:
    return bool(((indices < 0) | (indices >= size)).any())


def _broken(record: Sparse, reason: str) -> MXNetError:
    return MXNetError(f"{record.stype} array of shape {record.shape}: {reason}")
