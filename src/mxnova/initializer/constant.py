# SPDX-License-Identifier: Apache-2.0
"""Weights that are all of one value."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import ndarray as nd
from .base import Initializer, alias, register

__all__ = ["Constant", "One", "Zero"]

NDArray = nd.NDArray


@register
@alias("zeros")
class Zero(Initializer):
    """Weights of 0."""

    def __init__(self) -> None:
        super().__init__()

    def _init_weight(self, _: str, arr: NDArray) -> None:
        arr[:] = 0


@register
@alias("ones")
class One(Initializer):
    """Weights of 1."""

    def __init__(self) -> None:
        super().__init__()

    def _init_weight(self, _: str, arr: NDArray) -> None:
        arr[:] = 1


@register
class Constant(Initializer):
    """Weights of one value.

    Args:
        value: a number, or an array that the weight's shape can be made of.
    """

    def __init__(self, value: Any) -> None:
        super().__init__(value=value)
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Constant) and self.dumps() == other.dumps()

    __hash__ = None

    def _init_weight(self, _: str, arr: NDArray) -> None:
        arr[:] = self.value

    def dumps(self) -> str:
        """Like `Initializer.dumps`; arrays become lists."""
        value = self.value.asnumpy() if isinstance(self.value, NDArray) else self.value
        self._kwargs["value"] = np.asarray(value).tolist()
        return super().dumps()
