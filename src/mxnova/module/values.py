# SPDX-License-Identifier: Apache-2.0
"""Values that are given for parameters, and errors of modules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..core.base.errors import ArgumentError, MXNetError
from ..ndarray import NDArray

__all__ = ["BucketError", "MissingValueError", "check_values"]


class MissingValueError(MXNetError):
    """A parameter without a value; MXNet's RuntimeError."""


def check_values(own: Any, given: Mapping[str, NDArray], allow_missing: bool) -> None:
    """Raises unless `given` has a value that fits for each of `own`."""
    for name, array in own.items():
        if name not in given:
            if not allow_missing:
                raise MissingValueError(f"init_params: there is no value for {name!r}")
        elif given[name].shape != array.shape:
            text = f"the value of {name!r} has shape {given[name].shape}, it has {array.shape}"
            raise MXNetError(f"init_params: {text}")


class BucketError(ArgumentError, TypeError):
    """A batch without a bucket; MXNet's TypeError."""
