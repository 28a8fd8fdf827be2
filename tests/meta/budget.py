# SPDX-License-Identifier: Apache-2.0
"""The budget of the package: lines and files of each part, and the lengths of call paths.

``python -m tests.meta.budget`` lowers the numbers of `budget.json` to what it measures. It never
raises one: that takes an edit of the file, with the reason in the commit.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path

import mxnova

__all__ = ["FILE", "Table", "count_lines", "excesses", "lower", "measure", "measure_packages"]

FILE = Path(__file__).with_name("budget.json")
_SOURCE = Path(mxnova.__file__).parent
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_TOP_LEVEL = "(top level)"

Table = dict[str, dict[str, int]]  # package or call path -> measure -> number


def count_lines(source: str) -> int:
    """Return the number of lines of a module, without the lines of its docstrings."""
    lines = len(source.splitlines())
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, _DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            text = node.body[0]
            lines -= (text.end_lineno or text.lineno) - text.lineno + 1
    return lines


def _package(path: Path) -> str:
    """Return the part of the package that a file belongs to: `core` is divided further."""
    parents = path.relative_to(_SOURCE).parts[:-1]
    depth = 2 if parents[:1] == ("core",) else 1
    return "/".join(parents[:depth]) or _TOP_LEVEL


def measure_packages() -> Table:
    """Return the lines without docstrings and the files of each part of the package."""
    table: Table = {}
    for path in sorted(_SOURCE.rglob("*.py")):
        counts = table.setdefault(_package(path), {"lines": 0, "files": 0})
        counts["lines"] += count_lines(path.read_text(encoding="utf-8"))
        counts["files"] += 1
    return table


def measure() -> dict[str, Table]:
    """Return all measures of the budget, by section."""
    from .call_paths import measure_paths

    return {"packages": measure_packages(), "call paths": measure_paths()}


def excesses(allowed: Table, measured: Table) -> Iterator[str]:
    """Yield a sentence for each number above the budget, and for each part without one."""
    for name, counts in measured.items():
        for key, number in counts.items():
            most = allowed.get(name, {}).get(key)
            if most is None:
                yield f"{name}: {number} {key}, and budget.json has no entry"
            elif number > most:
                yield f"{name}: {number} {key}, the budget is {most}"


def lower(allowed: Table, measured: Table) -> Table:
    """Return the measured numbers, except those above the budget, which stay as they are."""
    return {
        name: {key: min(n, allowed.get(name, {}).get(key, n)) for key, n in counts.items()}
        for name, counts in measured.items()
    }


def main() -> None:
    """Lower the numbers of `budget.json`, and print the parts that exceed them."""
    allowed: dict[str, Table] = json.loads(FILE.read_text(encoding="utf-8"))
    measured = measure()
    for section, table in measured.items():
        for sentence in excesses(allowed[section], table):
            print(f"above the budget: {sentence}")
    lowered = {section: lower(allowed[section], table) for section, table in measured.items()}
    FILE.write_text(json.dumps(lowered, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
