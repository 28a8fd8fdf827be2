# SPDX-License-Identifier: Apache-2.0
"""Whether boxes cover a box, each point once."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from mxnova.core.base.errors import FormatError

__all__ = ["Box", "check_tiling"]

Box = tuple[tuple[int, ...], tuple[int, ...]]  # first index along each axis, and the shape
_MAX_CUT = 6  # axes that an array is cut along


def check_tiling(shape: Sequence[int], boxes: Sequence[Box]) -> None:
    """Refuses boxes that leave a gap in `shape` or overlap.

    It takes time in proportion to the number of boxes: a sum of indicator functions of boxes is
    that of the whole exactly where their differences along all axes are, which are 1 or -1 at the
    corners of a box and 0 elsewhere.

    Raises:
        FormatError: they do.
    """
    whole = ((0,) * len(shape), tuple(shape))
    if not math.prod(shape) or list(boxes) == [whole]:
        return
    if len(boxes) > 1 and not shape:
        raise FormatError(f"a number stands there {len(boxes)} times")
    cut = [a for a in range(len(shape)) if any(b[1][a] != shape[a] for b in boxes)]
    if len(cut) > _MAX_CUT:
        raise FormatError(f"it is cut along {len(cut)} axes, at most {_MAX_CUT} are read")
    found: Counter[tuple[int, ...]] = Counter()
    for corner, sign in itertools.chain.from_iterable(_corners(box, cut) for box in boxes):
        found[corner] += sign
    for corner, sign in _corners(whole, cut):
        found[corner] -= sign
    wrong = next((corner for corner, n in found.items() if n), None)
    if wrong is not None:
        axes = f"axis {cut[0]}" if len(cut) == 1 else f"axes {cut}"
        raise FormatError(f"pieces overlap or leave a gap at {list(wrong)} along {axes}")


def _corners(box: Box, axes: Iterable[int]) -> Iterator[tuple[tuple[int, ...], int]]:
    """The corners of a box, with the signs of the differences there; none of an empty box."""
    offsets, sizes = box
    if not all(sizes):
        return
    ends = [((offsets[a], 1), (offsets[a] + sizes[a], -1)) for a in axes]
    for corner in itertools.product(*ends):
        yield tuple(at for at, _ in corner), math.prod(sign for _, sign in corner)
