# SPDX-License-Identifier: Apache-2.0
"""States of Trainer and Module in ``.states`` files."""

from __future__ import annotations

import os
from typing import Any

from ..core.nd.files import array_of_record
from ..formats.params import ArrayRecord
from ..formats.states import read_states

__all__ = ["load_states"]


def load_states(path: str | os.PathLike[str] | bytes) -> dict[Any, Any]:
    """The states that a Trainer or Module saved: index (or name) -> state.

    A state is None, an NDArray, or a tuple or list of states. The file is a pickle; it is read by a
    machine that builds arrays, numbers and containers and runs nothing.

    Raises:
        FormatError: the file is no such pickle.
    """
    return {key: _arrays(state) for key, state in read_states(path).states.items()}


def _arrays(state: Any) -> Any:
    if isinstance(state, ArrayRecord):
        return array_of_record(state)
    if isinstance(state, tuple):
        return tuple(map(_arrays, state))
    if isinstance(state, list):
        return list(map(_arrays, state))
    return state
