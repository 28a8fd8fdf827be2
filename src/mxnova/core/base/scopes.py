# SPDX-License-Identifier: Apache-2.0
"""Thread-local scopes: a stack of current values per kind of thing, and the shape semantics."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, ClassVar, TypeVar, cast

from .errors import ArgumentTypeError, shown

__all__ = [
    "AttrScope",
    "NameManager",
    "Prefix",
    "Scope",
    "ScopeType",
    "is_np_array",
    "is_np_shape",
    "set_np_array",
    "set_np_shape",
]

_Self = TypeVar("_Self", bound="Scope")


class _Current:
    """The value of a kind of scope that is in force in the thread that asks, as `value`."""

    def __init__(self, kind: ScopeType) -> None:
        self._kind = kind

    @property
    def value(self) -> Any:
        return self._kind.current

    @value.setter
    def value(self, value: Any) -> None:
        self._kind.current = value


class _OfInstances:
    """`current` of instances; that of the classes is `ScopeType`'s, which can be assigned to."""

    def __get__(self, _instance: Any, owner: type[Scope]) -> Any:
        return owner.get_current()


class ScopeType(type):
    """The metaclass of scopes: attributes of the class, which can be assigned to."""

    @property
    def current(cls) -> Any:
        """The value in force in this thread, until the block that this is in ends."""
        return cast("type[Scope]", cls).get_current()

    @current.setter
    def current(cls, value: Any) -> None:
        cast("type[Scope]", cls).set_current(value)

    @property
    def _current(cls) -> _Current:  # programs of MXNet's time write `AttrScope._current.value`
        return _Current(cls)


class Scope(metaclass=ScopeType):
    """A value that is current inside its ``with`` block, per thread; blocks nest.

    Each direct subclass has a stack of its own, which its subclasses share; `current` is its top,
    or its `default()`, made once a thread.
    """

    _no_doors = None
    _stacks: threading.local
    _first: ClassVar[Callable[[], Any]]  # makes what is current outside any block
    current: ClassVar[Any] = _OfInstances()

    def __init_subclass__(cls) -> None:
        if Scope in cls.__bases__:
            cls._stacks = threading.local()
            cls._first = cls.default

    @classmethod
    def _stack(cls) -> list[Any]:
        try:
            stack: list[Any] = cls._stacks.stack
        except AttributeError:
            stack = cls._stacks.stack = [cls._first()]
        return stack

    @classmethod
    def default(cls) -> Any:
        """The value outside any block."""
        return cls()

    @classmethod
    def get_current(cls) -> Any:
        """The value in force in this thread."""
        try:
            return cls._stacks.stack[-1]
        except AttributeError:
            return cls._stack()[-1]

    @classmethod
    def set_current(cls, value: Any) -> None:
        """Puts `value` in force in this thread, until the block that this is in ends."""
        cls._stack()[-1] = value

    def __enter__(self: _Self) -> _Self:
        stack = self._stack()
        stack += (self._entered(stack[-1]),)  # the last call is made: no Ctrl-C comes from here on
        return self

    def __exit__(
        self,
        ptype: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack().pop()

    def _entered(self, outer: Any) -> Any:
        """What becomes current inside the block, given what was current outside."""
        return self


class AttrScope(Scope):
    """Attributes that every symbol made inside the block gets: ``with AttrScope(ctx_group="a"):``.

    Values are strings.
    """

    _subgraph_names: ClassVar[defaultdict[str, int]] = defaultdict(int)

    def __init__(self, **kwargs: str) -> None:
        for name, value in kwargs.items():
            if not isinstance(value, str):
                raise ValueError(f"AttrScope: {name}={shown(value)}: attributes are strings")
        self._attr = kwargs

    def get(self, attr: dict[str, str] | None) -> dict[str, str]:
        """This scope's attributes, with `attr` over them."""
        if not attr:
            return dict(self._attr)
        if not isinstance(attr, Mapping) or not all(isinstance(k, str) for k in attr):
            raise ArgumentTypeError(f"attr={shown(attr)}: must be a dict of strings")
        return {**self._attr, **attr}

    def _entered(self, outer: AttrScope) -> AttrScope:
        return AttrScope(**{**outer._attr, **self._attr})

    @classmethod
    def numbered(cls, name: str) -> str:
        """`name` with the number of times that it was asked for before."""
        number = cls._subgraph_names[name]
        cls._subgraph_names[name] = number + 1
        return f"{name}{number}"


class NameManager(Scope):
    """Names nodes that were given none: ``relu0``, ``relu1``, … counted per operator."""

    def __init__(self) -> None:
        self._counter: dict[str, int] = {}

    def get(self, name: str | None, hint: str) -> str:
        """`name`, or the next name for `hint`."""
        if name:
            return name
        count = self._counter.get(hint, 0)
        self._counter[hint] = count + 1
        return f"{hint}{count}"


class Prefix(NameManager):
    """Puts `prefix` before every name, given or made."""

    def __init__(self, prefix: str) -> None:
        super().__init__()
        self._prefix = prefix

    def get(self, name: str | None, hint: str) -> str:
        """`name` or the next name for `hint`, prefixed."""
        return self._prefix + super().get(name, hint)


class _Semantics(threading.local):
    np_shape = False  # of the class: of all threads; of a thread where it is on in that one
    np_array = False


_semantics = _Semantics()


def is_np_shape() -> bool:
    """Whether () is a scalar and 0 a size (NumPy), instead of both being "unknown" (legacy).

    Example:
        >>> mx.util.is_np_shape()
        False
    """
    return _semantics.np_shape


def set_np_shape(active: int) -> bool:
    """Switches the shape semantics and returns what they were in this thread.

    Args:
        active: 1 or True: NumPy's in this thread; 2: in all threads, those to come too; 0 or False:
            no longer in this thread, nor in all. Anything else changes nothing, as in MXNet.
    """
    before = _semantics.np_shape
    if active in (1, 2):
        _semantics.np_shape = True
        _Semantics.np_shape = _Semantics.np_shape or active == 2
    elif not active:
        _Semantics.np_shape = False
        vars(_semantics).pop("np_shape", None)
    return before


def is_np_array() -> bool:
    """Whether front ends with both kinds of arrays return NumPy-like ones.

    Example:
        >>> mx.util.is_np_array()
        False
    """
    return _semantics.np_array


def set_np_array(active: bool) -> bool:
    """Switches the kind of arrays of this thread and returns whether they were NumPy-like."""
    before, _semantics.np_array = _semantics.np_array, bool(active)
    return before
