# SPDX-License-Identifier: Apache-2.0
"""Functions of ``mx.np`` that are one operator, by the operator's name: `_np_sum`."""

from __future__ import annotations

from typing import Any

from .core.base.mxnet_names import MissingName
from .numpy_op_signature import _get_builtin_op, _names

__all__: list[str] = []


def __getattr__(name: str) -> Any:
    if name not in _names():
        raise MissingName(__name__, name, __dir__)
    return _get_builtin_op(name)


def __dir__() -> list[str]:
    return _names()
