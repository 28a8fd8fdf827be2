# SPDX-License-Identifier: Apache-2.0
"""Values that are given for parameters, and errors of modules."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from ..core.base.errors import ArgumentError, MXNetError, candidates
from ..core.base.mismatches import Mismatches
from ..ndarray import NDArray

__all__ = ["BucketError", "MissingValueError", "check_values"]


class MissingValueError(MXNetError):
    """A parameter without a value; MXNet's RuntimeError."""


def check_values(
    own: Any, given: Mapping[str, NDArray], allow_missing: bool, told: Mismatches
) -> None:
    """Notes what hinders `given` from giving each of `own` a value that fits."""
    for name, array in own.items():
        if name in given:
            if given[name].shape != array.shape:
                text = f"the value of {name!r} has shape {given[name].shape}, it has {array.shape}"
                told.add("unfit", text, partial(MXNetError, f"init_params: {text}"))
        elif not allow_missing:
            told.add("missing", repr(name), partial(_missing, name, own, given))


def _missing(name: str, own: Any, given: Mapping[str, NDArray]) -> MXNetError:
    unused = [n for n in given if n not in own]
    return MissingValueError(
        f"init_params: there is no value for {name!r} (allow_missing=True leaves it as it is)"
        f"{candidates(name, unused)}"
    )


class BucketError(ArgumentError, TypeError):
    """A batch without a bucket; MXNet's TypeError."""
