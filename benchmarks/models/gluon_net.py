# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: N803 - hybrid_forward has MXNet's names
"""Networks as Gluon blocks of mxnova or MXNet; `torch_blocks` has the same ones."""

from __future__ import annotations

import math
from typing import Any

from benchmarks.models.sizes import Language, Sizes

__all__ = ["blocks"]


def blocks(mx: Any, sizes: Sizes) -> dict[str, Any]:
    """Makers of networks of the package `mx`, by name."""
    nn, HybridBlock = mx.gluon.nn, mx.gluon.HybridBlock  # noqa: N806 - a class
    language = sizes.language

    def mlp() -> Any:
        net = nn.HybridSequential()
        net.add(*[nn.Dense(units, activation="relu") for units in sizes.mlp], nn.Dense(10))
        return net

    def lenet() -> Any:
        net = nn.HybridSequential()
        for channels in sizes.lenet:
            net.add(nn.Conv2D(channels, kernel_size=5, activation="relu"), nn.MaxPool2D(2, 2))
        net.add(nn.Dense(500, activation="relu"), nn.Dense(10))
        return net

    class LanguageModel(HybridBlock):
        def __init__(self) -> None:
            super().__init__()
            with self.name_scope():
                self.embedding = nn.Embedding(language.words, language.units)
                self.lstm = mx.gluon.rnn.LSTM(language.units, 2, input_size=language.units)
                self.output = nn.Dense(language.words, flatten=False, in_units=language.units)

        def hybrid_forward(self, F: Any, words: Any) -> Any:
            return self.output(self.lstm(self.embedding(words)))

    class Attention(HybridBlock):
        def __init__(self, language: Language) -> None:
            super().__init__()
            self._heads = language.heads
            self._scale = 1 / math.sqrt(language.units // language.heads)
            with self.name_scope():
                self.project = nn.Dense(3 * language.units, flatten=False)
                self.output = nn.Dense(language.units, flatten=False)

        def hybrid_forward(self, F: Any, x: Any) -> Any:
            query, key, value = (
                part.reshape((0, 0, -4, self._heads, -1))
                .transpose((0, 2, 1, 3))
                .reshape((-3, 0, 0))
                for part in F.split(self.project(x), num_outputs=3, axis=2)
            )
            weights = F.softmax(F.batch_dot(query, key, transpose_b=True) * self._scale)
            mixed = F.batch_dot(weights, value).reshape((-4, -1, self._heads, 0, 0))
            return self.output(mixed.transpose((0, 2, 1, 3)).reshape((0, 0, -3)))

    class Layer(HybridBlock):
        def __init__(self, language: Language) -> None:
            super().__init__()
            with self.name_scope():
                self.norm1, self.attention = nn.LayerNorm(), Attention(language)
                self.norm2 = nn.LayerNorm()
                self.wide = nn.Dense(4 * language.units, flatten=False)
                self.narrow = nn.Dense(language.units, flatten=False)

        def hybrid_forward(self, F: Any, x: Any) -> Any:
            x = x + self.attention(self.norm1(x))
            return x + self.narrow(F.relu(self.wide(self.norm2(x))))

    def transformer() -> Any:
        net = nn.HybridSequential()
        net.add(nn.Embedding(language.words, language.units))
        net.add(*[Layer(language) for _ in range(6)])
        net.add(nn.LayerNorm(), nn.HybridLambda(lambda F, x: F.mean(x, axis=1)), nn.Dense(10))
        return net

    def resnet50() -> Any:
        return mx.gluon.model_zoo.vision.resnet50_v1()

    return {
        "MLP": mlp,
        "LeNet": lenet,
        "LSTM": LanguageModel,
        "Transformer": transformer,
        "ResNet-50": resnet50,
    }
