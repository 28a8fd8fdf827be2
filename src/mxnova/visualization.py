# SPDX-License-Identifier: Apache-2.0
"""Networks as tables and drawings: `mx.viz`."""

from __future__ import annotations

import importlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .core.base.doors import door, facade
from .core.base.errors import ArgumentTypeError, MXNetError, shown
from .core.base.html import escaped
from .core.base.printable import printable
from .core.base.unique_names import unique_identifiers
from .core.base.user_warnings import warn_user
from .core.graph.base_symbol import output_name
from .core.graph.drawing import WEIGHT_SUFFIXES
from .core.graph.node import Node
from .core.graph.summary import layers, output_shapes, total
from .core.graph.symbol import Symbol

__all__ = ["plot_network", "print_summary"]

_COLUMNS = ("Layer (type)", "Output Shape", "Param #", "Previous Layer")
_POSITIONS = [0.44, 0.64, 0.74, 1.0]

# Tables -------------------------------------------------------------------------------------------


@door
def print_summary(
    symbol: Symbol,
    shape: Mapping[str, Any] | None = None,
    line_length: int = 120,
    positions: Sequence[float] = _POSITIONS,
) -> None:
    """Prints layers, shapes without the batch, numbers of parameters, and the layers before.

    A layer's parameters are all elements of its variables that are neither inputs of the network,
    those named in `shape`, nor labels, nor states of an operator; one that several layers share
    counts for the first. Without shapes there are no numbers.

    Args:
        symbol: the network.
        shape: shapes of its inputs by name, such as ``{"data": ("N", 3, 224, 224)}``; a word is a
            size that is open, and ``?`` a size that depends on it. None: shapes and numbers of
            parameters stay blank.
        line_length: characters of a line.
        positions: ends of the columns, as characters, or as parts of the line.
    """
    if not isinstance(symbol, Symbol):
        raise ArgumentTypeError(f"print_summary: symbol={shown(symbol)}: must be a Symbol")
    ends = [int(line_length * p) if positions[-1] <= 1 else int(p) for p in positions]
    lines = ["_" * line_length, _row(_COLUMNS, ends), "=" * line_length]
    rows = layers(symbol, shape, "print_summary")
    for layer in rows:
        size = "x".join(map(str, layer.shape[1:])) if layer.shape else ""
        names = layer.inputs or [""]
        number = "" if layer.parameters is None else str(layer.parameters)
        lines.append(_row((f"{layer.name}({layer.operator})", size, number, names[0]), ends))
        lines += [_row(("", "", "", name), ends) for name in names[1:]]
        lines.append(("=" if layer is rows[-1] else "_") * line_length)
    missing = [layer.name for layer in rows if layer.parameters is None]
    lines += [f"Total params: {_unknown(shape, missing) if missing else total(rows)}"]
    text = "\n".join([*lines, "_" * line_length])
    print(printable(text, keep="\n"))  # noqa: T201 - what it is for


def _unknown(shape: Mapping[str, Any] | None, layers: Sequence[str]) -> str:
    if shape is None:
        return "unknown without shapes"
    more = ", ..." if len(layers) > 3 else ""
    return f"unknown: sizes are open on which {', '.join(layers[:3])}{more} depends"


def _row(fields: Sequence[str], ends: Sequence[int]) -> str:
    line = ""
    for field, end in zip(fields, ends, strict=False):
        line = (line + printable(field))[:end].ljust(end)
    return line


# Drawings -----------------------------------------------------------------------------------------

# ColorBrewer's Set3.
_GREEN, _RED, _YELLOW, _PURPLE, _BLUE, _ORANGE, _LIME, _PINK = (
    "#8dd3c7", "#fb8072", "#ffffb3", "#bebada", "#80b1d3", "#fdb462", "#b3de69", "#fccde5"
)  # fmt: skip
_COLORS = {
    "Convolution": _RED,
    "Deconvolution": _RED,
    "FullyConnected": _RED,
    "Activation": _YELLOW,
    "LeakyReLU": _YELLOW,
    "BatchNorm": _PURPLE,
    "Pooling": _BLUE,
    "Concat": _ORANGE,
    "Flatten": _ORANGE,
    "Reshape": _ORANGE,
    "Softmax": _LIME,
}
_DESCRIBED = frozenset(  # their labels are their kinds and sizes, others' are their names
    ("Activation", "Convolution", "Deconvolution", "FullyConnected", "LeakyReLU", "Pooling")
)


@door
def plot_network(
    symbol: Symbol,
    title: str = "plot",
    save_format: str = "pdf",
    shape: Mapping[str, Any] | None = None,
    dtype: Mapping[str, Any] | None = None,
    node_attrs: Mapping[str, str] = {},
    hide_weights: bool = True,
) -> Any:
    """A drawing of the network: a `graphviz.Digraph`, which has `render` and `view`.

    Args:
        symbol: the network.
        title: name of the drawing, and of the file that it is rendered to.
        save_format: format of that file.
        shape: shapes of the inputs by name, for labels of edges.
        dtype: without effect on the drawing; MXNet has it for the inference of shapes.
        node_attrs: attributes of all nodes, which Graphviz knows.
        hide_weights: leave variables out that are named like weights.

    Raises:
        MXNetError: the Python package graphviz is not there (extra ``viz``).
    """
    if not isinstance(symbol, Symbol):
        raise ArgumentTypeError(f"plot_network: symbol={shown(symbol)}: must be a Symbol")
    try:
        graphviz = importlib.import_module("graphviz")
    except ImportError:
        raise MXNetError(
            "plot_network draws with the package graphviz: pip install graphviz, or "
            '"mxnova[viz]"; for files, Graphviz\'s own program dot is needed, too'
        ) from None
    _warn_of_namesakes(symbol)
    shapes = output_shapes(symbol, shape, "plot_network")
    drawing = graphviz.Digraph(name=title, format=save_format)
    common = {"shape": "box", "fixedsize": "true", "width": "1.3", "height": "0.8034"}
    common |= {"style": "filled", **node_attrs}
    drawn = dict.fromkeys(n for n in symbol.nodes if not (hide_weights and _is_weight(n)))
    # Graphviz reads : in the name of a node as a port, and <...> as code.
    ids = unique_identifiers([node.name for node in drawn], (), _to_plain_words)
    for node in drawn:
        drawing.node(name=ids[node.name], label=_label(node), **{**common, **_look(node)})
    for node in drawn:
        for entry in node.inputs:
            if entry.node in drawn:
                size = "x".join(map(str, shapes.get(output_name(entry), ())[1:]))
                drawing.edge(
                    tail_name=ids[node.name],
                    head_name=ids[entry.node.name],
                    dir="back",
                    arrowtail="open",
                    label=size,
                )
    return drawing


def _warn_of_namesakes(symbol: Symbol) -> None:
    """Warns of names that stand for several nodes, which a drawing shows as one."""
    counts = Counter(node.name for node in symbol.nodes)
    namesakes = [name for name, count in counts.items() if count > 1]
    if namesakes:
        names = ", ".join(namesakes)
        warn_user(
            f"plot_network: nodes with the same name are drawn as one, maybe in a circle: {names}",
            RuntimeWarning,
        )


def _is_weight(node: Node) -> bool:
    return node.op is None and node.name.endswith(WEIGHT_SUFFIXES)


def _to_plain_words(name: str) -> str:
    return re.sub(r"[^\w ./+-]", "_", name)


def _label(node: Node) -> str:
    """Return the label of a node, in which Graphviz reads entities of HTML and escapes."""
    words = (escaped(word).replace("\\", r"\\") for word in _words(node))
    return r"\n".join(words)


def _words(node: Node) -> Iterator[str]:
    op = node.op
    if op is None:
        yield node.name
        return
    yield op.name if op.name in _DESCRIBED else node.name
    if op.name in ("Convolution", "Deconvolution"):
        yield f"{_by(op.attr('kernel'))}/{_by(op.attr('stride')) or 1}, {op.attr('num_filter')}"
    elif op.name == "FullyConnected":
        yield str(op.attr("num_hidden"))
    elif op.name in ("Activation", "LeakyReLU"):
        yield str(op.attr("act_type"))
    elif op.name == "Pooling":
        size = "global" if op.attr("global_pool") else _by(op.attr("kernel"))
        yield f"{op.attr('pool_type')}, {size}/{_by(op.attr('stride')) or 1}"


def _by(sizes: Sequence[int]) -> str:
    return "x".join(map(str, sizes))


def _look(node: Node) -> dict[str, str]:
    if node.op is None:
        return {"shape": "oval", "fillcolor": _GREEN}
    return {"fillcolor": _COLORS.get(node.op.name, _PINK)}


facade(__name__)
