# SPDX-License-Identifier: Apache-2.0
"""Models for other programs: ``mx.onnx.export_model`` writes ONNX files.

Needs the package onnx, the extra ``mxnova[onnx]``.
"""

from __future__ import annotations

from .export import export_model, get_operator_support

__all__ = ["export_model", "get_operator_support"]
