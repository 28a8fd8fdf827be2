# SPDX-License-Identifier: Apache-2.0
"""Labels and indices out of range, which MXNet clips; ``MXNOVA_CHECK=1`` refuses them."""

from __future__ import annotations

from torch import Tensor

from ..base import env
from ..base.errors import OutOfRangeError
from ..runtime.torch_api import is_traced

__all__ = ["CHECKS", "check_range"]


class _Checks:
    """Whether operators check; the environment tells, when the first operator is imported."""

    __slots__ = ("on",)

    def __init__(self) -> None:
        self.on = bool(env.get("MXNOVA_CHECK"))


CHECKS = _Checks()


def check_range(index: Tensor, size: int, array: str, ignored: int | None = None) -> None:
    """Raise OutOfRangeError unless all of `index` are at least 0 and less than `size`.

    Args:
        index: the numbers to check.
        size: number of classes, rows or words.
        array: the operator's, and its name for the array.
        ignored: an index that is allowed besides.
    """
    if index.is_meta or is_traced():
        return
    wrong = (index < 0) | (index >= size)
    if ignored is not None:
        wrong &= index != ignored
    if not bool(wrong.any()):
        return
    place = wrong.nonzero()[0].tolist()
    at = f"[{', '.join(map(str, place))}]" if place else ""
    number = index[tuple(place)].item()
    raise OutOfRangeError(
        f"{array}{at} is {number:g}, not from 0 to {size - 1}: rows and classes "
        "are numbered from 0; input_dim, depth or units of the last layer tell how many there are"
    )
