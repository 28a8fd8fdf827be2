# SPDX-License-Identifier: Apache-2.0
"""ONNX models as ONNX Runtime computes them on x86 processors without VNNI, on any processor.

Layers between DequantizeLinear and QuantizeLinear multiply integers. Activations that are int8
become uint8. Products with int8 weights are added in pairs, which saturate to 16 bits.
"""

import numpy as np
import onnx
import onnxruntime


def run_saturating(model, feed):
    """Return the outputs of a model."""
    values = {t.name: onnx.numpy_helper.to_array(t) for t in model.graph.initializer} | dict(feed)
    makers = {name: node for node in model.graph.node for name in node.output}
    for node in model.graph.node:
        integers = [makers.get(name) for name in node.input[:2]]
        is_product = node.op_type in ("Conv", "Gemm", "MatMul")
        if is_product and all(maker is not None and maker.op_type == "DequantizeLinear" for maker in integers):  # fmt: skip
            values[node.output[0]] = _product(node, integers, values)
        else:
            values.update(zip(node.output, _evaluate(node, values, model.opset_import)))
    return [values[entry.name] for entry in model.graph.output]


def _evaluate(node, values, opsets):
    """Return what a node gives by itself."""
    names = dict.fromkeys(name for name in node.input if name)
    kinds = {n: onnx.helper.np_dtype_to_tensor_dtype(values[n].dtype) for n in names}
    inputs = [onnx.helper.make_tensor_value_info(n, k, values[n].shape) for n, k in kinds.items()]
    outputs = [onnx.ValueInfoProto(name=name) for name in node.output]
    graph = onnx.helper.make_graph([node], "node", inputs, outputs)
    model = onnx.helper.make_model(graph, opset_imports=opsets, ir_version=8)
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    return session.run(None, {name: values[name] for name in names})


def _product(node, integers, values):
    (x, x_scale, x_zero), (w, w_scale, w_zero) = (_quantized(m, values) for m in integers)
    if x.dtype == np.int8:
        x, x_zero = (x.astype(np.int32) + 128).astype(np.uint8), x_zero.astype(np.int32) + 128
    facts = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
    if node.op_type == "Conv":
        sums = _convolve(x, int(x_zero.reshape(-1)[0]), w, w_zero, facts)
        scale = x_scale * w_scale.reshape(1, -1, *[1] * (sums.ndim - 2))
        shape = (1, -1, *[1] * (sums.ndim - 2))
    else:
        rows = w if facts.get("transB") else w.T
        sums = _multiply(x, int(x_zero.reshape(-1)[0]), rows, w_zero)
        scale, shape = x_scale * w_scale.reshape(1, -1), (1, -1)
    found = sums * scale
    if len(node.input) > 2:
        found = found + values[node.input[2]].reshape(shape)
    return found.astype(np.float32)


def _quantized(maker, values):
    x, scale = (values[name] for name in maker.input[:2])
    zero = values[maker.input[2]] if len(maker.input) > 2 else np.zeros((), x.dtype)
    return x, scale, zero


def _convolve(x, x_zero, w, w_zero, facts):
    pads = facts["pads"][:2]
    x = np.pad(x, [(0, 0), (0, 0), *((p, p) for p in pads)], constant_values=x_zero)
    windows = np.lib.stride_tricks.sliding_window_view(x, w.shape[2:], (2, 3))
    windows = windows[:, :, :: facts["strides"][0], :: facts["strides"][1]]
    n, _, rows, columns = windows.shape[:4]
    groups = facts.get("group", 1)
    zeros = np.broadcast_to(w_zero.reshape(-1), (len(w),)).reshape(groups, -1)
    parts = []
    for part, weights, zero in zip(np.split(windows, groups, 1), np.split(w, groups), zeros):
        patches = part.transpose(0, 2, 3, 1, 4, 5).reshape(n * rows * columns, -1)
        sums = _multiply(patches, x_zero, weights.reshape(len(weights), -1), zero)
        parts.append(sums.reshape(n, rows, columns, -1).transpose(0, 3, 1, 2))
    return np.concatenate(parts, 1)


def _multiply(x, x_zero, w, w_zero):
    """Return sums of products of rows of `x` and rows of `w`, less the zero points."""
    signed, count = w.dtype == np.int8, x.shape[1]
    x, w = (np.pad(a.astype(np.int64), [(0, 0), (0, a.shape[1] % 2)]) for a in (x, w))
    pairs = x[:, None, 0::2] * w[None, :, 0::2] + x[:, None, 1::2] * w[None, :, 1::2]
    sums = (pairs.clip(-(1 << 15), (1 << 15) - 1) if signed else pairs).sum(2)
    zero = np.broadcast_to(w_zero.astype(np.int64).reshape(-1), (len(w),))
    return sums - x_zero * w.sum(1)[None] - x.sum(1)[:, None] * zero + count * x_zero * zero


def uses_only(model, dtype):
    """Return True if all weights of layers on integers have a dtype of ONNX."""
    types = {t.name: t.data_type for t in model.graph.initializer}
    read = [n.input[0] for n in model.graph.node if n.op_type == "DequantizeLinear"]
    found = {types[name] for name in read if name in types} - {onnx.TensorProto.INT32}
    return found == {dtype}
