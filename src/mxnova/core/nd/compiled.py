# SPDX-License-Identifier: Apache-2.0
"""Functions whose code is made for a number, or for names, of arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["compiled"]


def compiled(name: str, source: str, scope: Mapping[str, Any]) -> Callable[..., Any]:
    """The function `name` of `source`, which sees what is in `scope`."""
    # Who leaves the package's frames out of a traceback knows them by the name of their module.
    names = {"__name__": __name__, **scope}
    exec(compile(source, f"<mxnova {name}>", "exec"), names)
    function: Callable[..., Any] = names[name]
    return function
