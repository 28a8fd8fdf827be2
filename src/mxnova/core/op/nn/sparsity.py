# SPDX-License-Identifier: Apache-2.0
"""A penalty on activations that are too often on."""

from __future__ import annotations

import functools

import torch
from torch import Tensor

from ...base.params import bounded
from ...base.shapes import shape_text
from ..contrib.boxes import all_float32
from ..declaration import operator
from ..infer import DTypes, Shapes
from ..schema import Op

_Share = bounded(float, 0, 1)


@operator("IdentityAttachKLSparseReg", by_name_only=("moving_avg",))
class IdentityAttachKLSparseReg(Op):
    """`data` itself; its gradient gets that of a penalty on the mean activation of each unit.

    The penalty is `penalty` times the Kullback-Leibler divergence of the mean activation from
    `sparseness_target`; the mean is a moving one, which each backward pass moves.

    Args:
        data: float32 (batch, units), activations within (0, 1).
        moving_avg: mean activation over past batches (units,), an auxiliary state.
        sparseness_target: mean activation wanted.
        penalty: weight of the penalty.
        momentum: share of the old mean that a step keeps.
    """

    sparseness_target: _Share = 0.1  # type: ignore[valid-type]
    penalty: float = 0.001
    momentum: _Share = 0.9  # type: ignore[valid-type]

    aux = ("moving_avg",)
    starts_gradients = True
    initializers = {"moving_avg": '["zero", {}]'}  # noqa: RUF012 - a constant

    def infer_shape(self, s: Shapes) -> None:
        if s.rank("data") < 2:
            raise s.fail(f"data has shape {shape_text(s.data)}: it needs at least 2 dimensions")
        s.moving_avg = (s.data[-1],)
        s.output = s.data

    def infer_dtype(self, t: DTypes) -> None:
        all_float32(t)

    def forward(self, data: Tensor, moving_avg: Tensor) -> Tensor:
        output = data.clone()
        if output.requires_grad:
            output.register_hook(  # type: ignore[no-untyped-call]
                functools.partial(self._penalized, data.detach(), moving_avg)
            )
        return output

    def _penalized(self, data: Tensor, moving_avg: Tensor, d_output: Tensor) -> Tensor:
        with torch.no_grad():
            mean = data.flatten(0, -2).mean(0)
            moving_avg.lerp_(mean, 1 - self.momentum)
            target = self.sparseness_target
            slope = (1 - target) / (1 - moving_avg) - target / moving_avg
        return d_output + self.penalty * slope
