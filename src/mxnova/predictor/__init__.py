# SPDX-License-Identifier: Apache-2.0
"""Saved models as functions, for programs that only run models.

Importing it, and running compiled models, does not import torch.
"""

from ..core.base.doors import facade
from .array_list import NDList
from .predictor import Predictor, Session

__all__ = ["NDList", "Predictor", "Session"]


facade(__name__)
