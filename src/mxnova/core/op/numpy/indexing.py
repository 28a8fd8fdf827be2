# SPDX-License-Identifier: Apache-2.0
"""``x[key]`` of graphs, for keys that contain arrays."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import torch
from torch import Tensor

from ...base.errors import MXNetError, argument_error, shown
from ...base.params import Count
from ...base.shapes import UNKNOWN, PartialShape, UnknownDim, is_known
from ...kernels.indexing import select_strided
from ..declaration import operator
from ..dtypes import dtype_name
from ..infer import DTypes, Shapes
from ..schema import Op

__all__ = ["ARRAY", "MASK", "key_text"]

ARRAY, MASK = "array", "mask"  # Parts of a key that stand for the next input.
_MOST_PARTS = 64
_INTEGER = r"-?\d{1,19}"
_PART = re.compile(
    rf"{ARRAY}|{MASK}|None|\.\.\.|{_INTEGER}|(?:{_INTEGER})?(?::(?:{_INTEGER})?){{1,2}}"
)


def key_text(parts: Sequence[Any]) -> str:
    """Return the parameter `key` for parts: integers, slices, None, Ellipsis, ARRAY and MASK."""
    return ",".join(map(_part_text, parts))


def _part_text(part: Any) -> str:
    if isinstance(part, slice):
        return ":".join("" if bound is None else str(bound) for bound in _bounds(part))
    return "..." if part is Ellipsis else str(part)


def _bounds(part: slice) -> tuple[Any, ...]:
    given = (part.start, part.stop, part.step)
    return given if part.step is not None else given[:2]


@functools.lru_cache(maxsize=256)
def _parts(text: str) -> tuple[Any, ...]:
    """Return the parts of a key; ARRAY and MASK stay text."""
    parts = text.split(",", _MOST_PARTS)
    if len(parts) > _MOST_PARTS or not all(map(_PART.fullmatch, parts)):
        reason = "must be integers, slices, None, ..., array or mask, separated by commas"
        raise argument_error("_npi_advanced_indexing", "key", shown(text), reason)
    return tuple(map(_part, parts))


def _part(text: str) -> Any:
    if text in (ARRAY, MASK):
        return text
    if text in ("None", "..."):
        return None if text == "None" else Ellipsis
    if ":" in text:
        return slice(*(int(bound) if bound else None for bound in text.split(":")))
    return int(text)


def _meta(shape: tuple[int, ...]) -> Tensor | int:
    """Return an index array of a shape, without values; 0 for one without axes."""
    return torch.empty(shape, dtype=torch.int64, device="meta") if shape else 0


_SIZES = (10007, 10009)  # Two different sizes in place of unknown ones.


@operator("_npi_advanced_indexing")
class AdvancedIndexing(Op):
    """The elements of an array that a key with index arrays selects: ``x[i, :, j]``.

    Args:
        data: the array, then the index arrays in the order in which the key needs them.
        num_args: their number, that of the array included.
        key: the parts of the key, separated by commas: integers, slices such as `1:` or `::2`,
            `None`, `...`, `array` for an array of integers, and `mask` for one of bool.
    """

    num_args: Count
    key: str

    def _kinds(self) -> list[str]:
        """Return ARRAY or MASK for each index array."""
        kinds = [part for part in _parts(self.key) if isinstance(part, str)]
        if len(kinds) + 1 != self.num_args:
            reason = f"the key {shown(self.key)} needs {len(kinds) + 1} arrays"
            raise argument_error(self.name, "num_args", self.num_args, reason)
        return kinds

    def infer_dtype(self, t: DTypes) -> None:
        data, *arrays = t.inputs
        t.same(data, *t.outputs)
        for name, kind in zip(arrays, self._kinds(), strict=True):
            dtype = t.known(name)
            # Imported blocks declare all inputs as float32, so that a mask may be of that, too.
            is_integer = dtype not in (None, torch.bool) and not dtype.is_floating_point
            if is_integer if kind == MASK else dtype is torch.bool:
                wanted = "a mask" if kind == MASK else "an array of integers"
                raise MXNetError(
                    f"{self.name}: {name} has type {dtype_name(dtype)}, but the graph was made for "
                    f"{wanted}: call hybridize() again, then the block with these arrays"
                )

    def infer_shape(self, s: Shapes) -> None:
        shapes = [s[name] for name in s.inputs]
        has_mask = MASK in self._kinds()
        if has_mask and None in _parts(self.key):
            return  # Masks change the positions of new axes.
        if not has_mask and all(map(is_known, shapes)):
            s.output = self._shape(shapes, 0)
            return
        # What differs depends on sizes that are not known yet, or on how much a mask selects.
        with suppress(MXNetError):
            one, other = (self._shape(shapes, size) for size in _SIZES)
            s.output = tuple(m if m == n else UNKNOWN for m, n in zip(one, other, strict=True))

    def _shape(self, shapes: Sequence[PartialShape], size: int) -> tuple[int, ...]:
        """Return the shape of the result, with `size` for unknown sizes and counts of masks."""
        data, *arrays = (
            tuple(size if isinstance(n, UnknownDim) else n for n in shape or ()) for shape in shapes
        )
        remaining = iter(arrays)
        parts: list[Any] = []
        for part in _parts(self.key):
            if part == MASK:
                parts += [_meta((size,))] * len(next(remaining))
            else:
                parts.append(_meta(next(remaining)) if part == ARRAY else part)
        selected, _ = select_strided(torch.empty(data, device="meta"), tuple(parts))
        return tuple(selected.shape)

    def forward(self, *data: Tensor) -> Tensor:
        array, *indices = data
        given = iter(indices)
        key = tuple(
            next(given) != 0 if part == MASK else next(given) if part == ARRAY else part
            for part in _parts(self.key)
        )
        return select_strided(array, key)[0]
