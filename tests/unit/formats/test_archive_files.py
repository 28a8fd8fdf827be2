# SPDX-License-Identifier: Apache-2.0
"""An archive is read as a whole, or refused: paths, links, devices, sizes and counts are checked."""

from __future__ import annotations

import gzip
import io
import tarfile
import tracemalloc
import zipfile

import pytest

from mxnova.core.base.errors import FormatError
from mxnova.formats.archive_files import MOST_FILES, Budget, checked_name, kind_of, read_archive


def tar(members, compressed=True):
    """An archive of (name, type, content or size)."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        for name, kind, content in members:
            info = tarfile.TarInfo(name)
            info.type, info.size, info.linkname = kind, len(content), "/etc/passwd"
            archive.addfile(info, io.BytesIO(content))
    # Workers that test in parallel must see the same bytes: gzip would write the time.
    return gzip.compress(made.getvalue(), mtime=0) if compressed else made.getvalue()


def zipped(members, method=zipfile.ZIP_DEFLATED, attributes=0):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, content in members:
            info = zipfile.ZipInfo(name)
            info.compress_type, info.external_attr = method, attributes << 16
            archive.writestr(info, content)
    return made.getvalue()


def read(data, wanted=lambda name: True):
    return read_archive(io.BytesIO(data), "x", wanted, Budget.of(len(data)))


FILES = [("a.json", b"{}"), ("b/c.params", bytes(range(256)) * 300)]


@pytest.mark.parametrize(
    "data",
    [
        tar([(name, tarfile.REGTYPE, content) for name, content in FILES]),
        tar([(f"./{name}", tarfile.REGTYPE, content) for name, content in FILES], False),
        zipped(FILES),
        zipped(FILES, zipfile.ZIP_STORED, 0o100644),
    ],
)
def test_files(data):
    found = read(data)
    assert found.sizes == {name: len(content) for name, content in FILES}
    assert found.contents == dict(FILES)
    assert list(read(data, lambda name: name == "a.json").contents) == ["a.json"]


def test_kinds():
    assert [kind_of(d) for d in (zipped(FILES), tar([]), tar(
        [("a", tarfile.REGTYPE, b"")], False), b"x" * 300, b"")
    ] == ["zip", "gzip", "tar", None, None]  # fmt: skip


BAD_NAMES = ["../x", "a/../x", "/x", "a\\x", "C:/x", "n" * 600]


@pytest.mark.parametrize("name", BAD_NAMES)
def test_paths_that_lead_out(name):
    for data in (tar([(name, tarfile.REGTYPE, b"x")]), zipped([(name, b"x")])):
        with pytest.raises(FormatError, match="x: .*the path "):
            read(data)


def test_names_are_made_plain():
    assert checked_name("./a//b/./c") == "a/b/c"
    with pytest.raises(FormatError, match="leads out"):
        checked_name("a\0b")


@pytest.mark.parametrize(
    "kind, text",
    [
        (tarfile.SYMTYPE, "a symbolic link"),
        (tarfile.LNKTYPE, "a link"),
        (tarfile.CHRTYPE, "a device"),
        (tarfile.BLKTYPE, "a device"),
        (tarfile.FIFOTYPE, "a pipe"),
    ],
)
def test_links_and_devices(kind, text):
    with pytest.raises(FormatError, match=f"'model.params' is {text}"):
        read(tar([("model.params", kind, b"")]))


def test_links_in_zip_archives():
    with pytest.raises(FormatError, match="is a link"):
        read(zipped([("a", b"/etc/passwd")], attributes=0o120777))


def test_one_path_twice():
    with pytest.raises(FormatError, match="stands there twice"):
        read(tar([("a", tarfile.REGTYPE, b""), ("./a", tarfile.REGTYPE, b"")]))


def test_methods_that_take_memory_as_they_like():
    with pytest.raises(FormatError, match="method 14"):
        read(zipped([("a", b"x" * 100)], zipfile.ZIP_LZMA))


def test_encrypted_files():
    data = bytearray(zipped([("a", b"x")]))
    data[data.index(b"PK\1\2") + 8] |= 1
    with pytest.raises(FormatError, match="encrypted"):
        read(bytes(data))


def test_too_many_entries():
    names = [f"{i}" for i in range(MOST_FILES + 1)]
    for data in (
        tar([(n, tarfile.DIRTYPE, b"") for n in names]),
        zipped([(n, b"") for n in names]),
    ):
        with pytest.raises(FormatError, match="more than"):
            read(data)


def test_bombs_take_no_memory():
    zeros = bytes(60 << 20)
    header = tarfile.TarInfo("a")
    header.size = 1 << 30
    stream = gzip.compress(header.tobuf() + zeros, 1)
    for data in (zipped([("a", zeros)]), stream):
        tracemalloc.start()
        with pytest.raises(FormatError, match="times the size of the archive"):
            read(data)
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
        tracemalloc.stop()


def test_archives_inside_spend_the_same_budget():
    budget = Budget(1000)
    inner = zipped([("a", bytes(600))])
    for _ in range(1):
        read_archive(io.BytesIO(inner), "x", lambda name: True, budget)
    with pytest.raises(FormatError, match="and 400 are left"):
        read_archive(io.BytesIO(inner), "x", lambda name: True, budget)


def test_a_directory_of_a_zip_archive_that_is_too_large():
    data = zipped([(f"{i}/{'n' * 400}", b"") for i in range(1500)])
    assert len(data) > 1 << 20
    with pytest.raises(FormatError, match="bytes of headers|entries"):
        read(zipped([(f"{i}/{'n' * 400}", b"") for i in range(3000)]))
    assert len(read(data).sizes) == 1500


@pytest.mark.parametrize("cut", [1, 40, 300, -30])
def test_archives_that_end_too_early(cut):
    for data in (zipped(FILES), tar([(n, tarfile.REGTYPE, c) for n, c in FILES])):
        with pytest.raises(FormatError, match="x: "):
            read(data[:cut])
