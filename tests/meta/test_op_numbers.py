# SPDX-License-Identifier: Apache-2.0
"""Numbers are no part of an operator's structure: no rule reads one."""

from __future__ import annotations

import contextlib

import pytest
import torch

import mxnova.core.op.library  # noqa: F401 - registers operators
from mxnova.core.base.parameter_types import OptionalKind, TupleKind
from mxnova.core.op.infer import DTypes, Shapes
from mxnova.core.op.schema import REGISTRY, Op

from .op_instances import instances

# Parameters alone make no instance.
HOLD_GRAPHS = {"_CachedOp", "_cond", "_foreach", "_while_loop"}
HOLD_GRAPHS |= {"_sg_mkldnn_conv", "_sg_mkldnn_fully_connected"}
TYPES = dict.fromkeys(t for t in REGISTRY.values() if t.name not in HOLD_GRAPHS and t.numbers)


def with_all_numbers(op: Op) -> Op:
    """`op` with a number for each that may be left out."""
    fields = op.type.numbers
    return op.changed(**{n: fields[n].kind.parse("1") for n in fields if not op.values[n]})


BARE = [op for type_ in TYPES for op in instances(type_)]
OPS = [*BARE, *map(with_all_numbers, BARE)]
SHAPES = [(), (0,), (4,), (2, 3), (1, 4, 5), (2, 3, 4, 4), (1, 2, 4, 4, 4)]


class Read(BaseException):
    """A rule read a number."""


def refuse(self, *_):
    raise Read


# Texts of errors may show one: what a rule refuses is not taken for passed.
METHODS = """
    __add__ __radd__ __sub__ __rsub__ __mul__ __rmul__ __truediv__ __rtruediv__ __floordiv__ __pow__
    __rpow__ __mod__ __neg__ __abs__ __bool__ __float__ __int__ __index__ __eq__ __ne__ __lt__
    __le__ __gt__ __ge__ __hash__ __round__ __floor__ __ceil__
    """
Unreadable = type("Unreadable", (), dict.fromkeys(METHODS.split(), refuse))


class UnreadableTuple(tuple):
    """One whose length is known."""

    __slots__ = ()
    __iter__ = __getitem__ = refuse


def blind(kind, value):
    """`value` with its form, but without what it is."""
    if isinstance(kind, OptionalKind):
        return None if value is None else blind(kind.item, value)
    if isinstance(kind, TupleKind):
        return UnreadableTuple(Unreadable() for _ in value)
    return Unreadable()


def blinded(op: Op) -> Op:
    fields = op.type.numbers
    values = {n: blind(fields[n].kind, v) if n in fields else v for n, v in op.values.items()}
    return op.type.make(**values)


def facts_of(op, fact):
    return [fact] * len(op.inputs()) + [None] * len(op.outputs())


def rules(op):
    """Runs every rule of `op` on arrays of many shapes and types."""
    for shape in (None, *SHAPES):
        facts = Shapes(op.name, op.inputs(), op.outputs(), facts_of(op, shape))
        if op.has_shape_rule:
            with contextlib.suppress(Exception):
                op.infer_shape(facts)
    for dtype in (None, torch.float32, torch.float16, torch.int32, torch.int8, torch.bool):
        with contextlib.suppress(Exception):
            op.infer_dtype(DTypes(op.name, op.inputs(), op.outputs(), facts_of(op, dtype)))
    for stype in ("default", "row_sparse", "csr"):
        for kernel in op.type.kernels:
            kernel.serves(op, [stype] * len(op.inputs()))
    op.n_visible(), op.mutates, op.aux


def reads_a_number(op) -> bool:
    try:
        rules(blinded(op))
    except Read:
        return True
    return False


def test_rules_read_no_numbers():
    assert OPS
    assert sorted({op.name for op in OPS if reads_a_number(op)}) == []


def test_the_probe_notices():
    type_ = REGISTRY["_plus_scalar"]
    assert not reads_a_number(type_.plain)
    with pytest.raises(Read):
        float(blinded(type_.plain).attr("scalar"))


# Operators without a rule for shapes run forward on tensors without memory.
def shapes_without_a_rule(op):
    found = []
    for shape in SHAPES:
        facts = Shapes(op.name, op.inputs(), op.outputs(), facts_of(op, shape))
        with contextlib.suppress(Exception):
            op.infer_shape(facts)
        found.append(facts.facts)
    return found


def other(kind, value):
    """Another number of the same form."""
    if isinstance(kind, OptionalKind):
        return None if value is None else other(kind.item, value)
    return tuple(v + 1 for v in value) if isinstance(kind, TupleKind) else value + 1


def test_shapes_found_by_running_do_not_depend_on_numbers():
    for op in OPS:
        if not op.has_shape_rule:
            fields = op.type.numbers
            changes = {n: other(fields[n].kind, op.values[n]) for n in fields}
            again = op.changed(**changes)
            assert again.structure is op.structure
            assert shapes_without_a_rule(again) == shapes_without_a_rule(op), op.name
