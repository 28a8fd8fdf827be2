# SPDX-License-Identifier: Apache-2.0
"""What a monitor's callback is given: names and arrays, fit for C's ways and for Python's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor

from ...nd.array import NDArray
from ...nd.wrapping import wrap
from ..program.interpreter import Tell
from ..program.lowering import Step

__all__ = ["GradientTeller", "MonitorCallback", "told"]

MonitorCallback = Callable[[str, NDArray], None]


class _Name(str):
    """A name that may also be decoded: MXNet gives bytes, so callbacks do that."""

    __slots__ = ()

    def decode(self, encoding: str = "utf-8", errors: str = "strict") -> str:
        """Itself."""
        return str(self)


def told(callback: MonitorCallback) -> Tell:
    """`callback` as an observer tells it: with the array alone, not the operator."""
    return lambda name, _op, array: callback(_Name(name), array)


class GradientTeller:
    """Tells a function of the gradients that nodes give to their inputs: ``fc_backward_output0``.

    Args:
        tell: the function.
    """

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._seen: list[tuple[Step, Sequence[Any], dict[int, Tensor]]] = []

    def forget(self) -> None:
        """Begins a forward."""
        self._seen = []

    def before(self, step: Step, inputs: list[Any]) -> None:
        """Puts in place of each input one of its own, whose gradient comes from this step alone."""
        gradients: dict[int, Tensor] = {}
        for i, value in enumerate(inputs):
            if isinstance(value, Tensor) and value.requires_grad:
                inputs[i] = value.view_as(value)
                inputs[i].register_hook(partial(gradients.__setitem__, i))
        self._seen.append((step, inputs, gradients))

    def after(self, step: Step, outputs: Sequence[Any]) -> None:
        """Nothing."""

    def tell(self) -> None:
        """Tells of the gradients of a backward, what was computed last first.

        An input that no gradient flows to has zeros.
        """
        for step, inputs, gradients in reversed(self._seen):
            if not gradients:
                continue
            values = inputs[: len(inputs) - len(step.op.aux)]
            for i, value in enumerate(values):
                number = i if len(values) > 1 else ""
                name = f"{step.node.name}_backward_output{number}"
                if isinstance(value, Tensor):
                    gradient = gradients.get(i)
                    array = torch.zeros_like(value) if gradient is None else gradient
                    self._tell(name, step.op.name, wrap(array.detach(), step.context))
            gradients.clear()
