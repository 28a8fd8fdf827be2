# SPDX-License-Identifier: Apache-2.0
"""What notebooks show of arrays: small tables of their numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..base.dtypes import BFLOAT16
from ..base.html import captioned, escaped, table

__all__ = ["array_html", "sparse_html"]

_EDGE = 4  # rows and columns at each end of what is longer than two of these
_MOST = 400  # numbers of an array of three axes or more that are shown in full

Values = np.ndarray[Any, Any]


def array_html(array: Any) -> str:
    """A table of a matrix or a vector, or NumPy's text of what has more axes."""
    array = array.detach()  # what is read here is not recorded
    caption = caption_of(array)
    if array.ndim not in (1, 2) or not array.size:
        text = np.array2string(_numbers(array), threshold=_MOST, edgeitems=2)
        return captioned(caption, f"<pre>{_lines(text)}</pre>")
    if array.ndim == 1:
        return _matrix(caption, array.reshape((1, -1)), [""])
    return _matrix(caption, array, range(len(array)))


def sparse_html(array: Any) -> str:
    """The numbers that are stored, and how many of all they are."""
    stored = array.data.detach()
    total = math.prod(array.shape)
    share = f", {stored.size / total:.2%} of all" if total else ""
    caption = f"{caption_of(array)}; {stored.size:,} numbers stored{share}"
    if not stored.size:
        return table(caption, [], [])
    if array.stype == "row_sparse":
        return _matrix(caption, stored.reshape((len(stored), -1)), array.indices.asnumpy().tolist())
    return table(caption, ["row", "column", "value"], _stored(array))


def _matrix(caption: str, array: Any, names: Sequence[Any]) -> str:
    """A table of an array of one or two axes, whose rows have `names`."""
    rows = _ends(len(names))
    values = _rows_of(array, rows)
    columns = _ends(values.shape[1])
    body = []
    for row, numbers in zip(rows, values, strict=True):
        shown = ["…" if c is None else _text(numbers[c]) for c in columns]
        body.append(["⋮"] * (len(columns) + 1) if row is None else [str(names[row]), *shown])
    return table(caption, ["", *("…" if c is None else str(c) for c in columns)], body)


def _stored(array: Any) -> list[list[str]]:
    """Some of the first numbers of a CSR array."""
    columns, values = array.indices[:_MOST].asnumpy(), array.data[:_MOST].asnumpy()
    rows = np.searchsorted(array.indptr.asnumpy(), np.arange(len(values)), "right") - 1
    shown = [i for i in _ends(len(values)) if i is not None]
    return [[str(rows[i]), str(columns[i]), _text(values[i])] for i in shown]


def caption_of(array: Any) -> str:
    """Class, shape, element type and context."""
    sizes = "x".join(map(str, array.shape)) or "scalar"
    dtype = "bfloat16" if array.dtype == BFLOAT16 else np.dtype(array.dtype).name
    return f"{type(array).__name__}, {sizes}, {dtype} @{array.context}"


def _ends(count: int) -> list[int | None]:
    """Numbers from 0 to `count`; None for those in the middle."""
    if count <= 2 * _EDGE:
        return list(range(count))
    return [*range(_EDGE), None, *range(count - _EDGE, count)]


def _rows_of(array: Any, rows: list[int | None]) -> Values:
    """The rows of a matrix that are shown; of the middle, any. A vector is one column."""
    if None not in rows:
        values = _numbers(array)
    else:
        values = np.concatenate((_numbers(array[: _EDGE + 1]), _numbers(array[-_EDGE:])))
    return values.reshape(len(rows), -1)


def _numbers(array: Any) -> Values:
    values: Values = (array.astype("float32") if array.dtype == BFLOAT16 else array).asnumpy()
    return values


def _text(number: Any) -> str:
    return f"{number:.6g}" if isinstance(number, np.floating) else str(number)


def _lines(text: str) -> str:
    return "\n".join(map(escaped, text.splitlines()))
