# SPDX-License-Identifier: Apache-2.0
"""Model artefacts of other programs: `open_model`, and models of any kind: `InferenceModel`.

Importing this package, and inspecting an artefact, does not import torch.
"""

from __future__ import annotations

from .inference_model import InferenceModel
from .opened import OpenedModel
from .opening import is_artefact, open_model

__all__ = ["InferenceModel", "OpenedModel", "is_artefact", "open_model"]
