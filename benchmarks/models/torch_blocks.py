# SPDX-License-Identifier: Apache-2.0
"""The networks of `gluon_net` as modules of torch, with parameters in the same order."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import torch.nn.functional as F
from torch import Tensor, nn

from benchmarks.models.networks import resnet50
from benchmarks.models.sizes import Language, Sizes
from benchmarks.models.torch_net import TorchNet

__all__ = ["modules"]


class LanguageModel(nn.Module):
    def __init__(self, language: Language) -> None:
        super().__init__()
        self.embedding = nn.Embedding(language.words, language.units)
        self.lstm = nn.LSTM(language.units, language.units, 2)
        self.output = nn.Linear(language.units, language.words)

    def forward(self, words: Tensor) -> Tensor:
        return self.output(self.lstm(self.embedding(words))[0])


class Attention(nn.Module):
    def __init__(self, language: Language) -> None:
        super().__init__()
        self._heads = language.heads
        self._scale = 1 / math.sqrt(language.units // language.heads)
        self.project = nn.Linear(language.units, 3 * language.units)
        self.output = nn.Linear(language.units, language.units)

    def forward(self, x: Tensor) -> Tensor:
        query, key, value = (
            part.unflatten(2, (self._heads, -1)).transpose(1, 2)
            for part in self.project(x).chunk(3, dim=2)
        )
        weights = F.softmax(query @ key.transpose(2, 3) * self._scale, dim=-1)
        return self.output((weights @ value).transpose(1, 2).flatten(2))


class Layer(nn.Module):
    def __init__(self, language: Language) -> None:
        super().__init__()
        self.norm1, self.attention = nn.LayerNorm(language.units), Attention(language)
        self.norm2 = nn.LayerNorm(language.units)
        self.wide = nn.Linear(language.units, 4 * language.units)
        self.narrow = nn.Linear(4 * language.units, language.units)

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attention(self.norm1(x))
        return x + self.narrow(F.relu(self.wide(self.norm2(x))))


class Mean(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x.mean(1)


def modules(sizes: Sizes) -> dict[str, Any]:
    """Makers of modules, by name; those of ResNet-50 have no biases in their convolutions."""
    units = sizes.language.units
    return {
        "MLP": lambda: _mlp(784, *sizes.mlp),
        "LeNet": lambda: _lenet(*sizes.lenet),
        "LSTM": lambda: LanguageModel(sizes.language),
        "Transformer": lambda: nn.Sequential(
            nn.Embedding(sizes.language.words, units),
            *[Layer(sizes.language) for _ in range(6)],
            nn.LayerNorm(units),
            Mean(),
            nn.Linear(units, 10),
        ),
        "ResNet-50": lambda: TorchNet(resnet50),
    }


def _mlp(*units: int) -> nn.Module:
    layers: list[nn.Module] = []
    for before, after in pairwise(units):
        layers += [nn.Linear(before, after), nn.ReLU()]
    return nn.Sequential(*layers, nn.Linear(units[-1], 10))


def _lenet(first: int, second: int) -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(1, first, 5),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(first, second, 5),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(16 * second, 500),
        nn.ReLU(),
        nn.Linear(500, 10),
    )
