# SPDX-License-Identifier: Apache-2.0
"""Shapes and element types that symbols infer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from ..core.base.errors import ArgumentError
from ..core.base.handles import find
from ..core.base.scopes import is_np_shape
from ..core.base.shapes import is_known, to_user
from ..core.graph.symbol import Symbol
from .arguments import numbers, texts
from .entry_points import extern
from .enums import dtype_at, flag_of
from .interface import NULL, ffi
from .returns import keep

__all__ = ["shapes_of"]

_KINDS = ("in", "out", "aux")

Given = tuple[list[Any], dict[str, Any]]  # by position, or by name


def shapes_of(count: int, starts: Any, data: Any) -> list[tuple[int, ...]]:
    """The shapes of an array of sizes, the i-th of which are from ``starts[i]``."""
    ends = numbers(count + 1, starts) if count else []
    if any(a > b for a, b in pairwise(ends)):
        raise ArgumentError(f"shapes start at {ends[:20]}, which must not fall")
    sizes = numbers(ends[-1], data) if count and ends[-1] else []
    return [tuple(sizes[a:b]) for a, b in pairwise(ends)]


def _given(num_args: int, keys: Any, values: Sequence[Any]) -> Given:
    if keys == NULL:
        return list(values), {}
    return [], dict(zip(texts(num_args, keys), values, strict=True))


# Shapes -------------------------------------------------------------------------------------------


def _infer_shape(name: str, size_type: str, ndim_type: str) -> Callable[..., None]:
    def infer(
        sym: int, num_args: int, keys: Any, arg_ind_ptr: Any, arg_shape_data: Any, *out: Any
    ) -> None:
        symbol = find(sym, Symbol)
        known = shapes_of(num_args, arg_ind_ptr, arg_shape_data)
        table = symbol._shape_table(*_given(num_args, keys, known))
        listed = symbol._listed(table, to_user)
        for i, kind in enumerate(_KINDS):
            _return_shapes(kind, listed[i] or [], out[3 * i : 3 * i + 3], size_type, ndim_type)
        known_all = all(is_known(s) for node in symbol.nodes for s in table[node])
        out[9][0] = known_all or "Partial" in name

    return extern(infer, name)


def _return_shapes(
    kind: str, shapes: Sequence[Any], out: Sequence[Any], size_type: str, ndim_type: str
) -> None:
    """Gives C shapes: their number, numbers of axes, and sizes."""
    unknown = -1 if is_np_shape() else 0
    rows = [ffi.new(f"{size_type}[]", list(s) if s else 1) for s in shapes]
    ndims = ffi.new(f"{ndim_type}[]", [unknown if s is None else len(s) for s in shapes] or 1)
    data = ffi.new(f"{size_type} *[]", rows or 1)
    out[0][0] = len(shapes)
    out[1][0] = keep(f"{kind} ndims", ndims)
    out[2][0] = keep(f"{kind} shapes", data, rows)


for _partial in ("", "Partial"):
    _infer_shape(f"MXSymbolInferShape{_partial}", "uint32_t", "uint32_t")
    _infer_shape(f"MXSymbolInferShape{_partial}Ex", "int", "int")
    _infer_shape(f"MXSymbolInferShape{_partial}Ex64", "int64_t", "int")


# Element types ------------------------------------------------------------------------------------


def _infer_type(sym: int, num_args: int, keys: Any, arg_type_data: Any, *out: Any) -> None:
    symbol = find(sym, Symbol)
    known = [None if f == -1 else dtype_at(f) for f in numbers(num_args, arg_type_data)]
    table = symbol._dtype_table(*_given(num_args, keys, known))
    listed = symbol._listed(table, lambda dtype: -1 if dtype is None else flag_of(dtype))
    for i, kind in enumerate(_KINDS):
        flags = listed[i] or []
        out[2 * i][0] = len(flags)
        out[2 * i + 1][0] = keep(f"{kind} types", ffi.new("int[]", flags or 1))
    out[6][0] = all(dtype is not None for node in symbol.nodes for dtype in table[node])


@extern
def MXSymbolInferType(*arguments: Any) -> None:
    _infer_type(*arguments)


@extern
def MXSymbolInferTypePartial(*arguments: Any) -> None:
    """What is left open is no failure."""
    _infer_type(*arguments)
    arguments[-1][0] = 1
