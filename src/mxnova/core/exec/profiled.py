# SPDX-License-Identifier: Apache-2.0
"""Running lowered graphs under the profiler: node by node, each under its operator's name."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, fx

from ..runtime.context import Context
from ..runtime.profiler import PROFILER, clock
from .lower import op_of

__all__ = ["run"]


def run(
    module: Callable[..., Sequence[Tensor]], inputs: Sequence[Tensor], device: torch.device
) -> Sequence[Tensor]:
    """The outputs of a lowered graph; its nodes are recorded where the profiler asks for them."""
    if PROFILER.symbolic and isinstance(module, fx.GraphModule):
        results: Sequence[Tensor] = _Timed(module, device).run(*inputs)
        return results
    return module(*inputs)


class _Timed(fx.Interpreter):
    def __init__(self, module: fx.GraphModule, device: torch.device) -> None:
        super().__init__(module)
        self._context = Context("gpu" if device.type == "cuda" else "cpu", device.index or 0)

    def run_node(self, n: fx.Node) -> Any:
        """Runs node `n`, timed where it computes something."""
        if n.op != "call_function" or n.target is operator.getitem:
            return super().run_node(n)
        start = clock()
        result = super().run_node(n)
        op = op_of(n)
        name = getattr(n.target, "__name__", n.name) if op is None else op.name
        PROFILER.ran(name, start, self._context, result, n.name)
        return result
