# SPDX-License-Identifier: Apache-2.0
"""A network as SVG: boxes, one for each node, and lines between them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..base.errors import ArgumentError
from ..base.html import escaped
from .base_symbol import output_name
from .layout import Point, layered
from .node import Entry

if TYPE_CHECKING:
    from .base_symbol import BaseSymbol

__all__ = ["WEIGHT_SUFFIXES", "GraphNode", "drawing", "graph_of", "symbol_html", "symbol_svg"]

_BOX, _HEIGHT, _PITCH, _LANE, _GAP = 196, 38, 62, 10, 16  # pixels; of layers: from one to the next
_LETTERS = 28  # of a name within a box
MOST = 3000  # nodes of a drawing that a browser shows with ease
WEIGHT_SUFFIXES = (
    "_weight",
    "_bias",
    "_beta",
    "_gamma",
    "_moving_var",
    "_moving_mean",
    "_running_var",
    "_running_mean",
)
_STYLE = (
    ".mxnova-graph path{fill:none;stroke:currentColor;stroke-opacity:.5}"
    ".mxnova-graph rect{fill:currentColor;fill-opacity:.07;stroke:currentColor;stroke-opacity:.5}"
    ".mxnova-graph .input rect{stroke-dasharray:4 3}"
    ".mxnova-graph text{fill:currentColor;font:11px system-ui,sans-serif;text-anchor:middle}"
    ".mxnova-graph .line{opacity:.7}"
)


class GraphNode(NamedTuple):
    """A node of a network.

    Attributes:
        name: MXNet's.
        operator: what it computes; "" of an input.
        inputs: names of the nodes before it; parameters are left out.
    """

    name: str
    operator: str
    inputs: tuple[str, ...]


Look = Callable[[GraphNode], tuple[str, str, str]]  # class, second line and tooltip of a box


def graph_of(symbol: BaseSymbol, inputs: Sequence[str]) -> list[GraphNode]:
    """Operators and inputs of a network, each after those that it reads."""
    fed = set(inputs)
    shown = {node for node in symbol.nodes if node.op is not None or node.name in fed}
    return [
        GraphNode(
            node.name,
            node.op.name if node.op is not None else "",
            tuple(dict.fromkeys(e.node.name for e in node.inputs if e.node in shown)),
        )
        for node in symbol.nodes
        if node in shown
    ]


def symbol_html(symbol: BaseSymbol) -> str:
    """What a notebook shows of a symbol: its drawing, without variables named like weights."""
    inputs = [n for n in symbol.list_arguments() if not n.endswith(WEIGHT_SUFFIXES)]
    graph = graph_of(symbol, inputs)
    title = f"{len(graph):,} nodes; outputs {', '.join(symbol.list_outputs())}"
    if len(graph) > MOST:
        return f"<div>{escaped(title)}; too many to draw</div>"

    def look(node: GraphNode) -> tuple[str, str, str]:
        return "" if node.operator else "input", node.operator or "input", node.name

    return (
        f"<div>{escaped(title)}</div>"
        f'<div style="max-height:36em;overflow:auto">{_styled(graph, look)}</div>'
    )


def symbol_svg(symbol: BaseSymbol, shapes: Mapping[str, Sequence[int | str]], weights: bool) -> str:
    """The text of an SVG file.

    Args:
        symbol: the network.
        shapes: of outputs of nodes, by `output_name`, as far as they are known.
        weights: draw variables that are named like weights, too.

    Raises:
        ArgumentError: there are too many nodes.
    """
    inputs = [n for n in symbol.list_inputs() if weights or not n.endswith(WEIGHT_SUFFIXES)]
    graph = graph_of(symbol, inputs)
    if len(graph) > MOST:
        raise ArgumentError(f"the network has {len(graph):,} nodes; at most {MOST:,} are drawn")
    sizes = {n.name: shapes.get(output_name(Entry(n, 0)), ()) for n in symbol.nodes}

    def look(node: GraphNode) -> tuple[str, str, str]:
        size = "x".join(map(str, sizes[node.name]))
        line = f"{node.operator or 'input'} {size}".strip()
        return "" if node.operator else "input", shortened(line, _LETTERS), f"{node.name}: {line}"

    return _styled(graph, look)


def _styled(graph: Sequence[GraphNode], look: Look) -> str:
    """A drawing that needs no style of the page around it."""
    attributes = 'xmlns="http://www.w3.org/2000/svg" class="mxnova-graph"'
    head, _, rest = drawing(graph, look, {}, attributes).partition(">")
    return f"{head}><style>{_STYLE}</style>{rest}"


def drawing(
    graph: Sequence[GraphNode],
    look: Look,
    targets: Mapping[str, str],
    attribute: str = 'id="graph"',
) -> str:
    """The text of an SVG element.

    Args:
        graph: the nodes.
        look: class, second line and tooltip of a box.
        targets: the anchors that names of nodes lead to.
        attribute: of the element, for styles.
    """
    numbers = {node.name: i for i, node in enumerate(graph)}
    edges = [
        (numbers[name], i)
        for i, node in enumerate(graph)
        for name in node.inputs
        if numbers[name] < i  # namesakes are one
    ]
    layout = layered(len(graph), edges, _BOX, _LANE, _GAP)
    lines = "".join(map(_edge, layout.routes))
    boxes = "".join(
        _box(node, place, *look(node), targets.get(node.name, ""))
        for node, place in zip(graph, layout.boxes, strict=True)
    )
    width, height = layout.width + 2, (layout.layers - 1) * _PITCH + _HEIGHT + 2
    return (
        f'<svg {attribute} role="img" aria-label="the network" width="{width:.0f}" '
        f'height="{height:.0f}" viewBox="-1 -1 {width:.0f} {height:.0f}">{lines}{boxes}</svg>'
    )


def _edge(points: Sequence[Point]) -> str:
    """A smooth line down from box to box."""
    x, y = points[0][0], points[0][1] * _PITCH + _HEIGHT
    path = [f"M{x:.1f} {y:.0f}"]
    for number, (right, layer) in enumerate(points[1:], start=2):
        is_last = number == len(points)
        down = layer * _PITCH + (0 if is_last else _HEIGHT)
        begin = layer * _PITCH  # what passes a layer goes straight down beside its boxes
        middle = (y + begin) / 2
        path.append(f"C{x:.1f} {middle:.0f} {right:.1f} {middle:.0f} {right:.1f} {begin:.0f}")
        if not is_last:
            path.append(f"V{down:.0f}")
        x, y = right, down
    return f'<path d="{"".join(path)}"/>'


def _box(node: GraphNode, place: Point, kind: str, line: str, title: str, target: str) -> str:
    left, top = place[0] - _BOX / 2, place[1] * _PITCH
    inside = (
        f"<title>{escaped(title)}</title>"
        f'<rect width="{_BOX}" height="{_HEIGHT}" rx="5"/>'
        f'<text x="{_BOX / 2}" y="15">{escaped(shortened(node.name, _LETTERS))}</text>'
        f'<text x="{_BOX / 2}" y="30" class="line">{escaped(line)}</text>'
    )
    inside = f'<a href="#{target}">{inside}</a>' if target else inside
    return f'<g class="{kind}" transform="translate({left:.1f} {top:.0f})">{inside}</g>'


def shortened(name: str, letters: int) -> str:
    """`name` without its middle if it is longer than `letters`."""
    if len(name) <= letters:
        return name
    end = letters * 2 // 3
    return f"{name[: letters - end - 1]}…{name[-end:]}"
