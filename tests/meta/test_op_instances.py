# SPDX-License-Identifier: Apache-2.0
"""What holds for every operator, at its defaults and with each flag and choice."""

from __future__ import annotations

import contextlib
import subprocess
import sys

import pytest

import mxnova.core.op.library  # noqa: F401 - registers operators
from mxnova.core.base.errors import MXNetError
from mxnova.core.base.shapes import Pause
from mxnova.core.op.infer import DTypes, Shapes
from mxnova.core.op.schema import REGISTRY

from .op_instances import instances

# Parameters alone make no instance.
HOLD_GRAPHS = {"_CachedOp", "_cond", "_foreach", "_while_loop"}
HOLD_GRAPHS |= {"_sg_mkldnn_conv", "_sg_mkldnn_fully_connected"}
TYPES = dict.fromkeys(t for t in REGISTRY.values() if t.name not in HOLD_GRAPHS)
OPS = [op for type_ in TYPES for op in instances(type_)]


def texts(op):
    return {f.name: f.kind.text(op.attr(f.name)) for f in op.type.fields}


def where(fails):
    """The operators of which `fails` is true, as text."""
    return [f"{op.name} {texts(op)}" for op in OPS if fails(op)]


def test_arrays_have_one_name_each():
    def is_ambiguous(op):
        names = (*op.inputs(), *op.outputs())
        return len(set(names)) < len(names)

    assert where(is_ambiguous) == []


def test_inputs_are_arguments_of_forward_in_their_order():
    def is_foreign(op):
        signature, inputs = op.type.signature, list(op.inputs())
        return not signature.variadic and inputs != [n for n in signature.inputs if n in inputs]

    assert where(is_foreign) == []


def test_what_is_said_of_inputs_is_said_of_existing_ones():
    assert where(lambda op: not {*op.aux, *op.mutates} <= {*op.inputs()}) == []

    def starts_no_input(op):
        signature = op.type.signature
        return not (signature.variadic or op.initializers.keys() <= {*signature.inputs})

    assert where(starts_no_input) == []


def test_a_symbol_shows_an_output_where_there_is_one():
    def shows_too_few_or_many(op):
        n_outputs = len(op.outputs())
        return not min(n_outputs, 1) <= op.n_visible() <= n_outputs

    assert where(shows_too_few_or_many) == []


def test_equal_parameters_make_equal_operators():
    """But for Custom, which holds a user's object."""

    def is_new(op):
        again = op.type.make(**op.type.parse(texts(op)))
        return op.type.name != "Custom" and (again, hash(again)) != (op, hash(op))

    assert where(is_new) == []


def test_other_parameters_make_other_operators():
    seen = {(op.type.name, *texts(op).items()): op for op in OPS}
    assert len(set(OPS)) == len(seen) > len(TYPES) > 0


@pytest.mark.parametrize("facts, rule", [(Shapes, "infer_shape"), (DTypes, "infer_dtype")])
def test_rules_stand_what_they_are_not_told(facts, rule):
    """Where nothing is known a rule states what it can, pauses, or says what is wrong."""
    for op in OPS:
        nothing = [None] * (len(op.inputs()) + len(op.outputs()))
        with contextlib.suppress(Pause, MXNetError):
            getattr(op, rule)(facts(op.name, op.inputs(), op.outputs(), nothing))


@pytest.mark.slow
def test_registering_imports_nothing_but_torch():
    code = (
        "import sys, torch; before = set(sys.modules); import mxnova.core.op.library;"
        "print(*sys.modules.keys() - before)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert {name.partition(".")[0] for name in ran.stdout.split()} == {"mxnova"}
