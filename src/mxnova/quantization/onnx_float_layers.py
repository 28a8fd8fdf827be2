# SPDX-License-Identifier: Apache-2.0
"""Layers of a quantized ONNX file that ONNX Runtime shall leave in float.

ONNX Runtime makes integers of float weights itself, when it loads a file, where a layer stands
between a DequantizeLinear with one scale and a QuantizeLinear (its pass WeightBiasQuantization). So
what such a layer reads gets a scale for each channel, all alike, which computes the same.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

__all__ = ["keep_in_float"]

_LAYERS = frozenset({"Conv", "ConvTranspose", "Gemm"})


def keep_in_float(path: str, names: Collection[str]) -> None:
    """Rewrites the file at `path` so that these nodes run in float."""
    import onnx

    model = onnx.load(path, load_external_data=False)
    graph = model.graph
    makers = {output: node for node in graph.node for output in node.output}
    arrays = {tensor.name: tensor for tensor in graph.initializer}
    nodes: list[Any] = []
    for node in graph.node:
        if node.name in names and node.op_type in _LAYERS and node.input[1] in arrays:
            maker = makers.get(node.input[0])
            if maker is not None and maker.op_type == "DequantizeLinear":
                nodes += _read_otherwise(node, maker, makers, graph, arrays)
        nodes.append(node)
    del graph.node[:]
    graph.node.extend(nodes)
    onnx.save(model, path)


def _read_otherwise(node: Any, maker: Any, makers: Any, graph: Any, arrays: Any) -> list[Any]:
    """Has a layer read what its DequantizeLinear gives in another way; nodes that it needs."""
    count = _channels(node, arrays[node.input[1]].dims)
    if count == 1:  # one scale, whatever its shape: as it was before it was quantized
        node.input[0] = makers[maker.input[0]].input[0]
        return []
    made, tensors = _by_channel(node.name, maker, arrays, count)
    graph.initializer.extend(tensors)
    node.input[0] = made.output[0]
    return [made]


def _channels(node: Any, dims: Any) -> int:
    """Sizes of the second axis of what a layer reads."""
    facts = {a.name: a.i for a in node.attribute}
    if node.op_type == "Conv":
        return int(dims[1] * facts.get("group", 1))
    return int(dims[1] if node.op_type == "Gemm" and facts.get("transB") else dims[0])


def _by_channel(name: str, node: Any, arrays: Any, count: int) -> tuple[Any, list[Any]]:
    """A DequantizeLinear like `node`, with its scale for each channel, and the arrays it reads."""
    import onnx

    inputs, tensors = [node.input[0]], []
    for given, role in zip(node.input[1:], ("scale", "zero_point"), strict=False):
        values = onnx.numpy_helper.to_array(arrays[given])
        repeated = np.repeat(values.reshape(1), count)
        inputs.append(f"{name}:{role}")
        tensors.append(onnx.numpy_helper.from_array(repeated, inputs[-1]))
    made = onnx.helper.make_node(
        "DequantizeLinear", inputs, [f"{name}:read"], f"{name}:read", domain=node.domain, axis=1
    )
    return made, tensors
