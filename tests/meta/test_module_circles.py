# SPDX-License-Identifier: Apache-2.0
"""No module needs, directly or through others, one that needs it: each can be imported by itself."""

from __future__ import annotations

import ast
from pathlib import Path

import mxnova

ROOT = Path(mxnova.__file__).parent


def modules():
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT.parent).with_suffix("").parts
        yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path


def statements(tree):
    """What runs when a module is imported, and in its functions; not what only type checkers see."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            continue
        yield node
        yield from statements(node)


def needs(name, path, known):
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in statements(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            levels = package.split(".")
            base = ".".join(levels[: len(levels) - node.level + 1] + [node.module or ""]).strip(".")
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


def test_no_module_needs_itself():
    known = dict(modules())
    graph = {n: sorted({m for m in needs(n, p, known) if m in known} - {n}) for n, p in known.items()}
    graph["mxnova"] = []  # imports its submodules when they are first asked for
    assert circles(graph) == []
