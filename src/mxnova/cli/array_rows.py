# SPDX-License-Identifier: Apache-2.0
"""What ``mxnova inspect`` says of an array."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.base.dtypes import widened
from ..formats.params import ArrayRecord

__all__ = ["row_of_array"]


def row_of_array(name: str, record: ArrayRecord | None, stats: bool) -> dict[str, Any]:
    """Name, shape, element type and storage of an array; on demand its least and largest value."""
    if record is None:
        return {"name": name, "shape": None}
    row = {
        "name": name,
        "shape": record.shape,
        "dtype": record.dtype.name,
        "storage": record.stype,
        "elements": int(np.prod(record.shape, dtype=np.int64)),
    }
    return {**row, **_statistics(record)} if stats else row


def _statistics(record: ArrayRecord) -> dict[str, Any]:
    values = widened(record.data)
    if not values.size:
        return {}
    with np.errstate(all="ignore"):
        mean = float(values.mean(dtype=np.float64))
    return {"min": values.min().item(), "max": values.max().item(), "mean": mean}
