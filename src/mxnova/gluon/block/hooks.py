# SPDX-License-Identifier: Apache-2.0
"""Functions that are called around the forward of a block, and handles to take them off."""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from ...core.base.errors import AssertedError

__all__ = ["HookHandle"]

Hooks = OrderedDict[int, Callable[..., Any]]


class HookHandle:
    """Removes a hook by `detach()`, or at the end of its ``with`` block.

    Example:
        >>> handle = mx.gluon.nn.Dense(1).register_forward_hook(lambda block, inputs, output: None)
        >>> handle.detach()
    """

    def __init__(self) -> None:
        self._hooks_dict_ref: weakref.ref[Hooks] | None = None
        self._id: int | None = None

    def attach(self, hooks_dict: Hooks, hook: Callable[..., Any]) -> None:
        """Adds `hook` to `hooks_dict`.

        Raises:
            AssertedError: the handle is of another hook already.
        """
        if self._hooks_dict_ref is not None:
            raise AssertedError("HookHandle: attach: it is a handle of a hook already")
        self._id = id(hook)
        hooks_dict[self._id] = hook
        self._hooks_dict_ref = weakref.ref(hooks_dict)

    def detach(self) -> None:
        """Remove the hook; no effect if it is already removed."""
        hooks = self._hooks_dict_ref() if self._hooks_dict_ref is not None else None
        if hooks is not None and self._id is not None:
            hooks.pop(self._id, None)

    def __getstate__(self) -> tuple[Hooks | None, int | None]:
        hooks = self._hooks_dict_ref() if self._hooks_dict_ref is not None else None
        return hooks, self._id

    def __setstate__(self, state: tuple[Hooks | None, int | None]) -> None:
        hooks, self._id = state
        hooks = OrderedDict() if hooks is None else hooks
        self._hooks_dict_ref = weakref.ref(hooks)

    def __enter__(self) -> HookHandle:
        return self

    def __exit__(self, ptype: Any, value: Any, trace: Any) -> None:
        self.detach()
