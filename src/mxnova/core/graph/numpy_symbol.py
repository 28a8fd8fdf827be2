# SPDX-License-Identifier: Apache-2.0
"""Symbols with NumPy's semantics: the results of ``mx.sym.np``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any

import numpy as np
import torch

from ..base.errors import ArgumentTypeError, OutOfRangeError, shown
from ..base.printable import printable
from ..numpy.methods import NumpyMethods
from ..numpy.namespaces import World
from ..op.numpy.indexing import ARRAY, MASK, key_text
from ..op.schema import find
from .base_symbol import register
from .functions import function_of
from .infer import infer_dtypes
from .node import walk
from .symbol import Symbol

__all__ = ["INPUT_DTYPES", "SYMBOLS", "_Symbol"]

# Dtypes of variables by name, while a block makes its graph for given arguments. They distinguish
# masks from integers, and are not saved with the graph.
INPUT_DTYPES: ContextVar[Mapping[str, torch.dtype]] = ContextVar(
    "INPUT_DTYPES", default=MappingProxyType({})
)


class _Symbol(NumpyMethods, Symbol):  # type: ignore[misc]
    """One or more outputs of a graph, with NumPy's semantics."""

    __slots__ = ()
    semantics = "numpy"
    __hash__ = object.__hash__

    def __getitem__(self, key: Any) -> Any:
        """Return elements of a symbol of one output; else the outputs of these numbers or names."""
        if len(self) > 1 or isinstance(key, str):
            return Symbol.__getitem__(self, key).as_np_ndarray()
        parts = tuple(map(_check_part, key if isinstance(key, tuple) else (key,)))
        if any(isinstance(part, Symbol) for part in parts):
            return _select_by_arrays(self, parts)
        ellipses = [i for i, part in enumerate(parts) if part is Ellipsis]
        if len(ellipses) > 1:
            raise OutOfRangeError(f"symbol[{shown(key)}]: more than one Ellipsis")
        if not ellipses:
            return _select(self, parts)
        return _select_last(_select(self, parts[: ellipses[0]]), parts[ellipses[0] + 1 :])

    def __iter__(self) -> Iterator[Any]:
        if len(self) == 1:
            raise ArgumentTypeError("a symbol of one output: its length is not known yet")
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        if self.name is not None:
            return f"<_Symbol {printable(self.name)}>"
        return f"<_Symbol group [{', '.join(printable(e.node.name) for e in self._entries)}]>"

    def as_nd_ndarray(self) -> Symbol:
        """Return the symbol with MXNet's legacy semantics."""
        return Symbol(self._entries)

    def as_np_ndarray(self) -> _Symbol:
        """Itself."""
        return self

    def astype(
        self,
        dtype: Any,
        order: str = "K",
        casting: str = "unsafe",
        subok: bool = True,
        copy: bool = True,
    ) -> Any:
        """With elements of `dtype`."""
        return self._world._npi_cast(self, dtype=dtype)

    def copy(self, order: str = "C") -> Any:
        """A copy."""
        return self._world._np_copy(self)


def _check_part(part: Any) -> Any:
    """Return a part of a key, NumPy's integers as Python's; refuse what a graph cannot hold."""
    if isinstance(part, np.integer):
        return int(part)
    is_plain = part is None or part is Ellipsis or isinstance(part, (int, slice, Symbol))
    if not is_plain or isinstance(part, bool):
        raise ArgumentTypeError(
            f"symbol[{shown(part)}]: must be integers, slices, Ellipsis, None or symbols: give "
            "lists and arrays to the graph as inputs"
        )
    return part


def _select_by_arrays(symbol: _Symbol, parts: tuple[Any, ...]) -> Any:
    """Select elements by a key that contains symbols: arrays of integers, or masks."""
    arrays = [part for part in parts if isinstance(part, Symbol)]
    key = key_text([_array_kind(p) if isinstance(p, Symbol) else p for p in parts])
    return SYMBOLS._npi_advanced_indexing(symbol, *arrays, key=key)


def _array_kind(symbol: Symbol) -> str:
    """Return MASK if the symbol is known to be of bool, else ARRAY."""
    dtypes = infer_dtypes(walk(symbol._entries), INPUT_DTYPES.get())
    (entry,) = symbol._entries
    return MASK if dtypes[entry.node][entry.output] is torch.bool else ARRAY


def _select_last(symbol: Any, parts: tuple[Any, ...]) -> Any:
    """Select elements by the part of a key behind its Ellipsis, which is for the last axes."""
    count = sum(part is not None for part in parts)
    if count:  # The rank is unknown, so the last axes are moved to the front.
        front, last = tuple(range(count)), tuple(range(-count, 0))
        symbol = SYMBOLS._np_moveaxis(symbol, source=last, destination=front)
    symbol = _select(symbol, parts)
    kept = sum(not isinstance(part, int) for part in parts)
    if kept:
        front, last = tuple(range(kept)), tuple(range(-kept, 0))
        symbol = SYMBOLS._np_moveaxis(symbol, source=front, destination=last)
    return symbol


def _select(symbol: Any, parts: tuple[Any, ...]) -> Any:
    """Select elements by a key of integers, slices and new axes."""
    axes = [p for p in parts if p is not None]
    cuts = [_as_slice(p) for p in axes]
    found = symbol
    if any(c != (None, None, None) for c in cuts):
        begin, end, step = zip(*cuts, strict=True)
        found = SYMBOLS._npi_slice(symbol, begin=begin, end=end, step=step)
    single = tuple(i for i, p in enumerate(axes) if isinstance(p, int))
    if single:
        found = SYMBOLS._np_squeeze(found, axis=single)
    at = 0
    for part in parts:
        if part is None:
            found = SYMBOLS._npi_expand_dims(found, axis=at)
        at += not isinstance(part, int)
    return found


def _as_slice(part: int | slice) -> tuple[Any, Any, Any]:
    if isinstance(part, slice):
        return part.start, part.stop, part.step
    return part, (part + 1 or None), None


_PREFIX = re.compile("^_np[ix]?_")


def _operator(name: str) -> Any:
    """The function of an operator; nodes are named without the prefix of its name."""
    function = function_of(name, _PREFIX.sub("", name))
    said = {field.name for field in find(name).fields if field.default is not None}

    def without_none(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **{k: v for k, v in kwargs.items() if v is not None or k in said})

    return without_none


register(_Symbol, "numpy")
SYMBOLS = World(_operator, Symbol, "mx.sym.np._Symbol", is_symbolic=True)
_Symbol._world = SYMBOLS
