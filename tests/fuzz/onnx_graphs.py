# SPDX-License-Identifier: Apache-2.0
"""ONNX graphs that are well formed and hostile: arithmetic on sizes with constants chosen to hurt.

Values are known by what they are good for (numbers, arrays, sequences), so that most nodes are
taken and the next one gets to work on what they made. Nodes are repeated, in chains and side by
side: what is cheap once must be cheap in sum.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from .onnx_models import import_onnx as attack
from .onnx_models import onnx_seeds as seeds

__all__ = ["attack", "make", "seeds"]

FLOAT = TensorProto.FLOAT
_SIZES = (
    -(1 << 62), -(1 << 31), -2, -1, 0, 1, 2, 3, 7, 64, 1000, 65_536, 200_000, 1 << 24, (1 << 26) - 1,
    1 << 26, (1 << 31) - 1, 1 << 31, (1 << 32) + 15, 1 << 40, 1 << 60, 1 << 62, (1 << 63) - 1,
)  # fmt: skip
_TYPES = (1, 2, 3, 6, 7, 9, 10, 11, 12, 13, 16, 99)
_MANY = (1, 1, 1, 2, 3, 20, 300, 3000)
_DTYPES = ("int64", "int64", "int64", "int32", "float32", "float64", "bool", "uint8")


class _Graph:
    """What has been made so far."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.nodes: list[Any] = []
        self.arrays: list[Any] = []
        self.values = ["x", "x"]
        self.numbers: list[str] = []
        self.sequences: list[str] = []

    def size(self) -> int:
        return self.rng.choice(_SIZES)

    def sizes(self, most: int = 4) -> list[int]:
        return [self.size() for _ in range(self.rng.choice((0, 1, 1, 2, 2, most, 40)))]

    def constant(self, values: Any, dtype: str | None = None) -> str:
        """An initializer."""
        with np.errstate(all="ignore"):
            array = np.array(values, "int64").astype(dtype or "int64")
        self.arrays.append(numpy_helper.from_array(array, f"k{len(self.arrays)}"))
        return str(self.arrays[-1].name)

    def any_constant(self) -> str:
        rng = self.rng
        dtype = rng.choice(_DTYPES)
        if rng.random() < 0.05:
            return self.constant(np.arange(rng.choice((1000, 20_000))), dtype)
        return self.constant(self.size() if rng.random() < 0.3 else self.sizes(), dtype)

    def number(self) -> str:
        """A value that is probably known while the model is read."""
        if self.numbers and self.rng.random() < 0.8:
            return self.rng.choice(self.numbers[-8:])
        return self.any_constant()

    def value(self) -> str:
        pool = self.values if self.rng.random() < 0.5 else self.numbers or self.values
        return self.rng.choice(pool[-8:])

    def node(self, kind: str, inputs: list[str], n_outputs: int = 1, **facts: Any) -> list[str]:
        outputs = [f"v{len(self.nodes)}_{i}" for i in range(n_outputs)]
        name = self.rng.choice(("", "", "same", "n" * self.rng.choice((1, 1, 1, 50_000))))
        self.nodes.append(helper.make_node(kind, inputs, outputs, name, **facts))
        return outputs


def _numbers(graph: _Graph, kind: str, inputs: list[str], **facts: Any) -> None:
    graph.numbers += graph.node(kind, inputs, **facts)


def _values(graph: _Graph, kind: str, inputs: list[str], **facts: Any) -> None:
    graph.values += graph.node(kind, inputs, **facts)


def _arithmetic(graph: _Graph) -> None:
    """A chain that makes numbers longer with each link."""
    rng = graph.rng
    kind = rng.choice(("Mul", "Mul", "Add", "Sub", "Div", "Pow", "Mod", "Max", "Min", "Equal"))
    graph.numbers.append(graph.number())
    for _ in range(rng.choice((1, 2, 20, 40))):
        last = graph.numbers[-1]
        _numbers(graph, kind, [last, last if rng.random() < 0.7 else graph.number()])


def _shape(graph: _Graph) -> None:
    _numbers(graph, graph.rng.choice(("Shape", "Shape", "Size")), [graph.value()])


def _unary(graph: _Graph) -> None:
    kind = graph.rng.choice(("Neg", "Abs", "Floor", "Ceil", "Sqrt", "Exp", "Log", "Not", "Identity",
                             "Reciprocal", "Round", "NonZero", "Transpose", "Flatten"))  # fmt: skip
    _numbers(graph, kind, [graph.number()])


def _cast(graph: _Graph) -> None:
    _numbers(graph, "Cast", [graph.number()], to=graph.rng.choice(_TYPES))


def _reduce(graph: _Graph) -> None:
    """Often, over one array that may be large."""
    kind = graph.rng.choice(("ReduceSum", "ReduceProd", "ReduceMax", "ReduceMin"))
    given = graph.number()
    for _ in range(graph.rng.choice(_MANY)):
        _numbers(graph, kind, [given], keepdims=graph.rng.choice((0, 1)))


def _concat(graph: _Graph) -> None:
    """Of one value many times, again and again."""
    given = graph.number()
    for _ in range(graph.rng.choice((1, 2, 20))):
        (given,) = graph.node("Concat", [given] * graph.rng.choice((2, 3, 300, 3000)), axis=0)
    graph.numbers.append(given)


def _grow(graph: _Graph) -> None:
    """What is as large as a number says."""
    rng, given = graph.rng, graph.number()
    kind = rng.choice(("ConstantOfShape", "Tile", "Expand", "Range", "Reshape"))
    for _ in range(rng.choice((1, 1, 3, 30))):
        if kind == "ConstantOfShape":
            _numbers(graph, kind, [given])
        elif kind == "Range":
            _numbers(graph, kind, [graph.constant(graph.size()) for _ in range(3)])
        else:
            sizes = graph.constant(graph.sizes()) if rng.random() < 0.7 else graph.number()
            _numbers(graph, kind, [graph.number(), sizes])


def _places(graph: _Graph) -> None:
    """Other places for elements."""
    rng, given = graph.rng, graph.number()
    kind = rng.choice(("Gather", "Slice", "Unsqueeze", "Squeeze", "Where", "OneHot"))
    if kind in ("Unsqueeze", "Squeeze"):
        _numbers(graph, kind, [given, graph.constant(graph.sizes(40))])
    elif kind == "Gather":
        _numbers(graph, kind, [given, graph.number()], axis=rng.choice((0, 0, 1, -1, 1 << 40)))
    elif kind == "Slice":
        _numbers(graph, kind, [given, *(graph.constant([graph.size()]) for _ in range(2))])
    elif kind == "Where":
        _numbers(graph, kind, [given, graph.number(), graph.number()])
    else:
        depth = graph.constant(graph.size())
        _values(graph, kind, [graph.value(), depth, graph.constant([0, 1], "float32")])


def _split(graph: _Graph) -> None:
    rng, count = graph.rng, graph.rng.choice((1, 2, 3))
    facts = (
        {"num_outputs": rng.choice((count, 10**9, 1 << 40, 0, -1))} if rng.random() < 0.5 else {}
    )
    graph.numbers += graph.node("Split", [graph.number()], count, axis=0, **facts)


def _sequence(graph: _Graph) -> None:
    """Split into as many parts as there are."""
    rng = graph.rng
    given = [graph.value()] if rng.random() < 0.5 else [graph.number()]
    given += [graph.constant(graph.size())] if rng.random() < 0.3 else []
    sequence = graph.node("SplitToSequence", given, axis=0)
    kind = rng.choice(("ConcatFromSequence", "SequenceLength"))
    facts = {"axis": 0} if kind == "ConcatFromSequence" else {}
    _values(graph, kind, sequence, **facts)


def _images(graph: _Graph) -> None:
    """Operators on arrays, whose parameters are sizes."""
    rng, given = graph.rng, graph.value()
    kind = rng.choice(("Pad", "Resize", "AveragePool", "MaxPool", "DepthToSpace", "Upsample"))
    if kind == "Pad":
        _values(graph, kind, [given, graph.constant(graph.sizes(8))])
    elif kind in ("AveragePool", "MaxPool"):
        lists = {n: [graph.size() for _ in range(k)] for n, k in (("pads", 4), ("strides", 2))}
        facts = {n: v for n, v in lists.items() if rng.random() < 0.5}
        facts |= {"ceil_mode": 1} if rng.random() < 0.3 else {}
        _values(graph, kind, [given], kernel_shape=[graph.size(), 2], **facts)
    elif kind == "DepthToSpace":
        _values(graph, kind, [given], blocksize=graph.size())
    elif rng.random() < 0.5:
        sizes = graph.constant([1, 2, graph.size(), graph.size()])
        mode = rng.choice(("nearest", "linear", "cubic"))
        _values(graph, "Resize", [given, "", "", sizes], mode=mode)
    else:
        scales = graph.constant([1, 1, graph.size(), 3], "float32")
        _values(graph, "Resize", [given, "", scales], mode=rng.choice(("linear", "cubic")))


def _layers(graph: _Graph) -> None:
    """Operators that make arrays of their own: counts, weights, indices."""
    rng, given = graph.rng, graph.value()
    kind = rng.choice(("LSTM", "Gather", "Compress", "TopK", "EyeLike", "CumSum", "Trilu"))
    many = rng.choice((1, 1, 300))
    if kind == "LSTM":
        weights = [graph.number(), graph.number()]
        _values(graph, kind, [given, *weights], hidden_size=max(graph.size(), 0))
    elif kind in ("Gather", "Compress"):
        index = graph.constant(-np.arange(1, rng.choice((2, 5000))))
        for _ in range(many):
            _values(graph, kind, ["x", index])
    elif kind == "EyeLike":
        _values(graph, kind, [given], k=graph.size())
    else:
        _values(graph, kind, [given, graph.constant(graph.size())])


def _many(graph: _Graph) -> None:
    """One node, as often as a file of this size can have it."""
    kind = graph.rng.choice(("Relu", "Identity", "Shape", "Neg"))
    given = graph.value()
    for _ in range(graph.rng.choice((10, 100, 500))):
        _values(graph, kind, [given])
        given = graph.values[-1] if graph.rng.random() < 0.5 else given


def _if(graph: _Graph) -> None:
    """Graphs in each other."""
    inner = None
    for _ in range(graph.rng.choice((1, 3, 20))):
        nodes = [helper.make_node("Identity", [graph.value()], ["inner"])]
        if inner is not None:
            facts = {"then_branch": inner, "else_branch": inner}
            nodes = [helper.make_node("If", ["truth"], ["inner"], **facts)]
        output = helper.make_tensor_value_info("inner", FLOAT, None)
        inner = helper.make_graph(nodes, "g", [], [output])
        if inner.ByteSize() > 50_000:
            break
    _values(graph, "If", ["truth"], then_branch=inner, else_branch=inner)


_STEPS: tuple[Callable[[_Graph], None], ...] = (
    _arithmetic, _arithmetic, _shape, _shape, _unary, _cast, _reduce, _concat, _grow, _grow, _grow,
    _places, _places, _split, _sequence, _images, _images, _layers, _many, _if,
)  # fmt: skip


def make(rng: random.Random) -> bytes:
    """A model; its last value is what it gives."""
    graph = _Graph(rng)
    if rng.random() < 0.9:
        _shape(graph)
    for _ in range(rng.choice((1, 2, 3, 4, 6))):
        rng.choice(_STEPS)(graph)
    last = graph.nodes[-1].output[0] if graph.nodes else "x"
    graph.arrays.append(numpy_helper.from_array(np.array(True), "truth"))
    _damage(graph)
    shape = [
        rng.choice(("N", "M", 1, 2, 3, 8, 1 << 25, 1 << 40)) for _ in range(rng.choice((1, 2, 4)))
    ]
    made = helper.make_graph(
        graph.nodes,
        "g",
        [helper.make_tensor_value_info("x", FLOAT, shape)],
        [helper.make_tensor_value_info(last, FLOAT, None)],
        graph.arrays,
    )
    opsets = [helper.make_opsetid("", rng.choice((9, 11, 13, 17, 18, 21)))]
    return bytes(helper.make_model(made, opset_imports=opsets).SerializeToString())


def _damage(graph: _Graph) -> None:
    """Lies of arrays about their sizes, and nodes that read what comes later."""
    rng = graph.rng
    if rng.random() < 0.1:
        tensor = rng.choice(graph.arrays)
        del tensor.dims[:]
        tensor.dims.extend(graph.sizes(33))
    if rng.random() < 0.05:
        rng.shuffle(graph.nodes)
    if rng.random() < 0.05:
        beside = graph.arrays[0]
        beside.data_location = TensorProto.EXTERNAL
        place = rng.choice(("/etc/passwd", "../x", "", ".", "README.md", "a\0b", "x" * 5000))
        beside.external_data.add(key="location", value=place)
        beside.external_data.add(key="offset", value=str(graph.size()))
