# SPDX-License-Identifier: Apache-2.0
"""A comparison as one page of HTML, without scripts and without anything from elsewhere."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence

from ...core.base.printable import printable
from .comparison import Difference
from .verification import Verification

__all__ = ["page"]

_STYLE = """
body { font: 14px system-ui, sans-serif; margin: 2em auto; max-width: 70em; padding: 0 1em; }
h1 { font-size: 1.3em; } h2 { font-size: 1.1em; margin-top: 2em; }
table { border-collapse: collapse; width: 100%; }
th, td { padding: 0.2em 0.6em; text-align: left; border-bottom: 1px solid #ddd; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
.equal { color: #106010; } .differs { color: #a01010; font-weight: bold; }
svg text { font: 11px system-ui, sans-serif; }
"""
_SMALLEST = 1e-9  # the left end of the bars
_ROW, _NAMES, _BAR = 18, 320, 480  # pixels: height of a row, width of names, width of bars


def page(a: str, b: str, found: Verification) -> str:
    """The text of the page.

    Args:
        a: what the first model is called.
        b: what the second is called.
        found: how they compare.
    """
    kind, word = ("equal", "equal") if found.is_equal else ("differs", "different")
    facts = [
        ("first above tolerance", found.first.name if found.first else "none"),
        ("nodes compared", str(len(found.nodes))),
        ("seconds, first and second", " and ".join(f"{s:.4g}" for s in found.seconds)),
        ("reference in float64", "yes" if found.has_reference else "no"),
    ]
    rows = "".join(f"<tr><th>{_text(k)}</th><td>{_text(v)}</td></tr>" for k, v in facts)
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en"><head><meta charset="utf-8">',
            f"<title>{_text(a)} and {_text(b)}</title><style>{_STYLE}</style></head><body>",
            f'<h1>{_text(a)} and {_text(b)} are <span class="{kind}">{word}</span></h1>',
            f'<p id="line">{_text(found.line)}</p><table>{rows}</table>',
            "<h2>Outputs</h2>",
            _table(found.outputs),
            "<h2>Nodes, in the order in which they run</h2>",
            _bars(found.nodes),
            _table(found.nodes),
            "</body></html>\n",
        ]
    )


def _text(text: str) -> str:
    return html.escape(printable(text))


def _table(rows: Sequence[Difference]) -> str:
    head = "<tr><th>name</th><th>shape</th><th>max abs</th><th>max rel</th><th>cosine</th></tr>"
    return f"<table>{head}{''.join(map(_row, rows))}</table>"


def _row(row: Difference) -> str:
    kind = "equal" if row.is_equal else "differs"
    numbers = (f"{row.max_abs:.3g}", f"{row.max_rel:.3g}", f"{row.cosine:.9f}")
    cells = "".join(f'<td class="number">{text}</td>' for text in numbers)
    return f'<tr class="{kind}"><td>{_text(row.name)}</td><td>{_text(row.shape)}</td>{cells}</tr>'


def _bars(rows: Sequence[Difference]) -> str:
    """A bar for each node, as long as the difference has digits above the smallest."""
    height = _ROW * len(rows)
    marks = "".join(_bar(place, row) for place, row in enumerate(rows))
    size = f'width="{_NAMES + _BAR + 90}" height="{height}"'
    return f'<svg id="bars" {size} xmlns="http://www.w3.org/2000/svg">{marks}</svg>'


def _bar(place: int, row: Difference) -> str:
    top = _ROW * place
    colour = "#4a7" if row.is_equal else "#c33"
    name = row.name if len(row.name) <= 48 else f"{row.name[:47]}…"
    width, limit = (
        _width(row.max_rel),
        _width(row.allowed / (row.max_abs / row.max_rel)) if row.max_rel else 0,
    )
    box = f'y="{top + 3}" height="{_ROW - 6}"'
    return (
        f'<g><text x="{_NAMES - 6}" y="{top + 13}" text-anchor="end">{_text(name)}</text>'
        f'<rect x="{_NAMES}" {box} width="{width:.1f}" fill="{colour}"/>'
        f'<rect x="{_NAMES + limit:.1f}" y="{top + 1}" width="1" height="{_ROW - 2}" fill="#888"/>'
        f'<text x="{_NAMES + width + 6:.1f}" y="{top + 13}">{row.max_rel:.1e}</text></g>'
    )


def _width(value: float) -> float:
    """Of a bar, in pixels: by the logarithm, from the smallest to 1."""
    if not value > _SMALLEST:
        return 0.0
    digits = math.log10(min(value, 1.0) / _SMALLEST)
    return _BAR * digits / -math.log10(_SMALLEST)
