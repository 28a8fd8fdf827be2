# SPDX-License-Identifier: Apache-2.0
"""The registry against MXNet 1.9.1's: names, aliases, arguments, their order, types and defaults.

`op_schema.json` is what MXNet says of its operators. `op_deviations.json` gives the reason for each
thing that differs: an operator, or an ``operator.argument``. `op_additions.json` lists the operators
that MXNet does not have.
"""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path

import pytest

from mxnova.core.op.schema import REGISTRY
from tests.meta.op_additions import FILE, SCHEMA, additions

HERE = Path(__file__).parent
DEVIATIONS = json.loads((HERE / "op_deviations.json").read_text())
ANY = "described in words only"


def operators():
    """Canonical name -> (all names, what MXNet says of the arguments)."""
    names, arguments = defaultdict(set), {}
    for entry in SCHEMA:
        names[entry["real"]].add(entry["name"])
        arguments[entry["real"]] = documented(entry)
    return {name: (names[name], arguments[name]) for name in names}


def documented(entry):
    """Argument -> type, of arrays, then parameters: the order of a Python call."""
    arguments = sorted(entry["args"], key=lambda a: a["kind"] == "param")
    types = {a["name"]: documented_type(a) for a in arguments}
    if entry["key_var_num_args"]:
        types.setdefault(entry["key_var_num_args"], "int, required")
    return types


def documented_type(argument):
    if argument["kind"] == "ndarray":
        return "arrays" if argument["type"].endswith("[]") else "array"
    declared = argument["required"] or argument["default"] is not None
    return argument["type"] if declared else ANY


def declared(type_):
    signature = type_.signature
    arrays = dict.fromkeys(signature.inputs, "array")
    if signature.variadic is not None:
        arrays[signature.variadic] = "arrays"
    return {**arrays, **{field.name: field.type_text for field in type_.fields}}


def differences(name, names, theirs):
    """What differs -> how."""
    if name not in REGISTRY:
        return {name: "is not registered"}
    type_ = REGISTRY[name]
    ours = declared(type_)
    found = {
        f"{name}.{argument}": f"{ours.get(argument)}; in MXNet {theirs.get(argument)}"
        for argument in {**ours, **theirs}
        if ours.get(argument) != theirs.get(argument)
        and not (argument in ours and theirs.get(argument) == ANY)
    }
    if [a for a in ours if a in theirs] != [a for a in theirs if a in ours]:
        found[name] = f"arguments in the order {[*ours]}; in MXNet {[*theirs]}"
    if type_.name != name or {type_.name, *type_.aliases} != names:
        found[name] = f"named {type_.name}, {type_.aliases}; in MXNet {name}, {names}"
    return found


OPERATORS = operators()


@pytest.mark.parametrize("name", OPERATORS)
def test_an_operator_is_as_in_mxnet(name):
    found = differences(name, *OPERATORS[name])
    assert {what: how for what, how in found.items() if what not in DEVIATIONS} == {}


def test_deviations_are_differences():
    found = {what for name, theirs in OPERATORS.items() for what in differences(name, *theirs)}
    assert DEVIATIONS.keys() - found == set()


def test_operators_that_mxnet_does_not_have_are_listed():
    assert json.loads(FILE.read_text("utf-8")) == additions(), "run scripts/generate"
