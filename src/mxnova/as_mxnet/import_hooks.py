# SPDX-License-Identifier: Apache-2.0
"""What is done to modules as soon as they have been imported."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

__all__ = ["add_missing", "when_imported"]


def when_imported(name: str, action: Callable[[ModuleType], None]) -> None:
    """Calls ``action(module)`` now, or once the module `name` has run."""
    if name in sys.modules:
        action(sys.modules[name])
    else:
        sys.meta_path.insert(0, _Watch(name, action))


def add_missing(module: ModuleType, names: Mapping[str, Any]) -> None:
    """Gives a module those of the names, with their values, that it lacks."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # asking for some of them warns
        missing = [name for name in names if not hasattr(module, name)]
    for name in missing:
        setattr(module, name, names[name])


class _Watch(MetaPathFinder):
    """Lets the other finders find one module, and acts once it has run."""

    def __init__(self, name: str, action: Callable[[ModuleType], None]) -> None:
        self._name = name
        self._action = action

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != self._name:
            return None
        others = [finder for finder in sys.meta_path if finder is not self]
        found = (finder.find_spec(fullname, path, target) for finder in others)
        spec = next((spec for spec in found if spec is not None), None)
        if spec is not None and spec.loader is not None:
            self._follow(spec.loader)
        return spec

    def _follow(self, loader: Any) -> None:
        run = loader.exec_module

        def exec_module(module: ModuleType) -> None:
            del loader.exec_module  # the class's own is back
            run(module)
            self._action(module)
            if self in sys.meta_path:
                sys.meta_path.remove(self)

        loader.exec_module = exec_module
