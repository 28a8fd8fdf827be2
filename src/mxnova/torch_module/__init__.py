# SPDX-License-Identifier: Apache-2.0
"""Models as plain ``torch.nn.Module``s, and back."""

from ..core.base.doors import facade
from .conversion import from_torch, to_torch
from .module import GraphModule

__all__ = ["GraphModule", "from_torch", "to_torch"]


facade(__name__)
