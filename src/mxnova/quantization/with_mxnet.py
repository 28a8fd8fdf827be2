# SPDX-License-Identifier: Apache-2.0
"""MXNet's own quantization: a symbol on 8-bit integers with its parameters."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping

import numpy as np

from ..checkpoint import joined_params
from ..contrib.quantization.calibration import HistogramCollector, MinMaxCollector, collect
from ..contrib.quantization.graph import calibrated, quantized_symbol
from ..contrib.quantization.model import quantized_parameters
from ..convert.proof.mxnet import MXNetRunner
from ..convert.proof.runner import Array, Runner, Take
from ..convert.proof.runners import CheckpointRunner
from ..convert.source import Model
from ..core.exec.passes.mkldnn_subgraphs import with_integer_layers
from ..core.graph.node import Entry, Node, parsed
from ..core.graph.symbol import Symbol
from ..core.nd.files import record_of_array
from ..core.runtime.context import cpu
from ..formats import params
from ..formats.atomic import replacing
from ..formats.checkpoint_files import CheckpointFiles
from ..ndarray import array as nd_array
from .method import Advance, Method, Task

__all__ = ["MXNetMethod", "QuantizedRunner"]

_DTYPE = "auto"  # uint8 for what is never negative, where the layer that reads it takes it


class MXNetMethod(Method):
    """Operators of MXNet's on integers, with ranges by its own ways to find them."""

    def __init__(self, task: Task) -> None:
        self._task, self._model = task, task.request.model
        self.reference = MXNetRunner(self._model)
        self._ranges: dict[str, tuple[float, float]] = {}
        # Fused layers have a range for each filter, of weights that stay in float in the file.
        is_fused = task.options.per_channel
        self._symbol = with_integer_layers(self._model.graph) if is_fused else self._model.graph

    def quantize(self, excluded: Collection[str], path: str, advance: Advance) -> Runner:
        """Finds ranges that are not known yet, and writes a checkpoint."""
        options = self._task.options
        arguments, states = self._model.parameters
        made, layers = quantized_symbol(
            self._symbol,
            arguments,
            excluded,
            (),
            _DTYPE,
            "smart",
            has_ranges=options.calibration != "none",
            by_channel=options.per_channel,
        )
        if options.calibration != "none":
            self._find([name for name in layers if name not in self._ranges], advance)
            made = calibrated(made, self._ranges)
        integers = quantized_parameters(made, arguments)
        if options.per_channel:
            made = with_integer_layers(made)
        files = CheckpointFiles.of(path, self._model.epoch)
        saved = joined_params(integers, states)
        records = [record_of_array(values) for values in saved.values()]
        params.write(files.params, records, list(saved), np_shape=self._model.np_shape)
        with replacing(files.symbol) as file:
            file.write(made.tojson().encode())
        return QuantizedRunner(path, self._model.epoch)

    def _find(self, layers: list[str], advance: Advance) -> None:
        """Adds the ranges of these outputs of the network in float."""
        if not layers:
            return
        fed = ({n: nd_array(v) for n, v in feed.items()} for feed in self._task.fed(advance))
        if self._task.options.calibration == "naive":
            ends = MinMaxCollector(_DTYPE, layers)
            collect(self._symbol, self._model.arrays, fed, cpu(), ends)
            self._ranges.update(ends.min_max_dict)
        else:
            histograms = HistogramCollector(include_layer=layers)
            collect(self._symbol, self._model.arrays, fed, cpu(), histograms)
            self._ranges.update(histograms.ranges(_DTYPE))

    def float_bytes(self) -> int:
        """Of the checkpoint, or of the archive."""
        return sum(map(os.path.getsize, self._model.files))


class QuantizedRunner(CheckpointRunner):
    """A quantized checkpoint that tells its values as real numbers, by the names in float."""

    def quantized(self) -> set[str]:
        """None: what are integers is told as real numbers."""
        return set()

    def nodes(self, feed: Mapping[str, Array], take: Take) -> None:
        """Tells of values behind dequantization that is put behind each layer."""
        named = _real_values(self._symbol)
        symbol = Symbol(list(named.values()))
        model = Model(self.model.files, symbol, self.model.saved, self.model.np_shape)
        for name, values in zip(named, MXNetRunner(model).outputs(feed), strict=True):
            if values.dtype.kind == "f":
                take(name, np.asarray(values), None)


def _real_values(symbol: Symbol) -> dict[str, Entry]:
    """Values of a quantized symbol as real numbers, by the names of nodes in float."""
    found: dict[str, Entry] = {}
    for node in symbol.nodes:
        if node.op is None or node.op.name in ("_contrib_quantize_v2", "_contrib_quantize_asym"):
            continue
        name, triple = _origin(node), [Entry(node, i) for i in range(node.n_outputs())]
        if name is None or len(triple) != 3:
            found.setdefault(name or node.name, triple[0])
        else:
            made = Node(parsed("_contrib_dequantize", {}), f"{node.name}:real", {}, triple)
            found[name] = Entry(made, 0)
    return found


def _origin(node: Node) -> str | None:
    """The node in float whose value a node on integers gives."""
    for prefix in ("quantized_", "requantize_"):
        if node.name.startswith(prefix):
            body = node.subgraphs[0].nodes if node.subgraphs else ()
            return body[-1].name if body else node.name.removeprefix(prefix)
    return None
