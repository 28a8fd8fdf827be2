# SPDX-License-Identifier: Apache-2.0
"""Caches, and variables of the environment."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

from ...base import data_dir
from ...core.base import env
from ...core.base.cache_folder import cache_folder
from ...core.base.credentials import without_credentials
from ...core.base.errors import MXNetError, candidates
from ..report import Rows
from .finding import Finding

__all__ = ["caches", "variables"]

_OTHERS = (
    "CUDA_VISIBLE_DEVICES", "KMP_AFFINITY", "LD_PRELOAD", "MKL_NUM_THREADS", "OMP_NUM_THREADS",
    "OMP_WAIT_POLICY", "PYTHONPATH", "XDG_CACHE_HOME",
)  # fmt: skip
_SECRETS = ("SECRET", "TOKEN", "PASSWORD", "KEY")


def caches() -> tuple[Rows, list[Finding]]:
    """A row for each folder that mxnova writes to by itself: where it is, and its size."""
    rows, findings = [], []
    for what, path, variable in (
        ("compiled models, measurements", cache_folder(), "MXNOVA_CACHE"),
        ("downloaded models and data", Path(data_dir()), "MXNET_HOME"),
        ("temporary files", Path(tempfile.gettempdir()), "TMPDIR"),
    ):
        is_writable = _is_writable(path)
        row: dict[str, Any] = {"cache": what, "folder": str(path)}
        row["writable"] = "yes" if is_writable else "no"
        if variable != "TMPDIR":
            row["bytes"] = _size(path)
        rows.append(row)
        if not is_writable:
            remedy = f"export {variable}=FOLDER, a folder that you can write to"
            findings.append(Finding(f"{path} cannot be written to ({what})", remedy))
    return rows, findings


def _is_writable(path: Path) -> bool:
    """Whether the folder, or the nearest one above that is there, can be written to."""
    there = next((p for p in (path, *path.parents) if p.exists()), path)
    return there.is_dir() and os.access(there, os.W_OK | os.X_OK)


def _size(path: Path) -> int:
    total = 0
    for folder, _, names in os.walk(path):
        for name in names:
            try:
                total += os.lstat(os.path.join(folder, name)).st_size
            except OSError:  # it has just been removed
                continue
    return total


def variables() -> tuple[Rows, list[Finding]]:
    """A row for each variable that is set and matters, and what is wrong with its value."""
    rows, findings = [], []
    for name, value in sorted(os.environ.items()):
        if name not in _OTHERS and not name.startswith(("MXNET_", "MXNOVA_", "DMLC_")):
            continue
        is_secret = any(word in name for word in _SECRETS)
        rows.append(
            {
                "variable": name,
                "value": "(set)" if is_secret else without_credentials(value),
                "effect": _effect(name),
            }
        )
        finding = _finding(name)
        findings += [finding] if finding else []
    return rows, findings


def _effect(name: str) -> str:
    if name in env.VARIABLES:
        return env.VARIABLES[name].doc.partition(":")[0].partition(";")[0]
    if name.startswith("DMLC_"):
        return "The place of a process in a distributed job."
    return "none" if name.startswith(("MXNET_", "MXNOVA_")) else "Of PyTorch or the system."


def _finding(name: str) -> Finding | None:
    if name in env.VARIABLES:
        try:
            env.get(name)
        except MXNetError as error:
            return Finding(str(error), f"unset {name}, or give it such a value")
        return None
    hint = candidates(name, env.VARIABLES, 1)
    if name.startswith("MXNOVA_") or (hint and name.startswith("MXNET_")):
        return Finding(f"{name}: mxnova reads no such variable{hint}", f"unset {name}")
    return None
