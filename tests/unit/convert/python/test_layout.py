# SPDX-License-Identifier: Apache-2.0
"""Wide lines are folded between brackets, never inside of strings."""

import ast
from textwrap import dedent, indent

import pytest

from mxnova.convert.python.layout import folded

LONG = "x" * 30
ROWS = [
    f"found = torch.cat([{LONG}, {LONG}, {LONG}], 1)",
    f"    return {LONG}[:, {LONG} + 1, {LONG}].reshape({LONG}, ({LONG}, 3))",
    f'found = torch.einsum("ab,(bc->[ac{"c" * 40}", [{LONG}, {LONG}, {LONG}])',
    f"def forward(self, {LONG}, {LONG}1, {LONG}2, {LONG}3):",
    f"found = ({LONG} + {LONG}) * ({LONG} + {LONG}1)",
    f"found = f(({LONG},), {LONG}, {LONG}, {LONG})[0]",
]


@pytest.mark.parametrize("line", ROWS)
def test_folded_lines_mean_the_same(line):
    lines = folded([line])
    assert max(map(len, lines)) <= 99
    end = "\n    pass" if line.endswith(":") else ""
    assert ast.dump(tree("\n".join(lines) + end)) == ast.dump(tree(line + end))


def tree(text):
    inside = text if text.startswith("def") else f"def f():\n{indent(dedent(text), '    ')}"
    return ast.parse(inside)


def test_short_lines_and_lines_without_brackets_stay():
    lines = ["a = f(1, 2)", "a = " + " + ".join(["b"] * 40)]
    assert folded(lines) == lines
