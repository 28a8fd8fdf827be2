# SPDX-License-Identifier: Apache-2.0
"""ONNX graphs as symbols of MXNet's operators."""

from __future__ import annotations

from . import (  # noqa: F401 - they fill the table of translators
    arrangement,
    elementwise,
    images,
    indexing,
    layers,
    matrices,
    normalization,
    quantized,
    random,
    recurrent,
    reductions,
)
from .graph import Imported
from .reading import ModelFile, parsed, read_model, read_skeleton

__all__ = ["Imported", "ModelFile", "parsed", "read_model", "read_skeleton"]
