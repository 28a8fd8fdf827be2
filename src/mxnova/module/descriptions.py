# SPDX-License-Identifier: Apache-2.0
"""Checks of the names and descriptions that a module is given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.base.errors import ArgumentError, shown
from ..core.base.user_warnings import warn_user
from ..io import DataDesc
from ..io.batch import described
from ..symbol import Symbol

__all__: list[str] = []

_PARAMETERS = ("_weight", "_bias", "_gamma", "_beta")


def _check_input_names(symbol: Symbol, names: Sequence[str], typename: str, throw: bool) -> None:
    """Checks that a symbol has arguments of some names.

    Args:
        symbol: the symbol.
        names: the names.
        typename: what they are: data, label, state or fixed_param.
        throw: whether to raise; else it is warned of.

    Raises:
        ArgumentError: there is no argument of such a name.
    """
    arguments = symbol.list_arguments()
    missing = [name for name in names if name not in arguments]
    if missing:
        others = [name for name in arguments if not name.endswith(_PARAMETERS)]
        text = f"{typename}_names={shown(list(names))}: the symbol has no argument {missing[0]!r}"
        _complain(f"Module: {text}; arguments that are no parameters: {', '.join(others)}", throw)


def _check_names_match(
    data_names: Sequence[str], data_shapes: Sequence[Any], name: str, throw: bool
) -> None:
    """Checks that descriptions are of the arrays that a module has, in any order.

    Args:
        data_names: names of the module's arrays.
        data_shapes: the descriptions.
        name: what they are: data or label.
        throw: whether to raise; else it is warned of.

    Raises:
        ArgumentError: they are of others.
    """
    described = [desc[0] for desc in data_shapes]
    if sorted(data_names) != sorted(described):
        text = f"{name}_shapes describe {described}, {name}_names are {list(data_names)}"
        _complain(f"bind: {text}", throw)


def _complain(text: str, throw: bool) -> None:
    if throw:
        raise ArgumentError(text)
    warn_user(text, UserWarning)


def _parse_data_desc(
    data_names: Sequence[str],
    label_names: Sequence[str],
    data_shapes: Sequence[Any],
    label_shapes: Sequence[Any] | None,
) -> tuple[list[DataDesc], list[DataDesc] | None]:
    """Descriptions of data and labels, out of descriptions or of pairs of names and shapes.

    Args:
        data_names: names of the module's data.
        label_names: names of its labels; where the descriptions are of others it is warned of.
        data_shapes: descriptions of the data.
        label_shapes: descriptions of the labels, or None.

    Raises:
        ArgumentError: data of other names are described.
    """
    data = [described(desc) for desc in data_shapes]
    _check_names_match(data_names, data, "data", True)
    labels = None if label_shapes is None else [described(desc) for desc in label_shapes]
    _check_names_match(label_names, labels or (), "label", False)
    return data, labels
