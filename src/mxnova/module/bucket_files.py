# SPDX-License-Identifier: Apache-2.0
"""Keys and symbols of buckets, as a BucketingModule's files have them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .. import ndarray as nd
from ..core.base.errors import ArgumentTypeError, shown
from ..symbol import Symbol, load

__all__ = ["numeric_keys", "read_symbols"]


def numeric_keys(keys: Iterable[Any]) -> list[int]:
    """The keys, which must be integers: a file of arrays holds them."""
    keys = list(keys)
    if not all(isinstance(key, int) for key in keys):
        text = f"the buckets have keys {shown(keys)}: only integers can be written"
        raise ArgumentTypeError(f"save_checkpoint: {text}")
    return keys


def read_symbols(prefix: str) -> dict[int, Symbol]:
    """The symbols of all buckets, by key, from the files that begin with `prefix`."""
    keys: Any
    (keys,) = nd.load(f"{prefix}.buckets")
    return {key: load(f"{prefix}-{key}-symbol.json") for key in keys.asnumpy().tolist()}
