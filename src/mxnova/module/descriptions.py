# SPDX-License-Identifier: Apache-2.0
"""Checks of the names, descriptions and batches that a module is given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.base.errors import ArgumentError, ArgumentTypeError, shown
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


def _first_and_count(batch: Any) -> tuple[Any, int]:
    """A batch and 1, or the first of a list with one for each device and how many there are."""
    return (batch[0], len(batch)) if isinstance(batch, list) else (batch, 1)


def _shapes_of_data(batch: Any) -> list[tuple[int, ...]]:
    """The shapes of the data of a batch, all devices together.

    Args:
        batch: a batch, or a list with one for each device.

    Raises:
        ArgumentTypeError: it is something else.
    """
    first, count = _first_and_count(batch)
    if not hasattr(first, "data"):
        raise ArgumentTypeError(
            f"Module.forward: data_batch is a {type(first).__name__}: must be a batch with the "
            "arrays data and label, such as mx.io.DataBatch([x], [y])"
        )
    shapes = [array.shape for array in first.data]
    return shapes if count == 1 else [(count * shape[0], *shape[1:]) for shape in shapes]


def _descriptions_of(
    batch: Any, shapes: Sequence[Any], data: Sequence[DataDesc], labels: Sequence[DataDesc] | None
) -> tuple[Any, Any]:
    """Descriptions of the data and labels of a batch: its own, or a module's with other shapes.

    Args:
        batch: a batch, or a list with one for each device.
        shapes: of its data.
        data: the module's descriptions of data.
        labels: the module's descriptions of labels.
    """
    first, count = _first_and_count(batch)
    found = getattr(first, "provide_label", None)
    if not found and getattr(first, "label", None):
        sizes = [(count * a.shape[0], *a.shape[1:]) for a in first.label]
        found = _reshaped(labels or (), sizes)
    return getattr(first, "provide_data", None) or _reshaped(data, shapes), found or None


def _reshaped(descs: Sequence[DataDesc], shapes: Sequence[Any]) -> list[DataDesc]:
    """Descriptions of arrays that are as others but for their shapes."""
    pairs = zip(descs, shapes, strict=False)
    return [DataDesc(desc.name, shape, desc.dtype, desc.layout) for desc, shape in pairs]
