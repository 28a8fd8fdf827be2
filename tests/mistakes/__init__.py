# SPDX-License-Identifier: Apache-2.0
"""Typical mistakes, as code that MXNet's users write, and as the same code for PyTorch."""

from .everyday import EVERYDAY
from .networks import NETWORKS
from .rule import QUESTIONS, Mistake, clarity, mxnet_names, printed, raised, told, torch_names

__all__ = [
    "MISTAKES",
    "QUESTIONS",
    "Mistake",
    "clarity",
    "mxnet_names",
    "printed",
    "raised",
    "told",
    "torch_names",
]

MISTAKES: dict[str, Mistake] = {**NETWORKS, **EVERYDAY}
