# SPDX-License-Identifier: Apache-2.0
"""The older place of the ONNX exporter."""

from __future__ import annotations

from ..onnx import export_model

__all__ = ["export_model"]
