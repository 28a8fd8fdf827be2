# SPDX-License-Identifier: Apache-2.0
"""What is converted: a checkpoint, an artefact, a file of parameters, safetensors or ONNX."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import torch

from ..artefacts import OpenedModel, is_artefact, open_model
from ..artefacts.detector import detecting, is_detector
from ..checkpoint import joined_params, split_params
from ..core.base.dtypes import dtype_of
from ..core.base.errors import ArgumentError, FormatError, MXNetError, candidates
from ..core.graph.infer import infer_complete_dtypes
from ..core.graph.labels import without_label_graphs
from ..core.graph.node import Entry, Node
from ..core.graph.rewrite import rewrite
from ..core.graph.serialize import from_json
from ..core.graph.symbol import Symbol
from ..core.nd.array import NDArray
from ..core.nd.files import array_of_record, record_of_array
from ..core.op.dtypes import mx_dtype
from ..formats import safetensors, symbol_json
from ..formats.checkpoint_files import CheckpointFiles, located, prefix_of
from ..formats.kinds import is_params_file, what_it_is
from ..formats.params import ParamsFile
from ..formats.safetensors_params import read_params, to_params
from ..formats.source import open_regular, read_file, sha256_of
from ..predictor.picture import Picture

__all__ = ["Model", "declare_dtypes", "load", "model_of"]

Sizes = Mapping[str, Sequence[int | str]]


@dataclass(frozen=True)
class Model:
    """A model that was read.

    Attributes:
        files: where it was read from.
        symbol: its graph; None of files that hold parameters only.
        saved: its parameters, as files of MXNet's hold them.
        np_shape: whether they have NumPy's shapes.
        epoch: the number of the checkpoint.
        sizes: shapes of inputs that the file tells, with names for sizes that it leaves open.
        preprocessing: how an image becomes an input, where the source tells it.
        labels: names of the scores, where the source tells them.
        types: dtypes of inputs by name, in place of those that the graph declares.
    """

    files: tuple[str, ...]
    symbol: Symbol | None
    saved: ParamsFile
    np_shape: bool = False
    epoch: int = 0
    sizes: Sizes | None = None
    preprocessing: Picture | None = None
    labels: Sequence[str] = ()
    types: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def graph(self) -> Symbol:
        """The network for inference, whose inputs declare their dtypes.

        Nodes that only compute labels of losses are left out, and training graphs of SSD networks
        are reduced to their detections.

        Raises:
            ArgumentError: the model has no network, or `types` names no input of it.
            MXNetError: the dtypes of the network contradict each other.
        """
        symbol = self.network
        if is_detector(node.op.name for node in symbol.nodes if node.op is not None):
            detector = detecting(symbol_json.loads(symbol.tojson()))
            symbol = symbol if detector is None else from_json(symbol_json.dumps(detector))
        symbol = without_label_graphs(symbol)
        types = self._input_types(symbol)
        return declare_dtypes(symbol, {n: t for n, t in types.items() if t != "float32"})

    @cached_property
    def input_types(self) -> dict[str, str]:
        """The dtype of each input."""
        return self._input_types(self.graph)

    def _input_types(self, symbol: Symbol) -> dict[str, str]:
        """Return the dtypes that the network declares or its parameters imply, else float32."""
        known = {name: array._tensor.dtype for name, array in self.arrays.items()}
        table = infer_complete_dtypes(symbol.nodes, known)
        found = {n.name: table[n][0] or torch.float32 for n in symbol.nodes if n.op is None}
        return {name: mx_dtype(dtype).name for name, dtype in found.items() if name not in known}

    @cached_property
    def network(self) -> Symbol:
        """The symbol as it was read, or that of the network beside a file of parameters.

        Raises:
            ArgumentError: the model has no network, or `types` names no input of it.
        """
        symbol = self._read_network()
        names = symbol.list_inputs()
        for name in self.types:
            if name not in names or name in self.arrays:
                inputs = [n for n in names if n not in self.arrays]
                hint = candidates(name, inputs)
                raise ArgumentError(f"--shape: the model has no input {name!r}{hint}")
        return declare_dtypes(symbol, self.types)

    def _read_network(self) -> Symbol:
        if self.symbol is not None:
            return self.symbol
        if (prefix := prefix_of(self.files[0])) != self.files[0]:
            return _network(CheckpointFiles.of(prefix, self.epoch).symbol)
        raise ArgumentError(
            f"{self.files[0]}: holds parameters without a network; give the prefix of files "
            "PREFIX-symbol.json and PREFIX-0000.params"
        )

    @cached_property
    def parameters(self) -> tuple[dict[str, NDArray], dict[str, NDArray]]:
        """Arguments and auxiliary states by name."""
        pairs = zip(self.saved.names, self.saved.records, strict=True)
        loaded = {name: array_of_record(r) for name, r in pairs if r is not None}
        return split_params(loaded, self.files[-1])

    @cached_property
    def arrays(self) -> dict[str, NDArray]:
        """Arguments and auxiliary states in one."""
        arguments, states = self.parameters
        return arguments | states

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shapes of the parameters."""
        return {name: array.shape for name, array in self.arrays.items()}

    @property
    def inputs(self) -> list[str]:
        """Names of variables that are no parameters."""
        return [name for name in self.graph.list_inputs() if name not in self.arrays]

    @cached_property
    def hashes(self) -> dict[str, str]:
        """SHA-256 of the files, by their names."""
        return {os.path.basename(path): sha256_of(path) for path in self.files}

    @cached_property
    def facts(self) -> dict[str, str]:
        """Where it comes from, for metadata of other formats."""
        return {"mxnet.sha256": json.dumps(self.hashes), "mxnet.epoch": str(self.epoch)}

    @cached_property
    def input_attributes(self) -> dict[str, str]:
        """What the graph says of its inputs, such as how images are prepared, for metadata."""
        nodes = {node.name: node for node in self.graph.nodes if node.op is None}
        found = {name: nodes[name].attrs for name in self.inputs if nodes[name].attrs}
        return {f"mxnet.input.{name}": json.dumps(attrs) for name, attrs in found.items()}


def load(
    source: str | os.PathLike[str],
    epoch: int | None = None,
    sizes: Sizes | None = None,
    types: Mapping[str, str] | None = None,
) -> Model:
    """Read the model at `source`.

    Args:
        source: the prefix or a file of a checkpoint, what `open_model` opens, or the path of an
            .onnx, .safetensors or .params file.
        epoch: of a checkpoint; None for the newest.
        sizes: shapes of inputs of an ONNX file, instead of its own.
        types: dtypes of inputs, in place of those that the graph declares.

    Raises:
        FileError: a file is missing or cannot be read.
        FormatError: a file breaks its format.
    """
    model = _read(os.fspath(source), epoch, sizes or {})
    return replace(model, types=types) if types else model


def _read(path: str, epoch: int | None, sizes: Sizes) -> Model:
    ending = Path(path).suffix
    if ending == ".onnx":
        return _of_onnx(path, sizes)
    if ending == ".mxnova":
        raise ArgumentError(f"{path}: is compiled, without a network: give what it was made of")
    if ending == ".safetensors":
        file = safetensors.read(path)
        saved, np_shape = to_params(file)
        return Model((path,), None, saved, np_shape, _epoch_of(file.metadata))
    if ending == ".params" or is_params_file(path):
        return Model((path,), None, *read_params(path))
    if is_artefact(path):
        return model_of(open_model(path, epoch))
    if os.path.isfile(path) and prefix_of(path) == path:
        with open_regular(path) as unknown:
            hint = what_it_is(unknown.read(16))
        raise FormatError(f"{path}: not a model that can be read{hint}")
    return _of_checkpoint(located(path, epoch))


def _epoch_of(metadata: Mapping[str, str]) -> int:
    text = metadata.get("mxnet.epoch", "")
    return int(text) if text.isdecimal() and len(text) < 10 else 0


def _of_checkpoint(files: CheckpointFiles) -> Model:
    symbol = _network(files.symbol)
    return Model((files.symbol, files.params), symbol, *read_params(files.params), files.epoch)


def _network(path: str) -> Symbol:
    try:
        symbol: Symbol = from_json(read_file(path))
    except MXNetError as error:
        raise (error if isinstance(error, OSError) else type(error)(f"{path}: {error}")) from None
    return symbol


def declare_dtypes(symbol: Symbol, types: Mapping[str, str]) -> Symbol:
    """Return `symbol` whose variables declare these dtypes, by name."""
    if not types:
        return symbol

    def replace_variable(node: Node, inputs: list[Entry]) -> Node | None:
        if node.op is not None or node.name not in types:
            return None
        flag = str(dtype_of(types[node.name]).flag)
        return Node(None, node.name, {**node.attrs, "__dtype__": flag})

    return rewrite(symbol, replace_variable)


def model_of(opened: OpenedModel) -> Model:
    """The model of an artefact or a checkpoint that was opened."""
    records = [record_of_array(array) for array in opened.params.values()]
    saved = ParamsFile(list(records), list(opened.params))
    return Model(
        opened.source_files,
        opened.symbol,
        saved,
        opened.np_shape,
        opened.epoch,
        opened.input_shapes,
        opened.preprocessing,
        opened.labels or (),
    )


def _of_onnx(path: str, sizes: Sizes) -> Model:
    from ..onnx.importer import read_model
    from ..onnx.load import import_model, metadata_of

    symbol, arguments, states = import_model(path, sizes)
    joined = joined_params(arguments, states)
    records = [record_of_array(array) for array in joined.values()]
    graph = read_model(path).model.graph
    told = {name: shape for name, shape, _ in metadata_of(graph)["input_tensor_data"]}
    opened = {
        name: [size or f"{name}_{axis}" for axis, size in enumerate(shape)]
        for name, shape in told.items()
    }
    files = (path, *_external(path, graph))
    return Model(files, symbol, ParamsFile(list(records), list(joined)), False, 0, opened)


def _external(path: str, graph: Any) -> list[str]:
    """The files that hold the numbers of a graph, once it was read without complaint."""
    entries = (entry for tensor in graph.initializer for entry in tensor.external_data)
    names = dict.fromkeys(entry.value for entry in entries if entry.key == "location")
    return [os.path.join(os.path.dirname(path), name) for name in names]
