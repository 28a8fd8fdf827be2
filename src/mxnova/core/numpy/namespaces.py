# SPDX-License-Identifier: Apache-2.0
"""The backend of NumPy functions: a world of arrays, or one of symbols.

A function here takes the world first. `bound` makes of it what users call.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..base.doors import leave, refuse_name
from ..base.errors import ArgumentTypeError, shown
from ..base.examples import with_example
from .argument_docs import listing

__all__ = ["NUMBER", "World", "bound", "dtype_text", "function", "listed"]

NUMBER = (int, float, np.generic)  # bool is an int

_FUNCTIONS: dict[str, dict[str, Callable[..., Any]]] = {}  # module of ours -> name -> function


class World:
    """Operators as attributes, ``F._npi_add(a, b)``, and the array class of the world.

    Args:
        function_of: gives the function of an operator.
        array: the class of arrays, or of symbols; legacy ones are taken too.
        shown: what errors call it.
        is_symbolic: whether values are not there yet.
        taken: makes an array of one of NumPy's.
    """

    def __init__(
        self,
        function_of: Callable[[str], Callable[..., Any]],
        array: type,
        shown: str,
        is_symbolic: bool,
        taken: Callable[[np.ndarray[Any, Any]], Any] | None = None,
    ) -> None:
        self._function_of = function_of
        self.array = array
        self.shown = shown
        self.is_symbolic = is_symbolic
        self.taken = taken

    def __getattr__(self, name: str) -> Callable[..., Any]:
        operator = self._function_of(name)
        self.__dict__[name] = operator  # the next time Python finds it by itself
        return operator

    def outputs(self, result: Any) -> list[Any]:
        """Return the outputs of a multi-output operator as a list."""
        several = isinstance(result, (list, tuple)) or (self.is_symbolic and len(result) > 1)
        return list(result) if several else [result]

    def check(self, function: str, value: Any) -> None:
        """Raise an error unless `value` is an array of this world."""
        if not isinstance(value, self.array):
            raise ArgumentTypeError(
                f"{function}: {shown(value)}: a {type(value).__name__} is no {self.shown}"
            )


def function(implementation: Callable[..., Any]) -> Callable[..., Any]:
    """Registers a function whose first argument is the world."""
    name = implementation.__name__.removesuffix("_")
    _FUNCTIONS.setdefault(implementation.__module__, {})[name] = implementation
    return implementation


def listed(module: str) -> Mapping[str, Callable[..., Any]]:
    """Return the functions of a module of this package, by NumPy's names."""
    return _FUNCTIONS[module]


def bound(implementation: Callable[..., Any], world: World, name: str) -> Callable[..., Any]:
    """Bind `implementation` to `world`, with the signature that users see."""

    @functools.wraps(implementation)
    def public(*args: Any, **kwargs: Any) -> Any:
        try:
            try:
                return implementation(world, *args, **kwargs)
            except TypeError as error:
                refuse_name(public, args, kwargs, error)
                raise
        except Exception as error:
            leave(error)
            raise

    signature = inspect.signature(implementation)
    public.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=list(signature.parameters.values())[1:]
    )
    public.__name__ = public.__qualname__ = name
    public.__doc__ = _doc_of(public, name)
    del public.__wrapped__
    return public


def _doc_of(function: Callable[..., Any], name: str) -> str:
    """Its docstring, with its arguments and an example."""
    doc = inspect.cleandoc(function.__doc__ or "")
    names = [*inspect.signature(function).parameters]
    return with_example(listing(names, doc), "numpy", name)


def dtype_text(dtype: Any) -> Any:
    """Return a dtype as operators take it; None stays None."""
    if dtype is None or isinstance(dtype, str):
        return dtype
    return _name_of(dtype) if isinstance(dtype, type) else np.dtype(dtype).name


@functools.cache
def _name_of(kind: type) -> Any:
    return np.dtype(kind).name
