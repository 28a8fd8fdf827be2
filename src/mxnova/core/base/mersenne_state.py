# SPDX-License-Identifier: Apache-2.0
"""The state of a Mersenne Twister as text, for states that are stored."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from .errors import ArgumentError, shown

__all__ = ["mersenne_state", "mersenne_text"]

_WORDS = 624
_TEXT = re.compile(rf"([0-9a-f]{{{8 * _WORDS}}}):([0-9]{{1,3}})")


def mersenne_text(key: Any, position: int) -> str:
    """The 624 words of the state in hexadecimal, little-endian, and the position among them."""
    return f"{np.asarray(key, '<u4').tobytes().hex()}:{position}"


def mersenne_state(text: Any, function: str) -> tuple[np.ndarray, int]:
    """Words and position that `mersenne_text` wrote.

    Raises:
        ArgumentError: it is another text.
    """
    found = _TEXT.fullmatch(text) if isinstance(text, str) else None
    if found is None or int(found[2]) > _WORDS:
        raise ArgumentError(f"{function}: {shown(text, 80)} is no state of a Mersenne Twister")
    return np.frombuffer(bytes.fromhex(found[1]), "<u4").astype(np.uint32), int(found[2])
