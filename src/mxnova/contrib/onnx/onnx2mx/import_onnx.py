# SPDX-License-Identifier: Apache-2.0
"""Graphs that the package onnx has read, as symbols and blocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ....context import Context
from ....core.graph.symbol import Symbol
from ....core.nd.array import NDArray
from ....gluon import SymbolBlock
from ....onnx.load import metadata_of, symbol_of
from ....symbol import var

__all__ = ["GraphProto", "block_of"]


class GraphProto:
    """Makes symbols of graphs.

    Attributes:
        model_metadata: what `get_graph_metadata` gave of the last graph that became a symbol.
    """

    def __init__(self) -> None:
        self.model_metadata: dict[str, list[tuple[Any, ...]]] = {}

    def from_onnx(
        self, graph: Any, opset_version: int
    ) -> tuple[Symbol, dict[str, NDArray], dict[str, NDArray]]:
        """(symbol, arguments, auxiliary states) of an onnx.GraphProto.

        Args:
            graph: the graph.
            opset_version: of the operators that it is written in.

        Raises:
            MXNetError: as `mxnova.onnx.import_model`.
        """
        from onnx import helper

        self.model_metadata = self.get_graph_metadata(graph)
        opsets = [helper.make_opsetid("", opset_version)]
        return symbol_of(helper.make_model(graph, opset_imports=opsets))

    def get_graph_metadata(self, graph: Any) -> dict[str, list[tuple[Any, ...]]]:
        """Inputs and outputs of an onnx.GraphProto, as `mxnova.onnx.get_model_metadata`."""
        return metadata_of(graph)

    def graph_to_gluon(
        self, graph: Any, ctx: Context | Sequence[Context] | None, opset_version: int
    ) -> SymbolBlock:
        """A block that takes the inputs of an onnx.GraphProto.

        Args:
            graph: the graph.
            ctx: where the parameters go; None: the current context.
            opset_version: of the operators that it is written in.

        Raises:
            MXNetError: as `mxnova.onnx.import_model`.
        """
        symbol, arguments, states = self.from_onnx(graph, opset_version)
        inputs = [name for name, *_ in self.model_metadata["input_tensor_data"]]
        return block_of(symbol, inputs, {**arguments, **states}, ctx)


def block_of(
    symbol: Symbol,
    inputs: Sequence[str],
    parameters: Mapping[str, NDArray],
    ctx: Context | Sequence[Context] | None,
) -> SymbolBlock:
    """A block that computes a symbol.

    Args:
        symbol: the symbol.
        inputs: names of what the block takes, in order.
        parameters: arrays of all other variables, by name.
        ctx: where they go; None: the current context.
    """
    block = SymbolBlock(symbol, [var(name) for name in inputs])
    for name, parameter in block.collect_params().items():
        parameter.shape, parameter.dtype = parameters[name].shape, parameters[name].dtype
        parameter.initialize(ctx=ctx)
        parameter.set_data(parameters[name])
    return block
