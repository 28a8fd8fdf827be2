# SPDX-License-Identifier: Apache-2.0
"""The template of fast paths: what its parts become, and that all sources compile."""

from __future__ import annotations

import ast

import pytest

from mxnova.core.nd.calls.fast_calls import MOST_ARRAYS
from mxnova.core.nd.calls.template import Argument, call_source, compiled, filled

KINDS = [
    *((n, Argument.OPERATOR, False) for n in range(1, MOST_ARRAYS + 1)),
    (1, Argument.NONE, False), (2, Argument.NONE, False), (1, Argument.NUMBER, False),
    (2, Argument.NONE, True), (1, Argument.NUMBER, True),
]  # fmt: skip


@pytest.mark.parametrize("n, argument, in_place", KINDS)
def test_each_kind_of_call_is_one_function_without_open_parts(n, argument, in_place):
    source = call_source("made", n, argument, in_place)
    (function,) = ast.parse(source).body
    assert function.name == "made"
    assert "{" not in source
    names = [a.arg for a in function.args.args]
    if argument is Argument.OPERATOR:
        assert names == ["op", *(f"a{i}" for i in range(n)), "cls"]
    else:
        assert names == ["self", "other"][: n + (argument is Argument.NUMBER)]


@pytest.mark.parametrize("n, argument, in_place", KINDS)
def test_only_results_in_new_memory_have_a_branch_that_records(n, argument, in_place):
    source = call_source("made", n, argument, in_place)
    assert ("recorded(" in source) is not in_place
    assert ("new(Chunk)" in source) is not in_place


def test_parts_keep_the_indentation_of_their_line():
    parts = {"body": "\nif {what}:\n    pass\n", "what": "{which}", "which": "x", "none": ""}
    text = "def f(x):\n    {none}\n    {body}\n    return {what}"
    assert filled(text, parts) == "def f(x):\n    if x:\n        pass\n    return x"


def test_a_function_sees_its_scope_alone():
    source = "def f(x):\n    return x + y"
    assert compiled("f", source, {"y": 2})(1) == 3
    assert compiled("f", source, {"y": 5})(1) == 6
    with pytest.raises(NameError):
        compiled("f", source, {})(1)
