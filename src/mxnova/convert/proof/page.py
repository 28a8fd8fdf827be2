# SPDX-License-Identifier: Apache-2.0
"""A comparison as one page of HTML, without scripts and without anything from elsewhere."""

from __future__ import annotations

import math
from collections.abc import Sequence
from importlib.resources import files

from ...core.base.html import escaped
from ...core.graph.drawing import MOST, GraphNode, drawing
from .comparison import Difference
from .verification import Verification

__all__ = ["page"]

_DIGITS = 9  # of the bars: they begin at 1e-9
_WORDS = {"equal": "equal but for rounding", "differs": "different"}


def page(
    a: str,
    b: str,
    found: Verification,
    verdict: tuple[bool, str] | None = None,
    facts: Sequence[tuple[str, str]] = (),
) -> str:
    """The text of the page.

    Args:
        a: what the first model is called.
        b: what the second is called.
        found: how they compare.
        verdict: whether that is good, in place of whether they are equal, and why.
        facts: what else there is to know, by name: first in the summary.
    """
    kind = "equal" if (found.is_equal if verdict is None else verdict[0]) else "differs"
    words = _WORDS[kind] if verdict is None else escaped(verdict[1])
    names = f"<code>{escaped(a)}</code> and <code>{escaped(b)}</code>"
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            '<link rel="icon" href="data:,">',  # else browsers ask for one
            f"<title>{escaped(a)} and {escaped(b)}</title>",
            f"<style>{files(__package__).joinpath('page.css').read_text(encoding='utf-8')}</style></head><body>",
            f'<header><h1>{names}</h1><p class="verdict {kind}">{words}</p>',
            f'<p id="line">{escaped(found.line)}</p></header><main>',
            _section("Summary", _summary(found, facts)),
            _section("Outputs", _table("outputs", found.outputs)),
            _section("Network", _network(found)),
            _section("Nodes, in the order in which they run", _nodes(found)),
            "</main></body></html>\n",
        ]
    )


def _section(title: str, content: str) -> str:
    return f"<section><h2>{title}</h2>{content}</section>"


def _scrolled(label: str, content: str, kind: str = "") -> str:
    """Content that may be wider than the page, in a box that scrolls by mouse and by key."""
    facts = f'class="scroll {kind}" role="region" aria-label="{label}" tabindex="0"'
    return f"<div {facts}>{content}</div>"


# -- Facts -----------------------------------------------------------------------------------------


def _summary(found: Verification, told: Sequence[tuple[str, str]]) -> str:
    first = "none" if found.first is None else escaped(found.first.name)
    if found.first is not None and found.nodes:
        first = f'<a href="#{_anchors(found)[found.first.name]}">{first}</a>'
    far = [row for row in found.nodes if not row.is_equal]
    facts = [
        *((escaped(name), escaped(value)) for name, value in told),
        ("First node above tolerance", first),
        ("Nodes compared", f"{len(found.nodes):,}; {len(far):,} above tolerance"),
        ("Compared with float64", "yes" if found.has_reference else "no"),
        ("Time of all outputs, first and second", _times(found.outputs)),
    ]
    rows = "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in facts)
    return f"<dl>{rows}</dl>"


def _times(rows: Sequence[Difference]) -> str:
    """What sets of inputs took, from the first output of each."""
    runs = {row.name.partition(", ")[2]: row.seconds for row in rows}
    return "; ".join(f"{escaped(name)}: {_time(a)} and {_time(b)}" for name, (a, b) in runs.items())


def _time(seconds: float | None) -> str:
    return "n/a" if seconds is None else f"{seconds * 1e3:,.3g} ms"


def _anchors(found: Verification) -> dict[str, str]:
    """Where on the page a node is told of, by the names of nodes and of graphs."""
    return {row.name: f"node-{i}" for i, row in enumerate(found.nodes)}


# -- Tables ----------------------------------------------------------------------------------------

_NUMBERS = ("max abs", "max rel", "cosine", "rounding")
_HEADS = "<th>shape</th>" + "".join(f'<th class="number">{name}</th>' for name in _NUMBERS)


def _table(label: str, rows: Sequence[Difference]) -> str:
    body = "".join(f'<tr class="{_kind(row)}">{_name(row)}{_cells(row)}</tr>' for row in rows)
    head = f"<thead><tr><th>name</th>{_HEADS}</tr></thead>"
    return _scrolled(label, f"<table>{head}<tbody>{body}</tbody></table>")


def _kind(row: Difference) -> str:
    return "equal" if row.is_equal else "differs"


def _name(row: Difference) -> str:
    return f'<th scope="row">{escaped(row.name)}</th>'


def _cells(row: Difference) -> str:
    rounding = "n/a" if row.rounding is None else f"{row.rounding:.3g}"
    numbers = f"{row.max_abs:.3g}", f"{row.max_rel:.3g}", f"{row.cosine:.9f}", rounding
    cells = "".join(f'<td class="number">{text}</td>' for text in numbers)
    return f"<td>{escaped(row.shape)}</td>{cells}"


def _nodes(found: Verification) -> str:
    if not found.nodes:
        return "<p>The files tell of no nodes that both have.</p>"
    slowest = max((s for row in found.nodes for s in row.seconds if s is not None), default=0.0)
    anchors = _anchors(found)
    body = "".join(
        f'<tr id="{anchors[row.name]}" class="{_kind(row)}">{_name(row)}'
        f"<td>{_error_bar(row)}</td><td>{_time_bar(row, slowest)}</td>{_cells(row)}</tr>"
        for row in found.nodes
    )
    heads = f"<th>name</th><th>difference, 1e-{_DIGITS} to 1</th><th>time</th>{_HEADS}"
    table = f'<table id="nodes"><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>'
    return (
        "<p>Bars are the largest difference against the largest number, in digits; the mark is "
        "what is allowed. Times, of the first model and of the second, are of one run node by "
        "node, which fuses nothing.</p>"
        f"{_scrolled('nodes', table, 'tall')}"
    )


def _error_bar(row: Difference) -> str:
    scale = row.max_abs / row.max_rel if row.max_rel and math.isfinite(row.max_rel) else 0.0
    limit = f'<i style="left:{_percent(row.allowed / scale):.1f}%"></i>' if scale else ""
    return f'<div class="bar"><b style="width:{_percent(row.max_rel):.1f}%"></b>{limit}</div>'


def _percent(value: float) -> float:
    """Of the length of a bar: by the logarithm, from the smallest number to 1."""
    digits = _DIGITS + math.log10(min(value, 1.0)) if value > 0 else 0.0
    return 100 * max(digits, 0.0) / _DIGITS


def _time_bar(row: Difference, slowest: float) -> str:
    bars = "".join(
        f'<div class="time {which}"><b style="width:{60 * s / (slowest or 1):.1f}%"></b>'
        f"<span>{_time(s)}</span></div>"
        for which, s in zip(("first", "second"), row.seconds, strict=True)
        if s is not None
    )
    return bars or "n/a"


# -- The graph -------------------------------------------------------------------------------------


def _network(found: Verification) -> str:
    if not found.graph:
        return "<p>Neither file holds a network that mxnova can read.</p>"
    if len(found.graph) > MOST:
        return f"<p>{len(found.graph):,} nodes are too many to draw.</p>"
    rows = {row.name: row for row in found.nodes}
    anchors = _anchors(found)
    told = {node.name: _rows_of(node, rows) for node in found.graph}

    def look(node: GraphNode) -> tuple[str, str, str]:
        mine = told[node.name]
        if not mine:
            kind = "input" if not node.operator else "unknown"
            return kind, node.operator or "input", f"{node.name}: {node.operator or 'input'}"
        worst = max(mine, key=lambda row: (not row.is_equal, row.max_rel))
        times = " and ".join(_time(seconds) for seconds in worst.seconds)
        title = f"{node.name}: {node.operator}, {worst.shape}; max abs {worst.max_abs:.3g}, {times}"
        return _kind(worst), f"{node.operator} · {worst.max_rel:.1e}", title

    targets = {name: anchors[mine[0].name] for name, mine in told.items() if mine}
    legend = "".join(
        f'<li class="{kind}">{text}</li>'
        for kind, text in (
            ("equal", "equal"),
            ("differs", "above tolerance"),
            ("unknown", "not told by both"),
            ("input", "input"),
        )
    )
    return (
        f'<ul class="legend">{legend}</ul>'
        f"{_scrolled('the network', drawing(found.graph, look, targets), 'tall')}"
    )


def _rows_of(node: GraphNode, rows: dict[str, Difference]) -> list[Difference]:
    """What is known of a node, or of its outputs, which have numbers behind its name."""
    if not node.operator:
        return []
    if node.name in rows:
        return [rows[node.name]]
    found: list[Difference] = []
    while (name := f"{node.name}{len(found)}") in rows:
        found.append(rows[name])
    return found
