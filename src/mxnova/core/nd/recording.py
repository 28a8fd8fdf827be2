# SPDX-License-Identifier: Apache-2.0
"""Whether operators on arrays are recorded, and in which mode they run; per thread."""

from __future__ import annotations

import threading
from contextlib import ContextDecorator
from typing import Any

from ..base.errors import MXNetError

__all__ = [
    "STATE",
    "RecordingScope",
    "is_recording",
    "is_training",
    "pause",
    "predict_mode",
    "record",
    "recorded_write",
    "set_recording",
    "set_training",
    "train_mode",
]


class _State(threading.local):
    recording = False
    training = False


STATE = _State()


def is_recording() -> bool:
    """Whether operators are recorded in this thread."""
    return STATE.recording


def is_training() -> bool:
    """Whether operators run as in a training pass in this thread."""
    return STATE.training


def set_recording(is_recording: bool) -> bool:
    """Switches recording on or off; returns what it was."""
    before, STATE.recording = STATE.recording, bool(is_recording)
    return before


def set_training(train_mode: bool) -> bool:
    """Switches training mode on or off; returns what it was."""
    before, STATE.training = STATE.training, bool(train_mode)
    return before


class RecordingScope(ContextDecorator):
    """Sets recording and training inside a block or a decorated function.

    Args:
        recording: what recording is to be; None leaves it.
        training: what training is to be; None leaves it.
    """

    def __init__(self, recording: bool | None, training: bool | None) -> None:
        self._recording = recording
        self._training = training
        self._before: Any = None  # what was in force, and what was so before that: blocks nest

    def _recreate_cm(self) -> RecordingScope:
        """A block of its own for each call of a decorated function: threads may share that."""
        return RecordingScope(self._recording, self._training)

    def __enter__(self) -> RecordingScope:
        state = STATE
        self._before = state.recording, state.training, self._before
        if self._recording is not None:
            state.recording = self._recording
        if self._training is not None:
            state.training = self._training
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        state = STATE
        state.recording, state.training, self._before = self._before


def record(train_mode: bool = True) -> RecordingScope:
    """A block in which operators are recorded, in training mode unless told otherwise."""
    return RecordingScope(True, train_mode)


def pause(train_mode: bool = False) -> RecordingScope:
    """A block in which operators are not recorded."""
    return RecordingScope(False, train_mode)


def train_mode() -> RecordingScope:
    """A block in which operators run as in a training pass."""
    return RecordingScope(None, True)


def predict_mode() -> RecordingScope:
    """A block in which operators run as in inference."""
    return RecordingScope(None, False)


def recorded_write() -> MXNetError:
    """The error for writing what autograd could not follow."""
    return MXNetError(
        "Inplace operations (+=, -=, x[:]=, etc) are not supported when recording with autograd: "
        "write y = y + 1, which makes a new array, or write inside autograd.pause(); recorded "
        "arrays cannot be written in part"
    )
