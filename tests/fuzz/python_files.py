# SPDX-License-Identifier: Apache-2.0
"""Models with names and attributes that would like to be code, written as Python.

An input is JSON: names of nodes, the name of the file and an attribute of every node.
"""

from __future__ import annotations

import ast
import functools
import json
import random

import mxnova as mx
from mxnova.convert.python import text_of
from mxnova.convert.request import Request
from mxnova.convert.source import Model
from mxnova.core.graph.serialize import from_json
from mxnova.core.nd.files import record_of_array
from mxnova.formats.params import ParamsFile

__all__ = ["PIECES", "attack", "check_inert", "make", "seeds"]

PIECES = (
    "import os", "__import__('os').system('true')", '"""', "'''", "\\", "\n", "\r", "\t", "{0}", "{m}", "{p0}", "{f}",
    "%s", "$(x)", "`x`", ");", "#", "class", "def", "lambda", "self", "forward", "torch", "nn", "F", "None",
    "True", "__class__", "__init__", "training", "parameters", "x", "é", "名前", "ß", "\u202e", "\u2028", "}", "{",
    "1", "0x", "-", ".", "/", "..", " ", "_", "", "a" * 200, "load", "Path", "Model", "match", "print", "ª",
    "WEIGHTS", "load_file", "state", "data", "gamma", "weight", "exit()", "\x1b[0m", "//", "_weight",
)  # fmt: skip
_N_NAMES = 12
_WEIGHTS = "WEIGHTS = Path(__file__).with_suffix('.safetensors')"
_CALLED = {"super", "load_file", "Path", "Model", "load", "float", "int", "max", "min"}
_IMPORTED = {"pathlib", "torch", "torch.nn.functional", "safetensors.torch"}


def make(chance: random.Random) -> bytes:
    """Hostile names."""
    texts = [
        "".join(chance.choices(PIECES, k=chance.randint(1, 4))) or "n" for _ in range(_N_NAMES + 2)
    ]
    return json.dumps(texts).encode()


def seeds() -> list[bytes]:
    """Names that mean no harm."""
    return [json.dumps([f"name{i}" for i in range(_N_NAMES + 2)]).encode()]


@functools.cache
def _network() -> tuple[str, dict[str, mx.nd.NDArray]]:
    """A network of layers, functions, parameters read as they are and a recurrent layer; its arrays."""
    x = mx.sym.var("data")
    x = mx.sym.Convolution(x, kernel=(1, 1), num_filter=2, name="n0")
    x = mx.sym.BatchNorm(mx.sym.Activation(x, act_type="relu", name="n1"), name="n2")
    y = mx.sym.L2Normalization(mx.sym.InstanceNorm(x, name="n3"), name="n4")
    x = mx.sym.broadcast_add(x + y, mx.sym.var("p0", shape=(1, 2, 1, 1)), name="n5")
    x = mx.sym.slice_like(x, mx.sym.zeros((1, 2, 3, 2), name="n6"), name="n7")
    x = mx.sym.Group([x, mx.sym.topk(x, ret_typ="both", k=1, name="n8")])
    sizes = [(x.list_arguments(), 0), (x.list_auxiliary_states(), 2)]
    shapes = x.infer_shape(data=(2, 2, 3, 3))
    rows = [dict(zip(names, shapes[at], strict=True)) for names, at in sizes]
    arrays = {n: mx.nd.ones(s) for row in rows for n, s in row.items() if n != "data"}
    return x.tojson(), arrays


def attack(data: bytes) -> None:
    """Writes the network under other names; the text must be definitions alone."""
    file, attribute, *names = json.loads(data)
    text, arrays = _network()
    graph = json.loads(text)
    table: dict[str, str] = {}
    for place, node in enumerate(graph["nodes"]):
        table[node["name"]] = f"{names[place % len(names)]}{node['name'] * (place >= len(names))}"
        if table[node["name"]] in list(table.values())[:-1]:
            table[node["name"]] += str(place)  # two variables of one name are one
        node["name"] = table[node["name"]]
        node.setdefault("attrs", {})["__note__"] = attribute
    symbol = from_json(json.dumps(graph).encode())
    renamed = {table[name]: array for name, array in arrays.items()}
    states = set(symbol.list_auxiliary_states())
    saved = [f"{'aux' if name in states else 'arg'}:{name}" for name in renamed]
    records = ParamsFile([record_of_array(a) for a in renamed.values()], saved)
    model = Model((file or "x",), symbol, records)
    model.__dict__["hashes"] = {file: "0" * 64}  # there is no file to be hashed
    request = Request(model, {table["data"]: ("N", 2, 3, 3)})
    written, _ = text_of(request)
    check_inert(written)


def check_inert(text: str) -> None:
    """Nothing runs when the file is imported but definitions, and nothing is called but torch."""
    tree = ast.parse(text)
    compile(text, "model.py", "exec")
    assert text.isascii()
    for node in tree.body:
        is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        is_place = isinstance(node, ast.Assign) and ast.unparse(node) == _WEIGHTS
        kinds = (ast.Import, ast.ImportFrom, ast.ClassDef, ast.FunctionDef)
        assert is_docstring or is_place or isinstance(node, kinds), ast.unparse(node)
    defined = {n.name for n in ast.walk(tree) if isinstance(n, (ast.ClassDef, ast.FunctionDef))}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            assert {alias.name for alias in node.names} <= _IMPORTED
        if isinstance(node, ast.ImportFrom):
            assert node.module in _IMPORTED
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id in _CALLED | defined, node.func.id
        if isinstance(node, ast.Attribute):
            is_super = ast.unparse(node) == "super().__init__"
            assert is_super or not node.attr.startswith("__") or node.attr == "__iand__"
