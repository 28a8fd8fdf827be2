# SPDX-License-Identifier: Apache-2.0
"""Models for other programs, and of them: ``mx.onnx`` writes and reads ONNX files.

Needs the package onnx, the extra ``mxnova[onnx]``.
"""

from __future__ import annotations

from ..core.base.doors import facade
from . import mx2onnx
from .export import export_model, get_operator_support
from .load import get_model_metadata, import_model

__all__ = ["export_model", "get_model_metadata", "get_operator_support", "import_model", "mx2onnx"]


facade(__name__)
