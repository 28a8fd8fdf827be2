# SPDX-License-Identifier: Apache-2.0
"""Conversion of errors that kernels raise into MXNetError."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import torch

from ..base.errors import MXNetError, from_foreign
from ..runtime.context import context_at
from .dtypes import dtype_name

__all__ = ["from_kernel"]

_EVERYWHERE = (torch.float32, torch.float64)  # kernels that take numbers take these
# ATen's words for an element type that a kernel does not take.
_OF_TYPES = re.compile(
    "not implemented for '|[Dd]types? not supported|does not support .* dtypes|floating[- ]point"
    "|can't be cast to the desired output type|[Ee]xpected scalar type|following scalar types"
    "|not supported by torch.iinfo|bool tensors?,? .*not supported|Boolean inputs not supported"
    "|dtype to be equal to|cannot be converted to type"
)
# ATen's words for tensors on devices that a kernel does not take together.
_OF_PLACES = re.compile(
    r"(same|different|multiple) devices?|two devices|device type|is on (cpu|CPU|cuda)"
    r"|[Ii]nput type \(.*\) and (weight|bias) type"
)


def from_kernel(error: Exception, where: str, given: Iterable[tuple[str, Any]]) -> MXNetError:
    """Return the MXNetError for an error of a kernel; one of places or types names the input.

    Where inputs are in different places, others tell that, too: ATen's words for it may change.

    Args:
        error: what was raised.
        where: the operator and what it was given.
        given: names of the inputs, and their tensors or records of sparse storage; others are
            left out.
    """
    values = {name: value for name, value in given if hasattr(value, "dtype")}
    places = {name: str(context_at(value.data.device)) for name, value in values.items()}
    apart = _apart(places) if len(set(places.values())) > 1 else ""
    if apart and _OF_PLACES.search(str(error)):
        return MXNetError(f"{where}: {apart}")
    if str(error) == "ZeroDivisionError":  # all that ATen says
        return MXNetError(f"{where}: an integer divided by zero")
    if _OF_TYPES.search(str(error)):
        for name, value in values.items():
            if value.dtype not in _EVERYWHERE:
                wanted = "expected one that it computes with, such as float32"
                return MXNetError(f"{where}: {name} has type {dtype_name(value.dtype)}, {wanted}")
    return from_foreign(error, f"{where}: {apart}" if apart else where)


def _apart(places: dict[str, str]) -> str:
    """Says of inputs in different places where the first is, and the first of the others."""
    (name, place), *others = places.items()
    other = next(n for n, p in others if p != place)
    advice = f"x.as_in_context(mx.{place}) copies it there"
    return f"{name} is on {place}, {other} on {places[other]}; {advice}"
