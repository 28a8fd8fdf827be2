# SPDX-License-Identifier: Apache-2.0
"""The package onnx, which only those need who call a function here."""

from __future__ import annotations

import importlib.util

from ..core.base.errors import MXNetError
from ..core.base.packages import missing_package

__all__ = ["require_onnx"]


def require_onnx(function: str) -> None:
    """Says how to install it.

    Raises:
        MXNetError: it is not installed.
    """
    if importlib.util.find_spec("onnx") is None:
        raise MXNetError(f"{function}: {missing_package('onnx')}")
