# SPDX-License-Identifier: Apache-2.0
"""Dense copies of sparse arrays, for operators that have no kernel for their storage."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from ...base import env
from ...op.kernel_gradient import densified
from ...op.schema import Op
from ..base_array import BaseArray
from ..recording import STATE
from ..tape import flow_of
from ..wrapping import wrap

__all__ = ["dense_copy", "tell_of_fallback"]

_log = logging.getLogger("mxnova")
_told: set[tuple[str, tuple[str, ...]]] = set()


def dense_copy(array: BaseArray) -> Any:
    """The elements of a sparse array in a dense one, through which its gradient flows."""
    flow = flow_of(array) if STATE.recording else None
    if flow is None or array._node is None:
        return wrap(array._raw.dense(), array.context)
    return wrap(densified(array._raw, flow), array.context, node=array._node)


def tell_of_fallback(op: Op, arrays: Sequence[BaseArray]) -> None:
    """Logs, once for an operator and its storage, that memory and time go to dense copies."""
    stypes = tuple(a.stype for a in arrays)
    if (op.name, stypes) in _told or not env.get("MXNET_STORAGE_FALLBACK_LOG_VERBOSE"):
        return
    _told.add((op.name, stypes))
    _log.warning(
        "operator %s has no kernel for inputs stored as %s and runs on dense copies; "
        "MXNET_STORAGE_FALLBACK_LOG_VERBOSE=0 silences this",
        op.name,
        ", ".join(stypes),
    )
