# SPDX-License-Identifier: Apache-2.0
"""Models as other programs left them: `open_model`.

Importing it, and telling what is inside, does not import torch.
"""

from __future__ import annotations

from .opened import OpenedModel
from .opening import is_artefact, open_model

__all__ = ["OpenedModel", "is_artefact", "open_model"]
