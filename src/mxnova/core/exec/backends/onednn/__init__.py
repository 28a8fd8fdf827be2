# SPDX-License-Identifier: Apache-2.0
"""oneDNN's graphs: the largest parts that PyTorch's own words can say, traced, fused and compiled.

Unlike ATen's calls, which make everything anew each time, what oneDNN compiles stays: layouts that
images keep from one operator to the next, weights in them, fused operators. Needs nothing but
PyTorch, on x86.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from ....runtime import torch_script
from ...fused.group import Runner
from ...passes import constant_folding, padding_fusion, simplification
from ..conversion.model_backend import ModelBackend
from ..request import PRECISIONS

if TYPE_CHECKING:
    from ..conversion.graph import Part

__all__ = ["OneDNN"]


class OneDNN(ModelBackend):
    """The backend."""

    name = "onednn"
    packages = ()
    passes = (
        simplification.PASS,
        padding_fusion.PASS,
        constant_folding.PASS,
        *ModelBackend.passes,
    )

    def unavailable(self) -> str | None:
        """Why it cannot be used; None where it can."""
        if not torch.backends.mkldnn.is_available():  # type: ignore[no-untyped-call]
            return "PyTorch was built without oneDNN"
        if not torch_script.has_onednn_graphs():
            return f"PyTorch {torch.__version__} has no TorchScript that hands graphs to oneDNN"
        return None

    def precisions(self) -> tuple[str, ...]:
        """What it compiles here computes in float32."""
        return PRECISIONS[:1]

    def make(self, part: Part) -> Runner:
        """A traced function."""
        from .model import Model

        return Model(part)
