# SPDX-License-Identifier: Apache-2.0
"""Models as symbols."""

from __future__ import annotations

from ....onnx import get_model_metadata, import_model

__all__ = ["get_model_metadata", "import_model"]
