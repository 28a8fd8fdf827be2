# SPDX-License-Identifier: Apache-2.0
"""Reading and writing RecordIO files, and the headers of image records.

>>> import os, tempfile
>>> path = os.path.join(tempfile.mkdtemp(), "data")
>>> record = MXIndexedRecordIO(path + ".idx", path + ".rec", "w")
>>> for key in range(3):
...     record.write_idx(key, pack(IRHeader(0, key / 2, key, 0), b"payload"))
>>> record.close()
>>> record = MXIndexedRecordIO(path + ".idx", path + ".rec", "r")
>>> unpack(record.read_idx(1))
(HEADER(flag=0, label=0.5, id=1, id2=0), b'payload')
>>> record.close()
"""

from __future__ import annotations

import contextlib
import ctypes
import io
import os
from collections.abc import Callable
from typing import IO, Any

from mxnova.core.base.errors import (
    ArgumentError,
    AssertedError,
    FileError,
    FormatError,
    MXNetError,
    UnknownNameError,
    shown,
)
from mxnova.core.base.handles import handle_of
from mxnova.core.base.opencv import require_opencv
from mxnova.formats import recordio as records
from mxnova.formats.images import decode_image
from mxnova.formats.recordio import IR_FORMAT as _IR_FORMAT  # noqa: F401 - names that programs use
from mxnova.formats.recordio import IR_SIZE as _IR_SIZE  # noqa: F401
from mxnova.formats.recordio import IRHeader, pack, unpack
from mxnova.formats.source import (
    Buffer,
    check_length,
    discard,
    open_buffer,
    open_regular,
    read_file,
    release,
)
from mxnova.record_dataset import RecordBatches, RecordDataset, RecordSampler

from .core.base.doors import facade, leave

__all__ = [
    "IRHeader",
    "MXIndexedRecordIO",
    "MXRecordIO",
    "RecordBatches",
    "RecordDataset",
    "RecordSampler",
    "pack",
    "pack_img",
    "unpack",
    "unpack_img",
]


class MXRecordIO:
    """A RecordIO file, read or written from its start to its end.

    A file is mapped into memory for reading: records appended later are seen after `reset`; when
    it was cut off meanwhile, reading raises. A process that inherits the object through a fork can
    `reset` it, not read or write with it.

    A file in a store is read in ranges, ahead of what is needed. What is written to it is sent when
    it is closed, and not at all after an error in a ``with`` block, or if it is never closed.

    Args:
        uri: Path of the file, or a URL such as ``s3://bucket/data.rec``; a leading ``file://`` is
            dropped.
        flag: ``"r"`` to read, ``"w"`` to write a new file.
    """

    is_open = False
    pid: int | None = None
    _file: IO[bytes]  # in mode "w"
    _content: Buffer  # in mode "r"

    _no_doors = ("read", "write", "read_idx", "write_idx")  # for each record

    def __init__(self, uri: str | os.PathLike[str], flag: str):
        self.uri = os.fspath(uri)
        self.flag = flag
        self.open()

    def open(self) -> None:
        """Open the file at its start; opening to write truncates it."""
        if self.flag not in ("r", "w"):
            raise ArgumentError(f"MXRecordIO: flag={shown(self.flag)}: must be 'r' or 'w'")
        self.close()
        self.writable = self.flag == "w"
        if self.writable:
            self._file = open_regular(self.uri, "wb")
        else:
            self._content = open_buffer(self.uri)
        self._offset = 0
        self.pid = os.getpid()
        self.is_open = True

    def close(self) -> None:
        """Close the file. Closing it again does nothing."""
        if not self.is_open:
            return
        self.is_open = False
        if self.writable:
            _close(self._file, self.uri, inherited=self.pid != os.getpid())
        else:
            release(self._content)
        self.pid = None

    def _discard(self) -> None:
        """Closes the file; a store does not get what was written to it."""
        if self.is_open and self.writable and discard(self._file):
            self.is_open, self.pid = False, None
        else:
            self.close()

    def reset(self) -> None:
        """Start again: at the first record, or with an empty file when writing."""
        self._discard()
        self.open()

    def write(self, buf: bytes) -> None:
        """Append `buf` as a record."""
        self._require_mode("w")
        self._check_pid()
        record = records.encode(buf)
        try:
            self._file.write(record)
        except OSError as error:
            raise FileError.of(error, self.uri) from None

    def read(self) -> bytes | Any:
        """The next record, None after the last."""
        try:
            self._require_mode("r")
            self._check_pid()
            if self._offset >= len(self._content):
                return None
            check_length(self._content, self.uri)
            try:
                payload, self._offset = records.read_record(self._content, self._offset)
            except FormatError as error:
                raise FormatError(f"{self.uri}: {error}") from None
            return payload
        except Exception as error:
            leave(error)
            raise

    @property
    def handle(self) -> ctypes.c_void_p:
        """Stands for the file in calls of `mx.base._LIB`."""
        return handle_of(self)

    def position(self) -> int:
        """Return the offset of the next record in the file, in bytes."""
        self._check_pid()
        return self._file.tell() if self.writable else self._offset

    def _require_mode(self, flag: str) -> None:
        if self.flag != flag:
            raise AssertedError(f"{self.uri}: opened with flag {self.flag!r}, this needs {flag!r}")

    def _check_pid(self, allow_reset: bool = False) -> None:
        """Refuse to work for another process than the one that opened the file, or open it anew."""
        if self.pid == os.getpid():
            return
        if allow_reset:
            self.reset()
        elif self.pid is None:
            raise MXNetError(f"{self.uri}: the file is closed")
        else:
            raise MXNetError(f"{self.uri}: opened by process {self.pid}, used by {os.getpid()}")

    def __enter__(self) -> MXRecordIO:
        return self

    def __exit__(self, *error: object) -> None:
        if any(error):
            self._discard()
        else:
            self.close()

    def __del__(self) -> None:
        if _close is not None:  # as it is when the interpreter has taken this module down
            self._abandon()

    def _abandon(self) -> None:
        """Closes the file, but for one of a store, which says itself that it is lost."""
        if not (self.is_open and self.writable and hasattr(self._file, "discard")):
            self.close()

    def __getstate__(self) -> dict[str, Any]:  # closes the file, as in MXNet
        state = {"is_open": self.is_open}
        self.close()
        handles = ("_file", "_content")
        return {name: value for name, value in vars(self).items() if name not in handles} | state

    def __setstate__(self, d: dict[str, Any]) -> None:
        vars(self).update(d, is_open=False)
        if d["is_open"]:
            self.open()


class MXIndexedRecordIO(MXRecordIO):
    """A RecordIO file with an index: records are read by key.

    Args:
        idx_path: Path of the index, a text file with a line for each record.
        uri: Path of the RecordIO file.
        flag: ``"r"`` to read, ``"w"`` to write new files.
        key_type: Makes a key of its text in the index, and of what `write_idx` is given.
    """

    fidx: Any = None  # the index, when writing

    def __init__(
        self,
        idx_path: str | os.PathLike[str],
        uri: str | os.PathLike[str],
        flag: str,
        key_type: Callable[[Any], Any] = int,
    ):
        self.idx_path = idx_path
        self.idx: dict[Any, int] = {}
        self.keys: list[Any] = []
        self.key_type = key_type
        super().__init__(uri, flag)

    def open(self) -> None:
        """Open both files, and read the index."""
        super().open()
        self.idx, self.keys = {}, []
        if self.writable:
            index = open_regular(self.idx_path, "wb")
            self.fidx = io.TextIOWrapper(index, encoding="utf-8", newline="\n")
        else:
            self._read_index()

    def _read_index(self) -> None:
        try:
            entries = records.parse_index(read_file(self.idx_path), self.key_type)
        except FormatError as error:
            raise FormatError(f"{self.idx_path}: {error}") from None
        self.idx = dict(entries)
        self.keys = [key for key, _ in entries]

    def close(self) -> None:
        """Close both files. Closing them again does nothing."""
        index, self.fidx = self.fidx, None
        inherited = self.pid != os.getpid()
        try:
            super().close()
        except BaseException:
            if index is not None and not discard(index.buffer):
                with contextlib.suppress(FileError):
                    _close(index, self.idx_path, inherited)
            raise
        if index is not None:
            _close(index, self.idx_path, inherited)

    def _discard(self) -> None:
        self._discard_index()
        super()._discard()

    def _abandon(self) -> None:
        self._discard_index()
        super()._abandon()

    def _discard_index(self) -> None:
        """A store does not get an index of records that it has not got."""
        if self.is_open and self.fidx is not None and discard(self.fidx.buffer):
            self.fidx = None

    def seek(self, idx: Any) -> None:
        """Make `read` continue with the record of key `idx`."""
        self._require_mode("r")
        self._check_pid(allow_reset=True)
        if idx not in self.idx:
            raise UnknownNameError(f"{self.idx_path}: no record has the key {shown(idx)}")
        offset = self.idx[idx]
        if offset >= len(self._content):
            size = len(self._content)
            raise FormatError(
                f"{self.idx_path}: key {idx!r}: offset {offset}, {self.uri} has {size} bytes"
            )
        self._offset = offset

    def tell(self) -> int:
        """Return the offset at which the next record is written."""
        self._require_mode("w")
        return self.position()

    def read_idx(self, idx: Any) -> bytes | Any:
        """The record of key `idx`."""
        try:
            self.seek(idx)
            return self.read()
        except Exception as error:
            leave(error)
            raise

    def write_idx(self, idx: Any, buf: bytes) -> None:
        """Append `buf` as the record of key `idx`."""
        key = self.key_type(idx)
        text = str(key)
        if "\t" in text or "\n" in text or "\r" in text:
            raise ArgumentError(f"write_idx: idx={idx!r}: a key cannot hold tabs or line ends")
        offset = self.tell()
        self.write(buf)
        try:
            self.fidx.write(f"{text}\t{offset}\n")
        except OSError as error:
            raise FileError.of(error, self.idx_path) from None
        self.idx[key] = offset
        self.keys.append(key)


def _close(file: IO[Any], path: str | os.PathLike[str], inherited: bool) -> None:
    """Close `file`; what a fork copied into its buffer is left to the process that opened it."""
    if inherited:
        with open(os.devnull, "r+b") as sink:
            os.dup2(sink.fileno(), file.fileno())
    try:
        file.close()
    except OSError as error:  # the disk is full; the file is closed all the same
        raise FileError.of(error, os.fsdecode(path)) from None


def pack_img(header: tuple[Any, ...], img: Any, quality: int = 95, img_fmt: str = ".jpg") -> bytes:
    """`img` encoded as an image, with `header` before it.

    Args:
        header: The `IRHeader`, see `pack`.
        img: An array of height, width and channels in the order BGR, or of height and width.
        quality: 0 to 100 for JPEG, compression 0 to 9 for PNG.
        img_fmt: File name extension of the image format.
    """
    cv2 = require_opencv()
    options = []
    if img_fmt.lower() in (".jpg", ".jpeg"):
        options = [cv2.IMWRITE_JPEG_QUALITY, quality]
    elif img_fmt.lower() == ".png":
        options = [cv2.IMWRITE_PNG_COMPRESSION, min(quality, 9)]
    try:
        _, encoded = cv2.imencode(img_fmt, img, options)
    except cv2.error as error:
        raise MXNetError(f"pack_img: img_fmt={img_fmt!r}: {error}") from None
    return pack(header, encoded.tobytes())


def unpack_img(s: bytes, iscolor: int = -1) -> tuple[IRHeader, Any]:
    """Return the header of a packed record, and its image as an array.

    The image is None if it is damaged, or of a format that is not decoded.

    Args:
        s: The record.
        iscolor: -1 as stored, 0 gray, 1 color (in the order BGR).

    Raises:
        MXNetError: The record has no image, or the image has more pixels than
            MXNOVA_IMAGE_MAX_PIXELS allows.
    """
    require_opencv()
    header, encoded = unpack(s)
    if not encoded:
        raise MXNetError("unpack_img: the record has no bytes after its header, expected an image")
    try:
        return header, decode_image("unpack_img", encoded, iscolor)
    except FormatError:
        return header, None  # As in MXNet.


facade(__name__)
