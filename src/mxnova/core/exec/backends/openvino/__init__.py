# SPDX-License-Identifier: Apache-2.0
"""OpenVINO: nodes that its operators can express run as compiled models, on the CPU.

ResNet-50, batch 1, is faster so than through ATen. Needs the package openvino, the extra
``mxnova[openvino]``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....base.cpu_flags import has_vnni
from ....base.shapes import is_known
from ....runtime.threads import thread_count
from ...fused.group import Runner
from ..conversion.model_backend import ModelBackend
from ..request import PRECISIONS

if TYPE_CHECKING:
    from ...program.program import Program
    from ..conversion.graph import Part

__all__ = ["OpenVINO", "OpenVINOStreams"]


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

    def make(self, part: Part) -> Runner | None:
        """A compiled model."""
        from .model import Model

        return Model(part)


class OpenVINOStreams(OpenVINO):
    """The same for batches whose items do not meet: each thread takes some, in a run of its own.

    Threads meet once a batch instead of at the end of each operator, and caches hold what one
    operator leaves for the next.
    """

    name = "openvino-streams"
    extra = "openvino"

    def supports(self, program: Program) -> bool:
        """Graphs whose outputs are batches that threads can share out."""
        threads = thread_count()
        if threads == 1 or not super().supports(program):
            return False
        table = program.facts.shapes(program.symbol)
        heads = [table[e.node][e.output] for e in program.symbol.entries]
        sizes = {shape[0] if shape and is_known(shape) else 0 for shape in heads}
        return len(sizes) == 1 and all(n > 0 and n % threads == 0 for n in sizes)

    def make(self, part: Part) -> Runner | None:
        """A compiled model for some items; None where items meet, or threads have little to do."""
        from ..conversion.items import items_at_once
        from .model import Model

        items = items_at_once(part)
        return Model(part, items) if items else None
