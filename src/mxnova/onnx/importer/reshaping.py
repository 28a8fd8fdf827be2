# SPDX-License-Identifier: Apache-2.0
"""Reshaping to sizes that are left open in part, in the codes of MXNet's Reshape.

0 keeps a size, -1 takes what is left, -3 joins two sizes, and -4 splits one, so that the symbol is
right for arrays of other sizes, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

from ...core.base.errors import MXNetError
from ...core.graph.open_sizes import is_open
from .site import RefusalError, Site
from .values import Value

__all__ = ["reshaped"]

Group = tuple[list[int], list[int]]  # sizes before and after, of equal products


def reshaped(site: Site, x: Value, shape: Sequence[int]) -> Value:
    """A value in another shape.

    Args:
        site: the node.
        x: the value.
        shape: sizes; 0 for the one of `x` at the same place, -1 for what is left.

    Raises:
        RefusalError: open sizes are not where MXNet's operator can say them.
    """
    wanted = _resolved(x, shape)
    if not wanted:
        return site.op("Reshape", x, shape=(1,)).as_scalar()
    if not any(map(is_open, shape)):
        return site.op("Reshape", x, shape=tuple(shape))
    for codes, reverse in _candidates(x.shape, wanted):
        try:
            found = site.op("Reshape", x, shape=tuple(codes), reverse=reverse)
        except MXNetError:
            continue
        if found.shape == tuple(wanted):
            return found
    like = site.builder.of_shape(wanted)
    if like is not None:
        return site.op("reshape_like", x, like)
    raise RefusalError("it moves sizes that the file leaves open in a way that Reshape cannot say")


def _resolved(x: Value, shape: Sequence[int]) -> list[int]:
    if any(size == 0 and i >= x.rank for i, size in enumerate(shape)) or list(shape).count(-1) > 1:
        raise RefusalError(f"shape {tuple(shape)} for an array of {x.rank} axes")
    sizes = [x.shape[i] if size == 0 else size for i, size in enumerate(shape)]
    rest = prod(size for size in sizes if size != -1)
    total = prod(x.shape)
    if rest <= 0 or total % rest or (-1 not in sizes and rest != total):
        raise RefusalError(f"{total} items cannot have the shape {tuple(sizes)}")
    return [total // rest if size == -1 else size for size in sizes]


def _candidates(before: Sequence[int], after: Sequence[int]) -> Iterator[tuple[list[int], bool]]:
    """Codes that may say it, and whether they are read from the end."""
    yield _in_place(before, after), False
    yield _in_place(before[::-1], after[::-1])[::-1], True
    codes = [_of_group(*group) for group in _groups(before, after)]
    if None not in codes:
        yield [code for part in codes for code in part or ()], False


def _in_place(before: Sequence[int], after: Sequence[int]) -> list[int]:
    """Sizes that stay where they are, numbers, and -1 for others that are open."""
    kept = [i < len(before) and before[i] == size for i, size in enumerate(after)]
    return [
        0 if stays else -1 if is_open(size) else size
        for stays, size in zip(kept, after, strict=True)
    ]


def _of_group(before: list[int], after: list[int]) -> list[int] | None:
    if before == after:
        return [0] * len(after)
    if len(before) == 2 and len(after) == 1:
        return [-3]
    if len(before) == 1 and len(after) == 2:
        return [-4, *(-1 if is_open(size) else size for size in after)]
    if len(before) == len(after) and not any(map(is_open, after)):
        return after
    return None


def _groups(before: Sequence[int], after: Sequence[int]) -> list[Group]:
    """Both shapes cut where products are equal; sizes of 1 belong to what stands before them."""
    groups: list[Group] = []
    i = j = 0
    while i < len(before) and j < len(after):
        left, right = [before[i]], [after[j]]
        i, j = i + 1, j + 1
        while prod(left) != prod(right):
            if prod(left) < prod(right) and i < len(before):
                left.append(before[i])
                i += 1
            elif j < len(after):
                right.append(after[j])
                j += 1
            else:
                return [([], [-1, -1])]  # the products differ
        groups.append((left, right))
        while i < len(before) and before[i] == 1 and (j == len(after) or after[j] != 1):
            left.append(1)
            i += 1
        while j < len(after) and after[j] == 1 and (i == len(before) or before[i] != 1):
            right.append(1)
            j += 1
    return groups
