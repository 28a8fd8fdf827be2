# SPDX-License-Identifier: Apache-2.0
"""Compiled models that lie: headers, metadata, weights and graphs, under hashes that are right.

An input is a file. It is loaded, and computes where its graph is a good one: what a stranger's
graph computes may take any time.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import json
import random
import struct
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from onnx import TensorProto, helper

from mxnova.core.base.errors import OutOfMemoryError
from mxnova.predictor import Predictor

__all__ = ["attack", "make", "seeds"]

_HAS_OPENVINO = importlib.util.find_spec("openvino") is not None
_KEY = "mxnova.compiled"
_KINDS = {"float32": "F32", "uint8": "U8", "int8": "I8", "int64": "I64"}
_SIZES = (0, 1, 2, 3, 4, 7, 255, 1 << 16, 1 << 24, (1 << 31) - 1, 1 << 31, 1 << 33, 1 << 40,
          (1 << 60) - 1, 1 << 60, (1 << 63) - 1, 1 << 63, 1 << 64, -1)  # fmt: skip
_WORDS = ("", "N", "x", "y", "w", "model", "model.xml", "model.bin", "model.blocked", "../x", "a\0b",
          "/etc/passwd", "n" * 5000, "\ud800", "float32", "string", "int4")  # fmt: skip
_STRANGE = (None, float("nan"), float("inf"), -1, 1.5, True, 1 << 70, [], {}, "", [[[[[[]]]]]])
_Array = np.ndarray[Any, Any]
_Model = tuple[dict[str, Any], dict[str, _Array]]  # metadata, arrays


# Good models --------------------------------------------------------------------------------------


@cache
def _good() -> list[_Model]:
    """A model of each runtime, and one with weights in blocks."""
    weight = np.arange(4, dtype=np.float32)
    found = [(_told("onnxruntime"), {"w": weight, "model": _onnx([_ADD])}), _blocked()]
    if _HAS_OPENVINO:
        arrays = {"model.xml": _bytes(_xml(_sum())), "model.bin": _bytes(weight.tobytes())}
        found.append((_told("openvino"), arrays))
    return found


def _told(runtime: str, **more: Any) -> dict[str, Any]:
    ports = [{"name": n, "key": n, "shape": ["N", 4], "dtype": "float32"} for n in "xy"]
    return {
        "version": 2, "runtime": runtime, "inputs": ports[:1], "outputs": ports[1:], "versions": {},
        "sources": {}, "preprocessing": {}, "labels": [], "block": 0, "blocked": {}, **more,
    }  # fmt: skip


def _bytes(content: bytes) -> _Array:
    return np.frombuffer(content, np.uint8)


_ADD = helper.make_node("Add", ["x", "w"], ["y"])


def _onnx(nodes: Sequence[Any], constants: Sequence[Any] = (), **more: Any) -> _Array:
    values = [helper.make_tensor_value_info(name, 1, ["N", 4]) for name in "xy"]
    graph = helper.make_graph(nodes, "g", values[:1], values[1:], constants)
    opsets = [helper.make_opsetid("", 13), helper.make_opsetid("com.microsoft", 1)]
    made = helper.make_model(graph, **{"opset_imports": opsets, "ir_version": 8, **more})
    return _bytes(made.SerializeToString())


def _blocked() -> _Model:
    nodes = [
        helper.make_node("Reshape", ["x", "as images"], ["images"]),
        helper.make_node("Conv", ["images", "w"], ["convolved"]),
        helper.make_node("ReduceMean", ["convolved"], ["means"], axes=[1, 2, 3], keepdims=0),
        helper.make_node("Reshape", ["means", "as rows"], ["rows"]),
        helper.make_node("Add", ["x", "rows"], ["y"]),
    ]
    constants = [_whole("as images", [-1, 4, 1, 1]), _whole("as rows", [-1, 1])]
    kept = {"w": {"array": "made", "shape": [8, 4, 1, 1], "channels_too": False}}
    arrays = {"made": np.ones((8, 4, 1, 1), np.float32), "model": _onnx(nodes, constants)}
    return _told("onnxruntime", block=4, blocked=kept), arrays


def _whole(name: str, numbers: Sequence[int]) -> Any:
    return helper.make_tensor(name, TensorProto.INT64, [len(numbers)], numbers)


def seeds() -> list[bytes]:
    """Their files."""
    return [_file(told, arrays) for told, arrays in _good()]


def _file(told: dict[str, Any], arrays: dict[str, _Array]) -> bytes:
    """A file, with the hashes of its arrays."""
    data = b"".join(values.tobytes() for values in arrays.values())
    return _packed(_entries(arrays), {"hashes": _hashes(arrays), **told}, data)


def _hashes(arrays: dict[str, _Array]) -> dict[str, str]:
    return {n: hashlib.sha256(values.tobytes()).hexdigest() for n, values in arrays.items()}


def _entries(arrays: dict[str, _Array]) -> dict[str, Any]:
    entries, end = {}, 0
    for name, values in arrays.items():
        begin, end = end, end + values.nbytes
        facts = {"dtype": _KINDS[values.dtype.name], "shape": [*values.shape]}
        entries[name] = {**facts, "data_offsets": [begin, end]}
    return entries


def _packed(entries: dict[str, Any], told: Any, data: bytes) -> bytes:
    text = json.dumps({"__metadata__": {_KEY: json.dumps(told)}, **entries}).encode()
    return struct.pack("<Q", len(text)) + text + data


# Headers, metadata, weights -----------------------------------------------------------------------


def make(rng: random.Random) -> bytes:
    """A file of one kind of attack."""
    kinds = [_header, _metadata, _ports, _weights, _graph, _graph, _damaged]
    return rng.choice(kinds + [_ir, _ir] * _HAS_OPENVINO)(rng)


def _header(rng: random.Random) -> bytes:
    """Places that overlap, leave gaps and lie beyond the end; thousands of arrays of nothing."""
    told, arrays = rng.choice(_good())
    entries, hashes = _entries(arrays), _hashes(arrays)
    entry = entries[rng.choice([*entries])]
    field = rng.choice(("dtype", "shape", "data_offsets", "more", "many"))
    if field == "many":
        nothing = {"dtype": "U8", "shape": [0], "data_offsets": [0, 0]}
        more = [f"n{i}" for i in range(rng.choice((10, 20_000)))]
        entries |= dict.fromkeys(more, nothing)
        hashes |= dict.fromkeys(more, hashlib.sha256().hexdigest())
    elif field == "dtype":
        entry[field] = rng.choice((*_KINDS.values(), "BOOL", "F64", "F8", None))
    else:
        entry[field] = rng.choice(([rng.choice(_SIZES), rng.choice(_SIZES)], [1] * 40, *_STRANGE))
    data = b"".join(values.tobytes() for values in arrays.values())
    made = _packed(entries, {"hashes": hashes, **told}, data)
    lies = rng.random() < 0.1
    return struct.pack("<Q", rng.choice(_SIZES) % (1 << 64)) + made[8:] if lies else made


def _metadata(rng: random.Random) -> bytes:
    """Entries of other types, depth and number; versions; blocks that are not there."""
    told, arrays = rng.choice(_good())
    told = dict(told)
    for _ in range(rng.choice((1, 1, 2))):
        key = rng.choice((*told, "hashes"))
        told[key] = rng.choice(
            (
                *_STRANGE, *_WORDS, *_SIZES, {rng.choice(_WORDS): rng.choice(_STRANGE)},
                ["x"] * 50_000, {f"k{i}": "v" for i in range(50_000)}, _kept(rng),
            )
        )  # fmt: skip
    return _file(told, arrays)


def _kept(rng: random.Random) -> dict[str, Any]:
    shape = [rng.choice((8, 4, 1, 1, *_SIZES)) for _ in range(rng.choice((4, 4, 3, 40)))]
    told = {"array": rng.choice(("made", "w", "model")), "shape": shape}
    return {rng.choice(("w", "v", "made")): {**told, "channels_too": rng.random() < 0.5}}


def _ports(rng: random.Random) -> bytes:
    """Inputs and outputs of any name, number, shape and type."""
    told, arrays = rng.choice(_good())
    side = rng.choice(("inputs", "outputs"))
    port = dict(told[side][0])
    shape = [rng.choice((*_SIZES, *_WORDS, *_STRANGE)) for _ in range(rng.choice((0, 1, 2, 40)))]
    few = ["N", rng.choice((3, 4, "N", *_SIZES))]
    field = rng.choice([*port, "shape", "shape"])
    port[field] = rng.choice((shape, few, few)) if field == "shape" else rng.choice(_WORDS)
    ports = rng.choice(([port], [port], [*told[side], port], [port] * 2000, []))
    return _file({**told, side: ports}, arrays)


def _weights(rng: random.Random) -> bytes:
    """Arrays of other shapes, types and names than the graph has them; too many, and missing."""
    told, arrays = rng.choice(_good())
    arrays = dict(arrays)
    name = rng.choice([*arrays])
    kind = rng.choice(("shape", "type", "name", "missing", "more"))
    if kind == "shape":
        shape = rng.choice(((0,), (4, 0, 1 << 20), (3,), (1,) * 30, (8, 4, 1, 1), (1 << 20,)))
        arrays[name] = np.ones(shape, arrays[name].dtype)
    elif kind == "type":
        arrays[name] = np.resize(arrays[name], 4).astype(rng.choice(list(_KINDS)))
    elif kind == "name":
        arrays[rng.choice(_WORDS)] = arrays.pop(name)
    elif kind == "missing":
        del arrays[name]
    else:
        number = rng.choice((1, 2000))
        arrays |= {f"{rng.choice(_WORDS)[:9]}{i}": np.ones(16, np.float32) for i in range(number)}
    return _file(told, arrays)


def _damaged(rng: random.Random) -> bytes:
    """Arrays with some bytes changed, and their hashes right again; files that are cut off."""
    told, arrays = rng.choice(_good())
    if rng.random() < 0.1:
        whole = _file(told, arrays)
        return whole[: rng.randrange(len(whole))]
    name = rng.choice([*arrays])
    content = bytearray(arrays[name].tobytes())
    for _ in range(rng.choice((1, 1, 2, 8))):
        content[rng.randrange(len(content))] = rng.choice((rng.randrange(256), 0, 0x7F, 0xFF))
    damaged = np.frombuffer(bytes(content), arrays[name].dtype).reshape(arrays[name].shape)
    return _file(told, {**arrays, name: damaged})


# Graphs for ONNX Runtime --------------------------------------------------------------------------


def _graph(rng: random.Random) -> bytes:
    """A graph with a bomb, with values elsewhere, of many nodes, without an end."""
    kind = rng.choice(
        (_bomb, _elsewhere, _many, _nested, _lying, _foreign, _recursive, _other_format)
    )
    weight = {"w": np.arange(rng.choice((4, 4, 4, 5)), dtype=np.float32)}
    return _file(_told("onnxruntime"), {**weight, "model": kind(rng)})


def _bomb(rng: random.Random) -> _Array:
    """Arrays that are as large as constants say."""
    size = [rng.choice(_SIZES) % (1 << 63) for _ in range(rng.choice((1, 2, 2, 3)))]
    constants = [
        _whole("size", size),
        helper.make_tensor("one", 1, [1] * len(size), [1.0]),
        helper.make_tensor("end", TensorProto.INT64, [], size[:1]),
        helper.make_tensor("step", TensorProto.INT64, [], [1]),
        helper.make_tensor("ends", 1, [2], [0.0, 1.0]),
    ]
    node, *inputs = rng.choice(
        (
            ("ConstantOfShape", "size"), ("Expand", "one", "size"), ("Tile", "one", "size"),
            ("Range", "step", "end", "step"), ("OneHot", "size", "end", "ends"),
        )
    )  # fmt: skip
    nodes = [helper.make_node(node, inputs, ["v0"], **({"axis": -1} if node == "OneHot" else {}))]
    for i in range(rng.choice((0, 1, 40))):
        nodes.append(helper.make_node("Concat", [f"v{i}"] * 2, [f"v{i + 1}"], axis=0))
    nodes.append(helper.make_node("Shape", [f"v{len(nodes) - 1}"], ["s"]))
    nodes.append(helper.make_node("Cast", ["s"], ["f"], to=1))
    nodes += [helper.make_node("ReduceSum", ["f"], ["sum"], keepdims=0), _ADD]
    nodes[-1] = helper.make_node("Add", ["x", "sum"], ["y"])
    return _onnx(nodes, constants)


_PLACES = (
    "w", "/w", "", "../w", "/etc/passwd", "/dev/zero", "*/_ORT_MEM_ADDR_/*",
    "model", "x" * 5000, "file:///etc/passwd", "/proc/self/mem", "a\0b",
)  # fmt: skip


def _elsewhere(rng: random.Random) -> _Array:
    """A tensor whose values are said to be in a file or in memory."""
    kind = rng.choice((1, 1, 8, 7, 2))
    shape = rng.choice(([4], [4], [0], [rng.choice(_SIZES) % (1 << 63)]))
    tensor = TensorProto(name="v", data_type=kind, dims=shape, data_location=TensorProto.EXTERNAL)
    tensor.external_data.add(key="location", value=rng.choice(_PLACES))
    for key in ("offset", "length", "checksum"):
        if rng.random() < 0.6:
            value = rng.choice((16, 1 << 12, *_SIZES, "x", id(tensor)))
            tensor.external_data.add(key=key, value=str(value))
    add = helper.make_node("Add", ["x", "v"], ["y"])
    where = rng.choice(("initializer", "constant", "body", "sparse"))
    if where == "initializer":
        return _onnx([add], [tensor])
    if where == "sparse":
        sparse = helper.make_sparse_tensor(tensor, _whole("i", [0]), [4])
        node = helper.make_node("Constant", [], ["v"], sparse_value=sparse)
    else:
        node = helper.make_node("Constant", [], ["v"], value=tensor)
    return _onnx([node, add] if where != "body" else [*_branches([node, add])])


def _branches(nodes: Sequence[Any], name: str = "c") -> list[Any]:
    """Nodes in both branches of a condition, which has a name."""
    output = helper.make_tensor_value_info("y", 1, None)
    body = helper.make_graph(nodes, "b", [], [output])
    condition = helper.make_tensor("c", TensorProto.BOOL, [], [True])
    return [
        helper.make_node("Constant", [], [name], value=condition),
        helper.make_node("If", [name], ["y"], then_branch=body, else_branch=body),
    ]


def _many(rng: random.Random) -> _Array:
    """Thousands of nodes, in a chain or side by side; of inputs, of a node."""
    n = rng.choice((10, 2000))
    op = rng.choice(("Add", "Relu", "Identity", "Transpose", "Reshape", "Concat"))
    if op == "Concat":
        wide = [helper.make_node(op, ["w"] * n * 10, ["v"], axis=0)]
        return _onnx([*wide, helper.make_node("ReduceSum", ["v"], ["s"], keepdims=0), _ADD])
    more = {"Add": ["w"], "Reshape": ["size"]}.get(op, [])
    chain = rng.random() < 0.7
    names = ["x", *(f"v{i}" for i in range(n))]
    read = names if chain else ["x"] * n
    nodes = [helper.make_node(op, [read[i], *more], [names[i + 1]]) for i in range(n)]
    last = helper.make_node("Add", [names[-1], "w"], ["y"])
    return _onnx([*nodes, last], [_whole("size", [-1, 4])])


def _nested(rng: random.Random) -> _Array:
    """Branches within branches."""
    nodes: list[Any] = [_ADD]
    for level in range(rng.choice((1, 5, 9))):  # twice as large each time
        nodes = _branches(nodes, f"c{level}")
    if rng.random() < 0.5:
        return _onnx(nodes)
    graph = b""
    for _ in range(rng.choice((20, 90, 3000))):  # a graph in an attribute of a node of a graph
        node = b"\x22\x02If" + _field(5, b"\x0a\x01b\xa0\x01\x05" + _field(6, graph))
        graph = _field(1, node) + b"\x12\x01b"
    return _bytes(b"\x08\x08" + _field(7, graph) + b"\x42\x04\x0a\x00\x10\x0d")


def _field(number: int, content: bytes) -> bytes:
    size, length = len(content), b""
    while size > 127:
        length, size = length + bytes([size & 127 | 128]), size >> 7
    return bytes([number << 3 | 2]) + length + bytes([size]) + content


def _lying(rng: random.Random) -> _Array:
    """Tensors that have other values than they say; links to nothing, and in a ring."""
    tensor = TensorProto(name="v", data_type=rng.choice((1, 1, 7, 8, 2, 3, 9, 10, 16, 21, 99)))
    tensor.dims.extend(rng.choice(_SIZES) % (1 << 63) for _ in range(rng.choice((0, 1, 2, 40))))
    tensor.dims.extend([-1] if rng.random() < 0.2 else [])
    tensor.raw_data = bytes(rng.choice((0, 4, 16, 1 << 16)))
    tensor.float_data.extend([1.0] * rng.choice((0, 0, 4)))
    inputs = rng.choice((["x", "v"], ["y", "v"], ["x", ""], ["v", "v"], ["x"], ["q", "q"], []))
    nodes = [helper.make_node(rng.choice(("Add", "Gemm", "Gather", "Nothing")), inputs, ["y"])]
    opset = helper.make_opsetid("", rng.choice((13, 13, 0, 1, 99, -1, (1 << 63) - 1)))
    version = rng.choice((8, 8, 0, 99, (1 << 63) - 1))
    made = [tensor] * rng.choice((1, 1, 2, 50))
    return _onnx(nodes * rng.choice((1, 1, 2)), made, opset_imports=[opset], ir_version=version)


_BLOCKED = "com.microsoft.nchwc"
_OWN = "com.microsoft"


def _foreign(rng: random.Random) -> _Array:
    """Operators of the runtime's own, on arrays that do not fit."""
    shape = rng.choice(([4], [4, 4, 1, 1], [8, 16, 1, 1], [16, 16, 3, 1], [1, 3, 8, 1], [3, 16]))
    kind = rng.choice((TensorProto.FLOAT, TensorProto.UINT8, TensorProto.INT8))
    zeros = np.zeros(shape, helper.tensor_dtype_to_np_dtype(kind)).tobytes()
    constants = [helper.make_tensor("v", kind, shape, zeros, raw=True)]
    size = rng.choice((0, 1, 3, 4, 1 << 31, (1 << 63) - 1, -1))
    op, domain, more = rng.choice(
        (
            ("ReorderInput", _BLOCKED, {"channels_last": size % 3}),
            ("ReorderOutput", _BLOCKED, {"channels": size, "channels_last": size % 2}),
            ("Conv", _BLOCKED, {"group": size, "kernel_shape": [size, 1]}),
            ("MaxPool", _BLOCKED, {"kernel_shape": [size, size], "strides": [size, 1]}),
            ("Conv", "", {"group": size, "pads": [size] * 4, "dilations": [size, 1]}),
            ("MatMulNBits", _OWN, {"K": size, "N": size, "bits": 4, "block_size": 16}),
            ("QLinearAdd", _OWN, {}), ("Attention", _OWN, {"num_heads": size}),
            ("FusedMatMul", _OWN, {"transBatchA": size % 2}), ("QGemm", _OWN, {}),
        )
    )  # fmt: skip
    inputs = [rng.choice(("x", "v", "v", "w")) for _ in range(rng.choice((1, 2, 3, 8)))]
    opsets = [helper.make_opsetid(name, n) for name, n in (("", 13), (_OWN, 1), (_BLOCKED, 1))]
    node = helper.make_node(op, inputs, ["y"], domain=domain, **more)
    return _onnx([node], constants, opset_imports=opsets)


def _recursive(rng: random.Random) -> _Array:
    """Functions that call themselves, each other, or the next one twice."""
    n = rng.choice((1, 2, 12, 30))
    opsets = [helper.make_opsetid("", 13), helper.make_opsetid("own", 1)]
    ring = rng.random() < 0.5
    functions = []
    for i in range(n):
        then = f"f{(i + 1) % n}" if ring or i + 1 < n else None
        domain = "own" if then else ""
        calls = [
            helper.make_node(then or "Relu", ["a"], ["b"], domain=domain),
            helper.make_node(then or "Relu", ["b"], ["c"], domain=domain),
        ]
        functions.append(helper.make_function("own", f"f{i}", ["a"], ["c"], calls, opsets))
    call = helper.make_node("f0", ["x"], ["y"], domain="own")
    return _onnx([call], functions=functions, opset_imports=opsets)


def _other_format(rng: random.Random) -> _Array:
    """What begins like ONNX Runtime's other format, at any place."""
    content = bytearray(rng.randbytes(rng.choice((8, 64, 5000))))
    at = rng.choice((0, 2, 4))
    content[at : at + 4] = b"ORTM"
    if rng.random() < 0.7:
        content[:2] = b"\x00\x00"
    return _bytes(bytes(content))


# Graphs for OpenVINO ------------------------------------------------------------------------------


def _layer(
    number: int, op: str, data: dict[str, Any], n_inputs: int, name: str = "", more: str = ""
) -> str:
    texts = "".join(f' {key}="{value}"' for key, value in data.items())
    read = "".join(f'<port id="{i}"><dim>1</dim></port>' for i in range(n_inputs))
    given = f'<output><port id="{n_inputs}" precision="FP32" names="{name}"><dim>1</dim></port></output>'
    return (
        f'<layer id="{number}" name="{name or number}" type="{op}" version="opset1"><data{texts}/>'
        f"<input>{read}</input>{given if op != 'Result' else ''}{more}</layer>"
    )


def _sum(offset: Any = 0, size: Any = 16, shape: Any = "4", kind: str = "f32") -> list[str]:
    return [
        _layer(0, "Parameter", {"shape": "?,4", "element_type": "f32"}, 0, "x"),
        _layer(
            1, "Const", {"element_type": kind, "shape": shape, "offset": offset, "size": size}, 0
        ),
        _layer(2, "Add", {"auto_broadcast": "numpy"}, 2, "y"),
        _layer(3, "Result", {}, 1),
    ]


_EDGES = ((0, 0, 2, 0), (1, 0, 2, 1), (2, 2, 3, 0))


def _xml(layers: Sequence[str], edges: Sequence[Sequence[Any]] = _EDGES, before: str = "") -> bytes:
    keys = ("from-layer", "from-port", "to-layer", "to-port")
    texts = (
        "<edge" + "".join(f' {k}="{v}"' for k, v in zip(keys, edge, strict=True)) + "/>"
        for edge in edges
    )
    net = f'<net name="g" version="11"><layers>{"".join(layers)}</layers>'
    return f'<?xml version="1.0"?>{before}{net}<edges>{"".join(texts)}</edges></net>'.encode()


def _ir(rng: random.Random) -> bytes:
    """A graph for OpenVINO of one kind, with weights of a few bytes."""
    kinds = _ir_places, _ir_bomb, _ir_bomb, _ir_links, _ir_deep, _ir_text, _ir_damaged
    numbers = struct.pack("<fxxxxqq", 1.0, rng.choice(_SIZES) % (1 << 63), 0)
    weights = rng.choice((numbers, numbers, numbers, b"", b"a", bytes(1 << 16)))
    text = rng.choice(kinds)(rng)
    return _file(_told("openvino"), {"model.xml": _bytes(text), "model.bin": _bytes(weights)})


def _ir_places(rng: random.Random) -> bytes:
    """Weights at any place, of any shape and type."""
    offset, size = (rng.choice((0, 4, 8, 16, *_SIZES)) for _ in range(2))
    shape = rng.choice(
        ("4", "2", "", "0", "-1", "1,4", f"{rng.choice(_SIZES)}", "65536,65536", "x")
    )
    kinds = ("f32", "f32", "i64", "u1", "i4", "string", "boolean", "f64", "nf4", "undefined", "")
    return _xml(_sum(offset, rng.choice((16, size)), shape, rng.choice(kinds)))


def _ir_bomb(rng: random.Random) -> bytes:
    """An array that is as large as a constant says, or the one before twice, thirty times."""
    kind = rng.choice(("Broadcast", "Tile", "Range", "Reshape", "Concat", "Concat"))
    n = rng.choice((1, 1, 30)) if kind == "Concat" else 1
    data: dict[str, Any] = {
        "Broadcast": {"mode": "numpy"}, "Range": {"output_type": "f32"}, "Concat": {"axis": 0},
        "Reshape": {"special_zero": "false"},
    }.get(kind, {})  # fmt: skip
    layers = [_sum()[0], *(_layer(i, "Const", _number(kind, at), 0) for i, (kind, at) in _NUMBERS)]
    edges: list[Sequence[int]] = []
    for i in range(4, 4 + n):
        layers.append(_layer(i, kind, data, 3 if kind == "Range" else 2))
        read = {"Range": (3, 2, 1), "Concat": (1, 1)}.get(kind, (1, 2))
        edges += [(r if i == 4 or r != 1 else i - 1, 0, i, k) for k, r in enumerate(read)]
    last = 4 + n
    layers += [
        _layer(last, "ReduceSum", {"keep_dims": "true"}, 2), _layer(last + 1, "Add", {}, 2, "y"),
        _layer(last + 2, "Result", {}, 1),
    ]  # fmt: skip
    edges += [(last - 1, 0, last, 0), (3, 0, last, 1), (0, 0, last + 1, 0), (last, 0, last + 1, 1)]
    ports = {
        i: layers[i].count("<input>") and layers[i].split("<output>")[0].count("<port")
        for i in range(last + 2)
    }
    return _xml(
        layers, [*((a, ports[a], b, k) for a, _, b, k in edges), (last + 1, 2, last + 2, 0)]
    )


_NUMBERS = ((1, ("f32", 0)), (2, ("i64", 8)), (3, ("i64", 16)))


def _number(kind: str, at: int) -> dict[str, Any]:
    return {"element_type": kind, "shape": 1, "offset": at, "size": 4 if kind == "f32" else 8}


def _ir_links(rng: random.Random) -> bytes:
    """Edges to nothing, to each other and twice; layers without an end."""
    n = rng.choice((0, 0, 2, 2000))
    layers = _sum()
    edges = [list(edge) for edge in _EDGES]
    if n:
        layers = layers[:2] + [_layer(4 + i, "Relu", {}, 1) for i in range(n)] + layers[2:]
        chain = [[4 + i, 1, 5 + i, 0] for i in range(n - 1)]
        edges = [[0, 0, 4, 0], *chain, [3 + n, 1, 2, 0], *edges[1:]]
    if rng.random() < 0.7 or not n:
        edge = rng.choice(edges)
        edge[rng.randrange(4)] = rng.choice((0, 1, 2, 3, 9, *_SIZES, "x", ""))
    return _xml(layers * rng.choice((1, 1, 1, 2)), edges * rng.choice((1, 1, 1, 2)))


def _ir_deep(rng: random.Random) -> bytes:
    """Bodies of loops within bodies, and tags within tags."""
    n = rng.choice((2, 30, 1000, 50_000))
    if rng.random() < 0.5:
        return _xml(_sum(), _EDGES, before="<a>" * n + "</a>" * n)
    inner = "".join(_sum())
    if rng.random() < 0.5:
        deep = "<data>" * n + "</data>" * n
        return _xml([*_sum()[:2], _layer(2, "Add", {}, 2, "y", deep), _sum()[3]])
    maps = (
        '<port_map><input external_port_id="0" internal_layer_id="0"/>'
        '<output external_port_id="1" internal_layer_id="3"/></port_map>'
    )
    edges = _xml([]).split(b"</layers>")[1].removesuffix(b"</net>").decode()
    front, back = "", ""
    for _ in range(min(n, 3000)):
        front += (
            f"{_sum()[0]}{_sum()[1]}{_sum()[3]}"
            f'<layer id="2" name="2" type="TensorIterator" version="opset1"><input><port id="0">'
            f'<dim>1</dim></port></input><output><port id="2" precision="FP32"><dim>1</dim></port>'
            f"</output>{maps}<body><layers>"
        )
        back = f"</layers>{edges}</body></layer>" + back
    return _xml([front + inner + back])


def _ir_text(rng: random.Random) -> bytes:
    """What is no IR: other formats, entities, other versions."""
    onnx_graph = _elsewhere(rng).tobytes()
    entities = "".join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 10}">' for i in range(1, 30))
    laughs = f'<!DOCTYPE net [<!ENTITY e0 "ha">{entities}]>'
    text = _xml(_sum()).decode()
    return rng.choice(
        (
            onnx_graph, b"", b"\0" * 64, b"<", b"<?xml version='1.0'?>", b"\xff\xfe<\0n\0",
            _xml(_sum(), _EDGES, laughs).replace(b'name="g"', b'name="&e29;"'),
            text.replace('version="11"', f'version="{rng.choice(_SIZES)}"').encode(),
            text.replace('"Add"', f'"{rng.choice(("Loop", "If", "ReadValue", "a", "x" * 99999))}"').encode(),
            text.replace("opset1", rng.choice(("opset99", "extension", "", "ie_internal_opset"))).encode(),
            text.replace('"?,4"', f'"{rng.choice(("?,?", "...", "-5", "4,4,", "99999999999999999999"))}"').encode(),
            text.encode("utf-16"), b" " * 100_000 + text.encode(), onnx_graph + text.encode(),
        )
    )  # fmt: skip


def _ir_damaged(rng: random.Random) -> bytes:
    text = bytearray(_xml(_sum()))
    for _ in range(rng.choice((1, 2, 5))):
        at = rng.randrange(len(text))
        text[at : at + rng.choice((0, 1, 5))] = rng.choice(
            (b"", b"<", b'"', b"&", b"9", b"\0", b"\xff")
        )
    return bytes(text)


# Loading ------------------------------------------------------------------------------------------


def attack(data: bytes) -> None:
    """Loads the model; one whose graph is good computes, on zeros."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "x.mxnova")
        path.write_bytes(data)
        predictor = Predictor.load(path, threads=1)
        if any(graph in data for graph in _good_graphs()):
            with contextlib.suppress(
                OutOfMemoryError
            ):  # for inputs as large as they are said to be
                predictor.forward()
                predictor.get_output(0)
        assert [p.name for p in Path(folder).iterdir()] == ["x.mxnova"]


@cache
def _good_graphs() -> list[bytes]:
    names = ("model", "model.xml")
    return [arrays[n].tobytes() for _, arrays in _good() for n in names if n in arrays]
