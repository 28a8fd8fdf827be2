# SPDX-License-Identifier: Apache-2.0
"""Graphs for OpenVINO with bombs, with weights at any place, without an end, of other formats."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from .runtime_graphs import SIZES, elsewhere

__all__ = ["good", "make"]


def good() -> bytes:
    """The sum of the input and four weights."""
    return _xml(_sum())


def make(rng: random.Random) -> bytes:
    """A graph of one kind."""
    return rng.choice((_places, _bomb, _bomb, _links, _deep, _text, _damaged))(rng)


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


def _input(shape: str = "?,4") -> str:
    return _layer(0, "Parameter", {"shape": shape, "element_type": "f32"}, 0, "x")


def _sum(offset: Any = 0, size: Any = 16, shape: Any = "4", kind: str = "f32") -> list[str]:
    return [
        _input(),
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


def _places(rng: random.Random) -> bytes:
    """Weights at any place, of any shape and type."""
    offset, size = (rng.choice((0, 4, 8, 16, *SIZES)) for _ in range(2))
    shape = rng.choice(("4", "2", "", "0", "-1", "1,4", f"{rng.choice(SIZES)}", "65536,65536", "x"))
    kinds = ("f32", "f32", "i64", "u1", "i4", "string", "boolean", "f64", "nf4", "undefined", "")
    return _xml(_sum(offset, rng.choice((16, size)), shape, rng.choice(kinds)))


def _bomb(rng: random.Random) -> bytes:
    """An array that is as large as a constant says, or the one before twice, thirty times."""
    shape = rng.choice(("?,4", "4"))
    net = _Net(shape)
    one, size, axis = (
        net.add("Const", (), element_type=kind, shape=1, offset=at, size=n)
        for kind, at, n in (("f32", 0, 4), ("i64", 8, 8), ("i64", 16, 8))
    )
    if shape == "4":  # the runtime knows it
        size = net.add("Multiply", (net.add("ShapeOf", (0,)), size))
    kind = rng.choice(("Broadcast", "Tile", "Range", "Reshape", "Concat", "Concat"))
    if kind == "Concat":
        made = one
        for _ in range(rng.choice((1, 30))):
            made = net.add(kind, (made, made), axis=0)
    elif kind == "Range":
        made = net.add(kind, (axis, size, one), output_type="f32")
    else:
        made = net.add(kind, (one, size), mode="numpy", special_zero="false")
    total = net.add("ReduceSum", (made, axis), keep_dims="true")
    return net.text(net.add("Add", (0, total), "y"))


class _Net:
    """A graph that grows from its input on; layers are known by their number."""

    def __init__(self, shape: str) -> None:
        self._layers = [_input(shape)]
        self._edges: list[Sequence[int]] = []
        self._ports = [0]  # of outputs

    def add(self, op: str, inputs: Sequence[int], name: str = "", **data: Any) -> int:
        """A layer that reads outputs of others."""
        number = len(self._layers)
        self._layers.append(_layer(number, op, data, len(inputs), name))
        self._edges += [(i, self._ports[i], number, port) for port, i in enumerate(inputs)]
        self._ports.append(len(inputs))
        return number

    def text(self, head: int) -> bytes:
        """The graph that gives the output of a layer."""
        self.add("Result", (head,))
        return _xml(self._layers, self._edges)


def _links(rng: random.Random) -> bytes:
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
        edge[rng.randrange(4)] = rng.choice((0, 1, 2, 3, 9, *SIZES, "x", ""))
    return _xml(layers * rng.choice((1, 1, 1, 2)), edges * rng.choice((1, 1, 1, 2)))


def _deep(rng: random.Random) -> bytes:
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


def _text(rng: random.Random) -> bytes:
    """What is no IR: other formats, entities, other versions."""
    onnx_graph = elsewhere(rng)
    entities = "".join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 10}">' for i in range(1, 30))
    laughs = f'<!DOCTYPE net [<!ENTITY e0 "ha">{entities}]>'
    text = _xml(_sum()).decode()
    return rng.choice(
        (
            onnx_graph, b"", b"\0" * 64, b"<", b"<?xml version='1.0'?>", b"\xff\xfe<\0n\0",
            _xml(_sum(), _EDGES, laughs).replace(b'name="g"', b'name="&e29;"'),
            text.replace('version="11"', f'version="{rng.choice(SIZES)}"').encode(),
            text.replace('"Add"', f'"{rng.choice(("Loop", "If", "ReadValue", "a", "x" * 99999))}"').encode(),
            text.replace("opset1", rng.choice(("opset99", "extension", "", "ie_internal_opset"))).encode(),
            text.replace('"?,4"', f'"{rng.choice(("?,?", "...", "-5", "4,4,", "99999999999999999999"))}"').encode(),
            text.encode("utf-16"), b" " * 100_000 + text.encode(), onnx_graph + text.encode(),
        )
    )  # fmt: skip


def _damaged(rng: random.Random) -> bytes:
    text = bytearray(_xml(_sum()))
    for _ in range(rng.choice((1, 2, 5))):
        at = rng.randrange(len(text))
        text[at : at + rng.choice((0, 1, 5))] = rng.choice(
            (b"", b"<", b'"', b"&", b"9", b"\0", b"\xff")
        )
    return bytes(text)
