# SPDX-License-Identifier: Apache-2.0
"""Shape semantics of this thread: legacy, where () and 0 mean "unknown", or NumPy's."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from .core.base.scopes import is_np_shape, set_np_shape

__all__ = ["is_np_array", "is_np_shape", "np_shape", "set_np_shape", "use_np_shape"]

F = TypeVar("F", bound=Callable[..., Any])


@contextlib.contextmanager
def np_shape(active: bool = True) -> Iterator[None]:
    """NumPy's shape semantics inside the block (or legacy ones, with False)."""
    before = set_np_shape(active)
    try:
        yield
    finally:
        set_np_shape(before)


def use_np_shape(func: F) -> F:
    """`func` run under NumPy's shape semantics."""

    @functools.wraps(func)
    def run(*args: Any, **kwargs: Any) -> Any:
        with np_shape(True):
            return func(*args, **kwargs)

    return run  # type: ignore[return-value]


def is_np_array() -> bool:
    """Whether front ends give NumPy-like arrays: they do not yet."""
    return False
