# SPDX-License-Identifier: Apache-2.0
"""Name -> object, with names that help when one is missing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Generic, TypeVar

from .errors import MXNetError, UnknownNameError, candidates

__all__ = ["Registry"]

T = TypeVar("T")


class Registry(Mapping[str, T], Generic[T]):
    """A mapping that is filled by `register` and says what is close when a name is unknown."""

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._entries: dict[str, T] = {}

    def register(self, entry: T, *names: str) -> None:
        """Puts `entry` under each of `names`.

        Raises:
            MXNetError: a name is taken.
        """
        for name in names:
            if name in self._entries:
                raise MXNetError(f"{self._kind} {name!r} is registered already")
            self._entries[name] = entry

    def __getitem__(self, name: str) -> T:
        try:
            return self._entries[name]
        except KeyError:
            hint = candidates(name, self._entries)
            raise UnknownNameError(f"{self._kind} {name!r} is not registered{hint}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, name: object) -> bool:
        return name in self._entries
