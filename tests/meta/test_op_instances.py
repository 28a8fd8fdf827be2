# SPDX-License-Identifier: Apache-2.0
"""What holds for every operator, at its defaults and with each flag and choice."""

from __future__ import annotations

import subprocess
import sys

import pytest

import mxnova.core.op.library  # noqa: F401 - registers operators
from mxnova.core.base.errors import MXNetError
from mxnova.core.base.shapes import Pause
from mxnova.core.op.infer import DTypes, Shapes
from mxnova.core.op.operator import REGISTRY

from .op_instances import instances

TYPES = {type_.name: type_ for type_ in REGISTRY.values()}


@pytest.fixture(params=TYPES)
def ops(request):
    return list(instances(TYPES[request.param]))


def test_arrays_have_one_name_each(ops):
    for op in ops:
        names = (*op.inputs(), *op.outputs())
        assert len(set(names)) == len(names)


def test_inputs_are_arguments_of_forward(ops):
    for op in ops:
        signature = op.type.signature
        if signature.variadic is None:
            known = [name for name in signature.inputs if name in op.inputs()]
            assert list(op.inputs()) == known


def test_named_inputs_exist(ops):
    for op in ops:
        inputs = op.inputs()
        assert inputs[len(inputs) - len(op.aux) :] == op.aux
        assert set(op.mutates) | op.initializers.keys() <= set(inputs)


def test_some_outputs_are_visible(ops):
    for op in ops:
        assert min(len(op.outputs()), 1) <= op.n_visible() <= len(op.outputs())


def test_equal_parameters_make_equal_operators(ops):
    for op in ops:
        texts = {f.name: f.kind.text(op.attr(f.name)) for f in op.type.fields}
        again = op.type.parse(texts)
        assert (again, hash(again)) == (op, hash(op))


def test_other_parameters_make_other_operators(ops):
    default, *others = ops
    for op in others:
        same = [op.attr(f.name) for f in op.type.fields] == [
            default.attr(f.name) for f in op.type.fields
        ]
        assert (op == default) == same


@pytest.mark.parametrize("facts, rule", [(Shapes, "infer_shape"), (DTypes, "infer_dtype")])
def test_rules_wait_for_facts(ops, facts, rule):
    """A rule that nothing is known for states what it can, pauses, or says what is wrong."""
    for op in ops:
        nothing = [None] * (len(op.inputs()) + len(op.outputs()))
        try:
            getattr(op, rule)(facts(op.name, op.inputs(), op.outputs(), nothing))
        except (Pause, MXNetError):
            pass


def test_registering_imports_nothing_but_torch():
    code = (
        "import sys, torch; before = set(sys.modules); import mxnova.core.op.library;"
        "print(*sys.modules.keys() - before)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert {name.partition(".")[0] for name in ran.stdout.split()} == {"mxnova"}
