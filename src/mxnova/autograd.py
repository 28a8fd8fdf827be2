# SPDX-License-Identifier: Apache-2.0
"""Recording operators on arrays and running their gradients."""

from typing import Any

from .base import c_handle_array
from .core.base.doors import facade
from .core.exec.bind.recorded_graph import get_symbol
from .core.nd.anomaly import AnomalyError, detect_anomaly
from .core.nd.array import NDArray
from .core.nd.autograd import backward, grad, mark_variables
from .core.nd.function import Function
from .core.nd.recording import RecordingScope as _RecordingStateScope  # noqa: F401
from .core.nd.recording import (
    is_recording,
    is_training,
    pause,
    predict_mode,
    record,
    set_recording,
    set_training,
    train_mode,
)

__all__ = [
    "AnomalyError",
    "Function",
    "NDArray",
    "backward",
    "detect_anomaly",
    "get_symbol",
    "grad",
    "is_recording",
    "is_training",
    "mark_variables",
    "pause",
    "predict_mode",
    "record",
    "set_recording",
    "set_training",
    "train_mode",
]


def _parse_head(heads: Any, head_grads: Any = None) -> tuple[Any, Any]:
    """Handles of heads and of their gradients, or None, as the C interface takes them."""
    if isinstance(heads, NDArray):
        heads = [heads]
    if isinstance(head_grads, NDArray):
        head_grads = [head_grads]
    return c_handle_array(heads), None if head_grads is None else c_handle_array(head_grads)


facade(__name__)
