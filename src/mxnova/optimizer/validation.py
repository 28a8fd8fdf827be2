# SPDX-License-Identifier: Apache-2.0
"""Validation of optimizer and scheduler attributes that are read from a file.

Attributes have the kinds of those that a constructor makes, and no name of a method. Classes of the
program's own have no other rule than the one about names.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from ..core.base.errors import FormatError, MXNetError, shown
from ..core.nd.base_array import BaseArray
from ..lr_scheduler import (
    CosineScheduler,
    FactorScheduler,
    LRScheduler,
    MultiFactorScheduler,
    PolyScheduler,
)

__all__ = ["check_attributes", "check_names", "check_scheduler"]

_MOST = 1 << 53  # of a count; larger ones are no different numbers as floats


def check_names(cls: type, names: Mapping[str, Any]) -> None:
    """Refuses attributes that would hide a part of the class.

    Raises:
        FormatError: a name is that of a method or property, or one of Python's own.
    """
    for name in names:
        own = inspect.getattr_static(cls, name, None)
        is_data = name.isidentifier() and not (callable(own) or hasattr(own, "__get__"))
        if name.startswith("__") or not is_data:
            raise FormatError(
                f"states with a {cls.__name__} whose attribute {shown(name)} would replace a part "
                "of the class"
            )


def check_attributes(cls: type, attributes: Mapping[str, Any], usual: Mapping[str, Any]) -> None:
    """Compare attributes of an optimizer or scheduler with those that a constructor makes.

    Args:
        cls: the class of the optimizer or scheduler.
        attributes: the values that were read, by name.
        usual: values of the expected kinds, by name.

    Raises:
        FormatError: one is missing, or of another kind.
    """
    for name, like in usual.items():
        kind, fits = _SPECIAL.get(name) or _kind_of(like)
        if name not in attributes:
            raise FormatError(f"states with a {cls.__name__} that has no {name}")
        value = attributes[name]
        if not fits(value):
            raise FormatError(
                f"states with a {cls.__name__} whose {name}={shown(value)}: must be {kind}"
            )


def check_scheduler(made: LRScheduler) -> None:
    """Holds a scheduler of this package to the rules of its constructor.

    Raises:
        FormatError: the constructor would refuse it.
    """
    scheduler: Any = made
    for cls, needed in _NEEDED.items():
        if isinstance(made, cls):
            usual = LRScheduler() if cls is LRScheduler else type(made)(needed)
            check_attributes(type(made), vars(made), vars(usual))
            break
    try:
        scheduler._check()
    except MXNetError as error:
        raise FormatError(f"states with a {error}") from None


_NEEDED: dict[type[LRScheduler], Any] = {  # what constructors have no default for
    FactorScheduler: 1, MultiFactorScheduler: [1], PolyScheduler: 1, CosineScheduler: 1,
    LRScheduler: None,
}  # fmt: skip

Rule = tuple[str, Callable[[Any], bool]]


def _is_number(value: Any) -> bool:
    return isinstance(value, float) or (isinstance(value, int) and abs(value) <= _MOST)


def _is_factor(value: Any) -> bool:
    """Powers of whole numbers have any length."""
    return isinstance(value, float) or (isinstance(value, int) and abs(value) <= 1)


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value <= _MOST


def _is_dict(of: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, dict) and all(map(of, value.values()))


def _is_list(of: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list) and all(map(of, value))


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_none_or(of: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: value is None or of(value)


def _is_sum(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and value.keys() == {"cum_grad", "num_cums"}
        and isinstance(value["cum_grad"], (BaseArray, type(None)))
        and _is_count(value["num_cums"])
    )


def _is_symbols(value: Any) -> bool:
    return value == () or (
        isinstance(value, tuple)
        and len(value) == 2
        and _is_dict(_is_dict(_is_text))(value[0])
        and _is_list(_is_text)(value[1])
    )


def _kind_of(like: Any) -> Rule:
    """What a value of the kind of another one is."""
    if isinstance(like, list):
        return "a list of numbers", _is_list(_is_number)
    if isinstance(like, str):
        return "text", _is_text
    if isinstance(like, bool):
        return "True or False", lambda value: value in (True, False)
    if isinstance(like, int):
        return "a number", _is_number
    if isinstance(like, float):
        return "a number", _is_number
    return "a number or None", _is_none_or(_is_number)


_COUNTS: Rule = ("a count", _is_count)
_NUMBERS: Rule = ("a dictionary of numbers", _is_dict(_is_number))
_SPECIAL: dict[str, Rule] = {
    "begin_num_update": _COUNTS,
    "num_update": _COUNTS,
    "aggregate_num": _COUNTS,
    "factor": ("a number of at most 1", _is_factor),
    "cur_step_ind": _COUNTS,
    "_index_update_count": ("a dictionary of counts", _is_dict(_is_count)),
    "_all_index_update_counts": ("dictionaries of counts", _is_dict(_is_dict(_is_count))),
    "idx2name": ("a dictionary of names", _is_dict(_is_text)),
    "lr_mult": _NUMBERS,
    "wd_mult": _NUMBERS,
    "param_dict": ("a dictionary", lambda value: isinstance(value, dict)),
    "sym_info": ("attributes and arguments of a Symbol", _is_symbols),
    "lr_scheduler": ("a scheduler or None", _is_none_or(lambda v: isinstance(v, LRScheduler))),
    "lr": ("a number or None", _is_none_or(_is_number)),  # None where a scheduler decides
    "cumgrads": ("a dictionary of sums", _is_dict(_is_sum)),
    "weight_previous": (
        "a dictionary of arrays",
        _is_dict(_is_none_or(lambda value: isinstance(value, BaseArray))),
    ),
}  # fmt: skip
