# SPDX-License-Identifier: Apache-2.0
"""The same random arrays in every peer's process, and each library under one name."""

from __future__ import annotations

import importlib
import zlib
from typing import Any

import numpy as np

from benchmarks.subject import runtime_of

__all__ = ["import_mx", "indices", "normal", "uniform"]


def normal(name: str, shape: tuple[int, ...], scale: float = 1.0) -> np.ndarray:
    """Normally distributed float32, decided by `name` and `shape`."""
    return (_generator(name).standard_normal(shape) * scale).astype(np.float32)


def uniform(name: str, shape: tuple[int, ...], low: float, high: float) -> np.ndarray:
    """Evenly distributed float32, decided by `name` and `shape`."""
    return _generator(name).uniform(low, high, shape).astype(np.float32)


def indices(name: str, shape: tuple[int, ...], end: int) -> np.ndarray:
    """Whole numbers from 0 to below `end`, decided by `name` and `shape`."""
    return _generator(name).randint(0, end, shape)


def _generator(name: str) -> np.random.RandomState:  # its streams are equal in all NumPy versions
    return np.random.RandomState(zlib.crc32(name.encode()))


def import_mx(peer: str) -> Any:
    """What the peer's users call ``mx``."""
    return importlib.import_module(runtime_of(peer))
