# SPDX-License-Identifier: Apache-2.0
"""The base of operators that update several weights in one call.

The arrays of one weight stand together, numbered: ``weight_0, grad_0, mom_0, weight_1, …``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import torch
from torch import Tensor

from ...base.params import Count, Floats
from ...runtime.torch_optimizers import foreach
from ..infer import DTypes, Shapes
from ..outputs import lone, numbered
from ..schema import Op
from .step import Tensors
from .update import Out, destination

__all__ = ["MultiUpdate", "RatedUpdate"]


class MultiUpdate(Op):
    """An update of several weights.

    Attributes:
        arrays: what each weight has: weight, gradient and states. Where the last one is weight32,
            that is the one to update; it and the other states are float32.
        shared: arrays for all weights, after those.
        per_weight: parameters that hold a value for each weight.
    """

    arrays: ClassVar[tuple[str, ...]]
    shared: ClassVar[tuple[str, ...]] = ()
    per_weight: ClassVar[tuple[str, ...]] = ("lrs", "wds")
    differentiable = None
    num_weights: int

    def step_(self, at: int, weight: Tensor, grad: Tensor, *others: Tensor) -> None:
        """Updates weight number `at`; `others` are its states and the shared arrays."""
        raise NotImplementedError

    def steps_(
        self, weights: Tensors, grads: Tensors, states: Sequence[Tensors], shared: Tensors
    ) -> None:
        """Updates all weights; `states` holds the first state of every weight, the second, …."""
        for at, (weight, grad, *own) in enumerate(zip(weights, grads, *states, strict=True)):
            self.step_(at, weight, grad, *own, *shared)

    def forward(self, *data: Tensor, out: Out = None) -> Any:
        n = len(self.arrays)
        end = n * self.num_weights
        weights, grads, *states = [data[k:end:n] for k in range(n)]
        shared = data[end:]
        results = [destination(w, out, i) for i, w in enumerate(weights)]
        if self.has_master:
            *states, masters = states
            wide = [torch.empty_like(g, dtype=torch.float32) for g in grads]
            foreach.copy_(wide, grads)
            self.steps_(masters, wide, states, shared)
            foreach.copy_(results, masters)
        else:
            self.steps_(results, grads, states, shared)
        return lone(results)

    @property
    def has_master(self) -> bool:
        """Whether a float32 copy of each weight is updated."""
        return self.arrays[-1] == "weight32"

    def inputs(self) -> tuple[str, ...]:
        return (*(n for i in range(self.num_weights) for n in self._numbered(i)), *self.shared)

    def outputs(self) -> tuple[str, ...]:
        n = self.num_weights
        return ("output",) if n == 1 else numbered("output", n)

    @property
    def mutates(self) -> tuple[str, ...]:  # type: ignore[override]
        """The states of every weight."""
        return tuple(n for i in range(self.num_weights) for n in self._numbered(i)[2:])

    def infer_shape(self, s: Shapes) -> None:
        for name in self.per_weight:
            values = self.attr(name)
            if len(values) != self.num_weights:
                raise s.fail(
                    f"{name}={values}: there must be {self.num_weights} values, "
                    f"one per weight, not {len(values)}"
                )
        for i, output in enumerate(self.outputs()):
            s.same(*self._numbered(i), output)

    def infer_dtype(self, t: DTypes) -> None:
        if self.has_master:
            for i, output in enumerate(self.outputs()):
                weight, grad, *states = self._numbered(i)
                t.same(weight, grad, output)
                for name in states:
                    t[name] = torch.float32
        else:
            t.same(*t.inputs[: len(t.inputs) - len(self.shared)], *t.outputs)
        for name in self.shared:
            t[name] = torch.float32

    def _numbered(self, i: int) -> tuple[str, ...]:
        return tuple(f"{name}_{i}" for name in self.arrays)


class RatedUpdate(MultiUpdate):
    """Learning rates and weight decays are parameters.

    Args:
        lrs: learning rate of each weight.
        wds: weight decay of each weight.
        rescale_grad: factor for the gradients.
        clip_gradient: bound for the size of the rescaled gradients; none when negative.
        num_weights: number of weights.
    """

    lrs: Floats
    wds: Floats
    rescale_grad: float = 1.0
    clip_gradient: float = -1.0
    num_weights: Count = 1
