"""RecordIO files through C."""

import ctypes

import pytest

import mxnova as mx

from .c import Handle, created, out

RECORDS = [b"abc", b"", b"\x00zero\x00", b"x" * 1000]
Size = ctypes.c_size_t


def read(call, reader):
    (start, start_at), (size, size_at) = out(Handle), out(Size)
    call("MXRecordIOReaderReadRecord", reader, start_at, size_at)
    return None if start.value is None else ctypes.string_at(start.value, size.value)


@pytest.fixture
def written(call, tmp_path):
    """The path of a file, and where its records begin."""
    path = tmp_path / "data.rec"
    writer = created(call, "MXRecordIOWriterCreate", str(path).encode())
    starts = []
    for record in RECORDS:
        place, at = out(Size)
        call("MXRecordIOWriterTell", writer, at)
        starts.append(place.value)
        call("MXRecordIOWriterWriteRecord", writer, record, Size(len(record)))
    call("MXRecordIOWriterFree", writer)
    return path, starts


def test_python_reads_what_c_wrote(written):
    record = mx.recordio.MXRecordIO(str(written[0]), "r")
    assert [record.read() for _ in range(5)] == [*RECORDS, None]


def test_c_reads_in_order_and_where_it_is_told(call, written):
    path, starts = written
    reader = created(call, "MXRecordIOReaderCreate", str(path).encode())
    assert [read(call, reader) for _ in range(5)] == [*RECORDS, None]
    call("MXRecordIOReaderSeek", reader, Size(starts[2]))
    place, at = out(Size)
    call("MXRecordIOReaderTell", reader, at)
    assert place.value == starts[2]
    assert read(call, reader) == RECORDS[2]
    with pytest.raises(RuntimeError, match="the file has"):
        call("MXRecordIOReaderSeek", reader, Size(1 << 40))
    call("MXRecordIOReaderSeek", reader, Size(starts[3] + 1))
    with pytest.raises(RuntimeError, match="magic|aligned|record"):
        read(call, reader)
    call("MXRecordIOReaderFree", reader)
    with pytest.raises(RuntimeError, match="no reader of records"):
        read(call, reader)


def test_errors(call, tmp_path):
    with pytest.raises(RuntimeError, match="No such file"):
        created(call, "MXRecordIOReaderCreate", str(tmp_path / "none").encode())
    writer = created(call, "MXRecordIOWriterCreate", str(tmp_path / "new").encode())
    with pytest.raises(RuntimeError, match="null pointer"):
        call("MXRecordIOWriterWriteRecord", writer, None, Size(3))
    with pytest.raises(RuntimeError, match="not reader of records"):
        read(call, writer)
