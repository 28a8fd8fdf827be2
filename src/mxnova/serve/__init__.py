# SPDX-License-Identifier: Apache-2.0
"""Models over HTTP: the Open Inference Protocol V2 and SageMaker's contract (mxnova[serve])."""

from __future__ import annotations

from .settings import ModelSource, Settings

__all__ = ["ModelSource", "Settings"]
