# SPDX-License-Identifier: Apache-2.0
"""From symbols to ONNX; the name under which programs import it from MXNet."""

from __future__ import annotations

from .export import export_model, get_operator_support

__all__ = ["export_model", "get_operator_support"]
