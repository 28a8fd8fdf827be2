# SPDX-License-Identifier: Apache-2.0
"""Everything in which two sets of named arrays differ, told in one error."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from .errors import MXNetError

__all__ = ["Mismatches"]

_MOST_SHOWN = 20


class Mismatches:
    """What does not fit; `check` raises the first error, whose text goes on with all others."""

    def __init__(self) -> None:
        self._first: Callable[[], MXNetError] | None = None
        self._found: dict[str, list[str]] = {}

    def add(self, kind: str, what: str, error: Callable[[], MXNetError]) -> None:
        """Notes a difference.

        Args:
            kind: under which it is listed: missing, unexpected, …
            what: the name, or a text.
            error: makes what is raised if nothing else differs.
        """
        self._first = self._first or error
        self._found.setdefault(kind, []).append(what)

    def check(self) -> None:
        """Raises what was noted, if anything was."""
        if self._first is None:
            return
        if sum(map(len, self._found.values())) == 1:
            raise self._first()
        raise self._with_all(self._first()) from None

    def _with_all(self, first: MXNetError) -> MXNetError:
        lists = (f"\n  {kind}: {_listed(whats)}" for kind, whats in self._found.items())
        return type(first)(f"{first}\nIn all:{''.join(lists)}")


def _listed(whats: Iterable[str]) -> str:
    texts = list(whats)
    more = [f"and {len(texts) - _MOST_SHOWN} more"] if len(texts) > _MOST_SHOWN else []
    return ", ".join([*texts[:_MOST_SHOWN], *more])
