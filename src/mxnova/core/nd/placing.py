# SPDX-License-Identifier: Apache-2.0
"""Functions of operators whose arguments Python itself puts in their places.

That takes half of the time of sorting them. The code of each is made from the operator's names of
arrays and parameters; whatever is no ordinary call goes on to the function that sorts.
"""

from __future__ import annotations

import keyword
from collections.abc import Callable, Iterable
from typing import Any

from ..base.kinds import NOT_GIVEN
from ..op.calls import CallForm
from ..op.record import Op, OpType
from .base_array import BaseArray
from .compiled import compiled
from .dispatch import invoke
from .shortcuts import MOST_STRAIGHT, of_one, of_several, straight_of

__all__ = ["all_arrays", "placed_by_python"]

# Parameters are known by the identity of their values, see `OpType.kept`; those given by place
# stand behind all arrays.
_SOURCE = """
def function({arrays}, /, *_rest, {parameters}out=None, name=None, **_others):
    _key = ({identities})
    if _rest or _others:
        if out is None and not _others and _key == _nothing and {all_arrays}:
            _known = _recent.get(((), *map(id, _rest)))
            if _known is not None:
                return {straight}
{calls}
    _args = [a for a in ({arrays_given},) if a is not _none]
    if _key != _nothing:
        _others |= {{n: v for n, v in zip(_names, ({values})) if v is not _none}}
    return _sorting(*_args, *_rest, out=out, name=name, **_others)
"""
_CALL = """
    elif {are_given}:
        _known = _recent.get(_key)
        if _known is None:
            _known = (_kept(_key, ({values})),)
        if out is None:
            return {straight}
        return _invoke(_known[0], ({arrays_given},), out, cls=_cls)
"""
_VARIADIC = """
def function(*_args, {parameters}out=None, name=None, **_others):
    _key = (len(_args), {identities})
    if out is None and not _others and _args and _all_arrays(_args):
        _known = _recent.get(_key)
        if _known is None:
            _known = (_kept(_key, ({values})),)
        return _of_several(_known[0], _args, _cls)
    if _key[1:] != _nothing:
        _others |= {{n: v for n, v in zip(_names, ({values})) if v is not _none}}
    return _sorting(*_args, out=out, name=name, **_others)
"""
_MOST_NAMED = 6  # parameters that have a place of their own


def placed_by_python(
    type_: OpType, form: CallForm, cls: type[BaseArray] | None, sorting: Callable[..., Any]
) -> Callable[..., Any]:
    """`sorting`, in less time where all arrays, or all but the last, are given by place.

    Args:
        type_: the operator.
        form: of its calls.
        cls: class of the results; None: that of the inputs.
        sorting: the function for all calls.
    """
    n_arrays, is_variadic = len(form.arrays), form.variadic is not None
    if not is_variadic and not 1 <= n_arrays <= MOST_STRAIGHT:
        return sorting
    names = [n for n in form.parameters if n.isidentifier() and n not in _TAKEN][:_MOST_NAMED]

    def kept(key: Any, values: tuple[Any, ...]) -> Op:
        given = {n: v for n, v in zip(names, values, strict=True) if v is not NOT_GIVEN}
        if type_.counts_inputs:
            given.setdefault("num_args", key[0])
        return type_.kept(key, values, given)

    scope = {
        "BaseArray": BaseArray,
        "_all_arrays": all_arrays,
        "_cls": cls,
        "_invoke": invoke,
        "_kept": kept,
        "_names": names,
        "_none": NOT_GIVEN,
        "_nothing": (id(NOT_GIVEN),) * len(names),
        "_of_one": of_one,
        "_of_several": of_several,
        "_recent": type_.recent,
        "_sorting": sorting,
        **{f"_straight_{n}": straight_of(n) for n in range(1, n_arrays + 1)},
    }
    source = _variadic(names) if is_variadic else _source(names, n_arrays, cls is None)
    function = compiled("function", source, scope)
    function.__module__ = sorting.__module__
    return function


_TAKEN = frozenset({"out", "name", *keyword.kwlist})


def all_arrays(values: Iterable[Any]) -> bool:
    """Whether all are arrays."""
    for value in values:  # noqa: SIM110 - all() with a generator costs 0.3 µs more a call
        if not isinstance(value, BaseArray):
            return False
    return True


def _variadic(names: Iterable[str]) -> str:
    return _VARIADIC.format_map(_parts_of_parameters(names))


def _parts_of_parameters(names: Iterable[str]) -> dict[str, str]:
    return {
        "identities": "".join([f"id({n}), " for n in names]),
        "parameters": "".join([f"{n}=_none, " for n in names]),
        "values": "".join([f"{n}, " for n in names]),
    }


def _source(names: Iterable[str], n_arrays: int, keeps_class: bool) -> str:
    arrays = [f"_{i}" for i in range(n_arrays)]
    parts = {
        **_parts_of_parameters(names),
        "arrays": ", ".join([f"{a}=_none" for a in arrays]),
        "arrays_given": ", ".join(arrays),
        "all_arrays": _are_arrays(arrays),
        "straight": _straight(arrays, keeps_class),
    }
    calls = ""
    for n in range(n_arrays, max(n_arrays - 2, 0), -1):
        given = arrays[:n]
        missing = [f"({a} is _none or {a} is None)" for a in arrays[n:]]
        calls += _CALL.rstrip("\n").format(
            are_given=" and ".join([_are_arrays(given), *missing]),
            arrays_given=", ".join(given),
            straight=_straight(given, keeps_class),
            values=parts["values"],
        )
    return _SOURCE.format(calls=calls.lstrip("\n"), **parts)


def _are_arrays(names: Iterable[str]) -> str:
    return " and ".join([f"isinstance({name}, BaseArray)" for name in names])


def _straight(arrays: list[str], keeps_class: bool) -> str:
    """The call for the operator in `_known`."""
    given = ", ".join(arrays)
    if len(arrays) == 1 and keeps_class:
        return f"_of_one(_known[0], {given})"
    return f"_straight_{len(arrays)}(_known[0], _cls, {given})"
