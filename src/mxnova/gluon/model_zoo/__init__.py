# SPDX-License-Identifier: Apache-2.0
"""Networks that were published, and the files of their weights."""

from ...core.base.doors import facade
from . import model_store, vision

__all__ = ["model_store", "vision"]


facade(__name__)
