# SPDX-License-Identifier: Apache-2.0
"""What a check is given, as arrays by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ..core.base.errors import ArgumentError
from ..core.nd.array import NDArray
from ..core.nd.creation import array
from ..core.runtime.context import Context
from ..symbol import Symbol

__all__ = [
    "Arrays",
    "Given",
    "by_name",
    "check_dtype",
    "parse_aux_states",
    "parse_location",
    "requests_by_name",
    "stored",
    "to_array",
]

Arrays = dict[str, NDArray]
Given = Mapping[str, Any] | Sequence[Any]  # by name, or in the symbol's order

_FLOATS = tuple(map(np.dtype, (np.float16, np.float32, np.float64)))


def check_dtype(dtype: Any) -> None:
    """Raises ArgumentError unless `dtype` is one that checks compute in."""
    if dtype != "asnumpy" and np.dtype(dtype) not in _FLOATS:
        known = ", ".join(map(str, _FLOATS))
        raise ArgumentError(f"dtype={dtype!r}: must be one of {known}, asnumpy")


def parse_location(sym: Symbol, location: Given, ctx: Context, dtype: Any = np.float32) -> Arrays:
    """All arguments of `sym` as arrays; those that are NDArrays stay what they are.

    Args:
        sym: the symbol.
        location: arrays by argument name or in order.
        ctx: where arrays are made.
        dtype: their element type; "asnumpy": the one they have.
    """
    return _parsed("location", sym.list_arguments(), location, ctx, dtype)


def parse_aux_states(
    sym: Symbol, aux_states: Given | None, ctx: Context, dtype: Any = np.float32
) -> Arrays | None:
    """All auxiliary states of `sym` as arrays, as `parse_location` does; None stays None."""
    if aux_states is None:
        return None
    return _parsed("aux_states", sym.list_auxiliary_states(), aux_states, ctx, dtype)


def _parsed(what: str, names: Sequence[str], given: Given, ctx: Context, dtype: Any) -> Arrays:
    values = by_name(what, given, names)
    missing = [name for name in names if name not in values]
    if missing:
        raise ArgumentError(f"{what}: {missing[0]!r} of {', '.join(names)} is missing")
    return {name: to_array(values[name], ctx, dtype) for name in names}


def to_array(value: Any, ctx: Context, dtype: Any) -> NDArray:
    """`value` as an NDArray; an NDArray stays what it is."""
    if isinstance(value, NDArray):
        return value
    value = np.asarray(value)
    return array(value, ctx, value.dtype if dtype == "asnumpy" else dtype)


def by_name(what: str, given: Given, names: Sequence[str]) -> dict[str, Any]:
    """`given` by name, whether it is a mapping or a list in the order of `names`.

    As in MXNet, a list may have more items than there are names.

    Raises:
        ArgumentError: it has other names.
    """
    if not isinstance(given, Mapping):
        return dict(zip(names, given, strict=False))
    unknown = sorted(set(given) - set(names))
    if unknown:
        raise ArgumentError(f"{what}: {unknown[0]!r} is none of {', '.join(names)}")
    return dict(given)


def requests_by_name(grad_req: Any, names: Iterable[str]) -> dict[str, str]:
    """What is to be done with each gradient: one word for all, a list, or words by name."""
    names = list(names)
    if isinstance(grad_req, str):
        return dict.fromkeys(names, grad_req)
    return dict.fromkeys(names, "null") | by_name("grad_req", grad_req, names)


def stored(value: Any, ctx: Context, dtype: Any, stype: str | None) -> NDArray:
    """A NumPy array as an NDArray of a storage type."""
    made = array(value, ctx, dtype)
    return made if stype in (None, "default") else made.tostype(stype)
