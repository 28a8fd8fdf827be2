# SPDX-License-Identifier: Apache-2.0
"""Weights that are drawn at random."""

from __future__ import annotations

import math
from collections.abc import Sequence
from math import prod

import numpy as np

from .. import ndarray as nd
from ..core.base.errors import ArgumentError, shown
from .base import Initializer, register

__all__ = ["MSRAPrelu", "Normal", "Orthogonal", "Uniform", "Xavier"]

NDArray = nd.NDArray


def _draw(distribution: str, first: float, second: float, arr: NDArray) -> None:
    dtype = arr.dtype if np.dtype(arr.dtype).kind != "V" else "float32"  # bfloat16 is rounded
    getattr(nd.random, distribution)(first, second, dtype=dtype, out=arr)


@register
class Uniform(Initializer):
    """Weights drawn evenly from [-scale, scale).

    Args:
        scale: the bound.
    """

    def __init__(self, scale: float = 0.07) -> None:
        super().__init__(scale=scale)
        self.scale = scale

    def _init_weight(self, _: str, arr: NDArray) -> None:
        _draw("uniform", -self.scale, self.scale, arr)


@register
class Normal(Initializer):
    """Weights drawn from the normal distribution around 0.

    Args:
        sigma: its standard deviation.
    """

    def __init__(self, sigma: float = 0.01) -> None:
        super().__init__(sigma=sigma)
        self.sigma = sigma

    def _init_weight(self, _: str, arr: NDArray) -> None:
        _draw("normal", 0, self.sigma, arr)


@register
class Orthogonal(Initializer):
    """Weights that are, as a matrix of the first axis and the others, orthogonal.

    Saxe, McClelland and Ganguli, arXiv:1312.6120.

    Args:
        scale: what the orthonormal matrix is multiplied by.
        rand_type: distribution that it is made from: ``uniform`` or ``normal``.
    """

    def __init__(self, scale: float = 1.414, rand_type: str = "uniform") -> None:
        super().__init__(scale=scale, rand_type=rand_type)
        self.scale = scale
        self.rand_type = rand_type

    def _init_weight(self, name: str, arr: NDArray) -> None:
        shape = _matrix_shape("Orthogonal", name, arr)
        if self.rand_type not in ("uniform", "normal"):
            what = f"rand_type={shown(self.rand_type)}: must be uniform or normal"
            raise ArgumentError(f"Orthogonal: {what}")
        low, high = (-1.0, 1.0) if self.rand_type == "uniform" else (0.0, 1.0)
        drawn = getattr(nd.random, self.rand_type)(low, high, shape=(shape[0], prod(shape[1:])))
        left, _, right = np.linalg.svd(drawn.asnumpy(), full_matrices=False)
        matrix = left if left.shape == drawn.shape else right
        arr[:] = self.scale * matrix.reshape(shape)


@register
class Xavier(Initializer):
    """Weights drawn within a scale that keeps the variance of activations from layer to layer.

    The scale is √(magnitude / fan), where the fans are the sizes of the first (out) and second (in)
    axis times those of the others.

    Glorot and Bengio, "Understanding the difficulty of training deep feedforward neural networks",
    2010.

    Args:
        rnd_type: ``uniform``, in [-scale, scale), or ``gaussian``, with that standard deviation.
        factor_type: which fan: ``avg``, ``in`` or ``out``.
        magnitude: the factor above.
    """

    def __init__(
        self, rnd_type: str = "uniform", factor_type: str = "avg", magnitude: float = 3
    ) -> None:
        super().__init__(rnd_type=rnd_type, factor_type=factor_type, magnitude=magnitude)
        self.rnd_type = rnd_type
        self.factor_type = factor_type
        self.magnitude = float(magnitude)

    def _init_weight(self, name: str, arr: NDArray) -> None:
        shape = _matrix_shape("Xavier", name, arr)
        scale = math.sqrt(self.magnitude / self._fan(shape))
        if self.rnd_type == "uniform":
            _draw("uniform", -scale, scale, arr)
        elif self.rnd_type == "gaussian":
            _draw("normal", 0, scale, arr)
        else:
            what = f"rnd_type={shown(self.rnd_type)}: must be uniform or gaussian"
            raise ArgumentError(f"Xavier: {what}")

    def _fan(self, shape: Sequence[int]) -> float:
        window = prod(shape[2:])
        fan_out, fan_in = shape[0] * window, shape[1] * window
        fans = {"avg": (fan_in + fan_out) / 2.0, "in": fan_in, "out": fan_out}
        if self.factor_type not in fans:
            what = f"factor_type={shown(self.factor_type)}: must be avg, in or out"
            raise ArgumentError(f"Xavier: {what}")
        return fans[self.factor_type]


def _matrix_shape(function: str, name: str, arr: NDArray) -> tuple[int, ...]:
    shape: tuple[int, ...] = arr.shape
    if len(shape) < 2 or 0 in shape:
        reason = "must have two axes or more, none of them empty"
        raise ArgumentError(f"{function}: {str(name)!r} of shape {shape}: {reason}")
    return shape


@register
class MSRAPrelu(Xavier):
    """`Xavier`, normally distributed, for layers that PReLU follows: magnitude 2 / (1 + slope²).

    He et al., arXiv:1502.01852.

    Args:
        factor_type: which fan: ``avg``, ``in`` or ``out``.
        slope: the first slope of PReLU for negative values.
    """

    def __init__(self, factor_type: str = "avg", slope: float = 0.25) -> None:
        super().__init__("gaussian", factor_type, 2.0 / (1 + slope**2))
        self._kwargs = {"factor_type": factor_type, "slope": slope}
