# SPDX-License-Identifier: Apache-2.0
"""Networks that detect objects, as they were trained, turned into ones that only detect.

A graph that was trained has losses among its outputs, and computes its targets from labels. What is
asked of it later is one output, that of MultiBoxDetection; the labels that its SoftmaxOutput reads
then do not matter, and what makes them is cut off.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..formats.symbol_record import Entry, GraphRecord, NodeRecord

__all__ = ["detecting", "is_detector"]

_DETECTION = "_contrib_MultiBoxDetection"
_TARGET = "_contrib_MultiBoxTarget"
_LABELED = ("SoftmaxOutput", "Softmax")
_PASSING = ("MakeLoss", "make_loss")  # their output is their input


def is_detector(operators: Iterable[str]) -> bool:
    """Return True if these are the operators of an SSD network as it was trained."""
    return {_DETECTION, _TARGET} <= set(operators)


def detecting(graph: GraphRecord) -> GraphRecord | None:
    """Return the graph with its detections as its only output.

    Returns None if the graph does not train a detector, or has no detections among its outputs.

    Args:
        graph: the graph as the file has it; it is not changed.
    """
    if not is_detector(node.op for node in graph.nodes):
        return None
    heads = [head for head in graph.heads if _detects(graph.nodes, head)]
    if not heads:
        return None
    nodes = list(graph.nodes)
    labels: dict[int, NodeRecord] = {}
    for number, node in enumerate(nodes):
        if node.op in _LABELED and len(node.inputs) == 2:
            is_variable = nodes[node.inputs[1][0]].op == "null"
            if not is_variable:
                labels[number] = NodeRecord("null", f"{node.name}_label")
    return _reached(nodes, labels, heads[:1], graph)


def _detects(nodes: Sequence[NodeRecord], head: Entry) -> bool:
    node = nodes[head[0]]
    while node.op in _PASSING and node.inputs:
        node = nodes[node.inputs[0][0]]
    return node.op == _DETECTION


def _reached(
    nodes: Sequence[NodeRecord],
    labels: dict[int, NodeRecord],
    heads: Sequence[Entry],
    graph: GraphRecord,
) -> GraphRecord:
    """What `heads` need of a graph, with a variable as the label of each node in `labels`."""
    needed = {head[0] for head in heads}
    for number in range(len(nodes) - 1, -1, -1):
        if number in needed:
            inputs = nodes[number].inputs[:1] if number in labels else nodes[number].inputs
            needed.update(entry[0] for entry in inputs)
    kept: list[NodeRecord] = []
    places: dict[int, int] = {}

    def moved(entry: Entry) -> Entry:
        return (places[entry[0]], *entry[1:])

    for number in sorted(needed):
        node = nodes[number]
        inputs = [moved(entry) for entry in node.inputs[: 1 if number in labels else None]]
        if number in labels:
            kept.append(labels[number])
            inputs.append((len(kept) - 1, 0, 0))
        places[number] = len(kept)
        kept.append(NodeRecord(node.op, node.name, dict(node.attrs), inputs, [], node.subgraphs))
    variables = [place for place, node in enumerate(kept) if node.op == "null"]
    return GraphRecord(kept, variables, [moved(head) for head in heads], [], dict(graph.attrs))
