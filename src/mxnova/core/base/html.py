# SPDX-License-Identifier: Apache-2.0
"""HTML of what notebooks show: text that is safe, and tables without scripts or colors."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .printable import printable

__all__ = ["captioned", "escaped", "fact_table", "table"]

_RIGHT = ' style="text-align:right"'


def escaped(text: str) -> str:
    """`text` as HTML has it."""
    return html.escape(printable(text))


def captioned(caption: str, content: str) -> str:
    """HTML `content` below a caption."""
    return f'<div><div style="font-weight:bold">{escaped(caption)}</div>{content}</div>'


def table(
    caption: str, header: Sequence[str], rows: Iterable[Sequence[str | float]], total: str = ""
) -> str:
    """A table; numbers stand at the right of their cells.

    Args:
        caption: above it.
        header: a name for each column.
        rows: text or numbers.
        total: a line below it.
    """
    names = "".join(f"<th>{escaped(name)}</th>" for name in header)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    last = f"<div>{escaped(total)}</div>" if total else ""
    head = f"<thead><tr>{names}</tr></thead>"
    return captioned(caption, f"<table>{head}<tbody>{body}</tbody></table>{last}")


def fact_table(caption: str, facts: Mapping[str, Any]) -> str:
    """A table of names and what is to be said of them."""
    rows = "".join(
        f'<tr><th style="text-align:left">{escaped(name)}</th>'
        f'<td style="text-align:left">{escaped(str(value))}</td></tr>'
        for name, value in facts.items()
    )
    return captioned(caption, f"<table><tbody>{rows}</tbody></table>")


def _cell(value: str | float) -> str:
    if isinstance(value, str):
        return f'<td style="text-align:left">{escaped(value)}</td>'
    number = f"{value:,}" if isinstance(value, int) else f"{value:.6g}"
    return f"<td{_RIGHT}>{number}</td>"
