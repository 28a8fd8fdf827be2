# SPDX-License-Identifier: Apache-2.0
"""Networks that were published, and the files of their weights."""

from . import model_store, vision

__all__ = ["model_store", "vision"]
