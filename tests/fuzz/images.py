# SPDX-License-Identifier: Apache-2.0
"""Encoded images that are well formed, and whose decoding takes much time or memory.

An attack decodes the image, which must stay within the limit of pixels.
"""

from __future__ import annotations

import random
import struct
import zlib
from collections.abc import Callable

import numpy as np

from mxnova.core.base.opencv import require_opencv
from mxnova.formats.images import decode_image
from mxnova.test_utils import environment

__all__ = ["attack", "make", "seeds"]

_LIMIT = 1_000_000  # pixels
_SIDES = (0, 1, 2, 7, 16, 100, 999, 1000, 1001, 4096, 9999, 11_000, 32_768, 65_535)
_WIDE_SIDES = (*_SIDES, 1 << 20, (1 << 31) - 1, 1 << 31, (1 << 32) - 1)
_COUNTS = (0, 1, 2, 15, 16, 17, 60, 1000)


def attack(data: bytes) -> None:
    """Decode an image, and check that no more pixels come out than the limit allows."""
    cv2 = require_opencv()
    with environment("MXNOVA_IMAGE_MAX_PIXELS", str(_LIMIT)):
        image = decode_image("fuzz", data, cv2.IMREAD_COLOR)
    assert image.shape[0] * image.shape[1] <= _LIMIT, image.shape


def seeds() -> list[bytes]:
    """Return a valid image of each format that OpenCV writes."""
    pixels = np.arange(17 * 31 * 3, dtype=np.uint8).reshape(17, 31, 3)
    cv2 = require_opencv()
    endings = (".jpg", ".png", ".bmp", ".tiff", ".ppm")
    return [cv2.imencode(ending, pixels)[1].tobytes() for ending in endings]


def make(rng: random.Random) -> bytes:
    """Make an image of one format."""
    return rng.choice(_MAKERS)(rng)


# JPEG ---------------------------------------------------------------------------------------------


def _jpeg(rng: random.Random) -> bytes:
    """Repeat scans and segments, change the frame, hide scans behind markers and in segments."""
    pixels = np.zeros((rng.choice((8, 100, 1000)), rng.choice((8, 100, 1000)), 3), np.uint8)
    options = [1, rng.choice((1, 95)), 2, rng.randrange(2), 4, rng.choice((0, 1, 7))]
    encoded = require_opencv().imencode(".jpg", pixels, options)[1].tobytes()
    start = encoded.find(b"\xff\xda")
    last = encoded.rfind(b"\xff\xda")
    head, scans = encoded[:start], [encoded[start:-2], encoded[last:-2]]
    parts = [
        *scans, scans[1] * 16, b"\xff\xc4\0\3\0", b"\xff\xfe\0\2", b"\xff\xd0", b"\xff\xff",
        b"\xff" + bytes([rng.randrange(256)]) + b"\xff\xff", b"\xff\xdd\0\4\0\1", b"\xff\0",
        b"\xff\xd9", head, _exif(rng),
    ]  # fmt: skip
    tail = b"".join(rng.choice(parts) * rng.choice(_COUNTS) for _ in range(rng.randint(1, 4)))
    if rng.random() < 0.5:
        at = 2 + max(head.find(b"\xff\xc0"), head.find(b"\xff\xc2"))
        sides = struct.pack(">HH", rng.choice(_SIDES), rng.choice(_SIDES))
        kind = bytes([rng.choice((0xC0, 0xC1, 0xC2, 0xC3, 0xC9, 0xCA))])
        head = head[: at - 1] + kind + head[at : at + 3] + sides + head[at + 7 :]
    if rng.random() < 0.3:
        head = head[:2] + _exif(rng) + head[2:]
    return head + rng.choice((scans[0], b"")) + tail + b"\xff\xd9"


def _exif(rng: random.Random) -> bytes:
    entry = struct.pack(
        "<HHII", 0x112, rng.choice((1, 3, 4)), rng.choice((1, 1 << 31)), rng.randrange(10)
    )
    content = b"Exif\0\0II*\0" + struct.pack("<IH", rng.choice((8, 0, 1 << 31)), 1) + entry
    return b"\xff\xe1" + struct.pack(">H", len(content) + 2) + content


# PNG ----------------------------------------------------------------------------------------------


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


_BOMB = zlib.compress(bytes(7_900_000), 9)


def _png(rng: random.Random) -> bytes:
    """Repeat chunks that inflate, frames of an animation, and image data."""
    width, height = rng.choice(_SIDES), rng.choice(_SIDES)
    bits, color, interlace = rng.choice((1, 8, 16)), rng.choice((0, 2, 3, 4, 6)), rng.randrange(2)
    frame = struct.pack(">IIIIIHHBB", 0, width, height, 0, 0, 1, 10, 0, 0)
    raw = zlib.compress(bytes(min(10_000_000, width * height * rng.choice((1, 3, 8)) + height)), 9)
    image = rng.choice((raw, raw, _BOMB))
    parts = [
        _chunk(b"zTXt", b"k\0\0" + _BOMB), _chunk(b"iTXt", b"k\0\1\0\0\0" + _BOMB),
        _chunk(b"iCCP", b"k\0\0" + _BOMB), _chunk(b"tEXt", b"k\0t"), _chunk(b"IDAT", image),
        _chunk(b"acTL", struct.pack(">II", rng.choice(_COUNTS), 0)), _chunk(b"fcTL", frame),
        _chunk(b"fdAT", struct.pack(">I", 1) + image), _chunk(b"eXIf", bytes(9)),
        struct.pack(">I", rng.choice(_WIDE_SIDES) % (1 << 32)) + b"abCd",
    ]  # fmt: skip
    body = b"".join(rng.choice(parts) * rng.choice(_COUNTS[:-1]) for _ in range(rng.randint(1, 5)))
    header = struct.pack(">IIBBBBB", width, height, bits, color, 0, 0, interlace)
    end = _chunk(b"IDAT", raw) + _chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + body + end


# TIFF ---------------------------------------------------------------------------------------------

_TAGS = (256, 257, 258, 259, 262, 273, 277, 278, 279, 284, 317, 322, 323, 324, 325, 338, 339)
_USUAL = {256: 9, 257: 9, 258: 8, 259: 8, 262: 1, 277: 1, 278: 9}


def _tiff(rng: random.Random) -> bytes:
    """Write sizes of every type and place, tiles, planes and compressions."""
    big, order = rng.random() < 0.3, rng.choice("<>")
    usual = dict(_USUAL)
    for tag in rng.sample(_TAGS, rng.randint(0, 5)):
        usual[tag] = rng.choice((*_WIDE_SIDES, 1, 5, 7, 8, 32773, 34712))
    entries = [(tag, rng.choice((3, 4, 4, 16, 1, 5)), value) for tag, value in usual.items()]
    entries += rng.choices(entries, k=rng.choice((0, 0, 1, 3)))
    count, word, size = ("Q", "Q", 20) if big else ("H", "I", 12)
    data = zlib.compress(bytes(4_000_000), 9)
    first = 16 if big else 8
    start = first + struct.calcsize(order + count) + (len(entries) + 2) * size + 8
    tiled = 322 in usual or 323 in usual
    entries += [(324 if tiled else 273, 4, start), (325 if tiled else 279, 4, len(data))]
    magic = (b"II" if order == "<" else b"MM") + struct.pack(order + "H", 43 if big else 42)
    header = magic + struct.pack(order + ("HHQ" if big else "I"), *((8, 0) if big else ()), first)
    body = struct.pack(order + count, len(entries))
    for tag, kind, value in sorted(entries, key=lambda entry: entry[0]):
        packed = struct.pack(order + "H", value & 0xFFFF) if kind == 3 else struct.pack(
            order + word, value)  # fmt: skip
        n_values = rng.choice((1, 1, 1, 1, 1, 2, 1 << 31))
        body += struct.pack(order + "HH" + word, tag, kind, n_values)
        body += packed.ljust(8 if big else 4, b"\0")
    return header + body + bytes(8) + data


# Others -------------------------------------------------------------------------------------------


def _gif(rng: random.Random) -> bytes:
    sides = [rng.choice(_SIDES) for _ in range(4)]
    frame = b"," + struct.pack("<HHHHB", 0, 0, *sides[2:], 0) + b"\2\2\x4c\1\0"
    screen = b"GIF89a" + struct.pack("<HHBBB", *sides[:2], 0x80, 0, 0) + bytes(6)
    return screen + frame * rng.choice(_COUNTS) + b";"


def _webp(rng: random.Random) -> bytes:
    sides = b"".join(struct.pack("<I", rng.choice(_WIDE_SIDES) % (1 << 32))[:3] for _ in range(2))
    flags = bytes([rng.choice((0, 2, 16, 18)), 0, 0, 0])
    pixels = np.zeros((rng.choice((1, 16, 999)), rng.choice((1, 16, 1000)), 3), np.uint8)
    image = require_opencv().imencode(".webp", pixels)[1].tobytes()[12:]
    frame = b"ANMF" + struct.pack("<I", 16 + len(image)) + bytes(6) + sides + bytes(4) + image
    body = rng.choice((image, frame * rng.choice(_COUNTS[:-1]), image * 2))
    chunk = b"VP8X" + struct.pack("<I", 10) + flags + sides
    body = rng.choice((chunk, chunk, b"")) + b"ANIM" + struct.pack("<I", 6) + bytes(6) + body
    return b"RIFF" + struct.pack("<I", len(body) + 4) + b"WEBP" + body


def _bmp(rng: random.Random) -> bytes:
    width, height = rng.choice(_WIDE_SIDES), rng.choice(_WIDE_SIDES)
    bits, compression = rng.choice((1, 4, 8, 24, 32)), rng.choice((0, 1, 2, 3))
    body = struct.pack("<IIIHHIIIIII", 40, width % (1 << 32), height % (1 << 32), 1, bits,
                       compression, 0, 0, 0, 0, 0)  # fmt: skip
    return (
        b"BM"
        + struct.pack("<III", 0, 0, 1078)
        + body
        + bytes(1024)
        + b"\xff\1" * rng.choice(_COUNTS)
    )


def _pnm(rng: random.Random) -> bytes:
    parts = [str(rng.choice(_SIDES)), " ", "\n", "#", "\r", "+", "-", ".5", "x", "\0", "0" * 20]
    sides = f"{rng.choice(_SIDES)} {rng.choice(_SIDES)} "
    text = "".join(rng.choices(parts, k=rng.randint(0, 6)))
    return f"P{rng.randint(1, 7)}{rng.choice(' #')}{text}{rng.choice((sides, text))}255 ".encode()


def _refused(rng: random.Random) -> bytes:
    """Return a header of a format that is not decoded."""
    brands = [rng.choice((b"avif", b"isom", b"mif1", b"avis", b"heic", bytes(4))) for _ in range(3)]
    sides = struct.pack(">II", rng.choice(_SIDES), rng.choice(_SIDES))
    avif = b"\0\0\0\x18ftyp" + b"".join(brands) + bytes(4) + b"ispe" + bytes(4) + sides
    jp2 = b"\0\0\0\x0cjP  \r\n\x87\n" + bytes(8) + b"ihdr" + sides
    text = b"#?RADIANCE\n\n-Y 9999 +X 9999\n"
    return rng.choice((avif, jp2, b"\xff\x4f\xff\x51" + bytes(4) + sides, b"v/1\1", text,
                       b"\x59\xa6\x6a\x95" + sides, b"PF\n9999 9999\n-1\n")) + bytes(99)  # fmt: skip


_MAKERS: tuple[Callable[[random.Random], bytes], ...] = (
    _jpeg, _jpeg, _png, _png, _tiff, _tiff, _gif, _webp, _bmp, _pnm, _refused,
)  # fmt: skip
