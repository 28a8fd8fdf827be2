# SPDX-License-Identifier: Apache-2.0
"""``mxnova plot``: a network as a table or as a drawing."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

from ..core.base.errors import ArgumentError
from ..core.base.shapes import parse_shape
from ..formats.atomic import replacing

__all__ = ["plot"]


def plot(options: SimpleNamespace) -> None:
    """Prints the table of a symbol's layers, or writes a drawing of it.

    Args:
        options: file, shape, output, weights.
    """
    from .. import symbol, visualization

    network = symbol.load(str(options.file))
    shapes = dict(_shape(text) for text in options.shape) or None
    if options.output is None:
        visualization.print_summary(network, shapes)
        return
    output: Path = options.output
    kind = output.suffix.removeprefix(".") or "pdf"
    drawing = visualization.plot_network(
        network, output.stem, kind, shapes, hide_weights=not options.weights
    )
    if kind in ("dot", "gv"):
        with replacing(output) as file:
            file.write(drawing.source.encode())
        return
    drawing.render(filename=output.stem, directory=str(output.parent), cleanup=True)


def _shape(text: str) -> tuple[str, tuple[int, ...]]:
    name, equals, sizes = text.partition("=")
    try:
        shape = parse_shape(f"({sizes},)")
    except ValueError:
        shape = None
    if not (name and equals and shape):
        raise ArgumentError(f"--shape {text}: must be NAME=1,3,224,224")
    return name, tuple(shape)
