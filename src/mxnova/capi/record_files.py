# SPDX-License-Identifier: Apache-2.0
"""RecordIO files."""

from __future__ import annotations

from typing import Any

from ..core.base.errors import ArgumentError
from ..core.base.handles import find, free, give
from ..recordio import MXRecordIO
from .arguments import text
from .entry_points import extern
from .interface import NULL, ffi


class _Writer(MXRecordIO):
    """A file that is written."""

    noun = "writer of records"


class _Reader(MXRecordIO):
    """A file that is read.

    Attributes:
        record: the last one, which C may look at.
    """

    noun = "reader of records"
    record: Any = None

    @property  # type: ignore[override]  # the C interface reads and sets it
    def position(self) -> int:
        """Where the next record begins."""
        return self._offset

    @position.setter
    def position(self, position: int) -> None:
        if position > len(self._content):
            size = len(self._content)
            raise ArgumentError(f"{self.uri}: position {position}, the file has {size} bytes")
        self._offset = position


@extern
def MXRecordIOWriterCreate(uri: Any, out: Any) -> None:
    out[0] = give(_Writer(text(uri), "w"))


@extern
def MXRecordIOWriterFree(handle: int) -> None:
    writer = find(handle, _Writer)
    free(handle, _Writer)
    writer.close()


@extern
def MXRecordIOWriterWriteRecord(handle: int, buf: Any, size: int) -> None:
    writer = find(handle, _Writer)
    if size and buf == NULL:
        raise ArgumentError(f"MXRecordIOWriterWriteRecord: {size} bytes at a null pointer")
    writer.write(bytes(ffi.buffer(buf, size)) if size else b"")


@extern
def MXRecordIOWriterTell(handle: int, pos: Any) -> None:
    pos[0] = find(handle, _Writer)._file.tell()


@extern
def MXRecordIOReaderCreate(uri: Any, out: Any) -> None:
    out[0] = give(_Reader(text(uri), "r"))


@extern
def MXRecordIOReaderFree(handle: int) -> None:
    reader = find(handle, _Reader)
    free(handle, _Reader)
    reader.close()


@extern
def MXRecordIOReaderReadRecord(handle: int, buf: Any, size: Any) -> None:
    reader = find(handle, _Reader)
    record = reader.read()
    if record is None:
        buf[0], size[0] = NULL, 0
        return
    reader.record = ffi.from_buffer("char[]", record)
    buf[0], size[0] = reader.record, len(record)


@extern
def MXRecordIOReaderSeek(handle: int, pos: int) -> None:
    find(handle, _Reader).position = pos


@extern
def MXRecordIOReaderTell(handle: int, pos: Any) -> None:
    pos[0] = find(handle, _Reader).position
