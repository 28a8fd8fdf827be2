# SPDX-License-Identifier: Apache-2.0
"""Memory that snapshots are copied into, kept from save to save until the program waits for them.

What a process gets anew is cleared and mapped by the system page by page, which takes several times
as long as the copy itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ..core.base.aligned import VECTOR, aligned_memory
from ..core.runtime.forks import after_fork_in_child

__all__ = ["Staging", "give_back"]

_spare: list[npt.NDArray[np.uint8]] = []  # one at most
after_fork_in_child(_spare.clear)


class Staging:
    """Copies of arrays in one piece of memory.

    Args:
        arrays: what is copied, now.

    Attributes:
        copies: of the arrays, in their order; contiguous.
    """

    def __init__(self, arrays: Sequence[npt.NDArray[Any]]) -> None:
        ends = np.cumsum([array.nbytes + -array.nbytes % VECTOR for array in arrays]).tolist()
        self._memory = _memory_of(ends[-1] if ends else 0)
        self.copies: list[npt.NDArray[Any]] = []
        for array, start in zip(arrays, [0, *ends], strict=False):
            place = self._memory[start : start + array.nbytes]
            copy = place.view(array.dtype).reshape(array.shape)
            np.copyto(copy, array)
            self.copies.append(copy)

    def release(self) -> None:
        """Leaves the memory to the next save: the copies must not be used any more."""
        self.copies.clear()
        _spare[:] = [self._memory]


def give_back() -> None:
    """Returns the memory that is kept for the next save to the system."""
    _spare.clear()


def _memory_of(n: int) -> npt.NDArray[np.uint8]:
    """At least `n` bytes, and less than twice as many where they are not new."""
    try:
        found = _spare.pop()
    except IndexError:
        found = aligned_memory(0)
    return found if n <= len(found) < 2 * n else aligned_memory(n)
