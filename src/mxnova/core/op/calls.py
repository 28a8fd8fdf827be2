# SPDX-License-Identifier: Apache-2.0
"""The Python form of an operator: which arguments of a call are arrays and which parameters."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from ..base.errors import ArgumentTypeError, AssertedTypeError, candidates
from ..base.examples import with_example
from ..base.parameter_types import NOT_GIVEN, REQUIRED
from .schema import OpType

__all__ = ["Call", "CallForm", "documented"]


class Call(NamedTuple):
    """A call, sorted: arrays by position and by name, parameters, and arguments of the function."""

    arrays: list[Any]
    named: dict[str, Any]
    attrs: dict[str, Any]
    extras: dict[str, Any]


class CallForm:
    """Splits calls of one operator.

    Positional arguments are the arrays, then the parameters in declared order, then the `extras`
    that the function itself takes; arrays may be given by name too. A variadic operator takes its
    arrays as positional arguments or as one list. `kind` is what errors call an array.
    """

    def __init__(self, type_: OpType, extras: Sequence[str], kind: str = "an array") -> None:
        signature = type_.signature
        self.type = type_
        self.kind = kind
        self.arrays = signature.inputs
        self.variadic = signature.variadic
        self.parameters = tuple(f.name for f in type_.fields)
        self.extras = tuple(extras)
        declared = (n for n in (*self.arrays, *self.parameters) if n not in type_.by_name_only)
        self._positional = (*declared, *self.extras)

    @property
    def parameters_by_place(self) -> tuple[str, ...]:
        """Names of the parameters that may follow all arrays as positional arguments, in order."""
        arrays = [name for name in self.arrays if name in self._positional]
        names = self._positional[len(arrays) : -len(self.extras) or None]
        return names if len(arrays) == len(self.arrays) else ()

    def split(
        self, args: Sequence[Any], kwargs: dict[str, Any], is_array: Callable[[Any], bool]
    ) -> Call:
        """A call sorted; None arrays and parameters that are NOT_GIVEN are left out.

        An array without axes may be given for a parameter, which reads its text as a number.

        Raises:
            ArgumentTypeError: something that is no array stands where an array belongs, or an
                argument is given twice.
        """
        if self.variadic is not None:
            return self._split_variadic(args, kwargs, is_array)
        given = self._by_name(args, kwargs)
        extras = {n: given.pop(n) for n in self.extras if n in given}
        named = {n: given.pop(n) for n in self.arrays if n in given}
        for name, value in list(named.items()):
            if value is None:
                del named[name]
            elif not is_array(value):
                raise self._no_array(name, value)
        for name, value in given.items():
            if is_array(value) and name not in self.parameters:
                hint = candidates(name, self.arrays)
                raise ArgumentTypeError(f"{self.type.name}: {name!r} is no array of it{hint}")
        return Call([], named, _given(given), extras)

    def _by_name(self, args: Sequence[Any], kwargs: dict[str, Any]) -> dict[str, Any]:
        if len(args) > len(self._positional):
            raise ArgumentTypeError(
                f"{self.type.name} takes at most {len(self._positional)} arguments, not {len(args)}"
            )
        given = dict(zip(self._positional, args, strict=False))
        for name, value in kwargs.items():
            if name in given:
                raise ArgumentTypeError(f"{self.type.name}: {name} is given twice")
            given[name] = value
        return given

    def _split_variadic(
        self, args: Sequence[Any], kwargs: dict[str, Any], is_array: Callable[[Any], bool]
    ) -> Call:
        if len(args) == 1 and isinstance(args[0], (list, tuple)):
            args = args[0]
        arrays = [a for a in args if a is not None]
        for i, value in enumerate(arrays):
            if not is_array(value):
                raise self._no_array(f"argument {i}", value)
        others = (*self.parameters, *self.extras)
        named = {n: v for n, v in kwargs.items() if is_array(v) and n not in others}
        extras = {n: v for n, v in kwargs.items() if n in self.extras}
        attrs = _given({n: v for n, v in kwargs.items() if n not in named and n not in extras})
        if self.type.counts_inputs and "num_args" not in attrs:
            attrs["num_args"] = len(arrays) + len(named)
        return Call(arrays, named, attrs, extras)

    def _no_array(self, name: str, value: Any) -> AssertedTypeError:
        hint = candidates(name, self.parameters)
        kind = type(value).__name__
        if self.kind != "an array":
            return AssertedTypeError(
                f"{self.type.name}: {name} must be {self.kind}, not a {kind}{hint}"
            )
        if kind in ("NDArray", "Symbol", "_Symbol"):
            hint = f"; in hybrid_forward write F.{self.type.name}, which is for arrays and symbols"
        elif (not hint and isinstance(value, (list, tuple))) or kind == "ndarray":
            hint = f"; mx.nd.array({name}) makes one"
        return AssertedTypeError(f"{self.type.name}: {name} must be an array, not a {kind}{hint}")

    def signature(self) -> inspect.Signature:
        """The Python signature: arrays, parameters with their defaults, the extras."""
        kinds = inspect.Parameter
        defaults = {f.name: None if f.default is REQUIRED else f.default for f in self.type.fields}
        arrays = () if self.variadic is not None else self.arrays
        parameters = [inspect.Parameter("kwargs", kinds.VAR_KEYWORD)]
        if self.variadic is not None:
            parameters.append(inspect.Parameter(self.variadic, kinds.VAR_POSITIONAL))
        for name in (*arrays, *self.parameters, *self.extras):
            by_name = self.variadic is not None or name not in self._positional
            kind = kinds.KEYWORD_ONLY if by_name else kinds.POSITIONAL_OR_KEYWORD
            parameters.append(inspect.Parameter(name, kind, default=defaults.get(name)))
        return inspect.Signature(sorted(parameters, key=lambda p: p.kind))


def _given(values: Mapping[str, Any]) -> dict[str, Any]:
    return {n: v for n, v in values.items() if v is not NOT_GIVEN}


def documented(
    function: Callable[..., Any], name: str, form: CallForm, extras: Mapping[str, str]
) -> Callable[..., Any]:
    """`function` with the operator's name, signature and docstring; its `extras` described."""
    function.__name__ = function.__qualname__ = name
    lines = "\n".join(f"    {argument}: {text}" for argument, text in extras.items())
    head = "\n" if "\nArgs:\n" in form.type.doc else "\n\nArgs:\n"
    function.__doc__ = with_example(f"{form.type.doc.rstrip()}{head}{lines}", "op", form.type.name)
    function.__signature__ = form.signature()  # type: ignore[attr-defined]
    return function
