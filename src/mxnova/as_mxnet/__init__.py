# SPDX-License-Identifier: Apache-2.0
"""Importing this module makes every later ``import mxnet[.x.y]`` give mxnova's modules.

It also gives NumPy and Python back the names that they dropped since MXNet's time, see
`numpy_names` and `python_names`.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

import mxnova
from mxnova import _import_module

from ..core.base import env
from ..core.base.mxnet_names import missing_text
from ..libinfo import __version__ as MXNET_VERSION
from . import borrowed_names, numpy_names, packages, python_names
from .import_hooks import when_imported

__all__: list[str] = []


class _Top(ModuleType):
    """``mxnet``: mxnova's names under MXNet's version."""

    def __init__(self, name: str) -> None:
        super().__init__(name, mxnova.__doc__)
        self.__file__ = mxnova.__file__
        self.__path__ = []
        self.__version__ = MXNET_VERSION
        self._asked_for: set[str] = set()  # modules

    def __getattr__(self, name: str) -> Any:
        found = getattr(mxnova, name)
        if name not in self._asked_for and isinstance(found, ModuleType):
            self._asked_for.add(name)
            borrowed_names.lend(found, found.__name__.partition(".")[2])
        return found

    def __dir__(self) -> list[str]:
        return dir(mxnova)


class _OnDemand(ModuleType):
    """Stands in `sys.modules`, where programs look, for a module that nobody has imported.

    The first use of it imports the module, and gives it all that the module has.
    """

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name != "__all__":  # asked of all modules, by `inspect` too
            raise AttributeError(name)
        return getattr(self._imported(), name)

    def __dir__(self) -> Sequence[str]:
        return dir(self._imported())

    def _imported(self) -> ModuleType:
        module: ModuleType = _import_module(_home(self.__name__))
        sys.modules[self.__name__] = module
        self.__dict__.update(vars(module))
        return module


class _Alias(MetaPathFinder, Loader):
    """Finds ``mxnet.x.y`` at ``mxnova.x.y``; both names give one module."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname == "mxnet":
            return ModuleSpec(fullname, self, is_package=True)
        there = importlib.util.find_spec(_home(fullname)) if fullname[:6] == "mxnet." else None
        if there is None:
            return None
        return ModuleSpec(fullname, self, is_package=there.submodule_search_locations is not None)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        if spec.name == "mxnet":
            for name in _SHOWN:
                when_imported(name, _show)
            for name in _HOMES:
                when_imported(name, _name_home)
            sys.modules.setdefault(_OPERATORS, _OnDemand(_OPERATORS))
            return _Top("mxnet")
        module: ModuleType = _import_module(_home(spec.name))
        borrowed_names.lend(module, spec.name.removeprefix("mxnet."))
        spec.loader_state = (module.__spec__, module.__loader__)
        return module

    def exec_module(self, module: ModuleType) -> None:
        """The module has run under its own name; it gets back what the import put on it."""
        spec = module.__spec__
        if spec is not None and spec.loader_state is not None:
            module.__spec__, module.__loader__ = spec.loader_state


class _NotYet(MetaPathFinder, Loader):
    """The last finder: says of modules of MXNet that nobody has found what is the matter."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        top, _, name = fullname.partition(".")
        missing = top in ("mxnet", "mxnova") and missing_text(name) is not None
        return ModuleSpec(fullname, self, loader_state=missing_text(name)) if missing else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        # The error tells no name: Python would take it for "perhaps it is an attribute".
        raise ModuleNotFoundError(spec.loader_state)

    def exec_module(self, module: ModuleType) -> None:
        """Never asked for: there is no module to run."""


def _home(name: str) -> str:
    """The module here for one of MXNet; ``mx.sym`` and the like are names, not modules."""
    parts = name.split(".")[1:]
    parts[0] = mxnova._MODULES.get(parts[0], parts[0])
    return ".".join(["mxnova", *parts])


_OPERATORS = "mxnet.ndarray.op"  # MXNet's benchmark of operators takes it from `sys.modules`

_SHOWN = {  # a module -> a class in it, and the module that MXNet's class names
    "mxnova.ndarray": ("NDArray", "mxnet.ndarray.ndarray"),
    "mxnova.numpy": ("ndarray", "mxnet.numpy"),
    "mxnova.symbol": ("Symbol", "mxnet.symbol.symbol"),
}


def _show(module: ModuleType) -> None:
    """Gives a module that has been imported under its own name, and its class, MXNet's names.

    Programs tell arrays by ``"mxnet" in str(type(x))``, look for ``mxnet.ndarray`` in
    `sys.modules`, and compare ``F.__name__`` with it. Pickles of both are MXNet's, too.
    """
    name, home = _SHOWN[module.__name__]
    getattr(module, name).__module__ = home
    module.__name__ = "mxnet" + module.__name__.removeprefix("mxnova")
    sys.modules.setdefault(module.__name__, module)
    borrowed_names.lend(module, module.__name__.removeprefix("mxnet."))


_HOMES = {  # a module -> MXNet's module for its classes
    "mxnova.core.runtime.context": "mxnet.context",
    "mxnova.gluon.block": "mxnet.gluon.block",
    "mxnova.gluon.loss": "mxnet.gluon.loss",
    "mxnova.gluon.nn.activations": "mxnet.gluon.nn.activations",
    "mxnova.gluon.nn.basic_layers": "mxnet.gluon.nn.basic_layers",
    "mxnova.gluon.nn.containers": "mxnet.gluon.nn.basic_layers",
    "mxnova.gluon.nn.conv_layers": "mxnet.gluon.nn.conv_layers",
    "mxnova.gluon.nn.normalization": "mxnet.gluon.nn.basic_layers",
    "mxnova.gluon.nn.pooling": "mxnet.gluon.nn.conv_layers",
    "mxnova.gluon.parameter": "mxnet.gluon.parameter",
    "mxnova.gluon.trainer": "mxnet.gluon.trainer",
    "mxnova.initializer": "mxnet.initializer",
    "mxnova.io": "mxnet.io.io",
    "mxnova.lr_scheduler": "mxnet.lr_scheduler",
    "mxnova.metric": "mxnet.metric",
}


def _name_home(module: ModuleType) -> None:
    """Gives the classes of a module MXNet's module.

    Pickles of them are then MXNet's, and so is what programs write by classes' full names: models
    of GluonTS tell contexts and initializers so.
    """
    for name in module.__all__:
        value = getattr(module, name)
        if isinstance(value, type):
            value.__module__ = _HOMES[module.__name__]


def _make_arrays_old(module: ModuleType) -> None:
    importlib.import_module("mxnova.as_mxnet.old_arrays").activate(module)  # imports NumPy


def _activate() -> None:
    if any(isinstance(finder, _Alias) for finder in sys.meta_path):
        return
    for loaded in sys.modules:
        if loaded == "mxnet" or loaded.startswith("mxnet."):
            raise ImportError(f"mxnova.as_mxnet must be imported before {loaded}")
    sys.meta_path.insert(0, _Alias())
    sys.meta_path.append(_NotYet())
    if env.get("MXNOVA_NUMPY_NAMES"):
        numpy_names.add_when_imported()
    if env.get("MXNOVA_NUMPY_COMPAT"):
        when_imported("mxnova.core.nd.array", _make_arrays_old)
    python_names.add_when_imported()
    packages.adapt_when_imported()


_activate()
