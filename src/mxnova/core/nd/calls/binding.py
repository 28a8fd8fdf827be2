# SPDX-License-Identifier: Apache-2.0
"""Functions of operators whose arguments Python itself binds to arrays and parameters.

That takes half of the time of binding them by the operator's form. The code of each is made from
the operator's names of arrays and parameters; a call that is out of the ordinary goes to the
function that binds any.
"""

from __future__ import annotations

import keyword
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ...base.parameter_types import NOT_GIVEN
from ...op.calls import CallForm
from ...op.schema import OpType
from ..base_array import BaseArray
from .dispatch import invoke
from .fast_calls import MOST_ARRAYS, call_several, fast_call
from .template import compiled, filled

__all__ = ["all_arrays", "python_binding"]

# Operators are known by the identity of their parameters' values, see `OpType.kept`; those that are
# given by position stand behind all arrays.
_FUNCTION = """
def function({array_arguments}, /, *_rest, {parameters}out=None, name=None, **_others):
    _key = ({identities})
    if _rest or _others:
        if out is None and not _others and _key == _nothing and {all_arrays}:
            _known = _recent.get(((), *map(id, _rest)))
            if _known is not None:
                return _call_{n}(_known[0], {arrays}, _cls)
    {all_given}
    {last_missing}
    _args = [a for a in ({arrays},) if a is not _none]
    {name_parameters}
    return _bind_any(*_args, *_rest, out=out, name=name, **_others)
"""
_GIVEN = """
elif {are_given}:
    _known = _recent.get(_key)
    if _known is None:
        _known = (_kept(_key, _names, ({values})),)
    if out is None:
        return _call_{n}(_known[0], {arrays}, _cls)
    return _invoke(_known[0], ({arrays},), out, cls=_cls)
"""
_NAME_PARAMETERS = """
if _key{of_parameters} != _nothing:
    _others.update([(n, v) for n, v in zip(_names, ({values})) if v is not _none])
"""
_VARIADIC = """
def function(*_args, {parameters}out=None, name=None, **_others):
    _key = (len(_args), {identities})
    if out is None and not _others and _args and _all_arrays(_args):
        _known = _recent.get(_key)
        if _known is None:
            {count_inputs}
            _known = (_kept(_key, _names, ({values})),)
        return _call_several(_known[0], _args, _cls)
    {name_parameters}
    return _bind_any(*_args, out=out, name=name, **_others)
"""
_COUNT_INPUTS = """
if num_args is _none:
    num_args = len(_args)
"""
_MOST_NAMED = 6  # parameters that are arguments of the function


def python_binding(
    type_: OpType, form: CallForm, cls: type[BaseArray] | None, bind_any: Callable[..., Any]
) -> Callable[..., Any]:
    """`bind_any`, in less time where all arrays, or all but the last, are given by position.

    Args:
        type_: the operator.
        form: of its calls.
        cls: class of the results; None: that of the inputs.
        bind_any: the function for all calls.
    """
    n_arrays, is_variadic = len(form.arrays), form.variadic is not None
    if not is_variadic and not 1 <= n_arrays <= MOST_ARRAYS:
        return bind_any
    fitting = [n for n in form.parameters if n.isidentifier() and n not in _TAKEN]
    names = tuple(fitting[:_MOST_NAMED])

    scope = {
        "BaseArray": BaseArray,
        "_all_arrays": all_arrays,
        "_bind_any": bind_any,
        "_call_several": call_several,
        "_cls": cls,
        "_invoke": invoke,
        "_kept": type_.kept,
        "_names": names,
        "_none": NOT_GIVEN,
        "_nothing": (id(NOT_GIVEN),) * len(names),
        "_recent": type_.recent,
        **{f"_call_{n}": fast_call(n) for n in range(1, n_arrays + 1)},
    }
    source = (
        _variadic_source(names, type_.counts_inputs) if is_variadic else _source(names, n_arrays)
    )
    function = compiled("function", source, scope)
    function.__module__ = bind_any.__module__
    return function


_TAKEN = frozenset({"out", "name", *keyword.kwlist})


def all_arrays(values: Iterable[Any]) -> bool:
    """Whether all are arrays."""
    for value in values:  # noqa: SIM110 - all() with a generator costs 0.3 µs more a call
        if not isinstance(value, BaseArray):
            return False
    return True


def _variadic_source(names: Sequence[str], counts_inputs: bool) -> str:
    own = {"count_inputs": _COUNT_INPUTS if counts_inputs else "", "of_parameters": "[1:]"}
    return filled(_VARIADIC, {**_of_parameters(names), **own})


def _source(names: Sequence[str], n: int) -> str:
    arrays = [f"_{i}" for i in range(n)]
    parts = {
        **_of_parameters(names),
        "all_arrays": _are_arrays(arrays),
        "all_given": _given(names, arrays),
        "array_arguments": ", ".join([f"{a}=_none" for a in arrays]),
        "arrays": ", ".join(arrays),
        "last_missing": _given(names, arrays[:-1], arrays[-1]) if n > 1 else "",
        "n": str(n),
        "of_parameters": "",
    }
    return filled(_FUNCTION, parts)


def _of_parameters(names: Sequence[str]) -> dict[str, str]:
    return {
        "identities": "".join([f"id({n}), " for n in names]),
        "name_parameters": _NAME_PARAMETERS,
        "parameters": "".join([f"{n}=_none, " for n in names]),
        "values": "".join([f"{n}, " for n in names]),
    }


def _given(names: Sequence[str], arrays: Sequence[str], missing: str = "") -> str:
    """The branch of calls with these arrays, without the one that is `missing`."""
    are_given = _are_arrays(arrays)
    if missing:
        are_given += f" and ({missing} is _none or {missing} is None)"
    own = {"are_given": are_given, "arrays": ", ".join(arrays), "n": str(len(arrays))}
    return filled(_GIVEN, {**_of_parameters(names), **own})


def _are_arrays(names: Iterable[str]) -> str:
    return " and ".join([f"isinstance({name}, BaseArray)" for name in names])
