# SPDX-License-Identifier: Apache-2.0
"""ONNX files with int8 weights, for runtimes whose sessions mxnova configures.

Files for users have uint8 weights, because ONNX Runtime multiplies these exactly on all processors.
int8 weights take about half the time on processors with VNNI, and OpenVINO has integer kernels for
int8 weights only.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["make_weights_signed"]

_MIDDLE = 128


def make_weights_signed(path: str) -> None:
    """Rewrite the ONNX file at `path`: uint8 weights around 128 become int8 weights around 0.

    Files with arrays in further files are left as they are: protobuf cannot write them as a whole.
    """
    import onnx

    model = onnx.load(path, load_external_data=False)
    graph = model.graph
    if any(tensor.external_data for tensor in graph.initializer):
        return
    arrays = {tensor.name: tensor for tensor in graph.initializer}
    readers: dict[str, list[Any]] = {}
    for node in graph.node:
        for name in node.input:
            readers.setdefault(name, []).append(node)
    changed = False
    for name, nodes in readers.items():
        if name not in arrays or arrays[name].data_type != onnx.TensorProto.UINT8:
            continue
        if not all(_is_centered(node, name, arrays) for node in nodes):
            continue
        values = onnx.numpy_helper.to_array(arrays[name])
        signed = (values.astype(np.int16) - _MIDDLE).astype(np.int8)
        arrays[name].CopyFrom(onnx.numpy_helper.from_array(signed, name))
        for node in nodes:
            zeros = np.zeros(tuple(arrays[node.input[2]].dims), np.int8)
            # ONNX Runtime fails on zero points that several weights share.
            node.input[2] = f"{node.output[0]}/zero_point"
            graph.initializer.append(onnx.numpy_helper.from_array(zeros, node.input[2]))
        changed = True
    if changed:
        read = {name for node in graph.node for name in node.input}
        kept = [tensor for tensor in graph.initializer if tensor.name in read]
        del graph.initializer[:]
        graph.initializer.extend(kept)
        onnx.save(model, path)


def _is_centered(node: Any, name: str, arrays: dict[str, Any]) -> bool:
    """Return True if `node` dequantizes the array `name` with the zero point 128."""
    import onnx

    if node.op_type != "DequantizeLinear" or node.input[0] != name or len(node.input) < 3:
        return False
    zero = arrays.get(node.input[2])
    return zero is not None and bool((onnx.numpy_helper.to_array(zero) == _MIDDLE).all())
