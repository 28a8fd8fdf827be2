# SPDX-License-Identifier: Apache-2.0
"""Decoding of encoded images, with limits that are checked on their headers.

OpenCV decodes more formats than this module accepts. A format is accepted if its headers tell the
time and memory that decoding takes. JPEG 2000, AVIF and OpenEXR are refused for that reason.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from mxnova.core.base import env
from mxnova.core.base.errors import ArgumentError, FormatError
from mxnova.core.base.opencv import require_opencv

__all__ = ["check_image", "check_pixels", "decode_image"]

_LIMIT = "MXNOVA_IMAGE_MAX_PIXELS"
# Encoders write up to about 12 scans into a progressive JPEG image.
_MAX_SCANS_AT_LIMIT = 16


class _Header(NamedTuple):
    """The size of an image, and how often the decoder visits each pixel."""

    width: int
    height: int
    scans: int = 1


def decode_image(function: str, encoded: Any, flags: int) -> np.ndarray[Any, Any]:
    """Decode an image with OpenCV after `check_image` has accepted its header.

    Args:
        function: name for error messages.
        encoded: bytes, or an array of uint8 with one axis.
        flags: OpenCV's IMREAD flags.

    Raises:
        ArgumentError: The image is larger than MXNOVA_IMAGE_MAX_PIXELS allows.
        FormatError: The format is not accepted, or the bytes cannot be decoded.
    """
    cv2, content = require_opencv(), np.frombuffer(encoded, np.uint8)
    check_image(function, content.data, env.get(_LIMIT))
    try:
        image = cv2.imdecode(content, flags)
    except cv2.error as error:
        raise FormatError(f"{function}: OpenCV cannot decode the image: {error}") from None
    if image is None:
        raise _undecodable(function, content.data)
    decoded: np.ndarray[Any, Any] = image
    return decoded


def check_image(
    function: str, encoded: memoryview, limit: int, option: str = _LIMIT
) -> tuple[int, int]:
    """Check by its header that an image can be decoded within the limits, and return its size.

    Where a file states its size more than once, the largest size counts.

    Args:
        function: name for error messages.
        encoded: the image.
        limit: maximum of width times height.
        option: name of the setting of the limit, for error messages.

    Returns:
        Width and height.

    Raises:
        ArgumentError: The image exceeds the limit, or repeats scans.
        FormatError: The format is not accepted, or the header is damaged or hostile.
    """
    try:
        header = _read_header(encoded)
    except FormatError as error:
        raise FormatError(f"{function}: {error}") from None
    if header is None:
        raise _undecodable(function, encoded)
    width, height, scans = header
    check_pixels(function, width, height, limit, option)
    if width * height * scans > limit * _MAX_SCANS_AT_LIMIT:
        raise ArgumentError(
            f"{function}: image has {scans} scans of {width} x {height} pixels, expected at most "
            f"{limit * _MAX_SCANS_AT_LIMIT:,} pixels in all scans "
            f"({_MAX_SCANS_AT_LIMIT} times {option})"
        )
    return width, height


def check_pixels(function: str, width: int, height: int, limit: int, option: str = _LIMIT) -> None:
    """Raise ArgumentError if an image of this size has more than `limit` pixels."""
    if width * height > limit:
        raise ArgumentError(
            f"{function}: image has {width} x {height} pixels, "
            f"expected at most {limit:,} ({option})"
        )


def _undecodable(function: str, encoded: memoryview) -> FormatError:
    names = ", ".join(_FORMATS)
    return FormatError(
        f"{function}: cannot decode image ({len(encoded)} bytes): unsupported or corrupt format, "
        f"expected {names}"
    )


def _read_header(encoded: memoryview) -> _Header | None:
    """Return the header of an image, or None if the format is unknown or the header damaged."""
    head = bytes(encoded[:64])
    for signature, read in _FORMATS.values():
        if signature.match(head):
            try:
                width, height, scans = read(encoded)
            except FormatError:
                raise
            except (struct.error, ValueError, IndexError, OverflowError):
                return None
            return _Header(abs(width), abs(height), scans) if width and height else None
    return None


# JPEG ---------------------------------------------------------------------------------------------

# Markers of segments with a length, and of the end. Like decoders, it skips other bytes and
# restart markers, which are part of compressed data.
_MARKER = re.compile(rb"\xff([^\x00\x01\xd0-\xd8\xff])", re.DOTALL)
_START_OF_SCAN, _END_OF_IMAGE, _FIRST_DEFINED = 0xDA, 0xD9, 0xC0
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}  # These three are tables.
_PROGRESSIVE = frozenset({0xC2, 0xC6, 0xCA, 0xCE})
_MAX_SEGMENTS = 10_000


def _read_jpeg(data: memoryview) -> _Header:
    at, frame, n_components, size, scans = 2, 0, 0, (0, 0), 0
    for _ in range(_MAX_SEGMENTS):
        marker = _MARKER.search(data, at)
        if marker is None or marker[1][0] == _END_OF_IMAGE or len(data) < marker.end() + 2:
            break
        at, kind = marker.end(), marker[1][0]
        if kind < _FIRST_DEFINED:
            # Decoders disagree about whether such a marker has a length. It could hide scans.
            raise FormatError(f"JPEG image: reserved marker 0x{kind:02x} at byte {at - 2}")
        if kind in _FRAMES and not frame:
            height, width, n_components = struct.unpack_from(">HHB", data, at + 3)
            frame, size = kind, (width, height)
        elif kind == _START_OF_SCAN:
            scans += 1
            if frame not in _PROGRESSIVE and data[at + 2] == n_components:
                break  # The decoder reads nothing behind a scan of all components.
        at += int(struct.unpack_from(">H", data, at)[0])
    else:
        raise FormatError(f"JPEG image: more than {_MAX_SEGMENTS:,} segments")
    return _Header(*size, max(1, scans))


# PNG ----------------------------------------------------------------------------------------------

_PNG_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}  # The number of channels by color type.
_INFLATED_CHUNKS = frozenset({b"iCCP", b"zTXt", b"iTXt"})
_MAX_INFLATED_CHUNKS = 16  # Each may take 8 MB, which is libpng's limit.
_MAX_CHUNKS = 200_000
_SLACK = 1 << 16  # Bytes for the headers of a deflate stream.


def _read_png(data: memoryview) -> _Header:
    """Read the header, and check that compressed chunks are in proportion to the image.

    libpng inflates image data to the end of the stream, and texts that nothing reads.
    """
    width, height, bits, color = struct.unpack_from(">IIBB", data, 16)
    row = (width * bits * _PNG_CHANNELS.get(color, 4) + 7) // 8 + 1
    at, n_chunks, n_inflated, compressed = 8, 0, 0, 0
    while at + 8 <= len(data):
        length, kind = struct.unpack_from(">I4s", data, at)
        if (kind == b"IHDR") != (at == 8):
            raise ValueError("the header is not the first chunk, or repeats")
        at += 12 + length
        n_chunks += 1
        n_inflated += kind in _INFLATED_CHUNKS
        compressed += length if kind == b"IDAT" else 0
        if n_chunks > _MAX_CHUNKS or n_inflated > _MAX_INFLATED_CHUNKS:
            raise FormatError(
                f"PNG image: expected at most {_MAX_CHUNKS:,} chunks and {_MAX_INFLATED_CHUNKS} "
                "chunks of compressed metadata"
            )
    if compressed > 2 * row * height + _SLACK:
        raise FormatError(
            f"PNG image: {compressed:,} bytes of compressed data for {width} x {height} pixels"
        )
    return _Header(width, height)


# TIFF ---------------------------------------------------------------------------------------------

_TIFF_WIDTH, _TIFF_HEIGHT, _TIFF_COMPRESSION = 256, 257, 259
_TIFF_TILE_WIDTH, _TIFF_TILE_HEIGHT = 322, 323
_TIFF_NUMBERS = {3: "H", 4: "I", 16: "Q"}  # SHORT, LONG, LONG8
# None, CCITT, LZW, deflate, PackBits and Zstandard. JPEG is refused, as in MXNet: its streams have
# sizes and scans of their own.
_TIFF_COMPRESSIONS = frozenset({1, 2, 3, 4, 5, 8, 32773, 32946, 50000})
_TIFF_MAX_TILE = 4096  # The largest side of a tile that is larger than the image.


def _read_tiff(data: memoryview) -> _Header:
    order = "<" if data[0] == 0x49 else ">"
    kinds: tuple[int, ...] = (3, 4)
    if 43 in data[2:4]:  # BigTIFF has offsets of 8 bytes.
        (directory,) = struct.unpack_from(f"{order}Q", data, 8)
        (n_entries,) = struct.unpack_from(f"{order}Q", data, directory)
        first, step, value_at, count, kinds = directory + 8, 20, 12, "Q", (3, 4, 16)
    else:
        (directory,) = struct.unpack_from(f"{order}I", data, 4)
        (n_entries,) = struct.unpack_from(f"{order}H", data, directory)
        # A LONG8 does not fit into an entry. The entry stores an offset, which looks like a size.
        first, step, value_at, count = directory + 2, 12, 8, "I"
    values: dict[int, set[int]] = {tag: set() for tag in _TIFF_TAGS}
    for at in range(first, first + step * min(n_entries, 0xFFFF), step):
        tag, kind = struct.unpack_from(f"{order}HH", data, at)
        if tag in values:
            (n_values,) = struct.unpack_from(order + count, data, at + 4)
            if kind not in kinds or n_values != 1:
                raise ValueError("a size that is not one number in its entry")
            layout = order + _TIFF_NUMBERS[kind]
            values[tag] |= set(struct.unpack_from(layout, data, at + value_at))
    width, height = (max(values[tag]) for tag in (_TIFF_WIDTH, _TIFF_HEIGHT))
    unsupported = values[_TIFF_COMPRESSION] - _TIFF_COMPRESSIONS
    if unsupported:
        raise FormatError(f"TIFF image: compression {min(unsupported)} is not supported")
    for side, tag in ((width, _TIFF_TILE_WIDTH), (height, _TIFF_TILE_HEIGHT)):
        tile = max(values[tag], default=0)
        if tile >= max(side + 16, _TIFF_MAX_TILE + 1):
            raise FormatError(f"TIFF image: tiles of {tile} pixels in {width} x {height} pixels")
    return _Header(width, height)


_TIFF_TAGS = (_TIFF_WIDTH, _TIFF_HEIGHT, _TIFF_COMPRESSION, _TIFF_TILE_WIDTH, _TIFF_TILE_HEIGHT)


# Formats with a short header ----------------------------------------------------------------------


def _read_gif(data: memoryview) -> _Header:
    return _Header(*struct.unpack_from("<HH", data, 6))


def _read_bmp(data: memoryview) -> _Header:
    (size,) = struct.unpack_from("<I", data, 14)
    return _Header(*struct.unpack_from("<HH" if size == 12 else "<ii", data, 18))


def _read_webp(data: memoryview) -> _Header:
    kind = bytes(data[12:16])
    if kind == b"VP8X":
        width, height = (int.from_bytes(data[at : at + 3], "little") + 1 for at in (24, 27))
    elif kind == b"VP8L":
        (bits,) = struct.unpack_from("<I", data, 21)
        width, height = (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    elif kind == b"VP8 ":
        width, height = (side & 0x3FFF for side in struct.unpack_from("<HH", data, 26))
    else:
        raise ValueError("no image in the first chunk")
    return _Header(width, height)


def _read_pnm(data: memoryview) -> _Header:
    """Read a header of numbers between blanks and comments, and of nothing else."""
    header = _PNM_HEADER.match(data)
    if header is None:
        raise ValueError("no numbers")
    return _Header(int(header[1]), int(header[2]))


_BLANK = rb"(?=\s)(?:\s|#[^\r\n]*[\r\n])+"
_PNM_HEADER = re.compile(rb"P[1-6]" + _BLANK + rb"(\d{1,9})" + _BLANK + rb"(\d{1,9})\s")


# fmt: off
_FORMATS: Mapping[str, tuple[re.Pattern[bytes], Callable[[memoryview], _Header]]] = {
    name: (re.compile(signature, re.DOTALL), read) for name, signature, read in (
        ("JPEG", rb"\xff\xd8\xff",        _read_jpeg),
        ("PNG",  rb"\x89PNG\r\n\x1a\n",   _read_png),
        ("BMP",  rb"BM",                  _read_bmp),
        ("TIFF", rb"II[*+]\0|MM\0[*+]",   _read_tiff),
        ("WebP", rb"RIFF.{4}WEBP",        _read_webp),
        ("GIF",  rb"GIF8[79]a",           _read_gif),
        ("PNM",  rb"P[1-6]\s",            _read_pnm),
    )
}
# fmt: on
