# SPDX-License-Identifier: Apache-2.0
"""Layered layout of directed acyclic graphs (Sugiyama, Tagawa and Toda, 1981)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise

__all__ = ["Layout", "layered"]

Point = tuple[float, float]
_SWEEPS = 8  # over all layers, to order them and to place what is in them
_LONGEST = 40  # layers that an edge is led around boxes in; longer ones go straight


@dataclass(frozen=True)
class Layout:
    """Centers of boxes, and the points that edges pass.

    Attributes:
        boxes: x and layer of each node.
        routes: x and layer of the points of each edge, from its source to its target.
        width: from the left edge of the leftmost box to the right edge of the rightmost one.
        layers: how many there are.
    """

    boxes: list[Point]
    routes: list[list[Point]]
    width: float
    layers: int


@dataclass
class _Graph:
    """A graph in which edges go from one layer to the next; places of edges are nodes, too."""

    layer: list[int]
    width: list[float]
    above: list[list[int]] = field(default_factory=list)
    below: list[list[int]] = field(default_factory=list)

    def add(self, layer: int, width: float) -> int:
        self.layer.append(layer)
        self.width.append(width)
        self.above.append([])
        self.below.append([])
        return len(self.layer) - 1

    def join(self, source: int, target: int) -> None:
        self.below[source].append(target)
        self.above[target].append(source)


def layered(
    count: int, edges: Sequence[tuple[int, int]], box: float, lane: float, gap: float
) -> Layout:
    """The layout of a graph of nodes 0, 1, …, each of which has a number above its sources'.

    Args:
        count: of nodes.
        edges: numbers of source and target.
        box: width of a node.
        lane: width that an edge takes where it passes a layer.
        gap: between two of either in a layer.
    """
    graph = _Graph([], [])
    for layer in _layers(count, edges):
        graph.add(layer, box)
    paths = [_path(graph, source, target, lane) for source, target in edges]
    rows: list[list[int]] = [[] for _ in range(max(graph.layer, default=-1) + 1)]
    for node, layer in enumerate(graph.layer):
        rows[layer].append(node)
    _order(graph, rows)
    x = _placed(graph, rows, gap)
    left = min((x[n] - graph.width[n] / 2 for n in range(len(x))), default=0.0)
    right = max((x[n] + graph.width[n] / 2 for n in range(len(x))), default=0.0)
    points = [(place - left, float(layer)) for place, layer in zip(x, graph.layer, strict=True)]
    routes = [[points[node] for node in path] for path in paths]
    return Layout(points[:count], routes, right - left, len(rows))


def _layers(count: int, edges: Sequence[tuple[int, int]]) -> list[int]:
    """The longest way to each node; what has no source stands just above its first target."""
    sources: list[list[int]] = [[] for _ in range(count)]
    targets: list[list[int]] = [[] for _ in range(count)]
    for source, target in edges:
        sources[target].append(source)
        targets[source].append(target)
    layer = [0] * count
    for node in range(count):
        layer[node] = 1 + max((layer[source] for source in sources[node]), default=-1)
    for node in range(count):
        if targets[node] and not sources[node]:
            layer[node] = min(layer[target] for target in targets[node]) - 1
    return layer


def _path(graph: _Graph, source: int, target: int, lane: float) -> list[int]:
    """The nodes that an edge passes, those that are made for it included."""
    layers = range(graph.layer[source] + 1, graph.layer[target])
    between = [graph.add(layer, lane) for layer in layers] if len(layers) <= _LONGEST else []
    path = [source, *between, target]
    if between or not len(layers):
        for upper, lower in pairwise(path):
            graph.join(upper, lower)
    return path


def _order(graph: _Graph, rows: list[list[int]]) -> None:
    """Sorts each layer by the mean place of its neighbors, down and up in turn."""
    place = {node: float(i) for row in rows for i, node in enumerate(row)}
    for sweep in range(_SWEEPS):
        down = sweep % 2 == 0
        near = graph.above if down else graph.below
        for row in rows if down else reversed(rows):
            wanted = {n: _mean([place[m] for m in near[n]], place[n]) for n in row}
            row.sort(key=lambda node: wanted[node])
            place.update((node, float(i)) for i, node in enumerate(row))


def _placed(graph: _Graph, rows: list[list[int]], gap: float) -> list[float]:
    """The x of each node: near its neighbors', without two that overlap."""
    x = [0.0] * len(graph.layer)
    for row in rows:
        for node, place in zip(row, _offsets(graph, row, gap), strict=True):
            x[node] = place
    for sweep in range(2 * _SWEEPS):
        down = sweep % 2 == 0
        near = graph.above if down else graph.below
        for row in rows if down else reversed(rows):
            offsets = _offsets(graph, row, gap)
            wanted = [_mean([x[m] for m in near[n]], x[n]) for n in row]
            free = [want - offset for want, offset in zip(wanted, offsets, strict=True)]
            for node, place, offset in zip(row, _rising(free), offsets, strict=True):
                x[node] = place + offset
    return x


def _offsets(graph: _Graph, row: list[int], gap: float) -> list[float]:
    """How far each node of a layer is from the first at least."""
    widths = (graph.width[n] for n in row)
    return list(accumulate(((a + b) / 2 + gap for a, b in pairwise(widths)), initial=0.0))


def _mean(values: list[float], default: float) -> float:
    return sum(values) / len(values) if values else default


def _rising(values: Sequence[float]) -> list[float]:
    """The rising sequence that is nearest to `values` (isotonic regression)."""
    blocks: list[tuple[float, int]] = []  # mean and length
    for value in values:
        mean, length = value, 1
        while blocks and blocks[-1][0] > mean:
            before, count = blocks.pop()
            mean = (mean * length + before * count) / (length + count)
            length += count
        blocks.append((mean, length))
    return [mean for mean, length in blocks for _ in range(length)]
