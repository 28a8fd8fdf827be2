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
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from onnx import helper

from mxnova.core.base.errors import OutOfMemoryError
from mxnova.predictor import Predictor

from . import openvino_graphs, runtime_graphs
from .runtime_graphs import SIZES, SUM, graph_of, numbers

__all__ = ["attack", "make", "seeds"]

_HAS_OPENVINO = importlib.util.find_spec("openvino") is not None
_KEY = "mxnova.compiled"
_KINDS = {"float32": "F32", "uint8": "U8", "int8": "I8", "int64": "I64"}
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
    found = [(_told("onnxruntime"), {"w": weight, "model": _bytes(graph_of([SUM]))}), _blocked()]
    if _HAS_OPENVINO:
        arrays = {
            "model.xml": _bytes(openvino_graphs.good()),
            "model.bin": _bytes(weight.tobytes()),
        }
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


def _blocked() -> _Model:
    nodes = [
        helper.make_node("Reshape", ["x", "as images"], ["images"]),
        helper.make_node("Conv", ["images", "w"], ["convolved"]),
        helper.make_node("ReduceMean", ["convolved"], ["means"], axes=[1, 2, 3], keepdims=0),
        helper.make_node("Reshape", ["means", "as rows"], ["rows"]),
        helper.make_node("Add", ["x", "rows"], ["y"]),
    ]
    constants = [numbers("as images", [-1, 4, 1, 1]), numbers("as rows", [-1, 1])]
    kept = {"w": {"array": "made", "shape": [8, 4, 1, 1], "channels_too": False}}
    arrays = {
        "made": np.ones((8, 4, 1, 1), np.float32),
        "model": _bytes(graph_of(nodes, constants)),
    }
    return _told("onnxruntime", block=4, blocked=kept), arrays


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
        entry[field] = rng.choice(([rng.choice(SIZES), rng.choice(SIZES)], [1] * 40, *_STRANGE))
    data = b"".join(values.tobytes() for values in arrays.values())
    made = _packed(entries, {"hashes": hashes, **told}, data)
    lies = rng.random() < 0.1
    return struct.pack("<Q", rng.choice(SIZES) % (1 << 64)) + made[8:] if lies else made


def _metadata(rng: random.Random) -> bytes:
    """Entries of other types, depth and number; versions; blocks that are not there."""
    told, arrays = rng.choice(_good())
    told = dict(told)
    for _ in range(rng.choice((1, 1, 2))):
        key = rng.choice((*told, "hashes"))
        told[key] = rng.choice(
            (
                *_STRANGE, *_WORDS, *SIZES, {rng.choice(_WORDS): rng.choice(_STRANGE)},
                ["x"] * 50_000, {f"k{i}": "v" for i in range(50_000)}, _kept(rng),
            )
        )  # fmt: skip
    return _file(told, arrays)


def _kept(rng: random.Random) -> dict[str, Any]:
    shape = [rng.choice((8, 4, 1, 1, *SIZES)) for _ in range(rng.choice((4, 4, 3, 40)))]
    told = {"array": rng.choice(("made", "w", "model")), "shape": shape}
    return {rng.choice(("w", "v", "made")): {**told, "channels_too": rng.random() < 0.5}}


def _ports(rng: random.Random) -> bytes:
    """Inputs and outputs of any name, number, shape and type."""
    told, arrays = rng.choice(_good())
    side = rng.choice(("inputs", "outputs"))
    port = dict(told[side][0])
    shape = [rng.choice((*SIZES, *_WORDS, *_STRANGE)) for _ in range(rng.choice((0, 1, 2, 40)))]
    few = ["N", rng.choice((3, 4, "N", *SIZES))]
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


# Graphs -------------------------------------------------------------------------------------------


def _graph(rng: random.Random) -> bytes:
    weight = {"w": np.arange(rng.choice((4, 4, 4, 5)), dtype=np.float32)}
    model = _bytes(runtime_graphs.make(rng))
    return _file(_told("onnxruntime"), {**weight, "model": model})


def _ir(rng: random.Random) -> bytes:
    """With weights of a few bytes."""
    some = struct.pack("<fxxxxqq", 1.0, rng.choice(SIZES) % (1 << 63), 0)
    weights = rng.choice((some, some, some, b"", b"a", bytes(1 << 16)))
    arrays = {"model.xml": _bytes(openvino_graphs.make(rng)), "model.bin": _bytes(weights)}
    return _file(_told("openvino"), arrays)


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
