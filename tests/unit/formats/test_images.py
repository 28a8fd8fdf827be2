# SPDX-License-Identifier: Apache-2.0
"""Sizes and limits of encoded images: valid headers, lying headers, and decoding without bound."""

from __future__ import annotations

import contextlib
import os
import re
import struct
import subprocess
import sys
import textwrap
import time
import zlib
from pathlib import Path

import numpy as np
import pytest

import mxnova as mx
from mxnova.core.base.errors import ArgumentError, FileError, FormatError, MXNetError
from mxnova.formats.images import check_image, decode_image
from mxnova.predictor.picture import Picture
from mxnova.record_dataset.decoders import decoder_of
from mxnova.recordio import pack, unpack_img

cv2 = pytest.importorskip("cv2")

LIMIT = 100_000_000


def size_of(encoded, limit=10**18):
    return check_image("f", memoryview(encoded), limit)


# fmt: off
ENCODED = {
    "jpeg":             (".jpg", []),
    "progressive jpeg": (".jpg", [cv2.IMWRITE_JPEG_PROGRESSIVE, 1]),
    "jpeg, restarts":   (".jpg", [cv2.IMWRITE_JPEG_RST_INTERVAL, 1]),
    "png":              (".png", []),
    "bmp":              (".bmp", []),
    "webp, lossy":      (".webp", [cv2.IMWRITE_WEBP_QUALITY, 50]),
    "webp, lossless":   (".webp", [cv2.IMWRITE_WEBP_QUALITY, 101]),
    "tiff":             (".tiff", []),
    "tiff, deflate":    (".tiff", [cv2.IMWRITE_TIFF_COMPRESSION, 8]),
    "ppm":              (".ppm", []),
    "gif":              (".gif", []),
}
# fmt: on


@pytest.mark.parametrize("case", ENCODED)
@pytest.mark.parametrize("size", [(31, 17), (300, 12)], ids=str)
def test_check_image_returns_size_that_encoder_wrote(case, size):
    extension, options = ENCODED[case]
    image = np.random.RandomState(0).randint(0, 255, (*size, 3), np.uint8)
    if not cv2.haveImageWriter(extension):
        pytest.skip(f"this OpenCV does not write {extension}")
    encoded = cv2.imencode(extension, image, options)[1].tobytes()
    assert size_of(encoded) == size[::-1]
    assert decode_image("f", encoded, 1).shape == (*size, 3)
    for end in range(min(len(encoded), 200)):
        with contextlib.suppress(FormatError):
            size_of(encoded[:end])


N = 20_000


def tiff(*entries, kinds="<HHII", start=b"II*\0\x08\0\0\0"):
    directory = b"".join(struct.pack(kinds, *entry) for entry in entries)
    return start + struct.pack("<Q" if "Q" in kinds else "<H", len(entries)) + directory


BIG = {"kinds": "<HHQQ", "start": b"II+\0" + struct.pack("<HHQ", 8, 0, 16)}
JPEG = b"\xff\xd8\xff\xe0\0\4ab"
# fmt: off
LARGE = {
    "jpeg":       JPEG + b"\0junk\xff\xff\xc0\0\x11\x08" + struct.pack(">HHB", N, N, 3),
    "png":        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">IIBB", N, N, 8, 2),
    "gif":        b"GIF89a" + struct.pack("<HH", N, N),
    "bmp":        b"BM" + bytes(12) + struct.pack("<Iii", 40, N, -N),
    "old bmp":    b"BM" + bytes(12) + struct.pack("<IHH", 12, N, N),
    "webp":       b"RIFF\0\0\0\0WEBPVP8X" + bytes(8) + (N - 1).to_bytes(3, "little") * 2,
    "tiff":       tiff((256, 4, 1, N), (257, 3, 1, N)),
    "ppm":        b"P6\n# made up\n20000 # wide\n20000\n255\n",
    "long comment":     b"P6\n#" + b"1 1 " * 2000 + b"\n" + b" " * 5000 + b"20000 20000\n255\n",
    "lines of a Mac":   b"P6\r#1 1\r20000 20000\r255\n",
    "big-endian tiff":  b"MM\0*" + struct.pack(">IH", 8, 2) + struct.pack(">HHIHH", 256, 3, 1, N, 0)
                        + struct.pack(">HHII", 257, 4, 1, N),
    "tags that repeat": tiff((256, 4, 1, N), (257, 3, 1, N), (256, 4, 1, 1), (257, 4, 1, 1)),
    "bigtiff":          tiff((256, 16, 1, N), (257, 4, 1, N), **BIG),
}
# fmt: on


@pytest.mark.parametrize("case", LARGE)
def test_unpack_img_refuses_large_image_before_decoding(case, monkeypatch):
    record = pack((0, 1.0, 2, 0), LARGE[case])
    assert size_of(LARGE[case]) == (N, N)
    with pytest.raises(ArgumentError, match=r"20000 x 20000 pixels.*MXNOVA_IMAGE_MAX_PIXELS"):
        unpack_img(record)
    monkeypatch.setenv("MXNOVA_IMAGE_MAX_PIXELS", str(N * N))
    monkeypatch.setattr(cv2, "imdecode", lambda *_: "decoded")
    assert unpack_img(record)[1] == "decoded"


def png(*chunks, size=(1, 1)):
    header = struct.pack(">IIBBBBB", *size, 8, 2, 0, 0, 0)
    chunks = [(b"IHDR", header), *chunks, (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )


def jpeg(*segments, kind=0xC2, n_components=1, size=(7000, 7000)):
    frame = struct.pack(">HBHHB", 11, 8, *size, n_components) + b"\1\x11\0"
    return b"\xff\xd8\xff" + bytes([kind]) + frame + b"".join(segments) + b"\xff\xd9"


SCAN = b"\xff\xda\0\x08\1\1\0\0\x3f\0" + b"\x12\xff\0\xff\xd0\x34"
TABLE = b"\xff\xc4\0\x03\0"
ROW = zlib.compress(bytes(4))
TEXT = b"key\0\0" + zlib.compress(bytes(1 << 20))
SIZES = ((256, 4, 1, 9), (257, 4, 1, 9))
UNKNOWN = "cannot decode image .* unsupported or corrupt format, expected JPEG, PNG"
# fmt: off
HOSTILE = {
    # Progressive scans that repeat, hidden or not.
    "scans":                (jpeg(SCAN * 40),                  "40 scans of 7000 x 7000 pixels"),
    "scans with tables":    (jpeg((TABLE + SCAN) * 40),        "40 scans of 7000 x 7000 pixels"),
    "scans, arithmetic":    (jpeg(SCAN * 40, kind=0xCA),       "40 scans of 7000 x 7000 pixels"),
    "scans of a component": (jpeg(SCAN * 40, kind=0xC0, n_components=3), "40 scans"),
    "second frame":         (jpeg(SCAN * 40, jpeg(size=(1, 1))[2:-2]),   "40 scans"),
    "reserved marker":      (jpeg(SCAN, b"\xff\x02\xff\xff", SCAN * 40), "reserved marker 0x02"),
    "segments":             (JPEG + b"\xff\xe0\0\2" * 20_000,  "10,000 segments"),
    "segments after frame": (jpeg(b"\xff\xfe\0\2" * 20_000),   "10,000 segments"),
    # Chunks that inflate to more than the image.
    "png texts":   (png(*[(b"zTXt", TEXT)] * 17, (b"IDAT", ROW)),       "16 chunks of compressed"),
    "png profiles": (png(*[(b"iCCP", TEXT)] * 9, *[(b"iTXt", TEXT)] * 9), "16 chunks of compressed"),
    "png chunks":  (png(*[(b"tEXt", b"")] * 200_001),                   "200,000 chunks"),
    "png data":    (png((b"IDAT", bytes(70_000))),                      "70,000 bytes of compressed"),
    "png, second header": (png((b"IHDR", bytes(13))), UNKNOWN),
    "png, late header": (png()[:8] + png((b"tEXt", b"k"))[33:46] + png()[8:], UNKNOWN),
    "png of nothing": (png((b"IDAT", ROW), size=(0, 5)),                UNKNOWN),
    # Sizes that are elsewhere than in the entry, and buffers that are larger than the image.
    "tiff, LONG8":   (tiff((256, 16, 1, 8), (257, 16, 1, 8)),           UNKNOWN),
    "tiff, BYTE":    (tiff((256, 1, 1, 8), (257, 4, 1, 8)),             UNKNOWN),
    "tiff, array":   (tiff((256, 3, 4, 8), (257, 4, 1, 8)),             UNKNOWN),
    "tiff, RATIONAL": (tiff((256, 5, 1, 8), (257, 4, 1, 8)),            UNKNOWN),
    "tiff, no size": (tiff((257, 4, 1, 8)),                             UNKNOWN),
    "bigtiff, array": (tiff((256, 16, 2, 8), (257, 4, 1, 8), **BIG),    UNKNOWN),
    "bigtiff, signed": (tiff((256, 17, 1, 8), (257, 4, 1, 8), **BIG),   UNKNOWN),
    "tiff tile":     (tiff(*SIZES, (322, 4, 1, 32752), (323, 4, 1, 16)), "tiles of 32752 pixels"),
    "tiff tall tile": (tiff(*SIZES, (322, 4, 1, 16), (323, 4, 1, 8192)), "tiles of 8192 pixels"),
    "tiff, jpeg":    (tiff(*SIZES, (259, 3, 1, 7)),                     "compression 7"),
    "tiff, old jpeg": (tiff(*SIZES, (259, 3, 1, 1), (259, 3, 1, 6)),    "compression 6"),
    # Numbers that OpenCV reads otherwise than others.
    "ppm, comment behind a number": (b"P6 20000#c 20000\n1 255\n",      UNKNOWN),
    "ppm, sign":     (b"P6 +20000 20000 255\n",                         UNKNOWN),
    "ppm, digits":   (b"P6 00000000000000020000 20000 255\n",           UNKNOWN),
    "webp, unknown first chunk": (b"RIFF\0\0\0\0WEBPALPH" + bytes(20),  UNKNOWN),
    # Formats that are not decoded.
    "avif":          (bytes(4) + b"ftypavif" + bytes(8) + b"ispe",      UNKNOWN),
    "avif, isom":    (bytes(4) + b"ftypisom\0\0\0\0avif",               UNKNOWN),
    "avif, mif1":    (bytes(4) + b"ftypmif1\0\0\0\0miafavif",           UNKNOWN),
    "jp2":           (b"\0\0\0\x0cjP  \r\n\x87\n" + bytes(30),          UNKNOWN),
    "codestream":    (b"\xff\x4f\xff\x51" + bytes(30),                  UNKNOWN),
    "openexr":       (b"v/1\1" + bytes(30),                             UNKNOWN),
    "jpeg xl":       (b"\xff\x0a" + bytes(30),                          UNKNOWN),
    "pam":           (b"P7\nWIDTH 9\nHEIGHT 9\nDEPTH 1\nMAXVAL 9\nENDHDR\n", UNKNOWN),
    "pfm":           (b"PF\n20000.1 20000 1 -1\n",                      UNKNOWN),
    "sun raster":    (b"\x59\xa6\x6a\x95" + bytes(30),                  UNKNOWN),
    "radiance":      (b"#?RADIANCE\n\n-Y 9 +X 9\n",                     UNKNOWN),
    "dicom":         (bytes(128) + b"DICM",                             UNKNOWN),
    "nothing":       (b"",                                              UNKNOWN),
}
# fmt: on


@pytest.mark.parametrize("case", HOSTILE)
def test_decode_image_refuses_hostile_image_before_decoding(case, monkeypatch):
    encoded, message = HOSTILE[case]
    monkeypatch.setattr(cv2, "imdecode", lambda *_: pytest.fail("it was decoded"))
    with pytest.raises((ArgumentError, FormatError), match="^f: .*" + message):
        decode_image("f", encoded, 1)


# fmt: off
ACCEPTED = {
    "scans of encoders":    jpeg(SCAN * 16),
    "scans, small image":   jpeg(SCAN * 1000, size=(100, 100)),
    "scans after the end":  jpeg(SCAN) + SCAN * 1000,
    "scans in a thumbnail": jpeg(b"\xff\xe1\x04\0" + (SCAN * 64)[:0x3FE], SCAN),
    "scans of no use":      jpeg(SCAN * 1000, kind=0xC0),  # Decoding ends after the first.
    "markers in baseline":  jpeg(SCAN, b"\xff\x02\xff\xff", kind=0xC0),
    "cut progressive":      jpeg(SCAN * 2)[:-3],
    "png metadata":         png((b"iCCP", TEXT), *[(b"zTXt", TEXT)] * 15, (b"IDAT", ROW)),
    "png frames":           png((b"IDAT", ROW), *[(b"fdAT", bytes(60_000))] * 9),
    "tiff tile":            tiff(*SIZES, (322, 4, 1, 512), (323, 4, 1, 512)),
    "tiff, Zstandard":      tiff(*SIZES, (259, 3, 1, 50000)),
}
# fmt: on


@pytest.mark.parametrize("case", ACCEPTED)
def test_check_image_accepts_what_encoders_write(case):
    size_of(ACCEPTED[case], LIMIT)


def test_check_image_takes_linear_time():
    segments = b"\xff\xd8\xff" + b"\xe0\0\2\xff" * 1_000_000
    inputs = [
        segments, b"\xff\xd8\xff\xe0\0\2" + b"\xff\0" * 10_000_000, b"no image",
        b"II+\0\x08\0\0\0" + b"\x9d" * 40,  # a directory at 2**63 and more
        b"P6" + b"\n#" * 1_000_000, b"P6" + b" " * 1_000_000, b"P6 " + b"1" * 1_000_000,
    ]  # fmt: skip
    start = time.process_time()
    for encoded in inputs:
        with pytest.raises(FormatError):
            size_of(encoded)
    assert time.process_time() - start < 1


def decode_record(encoded):
    decoder_of("image")(pack((0, 1.0, 2, 0), encoded))


def decode_operator(encoded):
    mx.image.imdecode(encoded)


def decode_file(encoded, tmp_path):
    (tmp_path / "image").write_bytes(encoded)
    mx.image.imread(str(tmp_path / "image"))


def iterate_records(encoded, tmp_path):
    path = str(tmp_path / "r.rec")
    record = mx.recordio.MXRecordIO(path, "w")
    record.write(pack((0, 1.0, 2, 0), encoded))
    record.close()
    next(mx.io.ImageRecordIter(path_imgrec=path, data_shape=(3, 8, 8), batch_size=1))


# fmt: off
DECODERS = {
    "imdecode":        lambda encoded, _: decode_operator(encoded),
    "imread":          decode_file,
    "RecordDataset":   lambda encoded, _: decode_record(encoded),
    "ImageRecordIter": iterate_records,
    "Picture":         lambda encoded, _: Picture().decode("p", encoded),
    "decode_image":    lambda encoded, _: decode_image("f", encoded, 1),
}
# fmt: on


@pytest.mark.parametrize("case", ["avif, isom", "scans", "tiff, LONG8", "png texts"])
@pytest.mark.parametrize("name", DECODERS)
def test_every_decoder_refuses_hostile_image(name, case, monkeypatch, tmp_path):
    encoded, message = HOSTILE[case]
    monkeypatch.setattr(cv2, "imdecode", lambda *_: pytest.fail("it was decoded"))
    with pytest.raises(MXNetError, match=message):
        DECODERS[name](encoded, tmp_path)


@pytest.mark.parametrize("case", ["avif, isom", "tiff, LONG8", "png texts"])
def test_unpack_img_of_refused_format_returns_none(case, monkeypatch):
    monkeypatch.setattr(cv2, "imdecode", lambda *_: pytest.fail("it was decoded"))
    assert unpack_img(pack((0, 1.0, 2, 0), HOSTILE[case][0]))[1] is None


def test_only_formats_images_calls_the_decoder():
    root = Path(mx.__file__).parent
    calls = re.compile(r"(cv2|require_opencv\(\))\.im(decode|read|count)")
    sources = [path for path in root.rglob("*.py") if calls.search(path.read_text("utf-8"))]
    assert sources == [root / "formats" / "images.py"]


def test_decode_image_decodes_animation_to_its_first_frame():
    frames = [np.full((9, 7, 3), value, np.uint8) for value in (10, 200)]
    if not hasattr(cv2, "imencodeanimation"):
        pytest.skip("this OpenCV does not write animations")
    animation = cv2.Animation()
    animation.frames, animation.durations = frames, np.array([100, 100], np.int32)
    for extension in (".png", ".webp", ".gif"):
        encoded = cv2.imencodeanimation(extension, animation)[1].tobytes()
        assert decode_image("f", encoded, 1).shape == (9, 7, 3)


@pytest.mark.parametrize("given, limit", [({}, 400), ({"OPENCV_IO_MAX_IMAGE_PIXELS": "900"}, 900)])
def test_require_opencv_limits_its_decoders(given, limit):
    program = """
        import os
        from mxnova.core.base.opencv import require_opencv
        before = os.environ.get("OPENCV_IO_MAX_IMAGE_PIXELS")
        cv2 = require_opencv()
        assert os.environ.get("OPENCV_IO_MAX_IMAGE_PIXELS") == before
        import numpy as np
        for side in (20, 30, 31):
            encoded = cv2.imencode(".png", np.zeros((side, side, 3), np.uint8))[1]
            try:
                print(cv2.imdecode(encoded, 1) is not None)
            except cv2.error:
                print(False)
    """
    env = {**os.environ, "MXNOVA_IMAGE_MAX_PIXELS": "400", **given}
    command = [sys.executable, "-c", textwrap.dedent(program)]
    result = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    assert result.stdout.split() == [str(side * side <= limit) for side in (20, 30, 31)]


@pytest.mark.parametrize("case", ["jpeg", "png", "ppm"])
def test_operators_refuse_large_image_before_decoding(case, monkeypatch, tmp_path):
    path = tmp_path / "image"
    path.write_bytes(LARGE[case])
    monkeypatch.setattr(cv2, "imdecode", lambda *_: pytest.fail("it was decoded"))
    pixels = mx.nd.array(np.frombuffer(LARGE[case], np.uint8), dtype="uint8")
    with pytest.raises(ArgumentError, match=r"_cvimdecode.*20000 x 20000 pixels"):
        mx.nd.invoke("_cvimdecode", [pixels], {})
    with pytest.raises(ArgumentError, match=r"_cvimread.*20000 x 20000 pixels"):
        mx.nd.invoke("_cvimread", [], {"filename": str(path)})


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs FIFOs")
def test_imread_refuses_what_is_not_a_regular_file(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path):
        with pytest.raises(FileError, match="pipe|directory"):
            mx.nd.invoke("_cvimread", [], {"filename": str(path)})
