# SPDX-License-Identifier: Apache-2.0
"""What invoking an operator needs to know, worked out once for all operators of a structure."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import Any

import torch

from ...op.gradient import is_derived, is_source
from ...op.integer_gradient import makes_integers
from ...op.schema import Op
from ...op.sparse.storage import Value
from ..tape import NoGradient, Source, TapeNode
from .validation import check

__all__ = ["MAKES_INTEGERS", "Plan", "plan_of"]

_ACCEPTED_LIMIT = 4096
_kind_of = attrgetter("shape", "dtype")

# What integers there are among the arrays of a call: see `Plan.accept`.
_NO_INTEGERS, _SOME_INTEGERS, MAKES_INTEGERS = range(3)


class Plan:
    """What invoking an operator needs to know; kept with its structure.

    Attributes:
        is_simple: whether its forward takes dense arrays alone, which it only reads.
        accepted: shapes and dtypes of inputs that the operator's rules have passed, and what
            integers are among the arrays then.
        admitted: kinds of arrays that fast paths run the forward on, and the kernel that is the
            part of the forward which such arrays need; False: all of it.
        any_shape: whether an input passes the rules in one shape as in another.
        is_derived: whether its gradient is what autograd derives from its forward.
        facts: run facts that its forward asks for.
        n_inputs: how many arrays it takes.
        node: what its place on the tape is.
        sparse: whether it may give sparse results from dense inputs.
        starts_gradients: whether it gives gradients though zeros arrive; see `is_source`.
        visible: how many of its outputs callers see.
        written: inputs that it writes to, by number.
    """

    __slots__ = (
        "accepted", "admitted", "any_shape", "facts", "is_derived", "is_simple", "n_inputs", "node",
        "sparse", "starts_gradients", "visible", "written",
    )  # fmt: skip

    def __init__(self, op: Op) -> None:
        self.accepted: dict[Any, int] = {}
        self.any_shape = op.any_shape
        self.facts = op.type.signature.facts
        self.is_derived = is_derived(op)
        self.n_inputs = len(op.structure.inputs)
        self.sparse = op.kernel_for(["default"] * self.n_inputs) is not None
        self.visible = op.n_visible()
        self.written = op.structure.written
        self.starts_gradients = is_source(op)
        self.node = _node_of(op, self.starts_gradients)
        is_ordinary = self.node is TapeNode
        self.is_simple = is_ordinary and not (self.facts or self.sparse or self.written)
        self.admitted: dict[Any, Any] = {}

    def accept(self, op: Op, tensors: Sequence[Value]) -> int:
        """Runs the operator's rules, once for each combination of inputs.

        Returns _NO_INTEGERS, _SOME_INTEGERS or, where gradients flow to some that it makes,
        MAKES_INTEGERS.
        """
        key = tuple(map(_kind_of, tensors))
        integers = self.accepted.get(key)
        if integers is None:
            check(op, tensors)
            if len(self.accepted) > _ACCEPTED_LIMIT:
                self.accepted.clear()
            integers = self.accepted[key] = _integers(op, [t.dtype for t in tensors])
        return integers

    def admit(self, key: Any, kernel: Any) -> None:
        """Lets fast paths run `kernel`, or all of the forward, on arrays of this `key`."""
        if len(self.admitted) > _ACCEPTED_LIMIT:
            self.admitted.clear()
        self.admitted[key] = kernel


def _node_of(op: Op, starts_gradients: bool) -> type[TapeNode]:
    if op.differentiable is None:
        return NoGradient
    return Source if op.writes_in_backward or starts_gradients else TapeNode


def _integers(op: Op, dtypes: Sequence[torch.dtype]) -> int:
    if makes_integers(op, dtypes):
        return MAKES_INTEGERS
    return _NO_INTEGERS if all(d.is_floating_point for d in dtypes) else _SOME_INTEGERS


def plan_of(op: Op) -> Plan:
    """The plan of `op`, made when first asked for."""
    plan: Plan = op.structure.plan
    if plan is None:
        plan = op.structure.plan = Plan(op)
    return plan
