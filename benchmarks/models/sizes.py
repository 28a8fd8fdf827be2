# SPDX-License-Identifier: Apache-2.0
"""How large the networks are that learn, and what they start from."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from benchmarks.inputs import indices, normal

__all__ = ["FULL", "SMOKE", "Language", "Sizes", "batch_of", "start_of"]


class Language(NamedTuple):
    """Of a network that reads words."""

    words: int = 2_000
    units: int = 256
    heads: int = 8
    length: int = 32


class Sizes(NamedTuple):
    """Of all; pixels are those of an edge."""

    mlp: tuple[int, ...] = (512, 256)
    lenet: tuple[int, ...] = (20, 50)
    language: Language = Language()
    pixels: int = 224


FULL = Sizes()
SMOKE = Sizes((16,), (2, 3), Language(20, 8, 2, 5), 32)


def batch_of(network: str, size: int, sizes: Sizes) -> tuple[np.ndarray, np.ndarray]:
    """Inputs, and the labels to learn."""
    length, words = sizes.language.length, sizes.language.words
    if network == "LSTM":
        return indices("text", (length, size), words), indices("next", (length, size), words)
    label = indices("label", (size,), 10)
    if network == "Transformer":
        return indices("text", (size, length), words), label
    shapes = {
        "MLP": (size, 784),
        "LeNet": (size, 1, 28, 28),
        "ResNet-50": (size, 3, sizes.pixels, sizes.pixels),
    }
    return normal("data", shapes[network]), label


def start_of(place: int, shape: tuple[int, ...]) -> np.ndarray:
    """The start of the parameter at `place`: equal in every process, and near 1 for a scale."""
    if len(shape) == 1:
        return 1 + normal(f"parameter {place}", shape, 0.01)
    fan = int(np.prod(shape[1:]))
    return normal(f"parameter {place}", shape, fan**-0.5)
