# SPDX-License-Identifier: Apache-2.0
"""Recording operators on arrays and running their gradients."""

from .core.exec.recorded_graph import get_symbol
from .core.nd.array import NDArray
from .core.nd.autograd import backward, grad, mark_variables
from .core.nd.function import Function
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
    "Function",
    "NDArray",
    "backward",
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
