# SPDX-License-Identifier: Apache-2.0
"""Parameter shapes with deferred sizes, which the first batch determines."""

from __future__ import annotations

from collections.abc import Sequence

from ...core.base.scopes import is_np_shape

__all__ = ["agrees", "merged", "shape_is_known", "unknown_size"]

Shape = tuple[int, ...]


def unknown_size() -> int:
    """How a size that is not known is written: 0, or -1 under NumPy's shape semantics."""
    return -1 if is_np_shape() else 0


def shape_is_known(shape: Sequence[int] | None) -> bool:
    """Whether every size is known, and with legacy semantics the number of axes.

    Args:
        shape: the shape.

    Example:
        >>> mx.gluon.utils.shape_is_known((2, -1))
        False
    """
    if shape is None:
        return False
    if not shape:
        return is_np_shape()
    unknown = unknown_size()
    return all(size > unknown for size in shape)


def agrees(known: Sequence[int], other: Sequence[int]) -> bool:
    """Whether `other` is `known` with its unknown sizes (0, -1) filled in."""
    return len(known) == len(other) and all(
        a in (-1, 0, b) for a, b in zip(known, other, strict=True)
    )


def merged(first: Sequence[int], second: Sequence[int]) -> Shape | None:
    """Return the shape compatible with both, or None if they contradict each other."""
    if len(first) != len(second):
        return None
    sizes = []
    for a, b in zip(first, second, strict=True):
        if a != b and a > 0 and b > 0:
            return None
        sizes.append(a if a > 0 or a == b else b)
    return tuple(sizes)
