# SPDX-License-Identifier: Apache-2.0
"""Whatever Python's readers of archives raise is told as damage of the archive."""

from __future__ import annotations

import io
import random
import tarfile
import tracemalloc
import zipfile

import pytest

from mxnova.core.base.errors import FormatError
from mxnova.formats.archives import copy_at_most, tar_files, unpacking


def _zip() -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a", bytes(range(256)) * 4)
    return content.getvalue()


def _read(content: bytes) -> bytes:
    with unpacking("x.zip", "; try again"), zipfile.ZipFile(io.BytesIO(content)) as archive:
        return archive.read("a")


def test_damaged_bytes():
    whole = _zip()
    assert len(_read(whole)) == 1024
    refusals = []
    for seed in range(2000):
        draw, content = random.Random(seed), bytearray(whole)
        for _ in range(draw.choice((1, 2, 4))):
            content[draw.randrange(len(content))] = draw.randrange(256)
        try:
            _read(bytes(content))
        except FormatError as error:
            refusals.append(str(error))
    assert len(refusals) > 1000
    assert all(x.startswith("x.zip: damaged: ") and x.endswith("; try again") for x in refusals)


def test_errors_of_the_system_stay():
    with pytest.raises(IsADirectoryError), unpacking("x.zip"):
        open("/")  # noqa: SIM115 - it does not


def test_errors_of_our_own_stay():
    with pytest.raises(FormatError, match="^mine$"), unpacking("x.zip"):
        raise FormatError("mine")


def _tar(members) -> io.BytesIO:
    """An archive of (name, type, content)."""
    made = io.BytesIO()
    for name, kind, content in members:
        info = tarfile.TarInfo(name)
        info.type, info.size = kind, len(content)
        made.write(info.tobuf(tarfile.GNU_FORMAT) + content + bytes(-len(content) % 512))
    made.write(bytes(1024))
    made.seek(0)
    return made


def test_plain_files_of_an_archive():
    file = _tar(
        [
            ("folder", tarfile.DIRTYPE, b""),
            ("folder/a", tarfile.REGTYPE, b"one"),
            ("b", tarfile.SYMTYPE, b""),
            ("../c", tarfile.REGTYPE, b"three"),
        ]
    )
    assert [(name, file.read(size)) for name, size in tar_files(file, 1 << 20)] == [
        ("a", b"one"),
        ("c", b"three"),
    ]


PAX = b"".join(b"%d %d=1\n" % (5 + len(str(i)) + len(str(i)) // 9, i) for i in range(10, 100))
HEADERS = {  # what tarfile makes objects of
    "members": [("x", tarfile.REGTYPE, b"")] * 10_000,
    "a long name": [("x", tarfile.GNUTYPE_LONGNAME, b"n" * (2 << 20)), ("x", tarfile.REGTYPE, b"")],
    "many names": [("x", tarfile.XHDTYPE, PAX * 100), ("x", tarfile.REGTYPE, b"")] * 100,
    "holes": [("x", tarfile.XHDTYPE, b"22 GNU.sparse.major=1\n22 GNU.sparse.minor=0\n"),
              ("x", tarfile.REGTYPE, b"1000000\n" + b"0\n" * 2_000_000)],
}  # fmt: skip


@pytest.mark.parametrize("kind", HEADERS)
def test_headers_are_bounded(kind):
    file = _tar(HEADERS[kind])
    tracemalloc.start()
    try:
        with pytest.raises(FormatError, match="bytes of headers"), unpacking("x.tar"):
            list(tar_files(file, 1 << 30))
        assert tracemalloc.get_traced_memory()[1] < 16 << 20
    finally:
        tracemalloc.stop()


def test_a_file_that_says_to_be_longer_than_the_archive_is():
    file = _tar([("x", tarfile.REGTYPE, b"short")])
    (_, size), *_ = tar_files(file, 1 << 20)
    assert size == 5
    file.seek(512)
    with pytest.raises(FormatError, match="x ends 1000 bytes before its end"):
        copy_at_most(io.BytesIO(b"abc"), io.BytesIO(), 1 << 20, "x", 1003)


@pytest.mark.parametrize("size", [None, 9])
def test_what_is_copied_is_bounded(size):
    target = io.BytesIO()
    with pytest.raises(FormatError, match="x unpacks to"):
        copy_at_most(io.BytesIO(bytes(9)), target, 8, "x", size)
    copy_at_most(io.BytesIO(bytes(9)), target, 9, "x", size)
    assert len(target.getvalue()) >= 9
