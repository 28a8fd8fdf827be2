# SPDX-License-Identifier: Apache-2.0
"""Width and height of an image by its header, so that nothing is decoded to learn them."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from typing import TypeAlias

from mxnova.core.base.errors import ArgumentError, FormatError

__all__ = ["check_image_size", "image_size"]

Size: TypeAlias = "tuple[int, int]"


def image_size(encoded: bytes | memoryview) -> Size | None:
    """(width, height) of an encoded image; None where the header cannot be read.

    Known are JPEG, PNG, GIF, BMP, WebP, TIFF, JPEG 2000, Sun raster, and the PBM family.

    Raises:
        FormatError: a JPEG image with an absurd number of segments before its header.
    """
    head = bytes(encoded[:64])
    for pattern, size_of in _FORMATS:
        if pattern.match(head):
            try:
                width, height = size_of(memoryview(encoded))
            except FormatError:
                raise
            except (struct.error, ValueError):  # cut off: no decoder will like it either
                return None
            return abs(width), abs(height)
    return None


def check_image_size(function: str, encoded: bytes | memoryview, limit: int) -> None:
    """Refuses an image that would take much memory, by its header, before it is decoded.

    Raises:
        ArgumentError: it has more than `limit` pixels.
    """
    width, height = image_size(encoded) or (0, 0)
    if width * height > limit:
        raise ArgumentError(
            f"{function}: an image of {width} x {height} pixels, where the environment variable "
            f"MXNOVA_IMAGE_MAX_PIXELS allows {limit:,}"
        )


def _fixed(layout: str, offset: int) -> Callable[[memoryview], Size]:
    """A reader of two numbers that always stand at the same place."""

    def size_of(data: memoryview) -> Size:
        width, height = struct.unpack_from(layout, data, offset)
        return width, height

    return size_of


# Of those that have a length; like decoders, it skips what stands between segments.
_MARKER = re.compile(rb"\xff([^\x00\x01\xd0-\xd8\xff])", re.DOTALL)
_NO_SIZE = frozenset({0xC4, 0xC8, 0xCC})  # tables and a reserved marker among the frame headers
_MAX_SEGMENTS = 10_000


def _jpeg(data: memoryview) -> Size:
    at = 2
    for _ in range(_MAX_SEGMENTS):
        marker = _MARKER.search(data, at)
        if marker is None:
            raise ValueError("no frame header")
        at, kind = marker.end(), marker[1][0]
        if 0xC0 <= kind <= 0xCF and kind not in _NO_SIZE:
            height, width = struct.unpack_from(">HH", data, at + 3)
            return width, height
        at += int(struct.unpack_from(">H", data, at)[0])
    raise FormatError(f"JPEG image: more than {_MAX_SEGMENTS} segments before the frame header")


def _webp(data: memoryview) -> Size:
    kind = bytes(data[12:16])
    if kind == b"VP8X":
        fields = [int.from_bytes(data[at : at + 3], "little") + 1 for at in (24, 27)]
        return fields[0], fields[1]
    if kind == b"VP8L":
        (bits,) = struct.unpack_from("<I", data, 21)
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    width, height = struct.unpack_from("<HH", data, 26)
    return width & 0x3FFF, height & 0x3FFF


def _bmp(data: memoryview) -> Size:
    (header,) = struct.unpack_from("<I", data, 14)
    return _fixed("<HH" if header == 12 else "<ii", 18)(data)


def _tiff(data: memoryview) -> Size:
    order = "<" if data[0] == 0x49 else ">"
    (directory,) = struct.unpack_from(f"{order}I", data, 4)
    (n_entries,) = struct.unpack_from(f"{order}H", data, directory)
    found = {}
    for at in range(directory + 2, directory + 2 + 12 * n_entries, 12):
        tag, kind = struct.unpack_from(f"{order}HH", data, at)
        (found[tag],) = struct.unpack_from(f"{order}{'H' if kind == 3 else 'I'}", data, at + 8)
    return found.get(256, 0), found.get(257, 0)


_NUMBERS = re.compile(rb"#[^\n]*\n|\b(\d+)")


def _pnm(data: memoryview) -> Size:
    head = bytes(data[2:4096])
    width, height = [int(n[1]) for n in _NUMBERS.finditer(head) if n[1]][:2]
    return width, height


def _jpeg2000(data: memoryview) -> Size:
    head = bytes(data[:4096])
    if (box := head.find(b"ihdr")) >= 0:
        height, width = struct.unpack_from(">II", head, box + 4)
        return width, height
    right, bottom, left, top = struct.unpack_from(">IIII", head, 8)
    return right - left, bottom - top


# fmt: off
_FORMATS: tuple[tuple[re.Pattern[bytes], Callable[[memoryview], Size]], ...] = tuple(
    (re.compile(pattern, re.DOTALL), size_of) for pattern, size_of in (
        (rb"\xff\xd8\xff",                              _jpeg),
        (rb"\x89PNG\r\n\x1a\n",                         _fixed(">II", 16)),
        (rb"GIF8[79]a",                                 _fixed("<HH", 6)),
        (rb"BM",                                        _bmp),
        (rb"RIFF.{4}WEBP",                              _webp),
        (rb"II\*\0|MM\0\*",                             _tiff),
        (rb"\x59\xa6\x6a\x95",                          _fixed(">II", 4)),
        (rb"\0\0\0\x0cjP  \r\n\x87\n|\xff\x4f\xff\x51", _jpeg2000),
        (rb"P[1-7Ff][\s#]",                             _pnm),
    )
)
# fmt: on
