# SPDX-License-Identifier: Apache-2.0
"""The C++ standard library's random numbers, as GNU's implementation draws them.

MXNet's iterators draw with `std::mt19937`: the same seed gives the same order and the same crops.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .mersenne_state import mersenne_state, mersenne_text

__all__ = ["StdRandom"]

_float = np.float32
_BELOW_1 = float(np.nextafter(_float(1), _float(0)))


class StdRandom:
    """`std::mt19937` and the distributions over it.

    Args:
        seed: of 32 bits.
    """

    def __init__(self, seed: int) -> None:
        self._bits: Any = np.random.MT19937()
        self._bits._legacy_seeding(seed & 0xFFFFFFFF)
        self._draw = self._bits.random_raw

    @property
    def state(self) -> str:
        """The state of the generator, which can be set."""
        state = self._bits.state["state"]
        return mersenne_text(state["key"], state["pos"])

    @state.setter
    def state(self, text: str) -> None:
        key, position = mersenne_state(text, "StdRandom")
        self._bits.state = {"bit_generator": "MT19937", "state": {"key": key, "pos": position}}

    def canonical(self) -> float:
        """A float32 of [0, 1): `std::generate_canonical<float, 24>`."""
        return min(float(_float(self._draw()) / _float(2**32)), _BELOW_1)

    def uniform(self, low: float, high: float) -> float:
        """A float32 of [low, high)."""
        low, high = _float(low), _float(high)
        return float(_float(self.canonical()) * (high - low) + low)

    def integer(self, low: int, high: int) -> int:
        """An integer of [low, high]."""
        count = high - low + 1
        if count == 1 << 32:
            return low + int(self._draw())
        step = 0xFFFFFFFF // count
        while (drawn := int(self._draw())) >= count * step:
            pass
        return low + drawn // step

    def coin(self) -> bool:
        """A fair coin: `std::bernoulli_distribution(0.5)`."""
        low, high = int(self._draw()), int(self._draw())
        return (low + high * 2.0**32) * 2.0**-64 < 0.5

    def shuffle(self, items: Any) -> None:
        """Puts a mutable sequence into random order."""
        for i in range(1, len(items)):
            j = self.integer(0, i)
            items[i], items[j] = items[j], items[i]

    def normals(self) -> tuple[float, float]:
        """Two float32 around 0, in the order of `std::normal_distribution<float>(0, 1)`."""
        while True:
            x, y = (_float(2) * _float(self.canonical()) - _float(1) for _ in range(2))
            square = float(x * x + y * y)
            if 0 < square <= 1:
                break
        factor = math.sqrt(-2 * math.log(square) / square)
        return float(y) * factor, float(x) * factor
