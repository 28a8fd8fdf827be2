# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: D102 - Net documents the methods
"""Networks as modules of torch, run eagerly."""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from benchmarks.models.networks import INPUT_SHAPES
from benchmarks.models.parameters import parameters_of

__all__ = ["TorchNet"]


class TorchNet(nn.Module):
    """A module that computes a network; its layers are made in a first run."""

    def __init__(self, network: Callable[[TorchNet, Tensor], Tensor]) -> None:
        super().__init__()
        self._network = network
        self._values = {n: torch.from_numpy(a) for n, a in parameters_of(network).items()}
        self.layers = nn.ModuleDict()
        self.eval()
        with torch.no_grad():
            self(torch.zeros((1, *INPUT_SHAPES[network])))
        del self._values

    def forward(self, x: Tensor) -> Tensor:
        return self._network(self, x)

    def _layer(self, name: str, make: Callable[[], nn.Module], **parts: str) -> nn.Module:
        """The layer `name`; `parts` are the ends of the names of its parameters."""
        if name not in self.layers:
            layer = make()
            layer.load_state_dict(
                {mine: self._values[f"{name}_{end}"] for mine, end in parts.items()}, strict=False
            )
            self.layers[name] = layer.train(self.training)
        return self.layers[name]

    def conv(
        self, x: Tensor, name: str, filters: int, kernel: int, stride: int, pad: int
    ) -> Tensor:
        def make() -> nn.Module:
            return nn.Conv2d(x.shape[1], filters, kernel, stride, pad, bias=False)

        return self._layer(name, make, weight="weight")(x)

    def batch_norm(self, x: Tensor, name: str) -> Tensor:
        return self._layer(
            name,
            lambda: nn.BatchNorm2d(x.shape[1], eps=1e-5),
            weight="gamma",
            bias="beta",
            running_mean="moving_mean",
            running_var="moving_var",
        )(x)

    def dense(self, x: Tensor, name: str, units: int) -> Tensor:
        def make() -> nn.Module:
            return nn.Linear(x.shape[1], units)

        return self._layer(name, make, weight="weight", bias="bias")(x)

    def relu(self, x: Tensor) -> Tensor:
        return F.relu(x)

    def max_pool(self, x: Tensor, kernel: int, stride: int, pad: int) -> Tensor:
        return F.max_pool2d(x, kernel, stride, pad)

    def global_pool(self, x: Tensor) -> Tensor:
        return F.adaptive_avg_pool2d(x, 1).flatten(1)

    def add(self, x: Tensor, y: Tensor) -> Tensor:
        return x + y
