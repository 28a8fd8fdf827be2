# SPDX-License-Identifier: Apache-2.0
"""OpenVINO: nodes that its operators can express run as compiled models, on the CPU.

ResNet-50, batch 1, is faster so than through ATen. Needs the package openvino, the extra
``mxnova[openvino]``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....base.cpu_flags import has_vnni
from ...fused.group import Runner
from ..conversion.model_backend import ModelBackend
from ..request import PRECISIONS

if TYPE_CHECKING:
    from ..conversion.graph import Part

__all__ = ["OpenVINO"]


class OpenVINO(ModelBackend):
    """The backend."""

    name = "openvino"
    packages = ("openvino",)

    def precisions(self) -> tuple[str, ...]:
        """bfloat16 where the processor has instructions for it."""
        from . import model

        return PRECISIONS if model.has_bfloat16() else PRECISIONS[:1]

    @property
    def has_integers(self) -> bool:
        """Where the processor has VNNI: other int8 kernels saturate sums of two products."""
        return has_vnni()

    def make(self, part: Part) -> Runner:
        """A compiled model."""
        from .model import Model

        return Model(part)
