# SPDX-License-Identifier: Apache-2.0
"""ONNX files, read and written; ``mx.onnx`` has the same functions but `import_to_gluon`."""

from __future__ import annotations

from ...onnx import export_model, mx2onnx
from . import onnx2mx
from .onnx2mx.import_model import get_model_metadata, import_model
from .onnx2mx.import_to_gluon import import_to_gluon

__all__ = [
    "export_model",
    "get_model_metadata",
    "import_model",
    "import_to_gluon",
    "mx2onnx",
    "onnx2mx",
]
