# SPDX-License-Identifier: Apache-2.0
"""Width and height of an image by its header, so that nothing is decoded to learn them."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from typing import TypeAlias

from mxnova.core.base.errors import ArgumentError, FormatError

__all__ = ["check_image_size", "check_pixels", "image_size"]

Size: TypeAlias = "tuple[int, int]"


def image_size(encoded: bytes | memoryview) -> Size | None:
    """(width, height) of an encoded image; None where the header cannot be read.

    Known are JPEG, PNG, GIF, BMP, WebP, TIFF, JPEG 2000, Sun raster, Radiance, AVIF, and the PBM
    family. Where a file says its size more than once, the largest counts.

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
            except (struct.error, ValueError, OverflowError):
                return None  # cut off: no decoder will like it either
            return (abs(width), abs(height)) if width and height else None
    return None


def check_image_size(function: str, encoded: bytes | memoryview, limit: int) -> None:
    """Refuses an image that would take much memory, by its header, before it is decoded.

    Raises:
        ArgumentError: it has more than `limit` pixels.
    """
    width, height = image_size(encoded) or (0, 0)
    check_pixels(function, width, height, limit)


def check_pixels(function: str, width: int, height: int, limit: int) -> None:
    """Refuses an image of this size.

    Raises:
        ArgumentError: it has more than `limit` pixels.
    """
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
    if 43 in data[2:4]:  # BigTIFF, of longer numbers
        (directory,) = struct.unpack_from(f"{order}Q", data, 8)
        (n_entries,) = struct.unpack_from(f"{order}Q", data, directory)
        first, step, value_at, word = directory + 8, 20, 12, "Q"
    else:
        (directory,) = struct.unpack_from(f"{order}I", data, 4)
        (n_entries,) = struct.unpack_from(f"{order}H", data, directory)
        first, step, value_at, word = directory + 2, 12, 8, "I"
    sides = {_TIFF_WIDTH: 0, _TIFF_HEIGHT: 0}
    for at in range(first, first + step * min(n_entries, _MAX_TAGS), step):
        tag, kind = struct.unpack_from(f"{order}HH", data, at)
        if tag in sides:
            (value,) = struct.unpack_from(order + _TIFF_KINDS.get(kind, word), data, at + value_at)
            sides[tag] = max(sides[tag], value)
    return sides[_TIFF_WIDTH], sides[_TIFF_HEIGHT]


_TIFF_WIDTH, _TIFF_HEIGHT = 256, 257
_TIFF_KINDS = {3: "H", 4: "I"}  # of others, whatever the place of the value can hold
_MAX_TAGS = 0xFFFF


def _pnm(data: memoryview) -> Size:
    numbers = (n[1] for n in _NUMBERS.finditer(data, 2) if n[1])
    return int(next(numbers, b"0")), int(next(numbers, b"0"))


_NUMBERS = re.compile(rb"#[^\r\n]*|\b(\d{1,19})")


def _largest(pattern: bytes, data: memoryview) -> int:
    """The largest number that `pattern` finds."""
    return max((int(number[1]) for number in re.finditer(pattern, data)), default=0)


def _pam(data: memoryview) -> Size:
    """Lines in any order, ``WIDTH 9``; those of the pixels behind them may look so, too."""
    return _largest(rb"WIDTH\s+(\d{1,19})", data), _largest(rb"HEIGHT\s+(\d{1,19})", data)


def _radiance(data: memoryview) -> Size:
    return _largest(rb"\+X\s*\+?(\d{1,19})", data), _largest(rb"-Y\s*\+?(\d{1,19})", data)


def _jpeg2000(data: memoryview) -> Size:
    """By the codestream, too: decoders go by it, whatever the header of a box says."""
    sizes = _pairs(_IMAGE_HEADER, data)
    for start in _CODESTREAM.finditer(data):
        right, bottom, left, top = struct.unpack(">IIII", start[1])
        sizes.append((bottom - top, right - left))
    return max(width for _, width in sizes), max(height for height, _ in sizes)


_IMAGE_HEADER = re.compile(rb"ihdr(.{8})", re.DOTALL)
_CODESTREAM = re.compile(rb"\xff\x4f\xff\x51.{4}(.{16})", re.DOTALL)


def _avif(data: memoryview) -> Size:
    sizes = _pairs(_SPATIAL_EXTENTS, data)
    return max(width for width, _ in sizes), max(height for _, height in sizes)


_SPATIAL_EXTENTS = re.compile(rb"ispe.{4}(.{8})", re.DOTALL)


def _pairs(pattern: re.Pattern[bytes], data: memoryview) -> list[tuple[int, int]]:
    """Pairs of big-endian numbers in the group of `pattern`, wherever it is found."""
    return [struct.unpack(">II", found[1]) for found in pattern.finditer(data)]


# fmt: off
_FORMATS: tuple[tuple[re.Pattern[bytes], Callable[[memoryview], Size]], ...] = tuple(
    (re.compile(pattern, re.DOTALL), size_of) for pattern, size_of in (
        (rb"\xff\xd8\xff",                              _jpeg),
        (rb"\x89PNG\r\n\x1a\n",                         _fixed(">II", 16)),
        (rb"GIF8[79]a",                                 _fixed("<HH", 6)),
        (rb"BM",                                        _bmp),
        (rb"RIFF.{4}WEBP",                              _webp),
        (rb"II[*+]\0|MM\0[*+]",                         _tiff),
        (rb"\x59\xa6\x6a\x95",                          _fixed(">II", 4)),
        (rb"\0\0\0\x0cjP  \r\n\x87\n|\xff\x4f\xff\x51", _jpeg2000),
        (rb"P7\s",                                      _pam),
        (rb"P[1-6Ff][\s#]",                             _pnm),
        (rb"#\?R(ADIANC|GB)E",                          _radiance),
        (rb".{4}ftyp(avi|mif)",                         _avif),
    )
)
# fmt: on
