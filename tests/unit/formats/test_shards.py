# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import itertools
import json
import os
import random

import numpy as np
import pytest

from mxnova.core.base.dtypes import dtype_of
from mxnova.core.base.errors import (
    ArgumentError,
    ArgumentTypeError,
    FormatError,
    MissingFileError,
    UnknownNameError,
)
from mxnova.formats import safetensors, shards
from mxnova.formats.params import ArrayRecord
from mxnova.formats.shards import hashes, reading
from mxnova.formats.shards.plain import Encoder, decode
from mxnova.formats.shards.tiling import check_tiling
from mxnova.formats.states import ObjectRecord


def record(array):
    return ArrayRecord("default", array.shape, dtype_of(array), array)


# Tiling -------------------------------------------------------------------------------------------


def cut(rng, shape):
    """Boxes that tile `shape`, cut again and again."""
    boxes = [((0,) * len(shape), tuple(shape))]
    for _ in range(rng.randrange(6)):
        begin, sizes = boxes.pop(rng.randrange(len(boxes)))
        axis = rng.randrange(len(shape))
        at = rng.randrange(sizes[axis] + 1)
        for start, size in ((0, at), (at, sizes[axis] - at)):
            part = list(begin), list(sizes)
            part[0][axis], part[1][axis] = begin[axis] + start, size
            boxes.append(tuple(map(tuple, part)))
    rng.shuffle(boxes)
    return boxes


def is_tiled(shape, boxes):
    """By counting."""
    count = np.zeros(shape, int)
    for begin, sizes in boxes:
        count[tuple(slice(a, a + n) for a, n in zip(begin, sizes))] += 1
    return bool((count == 1).all())


def test_tilings_are_told_from_others():
    rng = random.Random(0)
    seen = set()
    for _ in range(600):
        shape = tuple(rng.randrange(1, 6) for _ in range(rng.randrange(1, 4)))
        boxes = cut(rng, shape)
        kind = rng.randrange(4)
        if kind == 1:
            boxes.append(rng.choice(boxes))
        elif kind == 2:
            boxes.pop()
        elif kind == 3:
            at = rng.randrange(len(boxes))
            _, sizes = boxes[at]
            moved = tuple(rng.randrange(n - s + 1) for n, s in zip(shape, sizes))
            boxes[at] = moved, sizes
        try:
            check_tiling(shape, boxes)
            found = True
        except FormatError:
            found = False
        assert found == is_tiled(shape, boxes), (shape, boxes)
        seen.add(found)
    assert seen == {True, False}


def test_numbers_stand_there_once():
    check_tiling((), [((), ())])
    with pytest.raises(FormatError, match="2 times"):
        check_tiling((), [((), ())] * 2)


def test_arrays_are_cut_along_few_axes():
    corners = itertools.product((0, 1), repeat=7)
    with pytest.raises(FormatError, match="cut along 7 axes"):
        check_tiling((2,) * 7, [(corner, (1,) * 7) for corner in corners])


# Plain data ---------------------------------------------------------------------------------------

VALUES = [
    None, True, 0, -(1 << 62), 1 << 100, 0.1, -0.0, float("inf"), "a\u00e9", b"\0x", [], (), {},
    [1, [2, (3,)]], {0: "a", "b": {1.5: None}, (1, 2): b""}, {True: 1}, 1e-320,
]  # fmt: skip


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_plain_data_comes_back(value):
    text = json.dumps(Encoder("x").encode(value), allow_nan=False)
    found = decode(json.loads(text), lambda kind, name: None)
    assert repr(found) == repr(value)


def test_arrays_and_objects_come_back():
    array = np.arange(6, dtype=np.int16).reshape(2, 3)
    value = {"a": [array, record(array)], "b": ObjectRecord("m", "C", {"x": np.float32(0.5)})}
    encoder = Encoder("x")
    encoded = json.loads(json.dumps(encoder.encode(value)))
    assert list(encoder.arrays) == ["x.a.0", "x.a.1"]
    found = decode(encoded, lambda kind, name: (kind, encoder.arrays[name].data))
    assert [kind for kind, _ in found["a"]] == ["numpy", "array"]
    assert all((values == array).all() for _, values in found["a"])
    assert (found["b"].module, found["b"].name, found["b"].state) == ("m", "C", {"x": 0.5})


def test_names_of_arrays_are_unique():
    encoder = Encoder("x")
    encoder.encode({0: np.zeros(1), "0": np.ones(1)})
    assert list(encoder.arrays) == ["x.0", "x.0~"]


@pytest.mark.parametrize(
    "value", [object(), {1, 2}, 1j, np.zeros(1, complex), 10**4000], ids=lambda v: type(v).__name__
)
def test_other_values_are_refused(value):
    with pytest.raises(ArgumentTypeError):
        Encoder("x").encode(value)


def nested(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value


def test_depth_is_bounded():
    with pytest.raises(ArgumentTypeError, match="nests more than"):
        Encoder("x").encode(nested(50))


STRANGE = [
    {}, {"a": 1, "b": 2}, {"tuple": 1}, {"dict": [1]}, {"dict": [[[], 1]]}, {"bytes": "*"},
    {"float": "1"}, {"int": "1.5"}, {"int": 1}, {"int": "9" * 5000}, {"other": "x"}, {"array": 1},
    {"object": ["a"], "state": {"dict": []}}, {"object": ["a", "b"], "state": 1},
]  # fmt: skip


@pytest.mark.parametrize("value", STRANGE, ids=str)
def test_what_was_not_encoded_is_refused(value):
    with pytest.raises(FormatError):
        decode(value, lambda kind, name: None)


# Files --------------------------------------------------------------------------------------------

ARRAY = np.arange(60, dtype=np.float32).reshape(6, 10)
PIECES = [((0, 0), (2, 10)), ((2, 0), (4, 3)), ((2, 3), (4, 7))]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A checkpoint of three workers, with hashes of few bytes."""
    monkeypatch.setattr(hashes, "BLOCK", 64)
    monkeypatch.setattr("mxnova.formats.shards.folder._MIN_BLOCK", 64)
    said = {}
    for rank, (begin, sizes) in enumerate(PIECES):
        piece = ARRAY[tuple(slice(a, a + n) for a, n in zip(begin, sizes))].copy()
        own = {"w": (begin, record(piece)), f"only{rank}": ((), record(np.array(rank)))}
        name = shards.shard_name(rank)
        said[name] = shards.write_shard(tmp_path / name, own, {}).plain()
    index(tmp_path, said)
    return tmp_path


def index(folder, said, **changed):
    own = {
        "version": 1,
        "step": 5,
        "world": 3,
        "block": 64,
        "files": said,
        "content": {},
        **changed,
    }
    shards.write_index(folder / shards.INDEX, own, {}, 0)


def test_boxes_of_arrays_are_put_together(folder):
    found = shards.read(folder)
    assert found.index.step == 5
    assert found.arrays["w"].shape == (6, 10)
    for begin, end in itertools.product(itertools.product(range(7), range(11)), repeat=2):
        if (begin[0] + end[0] + begin[1]) % 3 or any(a > b for a, b in zip(begin, end)):
            continue  # some of them are enough
        sizes = [b - a for a, b in zip(begin, end)]
        expected = ARRAY[begin[0] : end[0], begin[1] : end[1]]
        np.testing.assert_array_equal(found.read("w", begin, sizes), expected)
    np.testing.assert_array_equal(found.read("w", (2, 3)), ARRAY[2:, 3:])
    assert found.read("only2") == 2


@pytest.mark.parametrize("box", [((0,), (1,)), ((0, 0), (7, 1)), ((-1, 0), (1, 1)), ((7, 0), None)])
def test_boxes_lie_inside(box, folder):
    with pytest.raises(ArgumentError, match="box"):
        shards.read(folder).read("w", *box)


def test_an_unknown_array_is_named(folder):
    with pytest.raises(UnknownNameError, match="did you mean 'only1' or"):
        shards.read(folder).read("onIy1")


def test_nothing_but_the_rows_asked_for_is_read(folder, monkeypatch):
    parts = []
    part = reading.ShardFile.part

    def watched(file, maps, begin, end):
        parts.append((os.path.basename(file.path), end - begin))
        return part(file, maps, begin, end)

    monkeypatch.setattr(reading.ShardFile, "part", watched)
    found = shards.read(folder)
    found.read("w", (1, 2), (1, 3))
    found.read("w", (4, 0), (1, 3))
    assert parts == [(shards.shard_name(0), 40), (shards.shard_name(1), 12)]


def test_what_is_not_read_may_be_damaged(folder):
    """Hashes are compared block by block."""
    path = folder / shards.shard_name(0)
    data = bytearray(path.read_bytes())
    data[-1] ^= 1  # of the second row
    path.write_bytes(data)
    found = shards.read(folder)
    np.testing.assert_array_equal(found.read("w", (2, 0)), ARRAY[2:])
    with pytest.raises(FormatError, match="have another hash than in the index"):
        found.read("w")
    assert shards.read(folder, check_hashes=False).read("w").shape == (6, 10)


def test_many_files_are_read_with_few_descriptors(folder, monkeypatch):
    monkeypatch.setattr(reading, "_MAX_MAPPED", 1)
    np.testing.assert_array_equal(shards.read(folder).read("w"), ARRAY)


# Hostile folders ----------------------------------------------------------------------------------


def said_in(folder):
    return json.loads((folder / shards.INDEX).read_text())["mxnova"]["files"]


def renamed(name):
    def change(folder):
        said = said_in(folder)
        said[name] = said.pop(shards.shard_name(2))
        index(folder, said)

    return change


def linked(folder):
    path = folder / shards.shard_name(1)
    path.rename(folder.parent / "elsewhere.safetensors")
    path.symlink_to("../elsewhere.safetensors")


def cut_off(folder):
    os.truncate(folder / shards.shard_name(1), 100)


def without_one(folder):
    said = said_in(folder)
    del said[shards.shard_name(1)]
    index(folder, said)


def twice(folder):
    name = "again.safetensors"
    (folder / name).write_bytes((folder / shards.shard_name(1)).read_bytes())
    index(folder, {**said_in(folder), name: said_in(folder)[shards.shard_name(1)]})


def rewritten(**changes):
    """The second worker's file says something else, and the index has its hashes."""

    def change(folder):
        name = shards.shard_name(1)
        begin, sizes = changes.get("begin", PIECES[1][0]), changes.get("sizes", PIECES[1][1])
        piece = np.zeros(sizes, changes.get("dtype", np.float32))
        said = shards.write_shard(folder / name, {"w": (begin, record(piece))}, {}).plain()
        index(folder, {**said_in(folder), name: said})

    return change


HOSTILE = {
    "a path": (renamed("../x.safetensors"), "is no name of a file"),
    "an absolute path": (renamed("/etc/passwd"), "is no name of a file"),
    "a hidden file": (renamed(".x.safetensors"), "is no name of a file"),
    "no such file": (renamed("x.safetensors"), "No such file"),
    "a link": (linked, "is a symbolic link"),
    "a file cut off": (cut_off, "100 bytes, the index says"),
    "a shard is missing": (without_one, "pieces overlap or leave a gap"),
    "a shard twice": (twice, "pieces overlap or leave a gap|2 times"),
    "an overlap": (rewritten(begin=(1, 0)), "pieces overlap or leave a gap"),
    "far away": (rewritten(begin=(1 << 58, 0)), "pieces overlap|too large"),
    "too many axes": (rewritten(begin=(0,)), "has 2 axes, but saved_offsets"),
    "a negative offset": (rewritten(begin=(-1, 0)), "has no saved_offsets"),
    "another type": (rewritten(dtype=np.float64), "different element types"),
    "another rank": (rewritten(begin=(2,), sizes=(4,)), "different numbers of axes"),
    "a version": (lambda f: index(f, said_in(f), version=2), "version 2, 1 is read"),
    "no step": (lambda f: index(f, said_in(f), step="5"), "step='5'"),
    "a block of nothing": (lambda f: index(f, said_in(f), block=0), "block=0"),
    "small blocks": (lambda f: index(f, said_in(f), block=63), "block=63: .* from 64 on"),
    "other blocks": (lambda f: index(f, said_in(f), block=1 << 20), "hashes, or no hashes"),
    "no files": (lambda f: index(f, {}), "files: must be an object"),
    "a field more": (lambda f: index(f, said_in(f), more=1), "must have the fields"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_folders_are_refused(name, folder):
    change, text = HOSTILE[name]
    change(folder)
    with pytest.raises((FormatError, MissingFileError), match=text):
        shards.read(folder)


INDEXES = {
    "no JSON": (b"{", "Expecting"),
    "no object": (b"[]", "must be an object"),
    "a key twice": (b'{"a": 1, "a": 2}', "stands there twice"),
    "deep": (b"[" * 1000 + b"]" * 1000, "brackets nest 1000 deep"),
    "a large number": (b"9" * 40, "too large"),
    "other fields": (b'{"mxnova": {}}', "must have the fields"),
    "no map": (b'{"weight_map": {}}', "weight_map"),
    "a map of numbers": (b'{"weight_map": {"a": 1}}', "is no name of a file"),
    "a bomb": (b'{"a":[' + b"{}," * (1 << 20) + b"{}]}", "reading takes"),
}


@pytest.mark.parametrize("name", INDEXES)
def test_hostile_indexes_are_refused(name, tmp_path):
    data, text = INDEXES[name]
    (tmp_path / shards.INDEX).write_bytes(data)
    with pytest.raises(FormatError, match=text):
        shards.read(tmp_path)


def test_a_changed_index_is_told(folder):
    path = folder / shards.INDEX
    path.write_text(path.read_text().replace('"step":5', '"step":6'))
    with pytest.raises(FormatError, match="another hash than it says"):
        shards.read(folder)


def test_what_was_not_completed_is_refused(folder):
    (folder / shards.INDEX).unlink()
    with pytest.raises(FormatError, match="was not completed"):
        shards.read(folder)


def test_a_folder_of_hugging_face_is_read(tmp_path):
    for i in range(2):
        arrays = {f"a{i}": record(np.full(3, i, np.float32))}
        safetensors.write(tmp_path / f"model-0000{i}-of-00002.safetensors", arrays)
    names = {f"a{i}": f"model-0000{i}-of-00002.safetensors" for i in range(2)}
    (tmp_path / shards.INDEX).write_text(json.dumps({"metadata": {}, "weight_map": names}))
    found = shards.read(tmp_path)
    assert found.index is None
    assert found.read("a1").tolist() == [1, 1, 1]
