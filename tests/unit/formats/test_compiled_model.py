# SPDX-License-Identifier: Apache-2.0
import io
import json
import os
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

from mxnova.core.base.errors import ArgumentError, FileError, FormatError
from mxnova.formats import compiled_model, safetensors
from mxnova.formats.compiled_model import CompiledModel, Port

MODEL = CompiledModel(
    "onnxruntime",
    {"model": np.arange(9, dtype=np.uint8), "weight": np.ones((2, 3), np.float32)},
    (Port("data", "data", ("N", 3), "float32"),),
    (Port("fc_output", "fc", None, "float16"),),
    {"mxnova": "1"},
    {"net-symbol.json": "00"},
    {"size": [224, 224]},
    ("cat", "dog"),
)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "net.mxnova"


def test_what_is_written_is_read(path):
    compiled_model.write(path, MODEL)
    found = compiled_model.read(path)
    for name, values in MODEL.arrays.items():
        np.testing.assert_array_equal(found.arrays[name], values)
    compiled_model.check_hashes(path, found, ["model", "weight"])
    assert replace(found, arrays=MODEL.arrays, hashes={}) == MODEL


def test_damage_is_found_by_its_hash(path):
    compiled_model.write(path, MODEL)
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    found = compiled_model.read(path)
    with pytest.raises(FormatError, match="damaged"):
        compiled_model.check_hashes(path, found, ["model", "weight"])


def without(key):
    return lambda told: told.pop(key)


def with_(**values):
    return lambda told: told.update(values)


def rewrite(path, change):
    file = safetensors.read(path)
    told = json.loads(file.metadata["mxnova.compiled"])
    change(told)
    safetensors.write(path, file.arrays, {"mxnova.compiled": json.dumps(told)})


PORT = {"name": "data", "key": "data", "shape": [1], "dtype": "float32"}


@pytest.mark.parametrize(
    "change, fact",
    [
        (without("version"), "no version"),
        (with_(version=3), "update mxnova"),
        (with_(version=1), "compile the model again"),
        (without("runtime"), "runtime=None"),
        (with_(hashes={}), "hashes"),
        (with_(hashes=["a"]), "hashes"),
        (with_(inputs=[PORT, PORT]), "twice"),
        (with_(inputs=[1]), "objects"),
        (with_(inputs=[PORT] * 2000), "1024"),
        (with_(inputs=[{**PORT, "shape": [-1]}]), "shape"),
        (with_(inputs=[{**PORT, "shape": [True]}]), "shape"),
        (with_(inputs=[{**PORT, "shape": [1 << 60]}]), "shape"),
        (with_(inputs=[{**PORT, "shape": [1] * 33}]), "shape"),
        (with_(inputs=[{**PORT, "dtype": "tensor"}]), "tensor"),
        (with_(labels="cat"), "labels"),
        (with_(labels=["cat", 1]), "labels"),
        (with_(preprocessing=[]), "preprocessing"),
        (with_(sources={"a": 1}), "a=1"),
    ],
)
def test_metadata_is_checked(path, change, fact):
    compiled_model.write(path, MODEL)
    rewrite(path, change)
    with pytest.raises(FormatError) as error:
        compiled_model.read(path)
    assert fact in str(error.value)
    assert str(path) in str(error.value)


def test_weights_begin_where_vectors_do(path):
    arrays = {n: np.ones(size, np.float32) for n, size in (("a", 3), ("b", 32), ("c", 16))}
    compiled_model.write(path, replace(MODEL, arrays=arrays))
    found = compiled_model.read(path).arrays
    assert list(found) == ["b", "c", "a"]
    assert not any(values.ctypes.data % 64 for values in found.values())


def test_other_safetensors_files_are_refused(path):
    safetensors.write(path, {}, {})
    with pytest.raises(FormatError, match="mxnova compile"):
        compiled_model.read(path)


BLOCKED = replace(
    MODEL,
    arrays={"model": MODEL.arrays["model"], "made": np.ones((8, 3, 1, 1), np.float32)},
    block=4,
    blocked={"weight": compiled_model.Blocked("made", (5, 3, 1, 1), False)},
)


def entry(**values):
    told = {"array": "made", "shape": [5, 3, 1, 1], "channels_too": False}
    return {"weight": {**told, **values}}


@pytest.mark.parametrize(
    "change, fact",
    [
        (with_(block=-1), "block=-1"),
        (with_(block=1 << 11), "block=2048"),
        (with_(block=0), "block=0"),
        (with_(block=True), "block=True"),
        (with_(blocked=[]), "blocked=[]"),
        (with_(blocked={"weight": 1}), "weight=1"),
        (with_(blocked=entry(array="more")), "more"),
        (with_(blocked=entry(channels_too=1)), "channels_too=1"),
        (with_(blocked=entry(channels_too=True)), "[8, 4, 1, 1]"),
        (with_(blocked=entry(shape=[9, 3, 1, 1])), "[12, 3, 1, 1]"),
        (with_(blocked=entry(shape=[5, 3, 1])), "four sizes"),
        (with_(blocked=entry(shape=[5, "N", 1, 1])), "four sizes"),
        (with_(blocked={**entry(), "more": entry()["weight"]}), "twice"),
        (with_(blocked={"made": entry()["weight"]}), "twice"),
    ],
)
def test_weights_in_blocks_are_checked(path, change, fact):
    compiled_model.write(path, BLOCKED)
    found = compiled_model.read(path)
    assert (found.block, found.blocked) == (4, BLOCKED.blocked)
    rewrite(path, change)
    with pytest.raises(FormatError) as error:
        compiled_model.read(path)
    assert fact in str(error.value)


SIZE = 1 << 30  # bytes of a sparse file


@pytest.fixture
def peak():
    """A function that gives the bytes of memory that were taken at most."""
    tracemalloc.start()
    yield lambda: tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()


@pytest.mark.parametrize(
    "metadata, fact",
    [({}, "mxnova compile"), ({"mxnova.compiled": '{"version": 9}'}, "update mxnova")],
)
def test_arrays_are_read_when_all_else_is_checked(path, metadata, fact, peak):
    entry = {"dtype": "U8", "shape": [SIZE], "data_offsets": [0, SIZE]}
    text = json.dumps({"__metadata__": metadata, "model": entry}).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text)
    os.truncate(path, 8 + len(text) + SIZE)
    with pytest.raises(FormatError, match=fact):
        compiled_model.read(path)
    assert peak() < SIZE >> 6


def test_bytes_beyond_the_last_array_are_not_read(path, peak):
    compiled_model.write(path, MODEL)
    os.truncate(path, SIZE)
    with pytest.raises(FormatError, match="after the last array"):
        compiled_model.read(path)
    assert peak() < SIZE >> 6


def test_headers_are_short(path, peak):
    size = 9 << 20
    path.write_bytes(size.to_bytes(8, "little") + b"{")
    os.truncate(path, SIZE)
    with pytest.raises(FormatError, match=r"net\.mxnova: a header of 9437184 bytes"):
        compiled_model.read(path)
    assert peak() < size


def test_arrays_are_few(path, monkeypatch):
    arrays = {name: np.ones(1, np.float32) for name in "abc"}
    compiled_model.write(path, replace(MODEL, arrays=arrays))
    monkeypatch.setattr(compiled_model, "_MOST_ARRAYS", 2)
    with pytest.raises(FormatError, match="3 arrays: at most 2"):
        compiled_model.read(path)


@pytest.mark.parametrize(
    "limit, fact", [("_MOST_ARRAYS", "2 arrays: at most 1"), ("_LARGEST_HEADER", "a header of")]
)
def test_what_would_not_be_read_is_not_written(path, monkeypatch, limit, fact):
    monkeypatch.setattr(compiled_model, limit, 1)
    with pytest.raises(ArgumentError, match=fact):
        compiled_model.write(path, MODEL)
    assert not path.exists()


def test_labels_of_a_large_vocabulary(path):
    labels = tuple(f"{i}: Überschrift für den Artikel Nr. {i}" for i in range(70_000))
    compiled_model.write(path, replace(MODEL, labels=labels))
    assert compiled_model.read(path).labels == labels


@pytest.mark.parametrize("left", [4, 100, -1])
def test_a_file_that_is_cut_off_while_it_is_read(path, left, monkeypatch):
    compiled_model.write(path, MODEL)
    size = path.stat().st_size

    class Cut(io.BytesIO):
        def seek(self, offset, whence=0):
            return size if whence else super().seek(offset)

    content = path.read_bytes()[:left]
    monkeypatch.setattr(compiled_model, "open_regular", lambda path: Cut(content))
    with pytest.raises(FileError, match=r"net\.mxnova.*cut off"):
        compiled_model.read(path)
