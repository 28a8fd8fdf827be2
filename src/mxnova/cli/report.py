# SPDX-License-Identifier: Apache-2.0
"""The result of a command, formatted for a terminal, a pipe or a program."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from ..core.base.console import open_console
from ..core.base.printable import printable

__all__ = ["Report", "Rows", "plain", "print_table", "show", "text_of", "write_json"]

Rows = list[dict[str, Any]]


class Report(NamedTuple):
    """Facts of one file: under each name rows of a table, or a value."""

    file: str
    headline: str
    facts: Mapping[str, Any]


def show(report: Report, *, as_json: bool) -> None:
    """Writes `report` to standard output: tables on a terminal, aligned lines in a pipe, or JSON.

    Only a terminal has an edge to break lines at. No text of a file is taken for markup.
    """
    if as_json:
        write_json({"file": report.file, **report.facts})
        return
    sys.stdout.write(f"{printable(report.file)}: {report.headline}\n")
    for name, fact in report.facts.items():
        if not isinstance(fact, list) or not all(isinstance(row, dict) for row in fact):
            sys.stdout.write(f"{name.replace('_', ' ')}: {text_of(fact)}\n")
        elif fact:
            print_table(name, fact)


def write_json(document: Mapping[str, Any]) -> None:
    """Writes one object on one line, as all commands with ``--json`` do."""
    sys.stdout.write(json.dumps(plain(document), allow_nan=False) + "\n")


def plain(value: Any) -> Any:
    """As JSON has it, where numbers are finite."""
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def text_of(value: Any) -> str:
    """`value` for a person."""
    if value is None:
        return "none"
    if isinstance(value, Mapping):
        return " ".join(f"{printable(str(k))}={text_of(v)}" for k, v in value.items())
    if isinstance(value, list):
        return ", ".join(map(text_of, value))
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return f"{value:.6g}" if isinstance(value, float) else printable(str(value))


def print_table(title: str, rows: Rows) -> None:
    """Writes rows under the names of their columns."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    cells = [[text_of(row[c]) if c in row else "" for c in columns] for row in rows]
    right = [all(isinstance(row.get(c), (int, float, type(None))) for row in rows) for c in columns]
    if sys.stdout.isatty():
        _print_rich(title, columns, cells, right)
    else:
        _print_lines(title, columns, cells, right)


def _print_lines(title: str, columns: list[str], cells: list[list[str]], right: list[bool]) -> None:
    widths = [max(map(len, column)) for column in zip(columns, *cells, strict=True)]

    def line(texts: Iterable[str]) -> str:
        fitted = (
            text.rjust(width) if at_right else text.ljust(width)
            for text, width, at_right in zip(texts, widths, right, strict=True)
        )
        return "  ".join(fitted).rstrip()

    sys.stdout.write("\n".join([title, line(columns), *map(line, cells), ""]))


def _print_rich(title: str, columns: list[str], cells: list[list[str]], right: list[bool]) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(title), title_justify="left", title_style="bold")
    for column, at_right in zip(columns, right, strict=True):
        justify: Any = "right" if at_right else "left"
        table.add_column(Text(column), justify=justify, overflow="fold")
    for row in cells:
        table.add_row(*map(Text, row))
    open_console().print(table)
