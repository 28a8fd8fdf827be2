# SPDX-License-Identifier: Apache-2.0
"""Graphs for ONNX Runtime with bombs, with values elsewhere, of many nodes, without an end."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
from onnx import TensorProto, helper

__all__ = ["SIZES", "SUM", "elsewhere", "graph_of", "make", "numbers"]

SIZES = (0, 1, 2, 3, 4, 7, 255, 1 << 16, 1 << 24, (1 << 31) - 1, 1 << 31, 1 << 33, 1 << 40,
         (1 << 60) - 1, 1 << 60, (1 << 63) - 1, 1 << 63, 1 << 64, -1)  # fmt: skip


def make(rng: random.Random) -> bytes:
    """A graph of one kind."""
    kinds = (
        _bomb, elsewhere, _many, _nested, _lying, _foreign, _recursive, _other_format, _sparse,
        _fields,
    )  # fmt: skip
    return rng.choice(kinds)(rng)


SUM = helper.make_node("Add", ["x", "w"], ["y"])


def graph_of(
    nodes: Sequence[Any],
    constants: Sequence[Any] = (),
    sparse_initializer: Sequence[Any] = (),
    **more: Any,
) -> bytes:
    """A model that makes y of x."""
    values = [helper.make_tensor_value_info(name, 1, ["N", 4]) for name in "xy"]
    sparse = {"sparse_initializer": sparse_initializer}
    graph = helper.make_graph(nodes, "g", values[:1], values[1:], constants, **sparse)
    opsets = [helper.make_opsetid("", 13), helper.make_opsetid("com.microsoft", 1)]
    made = helper.make_model(graph, **{"opset_imports": opsets, "ir_version": 8, **more})
    return bytes(made.SerializeToString())


def numbers(name: str, values: Sequence[int]) -> Any:
    """A vector of int64."""
    return helper.make_tensor(name, TensorProto.INT64, [len(values)], values)


def _bomb(rng: random.Random) -> bytes:
    """Arrays that are as large as constants say."""
    size = [rng.choice(SIZES) % (1 << 63) for _ in range(rng.choice((1, 2, 2, 3)))]
    constants = [
        numbers("size", size),
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
    nodes += [helper.make_node("ReduceSum", ["f"], ["sum"], keepdims=0), SUM]
    nodes[-1] = helper.make_node("Add", ["x", "sum"], ["y"])
    return graph_of(nodes, constants)


_PLACES = (
    "w", "/w", "", "../w", "/etc/passwd", "/dev/zero", "*/_ORT_MEMSUMR_/*",
    "model", "x" * 5000, "file:///etc/passwd", "/proc/self/mem", "a\0b",
)  # fmt: skip


def elsewhere(rng: random.Random) -> bytes:
    """A tensor whose values are said to be in a file or in memory."""
    kind = rng.choice((1, 1, 8, 7, 2))
    shape = rng.choice(([4], [4], [0], [rng.choice(SIZES) % (1 << 63)]))
    tensor = TensorProto(name="v", data_type=kind, dims=shape, data_location=TensorProto.EXTERNAL)
    tensor.external_data.add(key="location", value=rng.choice(_PLACES))
    for key in ("offset", "length", "checksum"):
        if rng.random() < 0.6:
            value = rng.choice((16, 1 << 12, *SIZES, "x", id(tensor)))
            tensor.external_data.add(key=key, value=str(value))
    add = helper.make_node("Add", ["x", "v"], ["y"])
    where = rng.choice(("initializer", "constant", "body", "sparse"))
    if where == "initializer":
        return graph_of([add], [tensor])
    if where == "sparse":
        sparse = helper.make_sparse_tensor(tensor, numbers("i", [0]), [4])
        node = helper.make_node("Constant", [], ["v"], sparse_value=sparse)
    else:
        node = helper.make_node("Constant", [], ["v"], value=tensor)
    return graph_of([node, add] if where != "body" else [*_branches([node, add])])


def _sparse(rng: random.Random) -> bytes:
    """An array of one value that is as large as it says, which the runtime makes dense."""
    size = rng.choice(SIZES) % (1 << 63)
    one = helper.make_tensor("v", 1, [1], [1.0])
    made = helper.make_sparse_tensor(one, numbers("i", [0]), [size])
    nodes = [
        helper.make_node("ReduceSum", ["v"], ["sum"], keepdims=0),
        helper.make_node("Add", ["x", "sum"], ["y"]),
    ]
    where = rng.choice(("initializer", "constant", "body"))
    if where == "initializer":
        return graph_of(nodes, sparse_initializer=[made])
    constant = helper.make_node("Constant", [], ["v"], sparse_value=made)
    return graph_of([constant, *nodes] if where == "constant" else _branches([constant, *nodes]))


def _fields(rng: random.Random) -> bytes:
    """Many fields of two bytes: of the file, of its graph, a node of that, and an attribute."""
    content = rng.choice((b"\x40\x01", b"\x0a\0")) * rng.choice((10, 100_000))
    for number in (5, 1, 7)[rng.randrange(4) :]:
        content = _field(number, content)
    return graph_of([SUM]) + content


def _branches(nodes: Sequence[Any], name: str = "c") -> list[Any]:
    """Nodes in both branches of a condition, which has a name."""
    output = helper.make_tensor_value_info("y", 1, None)
    body = helper.make_graph(nodes, "b", [], [output])
    condition = helper.make_tensor("c", TensorProto.BOOL, [], [True])
    return [
        helper.make_node("Constant", [], [name], value=condition),
        helper.make_node("If", [name], ["y"], then_branch=body, else_branch=body),
    ]


def _many(rng: random.Random) -> bytes:
    """Thousands of nodes, in a chain or side by side; of inputs, of a node."""
    n = rng.choice((10, 2000))
    op = rng.choice(("Add", "Relu", "Identity", "Transpose", "Reshape", "Concat"))
    if op == "Concat":
        wide = [helper.make_node(op, ["w"] * n * 10, ["v"], axis=0)]
        return graph_of([*wide, helper.make_node("ReduceSum", ["v"], ["s"], keepdims=0), SUM])
    more = {"Add": ["w"], "Reshape": ["size"]}.get(op, [])
    chain = rng.random() < 0.7
    names = ["x", *(f"v{i}" for i in range(n))]
    read = names if chain else ["x"] * n
    nodes = [helper.make_node(op, [read[i], *more], [names[i + 1]]) for i in range(n)]
    last = helper.make_node("Add", [names[-1], "w"], ["y"])
    return graph_of([*nodes, last], [numbers("size", [-1, 4])])


def _nested(rng: random.Random) -> bytes:
    """Branches within branches."""
    nodes: list[Any] = [SUM]
    for level in range(rng.choice((1, 5, 9))):  # twice as large each time
        nodes = _branches(nodes, f"c{level}")
    if rng.random() < 0.5:
        return graph_of(nodes)
    graph = b""
    for _ in range(rng.choice((20, 90, 3000))):  # a graph in an attribute of a node of a graph
        node = b"\x22\x02If" + _field(5, b"\x0a\x01b\xa0\x01\x05" + _field(6, graph))
        graph = _field(1, node) + b"\x12\x01b"
    return b"\x08\x08" + _field(7, graph) + b"\x42\x04\x0a\x00\x10\x0d"


def _field(number: int, content: bytes) -> bytes:
    size, length = len(content), b""
    while size > 127:
        length, size = length + bytes([size & 127 | 128]), size >> 7
    return bytes([number << 3 | 2]) + length + bytes([size]) + content


def _lying(rng: random.Random) -> bytes:
    """Tensors that have other values than they say; links to nothing, and in a ring."""
    tensor = TensorProto(name="v", data_type=rng.choice((1, 1, 7, 8, 2, 3, 9, 10, 16, 21, 99)))
    tensor.dims.extend(rng.choice(SIZES) % (1 << 63) for _ in range(rng.choice((0, 1, 2, 40))))
    tensor.dims.extend([-1] if rng.random() < 0.2 else [])
    tensor.raw_data = bytes(rng.choice((0, 4, 16, 1 << 16)))
    tensor.float_data.extend([1.0] * rng.choice((0, 0, 4)))
    inputs = rng.choice((["x", "v"], ["y", "v"], ["x", ""], ["v", "v"], ["x"], ["q", "q"], []))
    nodes = [helper.make_node(rng.choice(("Add", "Gemm", "Gather", "Nothing")), inputs, ["y"])]
    opset = helper.make_opsetid("", rng.choice((13, 13, 0, 1, 99, -1, (1 << 63) - 1)))
    version = rng.choice((8, 8, 0, 99, (1 << 63) - 1))
    made = [tensor] * rng.choice((1, 1, 2, 50))
    return graph_of(nodes * rng.choice((1, 1, 2)), made, opset_imports=[opset], ir_version=version)


_BLOCKED = "com.microsoft.nchwc"
_OWN = "com.microsoft"


def _foreign(rng: random.Random) -> bytes:
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
    return graph_of([node], constants, opset_imports=opsets)


def _recursive(rng: random.Random) -> bytes:
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
    return graph_of([call], functions=functions, opset_imports=opsets)


def _other_format(rng: random.Random) -> bytes:
    """What begins like ONNX Runtime's other format, at any place."""
    content = bytearray(rng.randbytes(rng.choice((8, 64, 5000))))
    at = rng.choice((0, 2, 4))
    content[at : at + 4] = b"ORTM"
    if rng.random() < 0.7:
        content[:2] = b"\x00\x00"
    return bytes(content)
