# SPDX-License-Identifier: Apache-2.0
"""OpenVINO: nodes that its operators can express run as compiled models, on the CPU.

ResNet-50, batch 1, is faster so than through ATen. Needs the package openvino, the extra
``mxnova[openvino]``.
"""

from __future__ import annotations

from collections.abc import Mapping

from torch import Tensor

from ....graph.symbol import Symbol
from ..conversion.model_backend import ModelBackend
from ..group import Runner
from ..request import PRECISIONS

__all__ = ["OpenVINO"]


class OpenVINO(ModelBackend):
    """The backend."""

    name = "openvino"
    packages = ("openvino",)

    def precisions(self) -> tuple[str, ...]:
        """bfloat16 where the processor has instructions for it."""
        from . import model

        return PRECISIONS if model.has_bfloat16() else PRECISIONS[:1]

    def make(
        self,
        body: Symbol,
        shapes: Mapping[str, tuple[int, ...]],
        constants: Mapping[str, Tensor],
        precision: str,
    ) -> Runner:
        """A compiled model."""
        from .model import Model

        return Model(body, shapes, constants, precision)
