# SPDX-License-Identifier: Apache-2.0
import pytest

from mxnova.recordio import IRHeader, MXIndexedRecordIO, pack, unpack

BROKEN = {3, 64, 65, 200, 402}


def write_records(path, n, payload=lambda i: b"x" * (i % 37)):
    """The offsets of `n` records; `path` ends with .rec, and the index lies beside it."""
    with MXIndexedRecordIO(path.with_suffix(".idx"), path, "w") as record:
        for i in range(n):
            record.write_idx(i, pack(IRHeader(0, i / 2, i, 0), payload(i)))
        return list(record.idx.values())


def break_records(path, offsets):
    """Makes the records at `offsets` no records."""
    content = bytearray(path.read_bytes())
    for offset in offsets:
        content[offset] ^= 0xFF
    path.write_bytes(content)


def id_of(record):
    return unpack(record)[0].id


@pytest.fixture(scope="session")
def many(tmp_path_factory):
    """A file of 403 records, of which those of the numbers `BROKEN` are broken."""
    path = tmp_path_factory.mktemp("records") / "many.rec"
    offsets = write_records(path, 403)
    break_records(path, [offsets[i] for i in BROKEN])
    return path
