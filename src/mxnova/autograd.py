# SPDX-License-Identifier: Apache-2.0
"""Recording operators on arrays and running their gradients."""

from .core.nd.autograd import backward, grad, mark_variables
from .core.nd.recording import (
    is_recording,
    is_training,
    pause,
    predict_mode,
    record,
    set_is_training,
    set_recording,
    train_mode,
)

__all__ = [
    "backward",
    "grad",
    "is_recording",
    "is_training",
    "mark_variables",
    "pause",
    "predict_mode",
    "record",
    "set_is_training",
    "set_recording",
    "train_mode",
]
