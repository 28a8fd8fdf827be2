# SPDX-License-Identifier: Apache-2.0
"""Type promotion of the NumPy front end: operators on arrays of several dtypes.

The rules are those of MXNet 2, which are ATen's: a floating-point dtype beside an integer one stays
what it is, otherwise the wider dtype counts. MXNet 1.9.1 refuses most mixtures.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence

import torch
from torch import Tensor

from ..base.errors import MXNetError
from .dtypes import dtype_name
from .infer import DTypes
from .operator import Op

__all__ = [
    "common_dtype",
    "in_common_dtype",
    "promote",
    "promote_floats",
    "promote_integers",
    "promote_numbers",
    "promote_to_float",
    "to_common_dtype",
]


def _promote(dtypes: Iterable[torch.dtype]) -> torch.dtype:
    return functools.reduce(torch.promote_types, dtypes)


def common_dtype(t: DTypes, names: Sequence[str]) -> torch.dtype | None:
    """Return the dtype to which the named arrays promote, or None while no dtype is known.

    Arrays whose dtype is unknown take over the one that the others have, if these have one.
    """
    known = {dtype for name in names if (dtype := t.known(name)) is not None}
    if len(known) == 1:
        t.same(*names)
    return _promote(known) if known else None


def promote(op: Op, t: DTypes, names: Sequence[str] | None = None) -> torch.dtype | None:
    """Give the outputs the common dtype of the named inputs, by default of all, and return it."""
    names = t.inputs if names is None else names
    dtype = common_dtype(t, names)
    if dtype is None or len({t.known(name) for name in names}) == 1:
        t.same(*names, *t.outputs)
        return t.known(names[0])
    if dtype is torch.int16:  # int8 and uint8 promote to int16, which MXNet lacks.
        given = " and ".join(f"{n} of type {dtype_name(t.known(n))}" for n in names)
        raise MXNetError(f"{op.name}: {given} cannot be combined: convert one of them by astype")
    for name in t.outputs:
        t[name] = dtype
    return dtype


def promote_numbers(op: Op, t: DTypes) -> None:
    """Promote the inputs; refuse bool as the common dtype."""
    if promote(op, t) is torch.bool:
        raise MXNetError(f"{op.name}: {t.inputs[0]} has type bool, but it must hold numbers")


def promote_floats(op: Op, t: DTypes) -> None:
    """Promote the inputs; refuse a common dtype that is not a floating-point one."""
    dtype = promote(op, t)
    if dtype is not None and not dtype.is_floating_point:
        raise MXNetError(
            f"{op.name}: {t.inputs[0]} has type {dtype_name(t.known(t.inputs[0]))}, "
            "but it must be of a floating-point type"
        )


def promote_integers(op: Op, t: DTypes) -> None:
    """Promote the inputs, which must be integers or bool."""
    for name in t.inputs:
        dtype = t.known(name)
        if dtype is not None and dtype.is_floating_point:
            raise MXNetError(
                f"{op.name}: {name} has type {dtype_name(dtype)}, "
                "but it must be of an integer type or bool"
            )
    promote(op, t)


def promote_to_float(op: Op, t: DTypes) -> None:
    """Give the output the common dtype of the inputs, or float32 if that is no float dtype."""
    known = [dtype for name in t.inputs if (dtype := t.known(name)) is not None]
    if len(known) == len(t.inputs) or any(dtype.is_floating_point for dtype in known):
        dtype = common_dtype(t, t.inputs)
        t.output = dtype if dtype and dtype.is_floating_point else torch.float32


def in_common_dtype(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Return `function` on tensors that are cast to their common dtype first."""

    @functools.wraps(function)
    def forward(*tensors: Tensor, **parameters: object) -> Tensor:
        return function(*to_common_dtype(*tensors), **parameters)

    return forward


def to_common_dtype(*tensors: Tensor) -> tuple[Tensor, ...]:
    """Return the tensors, cast to the dtype to which theirs promote."""
    first = tensors[0].dtype
    if all(t.dtype is first for t in tensors):
        return tensors
    dtype = _promote(t.dtype for t in tensors)  # ATen itself ignores tensors without axes
    return tuple(t.to(dtype) for t in tensors)
