# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: D102 - Net documents the methods
"""Networks as modules of torch, run eagerly."""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from benchmarks.models.networks import INPUT_SHAPES
from benchmarks.models.parameters import lstm_parts, parameters_of

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
        self,
        x: Tensor,
        name: str,
        filters: int,
        kernel: int,
        stride: int,
        pad: int,
        groups: int = 1,
    ) -> Tensor:
        def make() -> nn.Module:
            return nn.Conv2d(x.shape[1], filters, kernel, stride, pad, groups=groups, bias=False)

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
            return nn.Linear(x.shape[-1], units)

        return self._layer(name, make, weight="weight", bias="bias")(x)

    def relu(self, x: Tensor) -> Tensor:
        return F.relu(x)

    def max_pool(self, x: Tensor, kernel: int, stride: int, pad: int) -> Tensor:
        return F.max_pool2d(x, kernel, stride, pad)

    def global_pool(self, x: Tensor) -> Tensor:
        return F.adaptive_avg_pool2d(x, 1).flatten(1)

    def add(self, x: Tensor, y: Tensor) -> Tensor:
        return x + y

    def concat(self, x: Tensor, y: Tensor) -> Tensor:
        return torch.cat([x, y], 1)

    def flat(self, x: Tensor) -> Tensor:
        return x.flatten(1)

    project = dense

    def gelu(self, x: Tensor) -> Tensor:
        return F.gelu(x)

    def layer_norm(self, x: Tensor, name: str) -> Tensor:
        def make() -> nn.Module:
            return nn.LayerNorm(x.shape[-1], eps=1e-5)

        return self._layer(name, make, weight="gamma", bias="beta")(x)

    def attention(self, x: Tensor, heads: int) -> Tensor:
        batch, length, _ = x.shape
        parts = x.view(batch, length, heads, 3, -1).permute(3, 0, 2, 1, 4)
        out = F.scaled_dot_product_attention(*parts.unbind(0))
        return out.transpose(1, 2).reshape(batch, length, -1)

    def recurrent(self, x: Tensor, name: str, units: int, layers: int) -> Tensor:
        if name not in self.layers:
            module = nn.LSTM(x.shape[-1], units, layers, batch_first=True).eval()
            parts = lstm_parts(
                self._values[f"{name}_parameters"].numpy(), x.shape[-1], units, layers
            )
            module.load_state_dict({n: torch.from_numpy(a.copy()) for n, a in parts.items()})
            self.layers[name] = module
        return self.layers[name](x)[0]
