# SPDX-License-Identifier: Apache-2.0
"""The parameters of a network: NumPy arrays by name, equal in every process."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from benchmarks.inputs import normal, uniform
from benchmarks.models.networks import INPUT_SHAPES

__all__ = ["is_auxiliary", "parameters_of"]


class ParameterShapes:
    """A net whose values are numbers of channels; it collects the shapes of parameters."""

    def __init__(self) -> None:
        self.shapes: dict[str, tuple[int, ...]] = {}

    def conv(self, x: int, name: str, filters: int, kernel: int, stride: int, pad: int) -> int:
        self.shapes[f"{name}_weight"] = (filters, x, kernel, kernel)
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


def parameters_of(network: Any) -> dict[str, np.ndarray]:
    """Parameters that keep activations near 1, by name, auxiliary states included."""
    shapes = ParameterShapes()
    network(shapes, INPUT_SHAPES[network][0])
    return {name: _values(name, shape) for name, shape in shapes.shapes.items()}


def _values(name: str, shape: tuple[int, ...]) -> np.ndarray:
    if name.endswith("weight"):
        return normal(name, shape, scale=(2 / prod(shape[1:])) ** 0.5)
    if name.endswith("_var"):
        return uniform(name, shape, 0.8, 1.2)
    if name.endswith("_c_bn_gamma"):  # every unit of a residual net adds to the activations
        return uniform(name, shape, 0.2, 0.4)
    if name.endswith("gamma"):
        return uniform(name, shape, 0.8, 1.2)
    return normal(name, shape, scale=0.1)


def is_auxiliary(name: str) -> bool:
    """Whether MXNet calls the parameter an auxiliary state."""
    return name.endswith(("_moving_mean", "_moving_var"))
