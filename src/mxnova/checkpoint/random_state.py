# SPDX-License-Identifier: Apache-2.0
"""The states of generators of random numbers: MXNet's streams, NumPy's and Python's own."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from ..core.base.errors import FormatError, shown
from ..core.runtime import resource

__all__ = ["random_state", "restore_random_state"]

_REFUSALS = (
    ArithmeticError,
    AttributeError,
    LookupError,
    RuntimeError,
    TypeError,
    ValueError,
)
_WORDS = 624  # of a Mersenne Twister


def random_state() -> dict[str, Any]:
    """Those of this process, as plain data."""
    version, words, gauss = random.getstate()
    python = {"version": version, "words": np.array(words, np.uint32), "gauss": gauss}
    legacy = np.random.get_state(legacy=False)
    return {"python": python, "numpy": legacy, "mxnet": resource.random_states()}


def restore_random_state(state: Any) -> None:
    """Continues where `random_state` was called; nothing changes where `state` is refused.

    Raises:
        FormatError: `state` is something else.
    """
    before = random_state()
    try:
        _restore(state)
    except _REFUSALS as error:
        _restore(before)
        raise FormatError(f"states of random numbers: {shown(str(error))}") from None


def _restore(state: Any) -> None:
    python, legacy = state["python"], state["numpy"]
    words = _checked(python["words"], _WORDS + 1)
    if not isinstance(python["gauss"], (float, type(None))):
        raise FormatError(f"gauss={shown(python['gauss'])}: must be a float or None")
    random.setstate((python["version"], tuple(words.tolist()), python["gauss"]))
    inner = legacy["state"]
    at = inner["pos"]
    if legacy["bit_generator"] != "MT19937" or type(at) is not int or not 0 <= at <= _WORDS:
        raise FormatError(f"a generator {shown(legacy['bit_generator'])} at {shown(at)}")
    key = _checked(inner["key"], _WORDS)
    np.random.set_state({**legacy, "state": {"key": key, "pos": at}})
    resource.restore_random_states(state["mxnet"])


def _checked(words: Any, count: int) -> Any:
    is_array = isinstance(words, np.ndarray) and words.dtype == np.uint32
    if not is_array or words.shape != (count,):
        raise FormatError(f"must be {count} words")
    return words
