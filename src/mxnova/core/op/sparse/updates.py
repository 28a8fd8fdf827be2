# SPDX-License-Identifier: Apache-2.0
"""Lazy updates: with a row_sparse gradient, only the rows that it has move."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from ..kernel import kernel_of
from ..schema import Op
from .indices import put_rows
from .storage import RowSparse

__all__ = ["Rows"]


class Rows:
    """Some rows of a value, to be changed and put back; as in MXNet, it gets all rows.

    Args:
        value: what they are of.
        rows: their numbers, each one once.

    Attributes:
        taken: a copy of the rows.
    """

    __slots__ = ("_rows", "_stored", "_value", "taken")

    def __init__(self, value: Tensor | RowSparse, rows: Tensor) -> None:
        self._value = value.completed() if isinstance(value, RowSparse) else value
        self._rows = rows
        self._stored = self._value.data if isinstance(self._value, RowSparse) else self._value
        self.taken = self._stored.index_select(0, rows)

    def put(self, changed: Tensor, in_place: bool) -> Tensor | RowSparse:
        """The value with its rows changed.

        Args:
            changed: the rows.
            in_place: in the memory of the value, where it has all rows.
        """
        target = self._stored if in_place else self._stored.clone()
        put_rows(target, self._rows, changed)
        if in_place:
            return self._value
        return self._value.with_data(target) if isinstance(self._value, RowSparse) else target


def _lazy(
    op: Op,
    weight: Tensor | RowSparse,
    grad: RowSparse,
    *states: Tensor | RowSparse,
    out: Any,
) -> tuple[Tensor | RowSparse, ...]:
    """The update of the rows that `grad` has, by the dense update of just these rows."""
    rows = grad.indices
    moved, kept = Rows(weight, rows), [Rows(s, rows) for s in states]
    facts = {"out": (moved.taken,)} if "out" in op.type.signature.facts else {}
    changed = op.forward(moved.taken, grad.data, *(k.taken for k in kept), **facts)
    in_place = out is not None and out[0] is weight
    return (moved.put(changed, in_place), *(k.put(k.taken, in_place=True) for k in kept))


def _is_lazy(op: Op) -> bool:
    return bool(op.attr("lazy_update"))


def _lazy_kernel(name: str, n_states: int, stype: str, **rules: Any) -> None:
    stypes = (stype, "row_sparse", *(stype,) * n_states)
    kernel_of(name, *stypes, out=stype, **rules)(_lazy)


for _stype in ("default", "row_sparse"):
    _lazy_kernel("sgd_update", 0, _stype, when=_is_lazy)
    _lazy_kernel("sgd_mom_update", 1, _stype, when=_is_lazy)
    _lazy_kernel("adam_update", 2, _stype, when=_is_lazy)
    _lazy_kernel("_contrib_group_adagrad_update", 1, _stype)
_lazy_kernel("ftrl_update", 2, "row_sparse")
_lazy_kernel("_sparse_adagrad_update", 1, "row_sparse")
