# SPDX-License-Identifier: Apache-2.0
"""The parameters of a network: NumPy arrays by name, equal in every process."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from benchmarks.inputs import normal, uniform
from benchmarks.models.networks import INPUT_SHAPES

__all__ = ["ANCHORS", "is_auxiliary", "lstm_parts", "parameters_of"]

ANCHORS = 4  # boxes at each place of a feature map


class ParameterShapes:
    """A net whose values are numbers of channels; it collects the shapes of parameters."""

    def __init__(self) -> None:
        self.shapes: dict[str, tuple[int, ...]] = {}

    def conv(
        self, x: int, name: str, filters: int, kernel: int, stride: int, pad: int, groups: int = 1
    ) -> int:
        self.shapes[f"{name}_weight"] = (filters, x // groups, kernel, kernel)
        return filters

    def batch_norm(self, x: int, name: str) -> int:
        for part in ("gamma", "beta", "moving_mean", "moving_var"):
            self.shapes[f"{name}_{part}"] = (x,)
        return x

    def dense(self, x: int, name: str, units: int) -> int:
        self.shapes[f"{name}_weight"], self.shapes[f"{name}_bias"] = (units, x), (units,)
        return units

    def relu(self, x: int) -> int:
        return x

    def max_pool(self, x: int, kernel: int, stride: int, pad: int) -> int:
        return x

    global_pool = relu

    def add(self, x: int, y: int) -> int:
        return x

    def concat(self, x: int, y: int) -> int:
        return x + y

    def flat(self, x: int) -> int:
        # Only VGG's 7 x 7 images are made flat, and only once.
        return x * 49 if x < 1024 else x

    project = dense
    gelu = relu

    def layer_norm(self, x: int, name: str) -> int:
        self.shapes[f"{name}_gamma"] = self.shapes[f"{name}_beta"] = (x,)
        return x

    def attention(self, x: int, heads: int) -> int:
        return x // 3

    def recurrent(self, x: int, name: str, units: int, layers: int) -> int:
        size = sum(4 * units * ((units if i else x) + units + 2) for i in range(layers))
        self.shapes[f"{name}_parameters"] = (size,)
        return units

    def multibox(self, features: list[int], classes: int) -> int:
        for i, channels in enumerate(features):
            self.conv(channels, f"class{i}", ANCHORS * (classes + 1), 3, 1, 1)
            self.conv(channels, f"place{i}", ANCHORS * 4, 3, 1, 1)
        return 6


def parameters_of(network: Any) -> dict[str, np.ndarray]:
    """Parameters that keep activations near 1, by name, auxiliary states included."""
    shapes = ParameterShapes()
    shape = INPUT_SHAPES[network]
    network(shapes, shape[-1] if len(shape) == 2 else shape[0])
    return {name: _values(name, shape) for name, shape in shapes.shapes.items()}


def _values(name: str, shape: tuple[int, ...]) -> np.ndarray:
    if name.endswith("weight"):
        return normal(name, shape, scale=(2 / prod(shape[1:])) ** 0.5)
    if name.endswith("parameters"):
        return uniform(name, shape, -0.06, 0.06)
    if name.endswith("_var"):
        return uniform(name, shape, 0.8, 1.2)
    if name.endswith("_c_bn_gamma"):  # every unit of a residual net adds to the activations
        return uniform(name, shape, 0.2, 0.4)
    if name.endswith("gamma"):
        return uniform(name, shape, 0.8, 1.2)
    return normal(name, shape, scale=0.1)


def lstm_parts(packed: np.ndarray, width: int, units: int, layers: int) -> dict[str, np.ndarray]:
    """The weights and biases that MXNet packs into one vector, under torch's names."""
    shapes = {}
    for i in range(layers):
        shapes[f"weight_ih_l{i}"] = (4 * units, units if i else width)
        shapes[f"weight_hh_l{i}"] = (4 * units, units)
    for i in range(layers):
        shapes[f"bias_ih_l{i}"] = shapes[f"bias_hh_l{i}"] = (4 * units,)
    ends = np.cumsum([prod(shape) for shape in shapes.values()])
    parts = zip(shapes.items(), np.split(packed, ends[:-1]), strict=True)
    return {name: part.reshape(shape) for (name, shape), part in parts}


def is_auxiliary(name: str) -> bool:
    """Whether MXNet calls the parameter an auxiliary state."""
    return name.endswith(("_moving_mean", "_moving_var"))
