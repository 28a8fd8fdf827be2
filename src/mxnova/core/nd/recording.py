# SPDX-License-Identifier: Apache-2.0
"""Whether operators on arrays are recorded, and in which mode they run; per thread."""

from __future__ import annotations

import threading
from contextlib import ContextDecorator

__all__ = [
    "STATE",
    "is_recording",
    "is_training",
    "pause",
    "predict_mode",
    "record",
    "set_is_training",
    "set_recording",
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


def set_recording(is_record: bool) -> bool:
    """Switches recording on or off; returns what it was."""
    before, STATE.recording = STATE.recording, bool(is_record)
    return before


def set_is_training(train_mode: bool) -> bool:
    """Switches training mode on or off; returns what it was."""
    before, STATE.training = STATE.training, bool(train_mode)
    return before


class _Mode(ContextDecorator):
    """Sets recording and training inside a block or a decorated function; None leaves them."""

    def __init__(self, recording: bool | None, training: bool | None) -> None:
        self._wanted = (recording, training)
        self._before: list[tuple[bool, bool]] = []

    def __enter__(self) -> _Mode:
        self._before.append((STATE.recording, STATE.training))
        recording, training = self._wanted
        if recording is not None:
            STATE.recording = recording
        if training is not None:
            STATE.training = training
        return self

    def __exit__(self, *_error: object) -> None:
        STATE.recording, STATE.training = self._before.pop()


def record(train_mode: bool = True) -> _Mode:
    """A block in which operators are recorded, in training mode unless told otherwise."""
    return _Mode(True, train_mode)


def pause(train_mode: bool = False) -> _Mode:
    """A block in which operators are not recorded."""
    return _Mode(False, train_mode)


def train_mode() -> _Mode:
    """A block in which operators run as in a training pass."""
    return _Mode(None, True)


def predict_mode() -> _Mode:
    """A block in which operators run as in inference."""
    return _Mode(None, False)
