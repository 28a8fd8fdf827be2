# SPDX-License-Identifier: Apache-2.0
"""ONNX Runtime: nodes that ONNX can express run as models in its CPU provider.

Small convolutions, those of single channels and recurrent layers are faster so than through ATen.
Needs the packages onnxruntime and onnx, the extra ``mxnova[onnxruntime]``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....runtime.threads import thread_count
from ...fused.group import Runner
from ..conversion.model_backend import ModelBackend
from ..request import PRECISIONS

if TYPE_CHECKING:
    from ..conversion.graph import Part

__all__ = ["ONNXRuntime"]


class ONNXRuntime(ModelBackend):
    """The backend."""

    name = "onnxruntime"
    packages = ("onnxruntime", "onnx")

    def precisions(self) -> tuple[str, ...]:
        """Its kernels for CPUs compute in float32."""
        return PRECISIONS[:1]

    @property
    def has_integers(self) -> bool:
        """Everywhere."""
        return True

    def make(self, part: Part) -> Runner:
        """A session; of one thread for some items of a batch, where these do not meet."""
        from ..conversion.items import items_for_a_thread
        from .session import ItemsApart, Session

        items = items_for_a_thread(part)
        return ItemsApart(part, items) if items else Session(part, thread_count())
