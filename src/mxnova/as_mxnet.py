# SPDX-License-Identifier: Apache-2.0
"""Importing this module makes every later ``import mxnet[.x.y]`` give mxnova's modules."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

import mxnova

__all__: list[str] = []

MXNET_VERSION = "1.9.1"  # what scripts that ask for mxnet.__version__ were written for


class _Top(ModuleType):
    """``mxnet``: mxnova's names under MXNet's version."""

    __version__ = MXNET_VERSION
    __path__: Sequence[str] = ()

    def __getattr__(self, name: str) -> Any:
        return getattr(mxnova, name)

    def __dir__(self) -> list[str]:
        return dir(mxnova)


class _Alias(MetaPathFinder, Loader):
    """Finds ``mxnet.x.y`` at ``mxnova.x.y``; both names give one module."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname == "mxnet" or fullname.startswith("mxnet."):
            return ModuleSpec(fullname, self, is_package=True)
        return None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        if spec.name == "mxnet":
            return _Top("mxnet")
        name = _home(spec.name)
        try:
            module = importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name != name:
                raise
            raise ModuleNotFoundError(
                f"No module named {spec.name!r} (mxnova has none of that name)", name=spec.name
            ) from None
        spec.loader_state = (module.__spec__, module.__loader__)
        return module

    def exec_module(self, module: ModuleType) -> None:
        """The module has run under its own name; it gets back what the import put on it."""
        spec = module.__spec__
        if spec is not None and spec.loader_state is not None:
            module.__spec__, module.__loader__ = spec.loader_state


def _home(name: str) -> str:
    """The module here for one of MXNet; ``mx.sym`` and the like are names, not modules."""
    parts = name.split(".")[1:]
    parts[0] = mxnova._MODULES.get(parts[0], parts[0])
    return ".".join(["mxnova", *parts])


if not any(isinstance(finder, _Alias) for finder in sys.meta_path):
    for _loaded in [n for n in sys.modules if n == "mxnet" or n.startswith("mxnet.")]:
        raise ImportError(f"mxnova.as_mxnet must be imported before {_loaded}")
    sys.meta_path.insert(0, _Alias())
