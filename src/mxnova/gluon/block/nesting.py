# SPDX-License-Identifier: Apache-2.0
"""Nested lists of arrays as flat lists and their structure.

A structure is 0 for an array or a symbol, n for a symbol with n outputs, -1 for None, and a list
for a list or tuple.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from ...core.base.errors import ArgumentError, ArgumentTypeError, shown
from ...core.graph.symbol import Symbol
from ...core.nd.array import NDArray
from ...core.runtime.context import Context

__all__ = [
    "_check_all_np_ndarrays",
    "_flatten",
    "_gather_type_ctx_info",
    "_regroup",
    "are_together",
    "differ_in_none_only",
    "leaves",
    "present",
    "restored",
]

Structure = Any  # int or list of Structure


def _flatten(args: Any, inout_str: str) -> tuple[list[Any], Structure]:
    """(the arrays of `args`, its structure).

    Args:
        args: arrays, symbols and None, in lists or tuples of any depth.
        inout_str: what they are, in errors: input or output.

    Raises:
        ArgumentError: there is something else among them.
    """
    if isinstance(args, NDArray):
        return [args], 0
    if args is None:
        return [None], -1
    if isinstance(args, Symbol):
        count = len(args)
        return [args], count if count > 1 else 0
    if not isinstance(args, (list, tuple)):
        raise ArgumentError(
            f"hybridized block: {inout_str}={shown(args)}: {type(args).__name__} is no array; "
            "arrays, None and nested lists of them can be traced"
        )
    flat: list[Any] = []
    structure: list[Structure] = []
    for item in args:
        found, form = _flatten(item, inout_str)
        flat += found
        structure.append(form)
    return flat, structure


def present(args: Any) -> list[Any]:
    """The arrays and symbols of `args` in order, without Nones; errors as `_flatten`'s."""
    return [a for a in _flatten(args, "input")[0] if a is not None]


def _regroup(args: Sequence[Any], fmt: Structure) -> tuple[Any, Sequence[Any]]:
    """(the first of the flat `args` in the structure `fmt`, the rest of them)."""
    if isinstance(fmt, int):
        if fmt <= 0:
            return (None if fmt == -1 else args[0]), args[1:]
        return args[:fmt], args[fmt:]
    grouped = []
    for form in fmt:
        value, args = _regroup(args, form)
        grouped.append(value)
    return grouped, args


def restored(arrays: Iterator[Any], form: Structure) -> Any:
    """The next of `arrays` in the structure `form`; there are none for its Nones."""
    if isinstance(form, list):
        return [restored(arrays, f) for f in form]
    if form > 0:
        return list(islice(arrays, form))
    return None if form == -1 else next(arrays)


def differ_in_none_only(given: Structure, drawn: Structure) -> bool:
    """Whether one structure is the other with Nones at its end, which stand for defaults."""
    if not (isinstance(given, list) and isinstance(drawn, list)):
        return False
    count = min(len(given), len(drawn))
    rest = [*given[count:], *drawn[count:]]
    return given[:count] == drawn[:count] and all(f == -1 for f in rest)


def _check_all_np_ndarrays(out: Any) -> None:
    """Raises ArgumentTypeError where a dense array or a symbol in `out` is not NumPy's."""
    if isinstance(out, (list, tuple)):
        for item in out:
            _check_all_np_ndarrays(item)
    elif type(out) in (NDArray, Symbol):
        raise ArgumentTypeError(
            f"NumPy's arrays are in force: a block gives a legacy {type(out).__name__}; "
            "as_np_ndarray() makes it one of them"
        )


def leaves(args: Any) -> Iterator[Any]:
    """Yield the leaves of nested lists and tuples."""
    if isinstance(args, (list, tuple)):
        for item in args:
            yield from leaves(item)
    else:
        yield args


def are_together(args: Sequence[Any]) -> bool:
    """Whether all are arrays, on one context."""
    if not isinstance(args[0], NDArray):
        return False
    context = args[0]._chunk.context
    for array in args:
        if not isinstance(array, NDArray) or array._chunk.context is not context:
            return False
    return True


def _gather_type_ctx_info(args: Any) -> tuple[bool, bool, set[Context], Context | None]:
    """(has symbols, has arrays, their contexts, the first of those) of nested arguments."""
    has_symbol = has_array = False
    contexts: dict[Context, None] = {}
    for item in leaves(args):
        if isinstance(item, NDArray):
            has_array = True
            contexts[item.context] = None
        elif isinstance(item, Symbol):
            has_symbol = True
    return has_symbol, has_array, set(contexts), next(iter(contexts), None)
