# SPDX-License-Identifier: Apache-2.0
"""Checkpoints: files of a prefix, as MXNet's, and folders that many workers write and read.

`save`, `load` and `read` are those of folders; see docs/checkpoints.md.
"""

from __future__ import annotations

from typing import Any

from mxnova import _import_module

from ..core.base.doors import leave
from ..core.base.mxnet_names import missing_name
from .files import (
    BatchEndParam,
    joined_params,
    load_checkpoint,
    load_params,
    save_checkpoint,
    split_params,
)

__all__ = [
    "BatchEndParam",
    "Checkpoint",
    "Checkpoints",
    "Saving",
    "joined_params",
    "load",
    "load_checkpoint",
    "load_params",
    "read",
    "save",
    "save_checkpoint",
    "split_params",
    "steps",
    "wait",
]

_NAMES = {  # name here -> module that defines it; models are run without these
    "Checkpoint": "loading",
    "Checkpoints": "checkpoints",
    "Saving": "saving",
    "load": "loading",
    "read": "loading",
    "save": "saving",
    "steps": "loading",
    "wait": "saving",
}


def __getattr__(name: str) -> Any:
    try:
        if name not in _NAMES:
            raise missing_name(__name__, name)
        value = getattr(_import_module(f"{__name__}.{_NAMES[name]}"), name)
        globals()[name] = value
        return value
    except Exception as error:
        leave(error)
        raise
