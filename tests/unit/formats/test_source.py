# SPDX-License-Identifier: Apache-2.0
"""The bytes of a source, and its memory budget."""

from __future__ import annotations

import io
import os
import sys
import threading

import pytest

from mxnova.core.base.errors import ArgumentTypeError, FormatError
from mxnova.formats.source import Source


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


@pytest.mark.skipif(sys.platform == "win32", reason="named pipes")
def test_a_path_that_cannot_be_mapped_is_read(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(b"through",))
    writer.start()
    assert bytes(Source(path).view) == b"through"
    writer.join()


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
