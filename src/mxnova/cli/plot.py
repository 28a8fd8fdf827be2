# SPDX-License-Identifier: Apache-2.0
"""``mxnova plot``: a network as a table or as a drawing."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path
from subprocess import CalledProcessError
from types import SimpleNamespace
from typing import TYPE_CHECKING

from ..core.base.errors import ArgumentError, MXNetError
from ..core.base.html import escaped
from ..core.base.packages import missing_package
from ..core.base.progress import progress
from ..formats.atomic import replacing
from ..formats.checkpoint_files import CheckpointFiles, prefix_of
from ..formats.source import open_regular
from .report import write_json
from .shapes import shapes_of

if TYPE_CHECKING:
    from ..core.graph.symbol import Symbol

__all__ = ["plot"]

Shapes = dict[str, tuple[int | str, ...]]
_BINARY = (".mxnova", ".safetensors")  # which may begin with any byte
_PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">
<title>{title}</title><style>body{{font-family:system-ui,sans-serif;margin:1rem}}
main{{overflow:auto}}</style></head>
<body><h1>{title}</h1><p>{facts}</p>
<main tabindex="0" aria-label="drawing">{svg}</main></body></html>
"""


def plot(options: SimpleNamespace) -> None:
    """Prints the table of a network's layers, or writes a drawing of it.

    Args:
        options: model, epoch, shape, output, weights, json.

    Raises:
        MXNetError: an option or the model cannot be used, or Graphviz is needed and not there.
    """
    given = shapes_of(options.shape)
    if options.output is not None and options.json:
        raise ArgumentError("plot: --json and --output do not go together")
    with progress() as tell:
        tell("read the network")
        network, noted = _network(options.model, options.epoch)
        if options.output is not None:
            tell("draw")
            _draw(network, given or noted, options.output, options.weights)
    if options.output is None:
        _print(network, given or noted, options.json)


def _network(model: str, epoch: int | None) -> tuple[Symbol, Shapes | None]:
    """The network, and the shapes of its inputs where the files tell them."""
    from .. import symbol
    from ..artefacts import open_model

    path = model if _is_symbol(model) else CheckpointFiles.of(prefix_of(model), 0).symbol
    if os.path.isfile(path) and not os.path.isdir(model):
        return symbol.load(path), None
    if model.endswith(_BINARY):
        raise ArgumentError(f"{model}: holds no network of MXNet's: give what it was made of")
    opened = open_model(model, epoch)
    if opened.symbol is None:
        raise MXNetError(f"{model}: holds no network ({opened.layout})")
    return opened.symbol, opened.input_shapes


def _is_symbol(path: str) -> bool:
    """Whether a file is a symbol, which may have any name."""
    if path.endswith((".json", *_BINARY)) or not os.path.isfile(path):
        return path.endswith(".json")
    with open_regular(path) as file:
        return file.read(512).lstrip()[:1] == b"{"


def _print(network: Symbol, shapes: Shapes | None, as_json: bool) -> None:
    from .. import visualization
    from ..core.graph.summary import layers, total

    if not as_json:
        visualization.print_summary(network, shapes)
        return
    rows = layers(network, shapes)
    write_json({"layers": [row._asdict() for row in rows], "parameters": total(rows)})


def _draw(network: Symbol, shapes: Shapes | None, output: Path, weights: bool) -> None:
    from ..core.graph.drawing import symbol_svg
    from ..core.graph.summary import layers, output_shapes, total

    if output.suffix not in (".svg", ".html"):
        _draw_by_graphviz(network, shapes, output, weights)
        return
    text = symbol_svg(network, output_shapes(network, shapes), weights)
    if output.suffix == ".html":
        rows = layers(network, shapes)
        facts, parameters = f"{len(rows):,} layers", total(rows)
        if parameters is not None:
            facts += f", {parameters:,} parameters"
        text = _PAGE.format(title=escaped(output.stem), facts=facts, svg=text)
    with replacing(output) as file:
        file.write(text.encode())


def _draw_by_graphviz(network: Symbol, shapes: Shapes | None, output: Path, weights: bool) -> None:
    from ..visualization import plot_network

    if find_spec("graphviz") is None:
        text = f"{missing_package('graphviz', 'viz')}; .svg and .html files need nothing"
        raise MXNetError(f"plot: {output}: {text}")
    kind = output.suffix.removeprefix(".") or "pdf"
    try:
        drawing = plot_network(network, output.stem, kind, shapes, hide_weights=not weights)
        if kind not in ("dot", "gv"):
            drawing.render(filename=output.stem, directory=str(output.parent), cleanup=True)
            return
    except MXNetError:
        raise
    except (RuntimeError, ValueError, CalledProcessError) as error:  # no dot, no such format
        raise MXNetError(
            f"plot: {output}: Graphviz cannot make it, whose program dot is needed for all but "
            f".svg and .html files ({error})"
        ) from None
    with replacing(output) as file:
        file.write(drawing.source.encode())
