# SPDX-License-Identifier: Apache-2.0
"""Name scopes of blocks: what is made inside one is named after its block."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from ...core.base.scopes import NameManager, Prefix
from ..parameter import ParameterDict

if TYPE_CHECKING:
    from .base import Block

__all__ = ["_BlockScope"]


class _Current(threading.local):
    value: _BlockScope | None = None


class _BlockScope:
    """The names of what is made inside a block: ``with block.name_scope():``.

    It does not refer to its block, so that a block is freed when nobody refers to it.

    Args:
        block: the block.
    """

    _current = _Current()

    def __init__(self, block: Block) -> None:
        self._prefix = block.prefix
        # Tests of MXNet's enter the scopes of objects that have a prefix alone.
        self._params = getattr(block, "_params", None) or ParameterDict(self._prefix)
        self._is_open = not block._empty_prefix
        self._counter: dict[str, int] = {}
        self._entered: list[Any] = []

    @staticmethod
    def create(
        prefix: str | None, params: ParameterDict | None, hint: str
    ) -> tuple[str, ParameterDict]:
        """(prefix, parameters) of a block that is made now.

        Args:
            prefix: what it was given; None: a numbered `hint`.
            params: parameters to share.
            hint: the kind of block.
        """
        scope = _BlockScope._current.value
        if scope is None:
            if prefix is None:
                prefix = NameManager.get_current().get(None, hint) + "_"
            outer, shared = "", None
        else:
            if prefix is None:
                prefix = scope._numbered(hint)
            outer, shared = scope._params.prefix, scope._params._shared
        if params is None:
            params = ParameterDict(outer + prefix, shared)
        else:
            params = ParameterDict(params.prefix, params)
        return (prefix if scope is None else scope._prefix + prefix), params

    def _numbered(self, hint: str) -> str:
        count = self._counter.get(hint, 0)
        self._counter[hint] = count + 1
        return f"{hint}{count}_"

    def __enter__(self) -> _BlockScope:
        if self._is_open:
            names = Prefix(self._prefix)
            self._entered.append((_BlockScope._current.value, names))
            _BlockScope._current.value = self
            names.__enter__()
        return self

    def __exit__(self, ptype: Any, value: Any, trace: Any) -> None:
        if self._is_open:
            outer, names = self._entered.pop()
            names.__exit__(ptype, value, trace)
            _BlockScope._current.value = outer
