# SPDX-License-Identifier: Apache-2.0
"""Recurrent layers that read their weights one by one."""

from __future__ import annotations

from math import prod
from typing import Any

import torch
from torch import Tensor

from ...op.infer import DTypes, Shapes
from ...op.nn.rnn import RNN
from ...op.outputs import numbered
from ...op.schema import Op
from ..program.private import private_operator

__all__ = ["SeparateWeightsRNN"]


@private_operator
class SeparateWeightsRNN(Op):
    """A recurrent layer whose weights come one by one, of as many elements as `shapes` say.

    Attributes:
        own: the layer.
        shapes: of its weights.
    """

    own: RNN
    shapes: tuple[tuple[int, ...], ...]

    def inputs(self) -> tuple[str, ...]:
        """The layer's, with the weights in the place of its parameters."""
        data, _, *rest = self.own.inputs()
        return (data, *numbered("weight", len(self.shapes)), *rest)

    def outputs(self) -> tuple[str, ...]:
        """Those of the layer."""
        return self.own.outputs()

    @property
    def draws(self) -> bool:
        """As the layer."""
        return self.own.draws

    def infer_shape(self, s: Shapes) -> None:
        """Those of the layer."""
        n = len(self.shapes)
        data, *others = (s.known(name) for name in s.inputs)
        vector = (sum(map(prod, self.shapes)),)
        given = [data, vector, *others[n:], *(None for _ in s.outputs)]
        inner = Shapes(self.own.name, self.own.inputs(), self.own.outputs(), given)
        self.own.infer_shape(inner)
        for name in s.outputs:
            s[name] = inner.known(name)

    def infer_dtype(self, t: DTypes) -> None:
        """Those of the layer."""
        self.own.infer_dtype(t)

    def forward(
        self, data: Tensor, *others: Tensor, train: bool, rng: torch.Generator | None
    ) -> Any:
        """Runs the layer."""
        n = len(self.shapes)
        weights = [w.reshape(s) for w, s in zip(others[:n], self.shapes, strict=True)]
        rest = (*others[n:], None, None)[:3]
        return self.own.run(data, weights, rest, train, rng)
