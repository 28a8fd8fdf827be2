# SPDX-License-Identifier: Apache-2.0
"""Symbols with NumPy's semantics: the results of ``mx.sym.np``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ..base.errors import ArgumentTypeError, shown
from ..base.printable import printable
from ..numpy.methods import NumpyMethods
from ..numpy.namespaces import World
from ..op.schema import find
from .base_symbol import register
from .functions import function_of
from .symbol import Symbol

__all__ = ["SYMBOLS", "_Symbol"]


class _Symbol(NumpyMethods, Symbol):  # type: ignore[misc]
    """One or more outputs of a graph, with NumPy's semantics."""

    __slots__ = ()
    semantics = "numpy"
    __hash__ = object.__hash__

    def __getitem__(self, key: Any) -> Any:
        """Elements, of a symbol of one output; else the outputs of these numbers or names."""
        if len(self) > 1 or isinstance(key, str):
            return Symbol.__getitem__(self, key).as_np_ndarray()
        parts = key if isinstance(key, tuple) else (key,)
        if not all(p is None or isinstance(p, (int, slice)) for p in parts):
            raise ArgumentTypeError(f"symbol[{shown(key)}]: integers, slices and None are possible")
        return _selected(self, parts)

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


def _selected(symbol: _Symbol, parts: tuple[Any, ...]) -> Any:
    """What a key of integers, slices and new axes selects."""
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
