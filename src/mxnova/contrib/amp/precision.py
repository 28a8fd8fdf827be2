# SPDX-License-Identifier: Apache-2.0
"""What automatic mixed precision is made of: a low precision, and which operators compute in it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import combinations
from types import ModuleType
from typing import Any, NamedTuple

import torch

from ...core.base.dtypes import dtype_of
from ...core.base.errors import AssertedError, MXNetError, shown
from ...core.op.schema import REGISTRY, Op, OpType, find
from .lists import symbol_bf16, symbol_fp16

__all__ = ["LOW", "SINGLE", "WIDEST", "Lists", "Rules", "check_names", "lists_of"]

LOW, SINGLE, WIDEST = "low", "single", "widest"

Condition = tuple[str, str, list[str]]  # operator, its parameter, values


class Lists(NamedTuple):
    """The operators of one low precision, grouped by the dtype they compute in.

    Attributes:
        name: its name.
        dtype: ATen's type.
        low: names of operators that compute in it.
        single: those that compute in float32.
        both: those that compute in either, as their inputs are.
        conditional: those that compute in float32 for some values of a parameter.
        widest: those whose inputs must have one type.
        losses: those whose gradient is that of a loss.
        single_params: inputs that stay float32, by operator; None: those that types need.
    """

    name: str
    dtype: torch.dtype
    low: list[str]
    single: list[str]
    both: list[str]
    conditional: list[Condition]
    widest: list[str]
    losses: list[str]
    single_params: dict[str, list[str]] | None


def _read(name: str, module: ModuleType, prefix: str) -> Lists:
    names = (
        f"{prefix}_FUNCS",
        "FP32_FUNCS",
        f"{prefix}_FP32_FUNCS",
        "CONDITIONAL_FP32_FUNCS",
        "WIDEST_TYPE_CASTS",
        "LOSS_OUTPUT_FUNCTIONS",
    )
    low, single, both, conditional, widest, losses = (getattr(module, n) for n in names)
    params = getattr(module, f"{prefix}_USE_FP32_PARAMS", None)
    dtype = getattr(torch, name)
    return Lists(name, dtype, low, single, both, conditional, widest, losses, params)


_LISTS = {
    "float16": _read("float16", symbol_fp16, "FP16"),
    "bfloat16": _read("bfloat16", symbol_bf16, "BF16"),
}


def lists_of(target_dtype: Any, function: str) -> Lists:
    """The lists of float16 or bfloat16, given in any form.

    Raises:
        ArgumentError: it is neither.
    """
    try:
        return _LISTS[dtype_of(target_dtype).name]
    except (KeyError, MXNetError):
        what = f"target_dtype={shown(target_dtype)}: must be float16 or bfloat16"
        raise AssertedError(f"amp.{function}: {what}") from None


class Rules:
    """What each operator computes in; lists that are given replace the published ones.

    Args:
        lists: the low precision.
        low: names of operators that compute in it.
        conditional: operators that compute in float32 for some values of a parameter.
        single: names of operators that compute in float32.
        function: who was given them, for errors.
    """

    def __init__(
        self,
        lists: Lists,
        low: list[str] | None,
        conditional: list[Condition] | None,
        single: list[str] | None,
        function: str,
    ) -> None:
        self.name, self.dtype = lists.name, lists.dtype
        low = lists.low if low is None else low
        single = lists.single if single is None else single
        conditional = lists.conditional if conditional is None else conditional
        _check(function, {"target_dtype_ops": low, "fp32_ops": single}, conditional)
        self._conditions = {
            type_: (parameter, frozenset(map(str, values)))
            for name, parameter, values in conditional
            for type_ in _types([name])
        }
        kinds = {WIDEST: lists.widest, SINGLE: single, LOW: low}
        named = {*lists.low, *lists.both, *lists.single}.union(*kinds.values())
        self._kinds = {
            type_: kind for kind, names in kinds.items() for type_ in _types(names, named)
        }

    def kind_of(self, op: Op) -> str | None:
        """LOW, SINGLE, WIDEST, or None for an operator that computes in either type."""
        condition = self._conditions.get(op.type)
        if condition is not None and str(op.attr(condition[0])) in condition[1]:
            return SINGLE
        return self._kinds.get(op.type)


def _types(names: Iterable[str], named: Collection[str] = ()) -> list[OpType]:
    """The operators of these names; those of MXNet's own backends are not registered.

    An alias counts only where the operator's own name is not among `named`.
    """
    found = [(name, find(name)) for name in names if name in REGISTRY]
    return [type_ for name, type_ in found if name == type_.name or type_.name not in named]


def _check(function: str, lists: dict[str, Any], conditional: Any) -> None:
    """Refuses what are no lists of names, and operators that stand in two of them."""
    for argument, names in lists.items():
        check_names(function, argument, names)
    if not isinstance(conditional, list) or not all(map(_is_condition, conditional)):
        raise AssertedError(
            f"amp.{function}: conditional_fp32_ops={shown(conditional)}: must be a list of "
            "(operator, parameter, list of values)"
        )
    every = {**lists, "conditional_fp32_ops": [c[0] for c in conditional]}
    for one, other in combinations(every, 2):
        both = set(every[one]).intersection(every[other])
        if both:
            raise AssertedError(
                f"amp.{function}: {shown(sorted(both))} in {one} and in {other}: an operator "
                "stands in one list only; lists that are not given are the published ones"
            )


def _is_condition(value: Any) -> bool:
    return (
        isinstance(value, (tuple, list))
        and len(value) == 3
        and all(isinstance(v, str) for v in value[:2])
        and isinstance(value[2], (tuple, list))
    )


def check_names(function: str, argument: str, names: Any) -> None:
    """Raise an error unless the argument is a list of names."""
    if not isinstance(names, list) or not all(isinstance(n, str) for n in names):
        raise AssertedError(f"amp.{function}: {argument}={shown(names)}: must be a list of names")
