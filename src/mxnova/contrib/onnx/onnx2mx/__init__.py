# SPDX-License-Identifier: Apache-2.0
"""From ONNX to symbols and blocks; the names under which programs import it from MXNet."""

from __future__ import annotations

from . import import_model, import_onnx, import_to_gluon

__all__ = ["import_model", "import_onnx", "import_to_gluon"]
