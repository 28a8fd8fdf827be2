# SPDX-License-Identifier: Apache-2.0
"""The bytes of a source, and its memory budget."""

from __future__ import annotations

import hashlib
import io
import os
import socket
import sys

import pytest

import mxnova as mx
from mxnova.core.base.errors import ArgumentTypeError, FileError, FormatError
from mxnova.formats.source import Source, map_file, open_regular, read_file, sha1_of, sha256_of
from mxnova.optimizer.states import load_states
from mxnova.predictor import NDList, Predictor
from mxnova.recordio import MXIndexedRecordIO, MXRecordIO


def test_the_same_bytes_of_every_kind_of_source(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"content")
    with open(path, "rb") as file:
        sources = [path, str(path), b"content", bytearray(b"content"), memoryview(b"content"), file]
        opened = [Source(source) for source in [*sources, io.BytesIO(b"content")]]
    assert [bytes(source.view) for source in opened] == [b"content"] * 7
    names = [str(path), str(path), "<bytes>", "<bytearray>", "<memoryview>", str(path), "<BytesIO>"]
    assert [source.name for source in opened] == names


def test_a_stream_is_read_from_where_it_stands():
    stream = io.BytesIO(b"before, after")
    stream.seek(8)
    assert bytes(Source(stream).view) == b"after"


def test_buffers_of_other_types_are_their_bytes():
    assert bytes(Source(memoryview(b"\1\0\2\0").cast("H")).view) == b"\1\0\2\0"


def refused_paths(folder):
    os.mkfifo(folder / "pipe")
    with socket.socket(socket.AF_UNIX) as unix:
        unix.bind(os.path.relpath(folder / "socket"))
    return {
        folder: "is a directory",
        folder / "pipe": "is a pipe",
        folder / "socket": "is a socket",
        "/dev/zero": "is a device",
        folder / "missing": "No such file",
        folder / "a\0b": "null",
        folder / "\ud800": "surrogates",
        folder / "file" / "below": "Not a directory",
        folder / ("x" * 300): "too long",
    }


READERS = {
    "Source": Source,
    "Source, not mapped": lambda path: Source(path, mapped=False),
    "read_file": read_file,
    "map_file": map_file,
    "nd.load": mx.nd.load,
    "nd.load, not mapped": lambda path: mx.nd.load(path, mmap=False),
    "sym.load": mx.sym.load,
    "states": load_states,
    "MXRecordIO": lambda path: MXRecordIO(path, "r"),
    "the index": lambda path: MXIndexedRecordIO(path, __file__, "r"),
    "Predictor": lambda path: Predictor(path, {}, input_shapes={}),
    "NDList": NDList,
    "MXRecordIO, to write": lambda path: MXRecordIO(path, "w"),
    "nd.save": lambda path: mx.nd.save(path, mx.nd.ones(1)),
    "sym.save": lambda path: mx.sym.var("x").save(path),
}


@pytest.mark.skipif(sys.platform == "win32", reason="named pipes")
@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
def test_what_is_no_regular_file_is_refused_at_once(reader, tmp_path):
    (tmp_path / "file").touch()
    for path, reason in refused_paths(tmp_path).items():
        if reason == "No such file" and reader in list(READERS.values())[-3:]:
            continue
        with pytest.raises(FileError, match=reason) as caught:
            reader(path)
        assert isinstance(caught.value, OSError)
        assert caught.value.errno
    assert sorted(os.listdir(tmp_path)) == ["file", "pipe", "socket"]


def test_a_path_that_is_not_mapped_survives_that_its_file_shrinks(tmp_path):
    mx.nd.save(tmp_path / "file", mx.nd.ones(100_000))
    (array,) = mx.nd.load(tmp_path / "file", mmap=False)
    array[3] = 5
    os.truncate(tmp_path / "file", 0)
    assert array.sum().asscalar() == 100_004


@pytest.mark.skipif(os.name != "posix", reason="files have a mode there")
def test_a_new_file_is_no_program(tmp_path):
    open_regular(tmp_path / "new", "wb").close()
    assert not (tmp_path / "new").stat().st_mode & 0o111


def test_an_empty_file_has_no_bytes(tmp_path):
    (tmp_path / "file").touch()
    assert [len(Source(tmp_path / "file", mapped=m).view) for m in (True, False)] == [0, 0]
    assert read_file(tmp_path / "file") == b""


def test_digests_are_those_of_the_whole_content(tmp_path):
    (tmp_path / "file").write_bytes(b"abc")
    assert sha1_of(tmp_path / "file") == "a9993e364706816aba3e25717850c26c9cd0d89d"
    assert sha256_of(tmp_path / "file").startswith("ba7816bf8f01cfea")
    large = bytes(range(256)) * (1 << 13)
    (tmp_path / "file").write_bytes(large)
    assert sha256_of(tmp_path / "file") == hashlib.sha256(large).hexdigest()


def test_what_has_no_bytes_is_refused():
    with pytest.raises(ArgumentTypeError, match="source=5: expected a path"):
        Source(5)
    with pytest.raises(ArgumentTypeError, match="binary stream"):
        Source(io.StringIO("text"))


def test_parts_spend_the_budget_of_the_whole():
    source = Source(b"12345")
    part = source.part("part", source.view[1:3])
    part.charge(9 << 20, "place")
    with pytest.raises(FormatError, match=r"<bytes>: place at offset 7: .* bytes of memory"):
        source.charge(9 << 20, "place", 7)
    assert str(part.error("x", None, "reason")) == "<bytes>: part: x: reason"


def test_a_source_may_have_a_multiple_of_its_size():
    source = Source(bytes(1 << 20), factor=3)
    source.charge(18 << 20, "place")
    with pytest.raises(FormatError, match="18874368 bytes of memory"):
        source.charge(1, "place")
