# SPDX-License-Identifier: Apache-2.0
"""The base of augmenters, and several in a row or in random order."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from mxnova import ndarray as nd

__all__ = [
    "Augmenter",
    "Described",
    "RandomOrderAug",
    "SequentialAug",
]


class Described:
    """What tells its arguments.

    Args:
        **kwargs: arguments of the derived class; arrays become lists.
    """

    def __init__(self, **kwargs: Any):
        self._kwargs = {name: _plain(value) for name, value in kwargs.items()}

    def dumps(self) -> Any:
        """Name and arguments, as JSON."""
        return json.dumps([type(self).__name__.lower(), self._kwargs])


class Augmenter(Described):
    """The base of augmenters; `dumps` returns its arguments.

    Args:
        **kwargs: arguments of the derived class; arrays become lists.

    Example:
        >>> mx.image.CastAug().dumps()
        '["castaug", {"type": "float32"}]'
    """

    def __call__(self, src: nd.NDArray) -> nd.NDArray:
        raise NotImplementedError(f"{type(self).__name__} has no __call__")


def _plain(value: Any) -> Any:
    if isinstance(value, nd.NDArray):
        value = value.asnumpy()
    return value.tolist() if isinstance(value, np.ndarray) else value


class _Several(Augmenter):
    def __init__(self, ts: Sequence[Augmenter]):
        super().__init__()
        self.ts: Any = ts

    def dumps(self) -> Any:
        """Return the name, and the dumps of inner augmenters."""
        return [type(self).__name__.lower(), [t.dumps() for t in self.ts]]


class SequentialAug(_Several):
    """Several augmenters, one after the other.

    Args:
        ts: augmenters.

    Example:
        >>> mx.image.SequentialAug([mx.image.CastAug(), mx.image.HorizontalFlipAug(0.5)])(
        ...     mx.nd.ones((4, 4, 3)),
        ... ).shape
        (4, 4, 3)
    """

    def __call__(self, src: nd.NDArray) -> nd.NDArray:
        for t in self.ts:
            src = t(src)
        return src


class RandomOrderAug(_Several):
    """Several augmenters, in an order that is drawn anew for each image.

    Args:
        ts: augmenters.

    Example:
        >>> mx.image.RandomOrderAug([mx.image.CastAug(), mx.image.HorizontalFlipAug(0.5)])(
        ...     mx.nd.ones((4, 4, 3)),
        ... ).shape
        (4, 4, 3)
    """

    def __call__(self, src: nd.NDArray) -> nd.NDArray:
        random.shuffle(self.ts)
        for t in self.ts:
            src = t(src)
        return src
