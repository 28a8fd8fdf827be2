# SPDX-License-Identifier: Apache-2.0
"""Names of mxnova's modules: of the stubs beside them, which need no torch."""

from __future__ import annotations

import ast
import functools
import importlib
from pathlib import Path
from typing import NamedTuple

from ...core.base.errors import MXNetError

__all__ = ["Member", "hint_of_mxnet_2", "is_module", "member", "names_of"]

_ROOT = Path(__file__).parents[2]  # of the package mxnova
_OF_MXNET_2 = {
    "device": "mx.context",
    "gluon.metric": "mx.metric",
    "gluon.probability": "mx.np.random and mx.nd.random",
}


class Member(NamedTuple):
    """What a module shows under a name.

    Attributes:
        module: its full name, if it is a module itself; else that of the module that shows it.
        name: in that module; empty for a module.
    """

    module: str
    name: str = ""


def is_module(name: str) -> bool:
    """Whether there is a module ``mxnova.x.y``."""
    first, *parts = name.split(".")
    path = _ROOT.joinpath(*parts)
    return first == "mxnova" and (path.is_dir() or path.with_suffix(".py").is_file())


def member(module: str, name: str) -> Member | None:
    """What `module` shows under `name`; None: nothing.

    A name that the stub lacks is looked for in the module itself, which may import torch.
    """
    shown = _stub(module)
    if name in shown:
        return shown[name]
    if is_module(f"{module}.{name}"):
        return Member(f"{module}.{name}")
    is_special = name.startswith("__") and name.endswith("__")
    return Member(module, name) if is_special or _is_there(module, name) else None


def names_of(module: str) -> list[str]:
    """Public names of a module, for suggestions."""
    return [name for name in _stub(module) if not name.startswith("_")]


def hint_of_mxnet_2(name: str) -> str:
    """What MXNet 1.x has in place of a module of MXNet 2; empty for other names."""
    now = _OF_MXNET_2.get(name)
    return "" if now is None else f"that is MXNet 2; MXNet 1.x has {now}"


@functools.cache
def _stub(module: str) -> dict[str, Member]:
    path = _ROOT.joinpath(*module.split(".")[1:])
    file = path / "__init__.pyi" if path.is_dir() else path.with_suffix(".pyi")
    try:
        tree = ast.parse(file.read_bytes())
    except OSError:  # a module without a stub
        return {}
    shown: dict[str, Member] = {}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module:
            shown |= {a.asname or a.name: _imported(node.module, a.name) for a in node.names}
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            shown[node.name] = Member(module, node.name)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            shown[node.target.id] = Member(module, node.target.id)
        elif isinstance(node, ast.Assign):
            shown |= {t.id: Member(module, t.id) for t in node.targets if isinstance(t, ast.Name)}
    return shown


def _imported(module: str, name: str) -> Member:
    full = f"{module}.{name}"
    return Member(full) if is_module(full) else Member(module, name)


@functools.cache
def _is_there(module: str, name: str) -> bool:
    try:
        return hasattr(importlib.import_module(module), name)
    except (ImportError, MXNetError):
        return False
