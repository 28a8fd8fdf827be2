# SPDX-License-Identifier: Apache-2.0
"""No module needs, directly or through others, one that needs it: each can be imported by itself."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import mxnova

pytestmark = pytest.mark.usefixtures("no_collector")
ROOT = Path(mxnova.__file__).parent


def modules():
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT.parent).with_suffix("").parts
        yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path


def statements(tree, for_types):
    """What runs when a module is imported, and in its functions; what type checkers see on demand."""
    for node in ast.iter_child_nodes(tree):
        is_for_types = isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
        if is_for_types and not for_types:
            continue
        yield node
        yield from statements(node, for_types)


def needs(name, path, known, for_types):
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in statements(ast.parse(path.read_text("utf-8")), for_types):
        if isinstance(node, ast.ImportFrom) and node.level:
            levels = package.split(".")
            above = levels[: len(levels) - node.level + 1]
            base = ".".join([*above, node.module] if node.module else above)
            for alias in node.names:
                full = f"{base}.{alias.name}"
                yield full if full in known else base


def circles(graph):
    """Groups of modules each of which is reached from each other (Tarjan, 1972)."""
    number, low, stack, found = {}, {}, [], []

    def visit(name):
        number[name] = low[name] = len(number)
        stack.append(name)
        for other in graph[name]:
            if other not in number:
                visit(other)
            if other in stack:
                low[name] = min(low[name], low[other])
        if low[name] == number[name]:
            at = stack.index(name)
            group = stack[at:]
            del stack[at:]
            if len(group) > 1:
                found.append(sorted(group))

    for name in graph:
        if name not in number:
            visit(name)
    return found


def graph_of(for_types):
    known = dict(modules())
    graph = {
        n: sorted({m for m in needs(n, p, known, for_types) if m in known} - {n})
        for n, p in known.items()
    }
    graph["mxnova"] = []  # imports its submodules when they are first asked for
    return graph


def test_no_module_needs_itself():
    assert circles(graph_of(for_types=False)) == []


# Where a type that is needed for checking, too, stands below whoever needs it.
ROOMS = ("mxnova.core.nd", "mxnova.core.graph", "mxnova.core.runtime")


def test_no_module_of_the_core_needs_itself_for_types():
    found = circles(graph_of(for_types=True))
    assert [c for c in found if any(n.startswith(ROOMS) for n in c)] == []
