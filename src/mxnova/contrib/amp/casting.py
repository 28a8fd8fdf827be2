# SPDX-License-Identifier: Apache-2.0
"""Automatic mixed precision while a program runs: every operator gets its inputs in its type."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from ...core.base.printable import printable
from ...core.base.scopes import NameManager
from ...core.graph.composition import COMPOSERS
from ...core.graph.node import Entry, Node
from ...core.nd.base_array import BaseArray
from ...core.nd.calls.dispatch import invoke
from ...core.nd.modes import Mode
from ...core.op.dtypes import dtype_name, torch_dtype
from ...core.op.schema import Op, find
from .loss_scaler import LossScaler
from .precision import LOW, WIDEST, Rules

__all__ = ["Casting"]

_SINGLE = torch_dtype("float32")

# They move or convert elements, and are part of what assignments and indexing do.
_MOVING = frozenset({"Cast", "_copy", "_copyto", "amp_cast", "amp_multicast"})


class Casting(Mode):
    """Casts the inputs of operators, for arrays and symbols alike, by rules.

    Attributes:
        loss_scaler: what the gradients of loss operators (SoftmaxOutput …) are multiplied by.
    """

    def __init__(self, rules: Rules, losses: Sequence[str]) -> None:
        self.loss_scaler = LossScaler()
        self._rules = rules
        self._losses = frozenset(losses)
        self._warned: set[str] = set()

    def install(self) -> None:
        """Install the casts for all arrays and symbols of the process."""
        self.everywhere()
        COMPOSERS.append(self)

    # Arrays --------------------------------------------------------------------------------------

    def invoke(self, op: Op, arrays: Sequence[BaseArray], out: Any, **how: Any) -> Any:
        """Runs `op` on its inputs in the type that it computes in."""
        if op.name in self._losses:
            op = op.changed(grad_scale=op.attr("grad_scale") * self.loss_scaler.loss_scale)
        kind = self._kind_of(op)
        if kind is None or not arrays or how["is_view"] or op.structure.written:
            return invoke(op, arrays, out, **how)
        cast = self._cast(kind, arrays)
        if out is None or cast is arrays:
            return invoke(op, cast, out, **how)
        _put(invoke(op, cast, None, **how), out)
        return out

    def _kind_of(self, op: Op) -> str | None:
        return None if op.name in _MOVING else self._rules.kind_of(op)

    def _cast(self, kind: str, arrays: Sequence[BaseArray]) -> Sequence[BaseArray]:
        low = self._rules.dtype
        types = {a._raw.dtype for a in arrays if a.stype == "default"}
        if kind == WIDEST:
            if len(arrays) == 1 or not types.issuperset({low, _SINGLE}):
                return arrays
            target = _SINGLE
        else:
            target = low if kind == LOW else _SINGLE
        source = _SINGLE if target is low else low
        if source not in types:
            return arrays
        cast = find("amp_cast").of({"dtype": "float32" if target is _SINGLE else self._rules.name})
        return [
            invoke(cast, (a,)) if a.stype == "default" and a._raw.dtype is source else a
            for a in arrays
        ]

    # Symbols -------------------------------------------------------------------------------------

    def composed(self, op: Op, inputs: Sequence[Entry]) -> list[Entry]:
        """What `op` reads instead of `inputs`: casts of them, but of its states."""
        if op.name in self._losses:
            self._warn_of_loss(op.name)
        kind = self._kind_of(op)
        if kind == WIDEST and len(inputs) > 1:
            node = _node("amp_multicast", {"num_outputs": str(len(inputs))}, inputs)
            return [Entry(node, i) for i in range(len(inputs))]
        if kind in (None, WIDEST):
            return list(inputs)
        dtype = self._rules.name if kind == LOW else "float32"
        states = {*op.aux, *op.mutates, *op.writes}
        return [
            entry if name in states else Entry(_node("amp_cast", {"dtype": dtype}, [entry]), 0)
            for name, entry in zip(op.inputs(), inputs, strict=True)
        ]

    def _warn_of_loss(self, name: str) -> None:
        if name not in self._warned:
            self._warned.add(name)
            logging.warning(
                "mixed precision: the gradient of %s is not scaled in symbols and hybridized "
                "blocks; small ones may vanish in float16",
                printable(name),
            )


def _put(results: Any, out: Any) -> None:
    """Writes results into arrays in the types of those."""
    pairs = [(results, out)] if isinstance(out, BaseArray) else zip(results, out, strict=False)
    for result, array in pairs:
        dtype = {"dtype": dtype_name(array._raw.dtype)}
        invoke(find("Cast").of(dtype), (result,), array)


def _node(op_name: str, attrs: dict[str, str], inputs: Sequence[Entry]) -> Node:
    name = NameManager.get_current().get(None, op_name)
    return Node(find(op_name).of(attrs), name, attrs, inputs)
