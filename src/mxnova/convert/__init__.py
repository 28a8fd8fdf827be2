# SPDX-License-Identifier: Apache-2.0
"""Models as files of other programs, and back: `convert`."""

from __future__ import annotations

from .conversion import Conversion, convert

__all__ = ["Conversion", "convert"]
