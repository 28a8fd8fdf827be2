# SPDX-License-Identifier: Apache-2.0
"""The Python form of an operator: which arguments of a call are arrays and which parameters."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..base.errors import ArgumentTypeError, candidates
from ..base.params import REQUIRED
from .operator import OpType

__all__ = ["CallForm", "documented"]


class CallForm:
    """Splits calls of one operator.

    Positional arguments are the arrays, then the parameters, in declared order; arrays may be given
    by name too. A variadic operator takes its arrays as positional arguments or as one list.
    """

    def __init__(self, type_: OpType) -> None:
        signature = type_.signature
        self.type = type_
        self.arrays = signature.inputs
        self.variadic = signature.variadic
        self.parameters = tuple(f.name for f in type_.fields)
        self._names = (*self.arrays, *self.parameters)

    def split(
        self, args: Sequence[Any], kwargs: dict[str, Any], is_array: Callable[[Any], bool]
    ) -> tuple[list[Any], dict[str, Any], dict[str, Any]]:
        """(positional arrays, arrays by name, parameters) of a call; None arrays are left out.

        Raises:
            ArgumentTypeError: something that is no array stands where an array belongs, or an
                argument is given twice.
        """
        if self.variadic is not None:
            return self._split_variadic(args, kwargs, is_array)
        given = self._by_name(args, kwargs)
        named = {n: given.pop(n) for n in self.arrays if n in given}
        for name, value in list(named.items()):
            if value is None:
                del named[name]
            elif not is_array(value):
                raise self._no_array(name, value)
        for name, value in given.items():
            if is_array(value):
                hint = candidates(name, self.arrays)
                raise ArgumentTypeError(f"{self.type.name}: {name!r} is no array of it{hint}")
        return [], named, given

    def _by_name(self, args: Sequence[Any], kwargs: dict[str, Any]) -> dict[str, Any]:
        if len(args) > len(self._names):
            raise ArgumentTypeError(
                f"{self.type.name} takes at most {len(self._names)} arguments, not {len(args)}"
            )
        given = dict(zip(self._names, args, strict=False))
        for name, value in kwargs.items():
            if name in given:
                raise ArgumentTypeError(f"{self.type.name}: {name} is given twice")
            given[name] = value
        return given

    def _split_variadic(
        self, args: Sequence[Any], kwargs: dict[str, Any], is_array: Callable[[Any], bool]
    ) -> tuple[list[Any], dict[str, Any], dict[str, Any]]:
        if len(args) == 1 and isinstance(args[0], (list, tuple)):
            args = args[0]
        arrays = [a for a in args if a is not None]
        for i, value in enumerate(arrays):
            if not is_array(value):
                raise self._no_array(f"argument {i}", value)
        named = {n: v for n, v in kwargs.items() if is_array(v)}
        attrs = {n: v for n, v in kwargs.items() if n not in named}
        if self.type.counts_inputs and "num_args" not in attrs:
            attrs["num_args"] = len(arrays) + len(named)
        return arrays, named, attrs

    def _no_array(self, name: str, value: Any) -> ArgumentTypeError:
        hint = candidates(name, self.parameters)
        kind = type(value).__name__
        return ArgumentTypeError(f"{self.type.name}: {name} must be an array, not a {kind}{hint}")

    def signature(self, *extra: str) -> inspect.Signature:
        """The Python signature: arrays, parameters with their defaults, `extra` (default None)."""
        kind: Any = inspect.Parameter.POSITIONAL_OR_KEYWORD
        parameters = []
        if self.variadic is not None:
            kind_var = inspect.Parameter.VAR_POSITIONAL
            parameters.append(inspect.Parameter(self.variadic, kind_var))
            kind = inspect.Parameter.KEYWORD_ONLY
        else:
            parameters += [inspect.Parameter(n, kind, default=None) for n in self.arrays]
        for field in self.type.fields:
            default = None if field.default is REQUIRED else field.default
            parameters.append(inspect.Parameter(field.name, kind, default=default))
        parameters += [inspect.Parameter(n, kind, default=None) for n in extra]
        parameters.append(inspect.Parameter("kwargs", inspect.Parameter.VAR_KEYWORD))
        return inspect.Signature(parameters)


def documented(
    function: Callable[..., Any], name: str, form: CallForm, extra: Mapping[str, str]
) -> Callable[..., Any]:
    """`function` with the operator's name, signature and docstring; `extra` arguments described."""
    function.__name__ = function.__qualname__ = name
    function.__doc__ = "\n".join(
        [form.type.doc, "", *(f"{argument}: {text}" for argument, text in extra.items())]
    )
    function.__signature__ = form.signature(*extra)  # type: ignore[attr-defined]
    return function
