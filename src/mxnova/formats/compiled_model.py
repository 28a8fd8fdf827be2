# SPDX-License-Identifier: Apache-2.0
"""Compiled models: what another runtime executes, with names, shapes and hashes, in one file.

The file is a safetensors file. Its arrays are the runtime's files as bytes (for ONNX Runtime
``model`` and ``model.blocked``, for OpenVINO ``model.xml`` and ``model.bin``) and large weights by
name; its metadata has one entry, ``mxnova.compiled``, a JSON object of the fields of
`CompiledModel`. Nothing in it is code.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from mxnova.core.base.aligned import VECTOR
from mxnova.core.base.dtypes import dtype_of
from mxnova.core.base.errors import ArgumentError, FormatError, MXNetError, shown

from . import bounded_json, safetensors
from .params import ArrayRecord
from .safetensors import Layout, Place
from .source import Path, open_regular

__all__ = ["Blocked", "CompiledModel", "Port", "check_hashes", "read", "write"]

VERSION = 2
_KEY = "mxnova.compiled"
_DEPTH = 6  # of brackets in the metadata
_LARGEST_HEADER = 8 << 20  # bytes; metadata of as many take up to 0.8 s
_MOST_ARRAYS = 1 << 13  # each takes 60 us
_MOST_PORTS = 1 << 10
_MOST_AXES = 32
_LARGEST_BLOCK = 1 << 10  # channels
Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Port:
    """An input or output.

    Attributes:
        name: MXNet's.
        key: the runtime's.
        shape: sizes; a word for one that is left open. None: unknown.
        dtype: element type.
    """

    name: str
    key: str
    shape: tuple[int | str, ...] | None
    dtype: str


@dataclass(frozen=True)
class Blocked:
    """A convolution's weight in ONNX Runtime's blocked layout, NCHWc: channels in blocks.

    Attributes:
        array: name of the array.
        shape: filters, channels, height and width of the weight, which the array may exceed.
        channels_too: whether channels are in blocks as filters are; False: filters alone.
    """

    array: str
    shape: tuple[int, ...]
    channels_too: bool


@dataclass(frozen=True)
class CompiledModel:
    """What the file holds.

    Attributes:
        runtime: name of the runtime that executes it.
        arrays: the runtime's files as bytes, and weights.
        inputs: what it takes; `outputs`: what it gives.
        versions: of mxnova and of the runtime that wrote it.
        sources: SHA-256 of the files that it was made from, by name.
        preprocessing: how an image file becomes an input: options of ``mxnova predict``.
        labels: names of the scores.
        block: channels of a block, of weights that are in blocks; 0: none are.
        blocked: weights that are, by name.
        hashes: SHA-256 of each array's bytes.
    """

    runtime: str
    arrays: Mapping[str, Array]
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    versions: Mapping[str, str] = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict)
    preprocessing: Mapping[str, Any] = field(default_factory=dict)
    labels: tuple[str, ...] = ()
    block: int = 0
    blocked: Mapping[str, Blocked] = field(default_factory=dict)
    hashes: Mapping[str, str] = field(default_factory=dict)


def write(path: Path, model: CompiledModel) -> None:
    """Writes the file as a whole; hashes are taken of what is written.

    Arrays of whole vectors come first, so that they begin where vectors do: kernels read them where
    `read` leaves them.

    Raises:
        ArgumentError: it has more arrays, or longer names and labels, than `read` takes.
        FileError: it cannot be written.
    """
    if len(model.arrays) > _MOST_ARRAYS:
        raise ArgumentError(f"{len(model.arrays)} arrays: at most {_MOST_ARRAYS} are read")
    order = sorted(model.arrays, key=lambda name: model.arrays[name].nbytes % VECTOR != 0)
    arrays = {name: np.ascontiguousarray(model.arrays[name]) for name in order}
    told = {name: value for name, value in asdict(model).items() if name != "arrays"}
    told |= {"version": VERSION, "hashes": {n: _sha256(a) for n, a in arrays.items()}}
    records = {n: ArrayRecord("default", a.shape, dtype_of(a.dtype), a) for n, a in arrays.items()}
    safetensors.write(path, records, {_KEY: json.dumps(told)}, _LARGEST_HEADER)


def _sha256(values: Array) -> str:
    return hashlib.sha256(np.atleast_1d(values).view(np.uint8).reshape(-1).data).hexdigest()


def read(path: Path) -> CompiledModel:
    """The model in the file at `path`, read into memory; arrays are not hashed yet.

    They are not mapped: who writes into the file later must not change what hashes were taken of,
    nor end the process by cutting it off. They are read once all else has been checked.

    Raises:
        FormatError: it is no compiled model, or of another version.
        FileError: it cannot be read.
    """
    with open_regular(path) as file:
        found = safetensors.read_layout(file, path, _LARGEST_HEADER, _MOST_ARRAYS)
        try:
            model = _checked(found)
        except MXNetError as error:
            raise FormatError(f"{path}: {error}") from None
        records = safetensors.read_arrays(file, path, found)
    arrays = {name: np.asarray(record.data) for name, record in records.items()}
    return replace(model, arrays=arrays)


def check_hashes(path: Path, model: CompiledModel, names: list[str]) -> None:
    """Compares arrays with their hashes.

    Raises:
        FormatError: one is damaged, or is not there.
    """
    for name in names:
        if name not in model.arrays:
            raise FormatError(f"{path}: {name}: is missing")
        if _sha256(model.arrays[name]) != model.hashes[name]:
            raise FormatError(f"{path}: {name}: damaged: its SHA-256 is not the one that is noted")


def _checked(file: Layout) -> CompiledModel:
    """The model without its arrays."""
    if _KEY not in file.metadata:
        raise FormatError("no compiled model; `mxnova compile` writes those")
    told = bounded_json.loads(file.metadata[_KEY], max_depth=_DEPTH, unique=True)
    if not isinstance(told, dict) or not isinstance(told.get("version"), int):
        raise FormatError(f"{_KEY}: no version")
    if told["version"] != VERSION:
        remedy = "update mxnova" if told["version"] > VERSION else "compile the model again"
        raise FormatError(f"version {told['version']}, expected {VERSION}: {remedy}")
    hashes = _texts(told, "hashes")
    if hashes.keys() != file.places.keys():
        raise FormatError(f"{_KEY}: hashes are not those of its arrays")
    return CompiledModel(
        _text(told, "runtime"),
        {},
        _ports(told, "inputs"),
        _ports(told, "outputs"),
        _texts(told, "versions"),
        _texts(told, "sources"),
        _typed(told, "preprocessing", dict),
        _labels(told),
        *_blocks(told, file.places),
        hashes,
    )


def _blocks(told: Mapping[str, Any], arrays: Mapping[str, Place]) -> tuple[int, dict[str, Blocked]]:
    """Channels of a block, and the weights in blocks; each array is one of them at most."""
    block = _typed(told, "block", int)
    if not 0 <= block <= _LARGEST_BLOCK:
        raise FormatError(f"block={shown(block)}: must be from 0 to {_LARGEST_BLOCK}")
    entries = _typed(told, "blocked", dict)
    found = {name: _blocked(_typed(entries, name, dict), block, arrays) for name in entries}
    if len({entry.array for entry in found.values()}) < len(found) or found.keys() & arrays.keys():
        raise FormatError("blocked: a weight stands there twice")
    return block, found


def _blocked(told: Mapping[str, Any], block: int, arrays: Mapping[str, Place]) -> Blocked:
    name, shape = _text(told, "array"), _typed(told, "shape", list)
    channels_too = told.get("channels_too")
    if len(shape) != 4 or not all(isinstance(size, int) and _is_size(size) for size in shape):
        raise FormatError(f"blocked: shape={shown(shape)}: must be four sizes")
    if not isinstance(channels_too, bool):
        raise FormatError(f"blocked: channels_too={shown(channels_too)}: must be a truth value")
    if not block:
        raise FormatError(f"block=0: must be from 1 to {_LARGEST_BLOCK}, for {shown(name)}")
    in_blocks = 2 if channels_too else 1
    filled = [size + -size % block for size in shape[:in_blocks]] + shape[in_blocks:]
    if name not in arrays or list(arrays[name].shape) != filled:
        raise FormatError(f"blocked: array {shown(name)}: must be there, in the shape {filled}")
    return Blocked(name, tuple(shape), channels_too)


def _typed(told: Mapping[str, Any], key: str, kind: type) -> Any:
    value = told.get(key)
    if not isinstance(value, kind) or isinstance(value, bool):
        raise FormatError(f"{key}={shown(value)}: must be {kind.__name__}")
    return value


def _text(told: Mapping[str, Any], key: str) -> str:
    return str(_typed(told, key, str))


def _labels(told: Mapping[str, Any]) -> tuple[str, ...]:
    found = _typed(told, "labels", list)
    if not all(isinstance(label, str) for label in found):
        raise FormatError("labels: must be texts")
    return tuple(found)


def _texts(told: Mapping[str, Any], key: str) -> dict[str, str]:
    found = _typed(told, key, dict)
    return {name: _text(found, name) for name in found}


def _ports(told: Mapping[str, Any], key: str) -> tuple[Port, ...]:
    found = _typed(told, key, list)
    if len(found) > _MOST_PORTS or not all(isinstance(port, dict) for port in found):
        raise FormatError(f"{key}: must be up to {_MOST_PORTS} objects")
    ports = tuple(_port(port) for port in found)
    names = [port.name for port in ports]
    if key == "inputs" and len(set(names)) != len(names):
        raise FormatError(f"{key}: a name stands there twice")
    return ports


def _port(told: Mapping[str, Any]) -> Port:
    shape = told.get("shape")
    if shape is not None:
        shape = tuple(_typed(told, "shape", list))
        if len(shape) > _MOST_AXES or not all(_is_size(size) for size in shape):
            raise FormatError(f"shape={shown(shape)}: must be sizes or words")
    return Port(_text(told, "name"), _text(told, "key"), shape, dtype_of(_text(told, "dtype")).name)


def _is_size(size: object) -> bool:
    if isinstance(size, int) and not isinstance(size, bool):
        return 0 <= size < 1 << 60
    return isinstance(size, str) and size != ""
