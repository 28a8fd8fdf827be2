# SPDX-License-Identifier: Apache-2.0
"""Sizes by headers, as the decoder finds them, and of headers that lie."""

from __future__ import annotations

import os
import struct
import time

import numpy as np
import pytest

import mxnova as mx
from mxnova.core.base.errors import ArgumentError, FileError, FormatError
from mxnova.formats.image_size import image_size
from mxnova.recordio import pack, unpack_img

cv2 = pytest.importorskip("cv2")

# fmt: off
ENCODED = {
    "jpeg":             (".jpg", []),
    "progressive jpeg": (".jpg", [cv2.IMWRITE_JPEG_PROGRESSIVE, 1]),
    "png":              (".png", []),
    "bmp":              (".bmp", []),
    "webp, lossy":      (".webp", [cv2.IMWRITE_WEBP_QUALITY, 50]),
    "webp, lossless":   (".webp", [cv2.IMWRITE_WEBP_QUALITY, 101]),
    "tiff":             (".tiff", []),
    "ppm":              (".ppm", []),
    "pam":              (".pam", []),
    "sun raster":       (".ras", []),
    "radiance":         (".hdr", []),
    "avif":             (".avif", []),
}
# fmt: on


@pytest.mark.parametrize("case", ENCODED)
@pytest.mark.parametrize("size", [(31, 17), (300, 12)], ids=str)
def test_the_size_of_what_the_codec_writes(case, size):
    extension, options = ENCODED[case]
    image = np.random.RandomState(0).randint(0, 255, (*size, 3), np.uint8)
    if not cv2.haveImageWriter(extension):
        pytest.skip(f"this OpenCV does not write {extension}")
    encoded = cv2.imencode(extension, image, options)[1].tobytes()
    assert image_size(encoded) == size[::-1]
    assert image_size(memoryview(encoded)) == size[::-1]
    for end in range(min(len(encoded), 200)):
        image_size(encoded[:end])  # whatever it says, it raises nothing


N = 20_000
_TAGS = struct.pack("<HHII", 256, 4, 1, N) + struct.pack("<HHII", 257, 3, 1, N)
# fmt: off
_DECOYS = struct.pack("<HHII", 256, 4, 1, 1) + struct.pack("<HHII", 257, 4, 1, 1)
_LONG_TAGS = struct.pack("<HHQQ", 256, 16, 1, N) + struct.pack("<HHQQ", 257, 4, 1, N)
LARGE = {
    "jpeg":       b"\xff\xd8\xff\xe0\0\4ab" + b"\0junk\xff\xff\xc0\0\x11\x08" + struct.pack(">HH", N, N),
    "png":        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", N, N),
    "gif":        b"GIF89a" + struct.pack("<HH", N, N),
    "bmp":        b"BM" + bytes(12) + struct.pack("<Iii", 40, N, -N),
    "old bmp":    b"BM" + bytes(12) + struct.pack("<IHH", 12, N, N),
    "webp":       b"RIFF\0\0\0\0WEBPVP8X" + bytes(8) + (N - 1).to_bytes(3, "little") * 2,
    "tiff":       b"II*\0" + struct.pack("<IH", 8, 2) + _TAGS,
    "ppm":        b"P6\n# made up\n20000 # wide\n20000\n255\n",
    "pfm":        b"PF\n20000 20000\n-1\n",
    "sun raster": b"\x59\xa6\x6a\x95" + struct.pack(">II", N, N),
    "jp2":        b"\0\0\0\x0cjP  \r\n\x87\n" + bytes(8) + b"ihdr" + struct.pack(">II", N, N),
    "codestream": b"\xff\x4f\xff\x51" + bytes(4) + struct.pack(">IIII", N, N, 0, 0),
    "jp2 that lies":    b"\0\0\0\x0cjP  \r\n\x87\nihdr" + struct.pack(">II", 1, 1)
                        + b"\xff\x4f\xff\x51" + bytes(4) + struct.pack(">IIII", N, N, 0, 0),
    "big-endian tiff":  b"MM\0*" + struct.pack(">IH", 8, 2) + struct.pack(">HHIHH", 256, 3, 1, N, 0)
                        + struct.pack(">HHII", 257, 4, 1, N),
    "tags that repeat": b"II*\0" + struct.pack("<IH", 8, 4) + _TAGS + _DECOYS,
    "bigtiff":          b"II+\0" + struct.pack("<HHQQ", 8, 0, 16, 2) + _LONG_TAGS,
    "pam":              b"P7\nDEPTH 1\nMAXVAL 9\nHEIGHT 20000\nWIDTH 20000\nENDHDR\n",
    "long comment":     b"P6\n#" + b"1 1 " * 2000 + b"\n" + b" " * 5000 + b"20000 20000\n255\n",
    "lines of a Mac":   b"P6#1 1\r20000 20000\r255\n",
    "radiance":         b"#?RADIANCE\nEXPOSURE=1\n\n-Y 20000 +X 20000\n",
    "avif":             bytes(4) + b"ftypavif" + bytes(8) + b"ispe" + struct.pack(">III", 0, N, N),
}
# fmt: on


@pytest.mark.parametrize("case", LARGE)
def test_large_images_in_records_are_refused_before_they_are_decoded(case, monkeypatch):
    record = pack((0, 1.0, 2, 0), LARGE[case])
    assert image_size(LARGE[case]) == (N, N)
    with pytest.raises(ArgumentError, match=r"20000 x 20000 pixels.*MXNOVA_IMAGE_MAX_PIXELS"):
        unpack_img(record)
    monkeypatch.setenv("MXNOVA_IMAGE_MAX_PIXELS", str(N * N))
    monkeypatch.setattr(cv2, "imdecode", lambda *_: "decoded")
    assert unpack_img(record)[1] == "decoded"


def test_a_header_is_found_in_linear_time():
    segments = b"\xff\xd8\xff" + b"\xe0\0\2\xff" * 1_000_000
    junk = b"\xff\xd8\xff\xe0\0\2" + b"\xff\0" * 10_000_000
    start = time.process_time()
    with pytest.raises(FormatError, match="segments"):
        image_size(segments)
    assert image_size(junk) is None
    assert image_size(b"no image") is None
    assert image_size(b"II+\0\x08\0\0\0" + b"\x9d" * 40) is None  # a directory at 2**63 and more
    assert time.process_time() - start < 1


@pytest.mark.parametrize("case", ["jpeg", "png", "ppm"])
def test_large_images_are_refused_by_operators_too(case, monkeypatch, tmp_path):
    path = tmp_path / "image"
    path.write_bytes(LARGE[case])
    monkeypatch.setattr(cv2, "imdecode", lambda *_: pytest.fail("it was decoded"))
    pixels = mx.nd.array(np.frombuffer(LARGE[case], np.uint8), dtype="uint8")
    with pytest.raises(ArgumentError, match=r"_cvimdecode.*20000 x 20000 pixels"):
        mx.nd.invoke("_cvimdecode", [pixels], {})
    with pytest.raises(ArgumentError, match=r"_cvimread.*20000 x 20000 pixels"):
        mx.nd.invoke("_cvimread", [], {"filename": str(path)})


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs FIFOs")
def test_images_are_read_from_regular_files_only(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path):
        with pytest.raises(FileError, match="pipe|directory"):
            mx.nd.invoke("_cvimread", [], {"filename": str(path)})
