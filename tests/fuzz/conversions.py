# SPDX-License-Identifier: Apache-2.0
"""Whole models that are converted to places where something is in the way.

An input is JSON that says what lies in a folder, and what `convert` is asked for. Whatever that is,
what it does not write stays as it is, and after an error so does the target; nothing is run but
mxnova.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import mxnova as mx
from mxnova.convert import convert
from mxnova.core.base.errors import MXNetError

__all__ = ["attack", "make", "seeds"]

_NAMES = (
    "data", "x", "fc", "class", "None", "self", "F", "torch", "load", "", " ", "a.b", "a-b", "1a",
    "arg:x", "aux:y", "__init__", "é漢", "\u202e", "x" * 300, "../../far", "/etc/passwd", "a\0b",
    "'", '"', '"""', "\\", "\n", "'''\nimport os\nos.mkdir('run')\n'''", "{0}", "%s", "\ud800",
    "__import__('os').mkdir('run')", "<script>", "$(mkdir run)", "`mkdir run`", "; mkdir run",
)  # fmt: skip
_SIZES = (0, 1, 2, 3, 8, 65, 1 << 20, 1 << 31, 1 << 40, -1, -(1 << 63), 1 << 64)
_ACTIVATIONS = ("relu", "sigmoid", "tanh", "softrelu", "gelu", "__import__('os')")
_TARGETS = ("t.onnx", "t.py", "t.safetensors", "t.params", "t", "T.ONNX", "net.params", "t.xyz")
_OBSTACLES = ("file", "folder", "link", "source", "nothing's link")
_PLACES = ("out", "out", "out", ".", ".", "none", "out/link", "out/file", "far")


def seeds() -> list[bytes]:
    """Good models, each to a kind of file."""
    nodes = [["Convolution", "c", {"kernel": "(3, 3)", "num_filter": "4"}], ["Flatten", "f", {}]]
    nodes.append(["FullyConnected", "d", {"num_hidden": "3"}])
    asked = {"shapes": {"data": ["N", 2, 5, 5]}, "prove": True, "force": False, "dtype": None}
    traced = [["Cast", "h", {"dtype": "float16"}], ["BatchNorm", "b", {"fix_gamma": "False"}]]
    models = [(nodes, "t.onnx"), (nodes, "t.py"), (traced, "t.py"), (nodes, "t.safetensors")]
    return [
        _dumped({"nodes": some, "place": "out", "target": target, "in_the_way": "", **asked})
        for some, target in (*models, (nodes, "t"))
    ]


def _dumped(spec: dict[str, Any]) -> bytes:
    return json.dumps(spec).encode()


def make(rng: random.Random) -> bytes:
    """A model of a few operators, of hostile names and attributes, and a hostile target."""
    hostile = rng.random() < 0.4
    nodes = [_node(rng, number, hostile) for number in range(rng.choice((1, 2, 3, 6)))]
    shape = [rng.choice(("N", 1, 2)), 2, *rng.choice(([5, 5], ["H", 5], [], [7]))]
    if rng.random() < 0.1:
        shape[rng.randrange(len(shape))] = rng.choice(_SIZES)
    return _dumped(
        {
            "nodes": nodes,
            "place": rng.choice(_PLACES),
            "target": rng.choice(_TARGETS[: rng.choice((5, 8))])
            if rng.random() < 0.9
            else rng.choice(_NAMES) + ".onnx",
            "in_the_way": rng.choice(("", "", "", *_OBSTACLES)),
            "shapes": {rng.choice((*["data"] * 9, "dta")): shape},
            "prove": rng.random() < 0.5,
            "force": rng.random() < 0.5,
            "dtype": rng.choice((*[None] * 6, "float16", "bfloat16", "int3")),
            "damage": rng.choice(("", "", "", "", "shape", "nan", "name", "cut", "lost")),
        }
    )


def _node(rng: random.Random, number: int, hostile: bool) -> list[Any]:
    name = rng.choice(_NAMES) if hostile else f"n{number}"
    size = str(rng.choice(_SIZES)) if hostile and rng.random() < 0.2 else "2"
    op, attrs = rng.choice(
        (
            ("Convolution", {"kernel": f"({size}, 1)", "num_filter": "4", "pad": "(1, 0)"}),
            ("FullyConnected", {"num_hidden": size}),
            ("BatchNorm", {"eps": rng.choice(("1e-3", "0", "nan", "1e400")), "fix_gamma": "False"}),
            *[("Activation", {"act_type": rng.choice(_ACTIVATIONS)})] * 3,
            ("LeakyReLU", {"act_type": "leaky", "slope": rng.choice(("0.1", "inf", "-1"))}),
            ("Pooling", {"kernel": f"({size}, 1)", "pool_type": "max", "global_pool": "False"}),
            *[("Flatten", {})] * 3,
            ("softmax", {"axis": size}),
            ("_plus_scalar", {"scalar": rng.choice(("1", "nan", "1e39", "-inf", "x"))}),
            ("Reshape", {"shape": f"(0, {size})"}),
            ("transpose", {"axes": rng.choice(("()", "(0, 1)", f"(0, {size})"))}),
            ("SoftmaxOutput", {}),
            ("Cast", {"dtype": rng.choice(("float16", "int32", "float64"))}),
            ("no_such_operator" if hostile else "exp", {}),
        )
    )
    if hostile and rng.random() < 0.2:
        attrs = {**attrs, f"__{rng.choice(_NAMES)}__": rng.choice(_NAMES)}
    return [op, name, attrs]


def attack(data: bytes) -> None:
    """Converts a model, and looks at what became of the folder."""
    try:
        spec = json.loads(data)
        if not isinstance(spec, dict):
            return
    except ValueError:
        return
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            _convert(spec, Path(folder))
        finally:
            os.chdir(before)


def _convert(spec: dict[str, Any], folder: Path) -> None:
    try:
        _lay(spec, folder)
    except (MXNetError, OSError, ValueError, KeyError, TypeError):
        return  # no model
    target = os.path.join(spec["place"], spec["target"])
    there, files = _content(folder), set[str]()
    try:
        done = convert(
            "net",
            target,
            shapes=spec["shapes"],
            dtype=spec["dtype"],
            force=spec["force"],
            prove=spec["prove"],
        )
        files = {os.path.relpath(os.path.realpath(file), folder.resolve()) for file in done.files}
        assert files, "nothing was written"
        assert all(not os.path.islink(file) for file in files)
    finally:
        now = _content(folder)
        changed = {name for name in there.keys() | now.keys() if there.get(name) != now.get(name)}
        assert changed <= files, f"{sorted(changed - files)} changed"


def _content(folder: Path) -> dict[str, Any]:
    """What each name in a folder stands for."""
    found: dict[str, Any] = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_symlink():
            found[name] = os.readlink(path)
        else:
            found[name] = path.read_bytes() if path.is_file() else "a folder"
    return found


def _lay(spec: dict[str, Any], folder: Path) -> None:
    """The model, and what is in the way of its target."""
    (folder / "out").mkdir()
    (folder / "far").mkdir()
    (folder / "far" / "kept").write_text("kept")
    (folder / "out" / "link").symlink_to(folder / "far")
    (folder / "out" / "file").write_text("a file")
    _lay_model(spec, folder)
    place = folder / spec["place"] / spec["target"]
    what = spec["in_the_way"]
    if what == "file":
        place.write_text("mine")
    elif what == "folder":
        place.mkdir()
    elif what == "link":
        place.symlink_to(folder / "far" / "kept")
    elif what == "nothing's link":
        place.symlink_to(folder / "far" / "nothing")
    elif what == "source":
        os.link(folder / "net-0000.params", place)


def _lay_model(spec: dict[str, Any], folder: Path) -> None:
    nodes: list[dict[str, Any]] = [{"op": "null", "name": "data", "inputs": []}]
    shapes: dict[str, tuple[int, ...]] = {}
    last = 0
    for op, name, attrs in spec["nodes"]:
        inputs = [[last, 0, 0]]
        for role in _ROLES.get(op, ()):
            nodes.append({"op": "null", "name": f"{name}_{role}", "inputs": []})
            inputs.append([len(nodes) - 1, 0, 0])
            shapes[f"{name}_{role}"] = ()
        last = len(nodes)
        nodes.append({"op": op, "name": name, "attrs": attrs, "inputs": inputs})
    variables = [i for i, node in enumerate(nodes) if node["op"] == "null"]
    graph = {"nodes": nodes, "arg_nodes": variables, "heads": [[last, 0, 0]]}
    text = json.dumps(graph)
    (folder / "net-symbol.json").write_text(text)
    arrays: dict[str, Any] = {}
    with contextlib.suppress(MXNetError):  # whatever is wrong with it, convert will see
        arrays = _arrays(spec, text, list(shapes))
    if spec.get("damage") == "shape" and arrays:
        arrays[next(iter(arrays))] = mx.nd.ones((3, 1, 4))
    if spec.get("damage") == "name":
        arrays["x" if arrays else "arg:data"] = mx.nd.ones((2,))
    mx.nd.save(str(folder / "net-0000.params"), arrays)
    if spec.get("damage") == "cut":
        content = (folder / "net-0000.params").read_bytes()
        (folder / "net-0000.params").write_bytes(content[: len(content) * 2 // 3])
    if spec.get("damage") == "lost":
        (folder / "net-symbol.json").unlink()


_ROLES = {
    "Convolution": ("weight", "bias"),
    "FullyConnected": ("weight", "bias"),
    "BatchNorm": ("gamma", "beta", "moving_mean", "moving_var"),
    "SoftmaxOutput": ("label",),
}


def _arrays(spec: dict[str, Any], text: str, names: list[str]) -> dict[str, mx.nd.NDArray]:
    """Values of all parameters, as far as their shapes can be told and are small."""
    symbol = mx.sym.load_json(text)
    (given,) = spec["shapes"].values()
    sizes = tuple(size if isinstance(size, int) else 3 for size in given)
    arguments, _, states = symbol.infer_shape_partial(data=sizes)
    told = dict(zip(symbol.list_arguments(), arguments, strict=True))
    told.update(zip(symbol.list_auxiliary_states(), states, strict=True))
    rng = np.random.default_rng(0)
    arrays = {}
    for name in names:
        shape = told.get(name) or (1,)
        if name.endswith("label") or any(n < 1 for n in shape) or np.prod(shape) > 1 << 16:
            continue
        values = np.abs(rng.normal(size=shape)) + 0.1
        kind = "aux" if name in symbol.list_auxiliary_states() else "arg"
        damaged = spec.get("damage") == "nan"
        arrays[f"{kind}:{name}"] = mx.nd.array(values * np.nan if damaged else values)
    return arrays
