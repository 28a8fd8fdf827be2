# SPDX-License-Identifier: Apache-2.0
import itertools
import json
import struct
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mxnova.core.base.errors import ArgumentError, ArgumentTypeError, FormatError
from mxnova.formats.recordio import (
    MAGIC,
    IRHeader,
    RecordSummary,
    encode,
    pack,
    parse_index,
    read_record,
    read_records,
    scan,
    unpack,
)

DATA = Path(__file__).parents[2] / "data/recordio"
MXNET_FILE = (DATA / "mxnet.rec").read_bytes()
PAYLOADS = [bytes.fromhex(text) for text in json.loads((DATA / "payloads.json").read_text())]


def part(kind, payload, size=None):
    word = kind << 29 | (len(payload) if size is None else size)
    return MAGIC + struct.pack("<I", word) + payload + bytes(-len(payload) % 4)


def test_records_are_those_of_mxnet():
    assert b"".join(map(encode, PAYLOADS)) == MXNET_FILE
    assert list(read_records(MXNET_FILE)) == PAYLOADS


def test_a_payload_is_cut_at_its_aligned_magics():
    payload = b"abcd" + MAGIC + MAGIC + b"x" + MAGIC
    assert encode(payload) == part(1, b"abcd") + part(2, b"") + part(3, b"x" + MAGIC)
    large = bytes(8000)
    assert encode(large + MAGIC + b"y") == part(1, large) + part(3, b"y")


@given(st.lists(st.lists(st.sampled_from([MAGIC, MAGIC[:3], b"abcd", b"x"])).map(b"".join)))
def test_records_survive_writing_and_reading(payloads):
    content = b"".join(map(encode, payloads))
    assert list(read_records(content)) == payloads
    assert list(read_records(memoryview(content))) == payloads
    assert [summary.size for summary in scan(content)] == list(map(len, payloads))


def test_a_record_is_followed_by_the_next():
    content = encode(b"first") + encode(b"second")
    assert read_record(content, 0) == (b"first", 16)
    assert read_record(content, 16) == (b"second", 32)


@pytest.mark.parametrize(
    ("content", "offset", "message"),
    [
        (MAGIC, 0, "a record needs 8 bytes"),
        (b"zzzz" + bytes(4), 0, "7a7a7a7a where 0a23d7ce starts a record"),
        (part(0, b"abcd", size=5), 0, "5 bytes, padded to 4, where 4 are left"),
        (part(0, b"abcde")[:-1], 0, "5 bytes, padded to 4, where 7 are left"),
        (part(0, b"", size=2**29 - 1), 0, "536870911 bytes, padded to 4, where 0 are left"),
        (part(2, b"abcd"), 0, "part kind 2 where a record starts"),
        (part(3, b"abcd"), 0, "part kind 3 where a record starts"),
        (part(4, b"abcd"), 0, "unknown part kind 4"),
        (part(1, b"abcd"), 12, "a record needs 8 bytes"),
        (part(1, b"abcd") + part(0, b""), 12, "part kind 0 where a record continues"),
        (part(1, b"abcd") + part(1, b""), 12, "part kind 1 where a record continues"),
        (part(1, b"abcd") + part(2, b"") + bytes(8), 20, "00000000 where 0a23d7ce"),
    ],
)
def test_broken_records_are_refused_with_their_offset(content, offset, message):
    intact = encode(b"intact")
    for read in (read_records, scan):
        with pytest.raises(
            FormatError, match=f"^offset {len(intact) + offset}( of .*)?: {message}"
        ):
            list(read(intact + content))


def test_offsets_do_not_count_from_the_end():
    with pytest.raises(FormatError, match=r"^offset -16 of 32: a record needs 8 bytes"):
        read_record(encode(b"first") + encode(b"second"), -16)


def test_every_truncation_is_refused_or_ends_between_records():
    ends = {0, *itertools.accumulate(map(len, map(encode, PAYLOADS)))}
    for length in range(0, len(MXNET_FILE), 3):
        try:
            n_records = len(list(read_records(MXNET_FILE[:length])))
        except FormatError:
            assert length not in ends
        else:
            assert length in ends
            assert n_records == sorted(ends).index(length)


def test_a_record_of_very_many_parts_takes_linear_time():
    content = part(1, b"") + part(2, b"") * 200_000 + part(3, b"")
    start = time.process_time()
    assert read_record(content, 0)[0] == MAGIC * 200_001
    assert time.process_time() - start < 5


def test_only_bytes_of_a_storable_size_are_records():
    with pytest.raises(ArgumentTypeError, match="record: str where bytes were expected"):
        encode("text")
    with pytest.raises(ArgumentError, match="record: 536870912 bytes: at most 536870911"):
        encode(memoryview(np.broadcast_to(np.uint8(0), 2**29)))
    assert encode(memoryview(b"abcd")) == encode(bytearray(b"abcd")) == encode(b"abcd")


@pytest.mark.parametrize(
    ("header", "packed"),
    [
        ((0, 1.5, 2, 3), struct.pack("<IfQQ", 0, 1.5, 2, 3)),
        ((7, 1, 2, 2**64 - 1), struct.pack("<IfQQ", 0, 1, 2, 2**64 - 1)),
        ((0, np.float64(1.5), np.int64(2), 3), struct.pack("<IfQQ", 0, 1.5, 2, 3)),
        ((0, 1e300, 2, 3), struct.pack("<IfQQ", 0, float("inf"), 2, 3)),
        ((0, [1, 2], 2, 3), struct.pack("<IfQQ2f", 2, 0, 2, 3, 1, 2)),
        ((0, np.array([[1], [2]]), 2, 3), struct.pack("<IfQQ2f", 2, 0, 2, 3, 1, 2)),
        ((0, np.array(4), 2, 3), struct.pack("<IfQQf", 1, 0, 2, 3, 4)),
        ((0, [], 2, 3), struct.pack("<IfQQ", 0, 0, 2, 3)),
    ],
)
def test_headers_are_packed_as_mxnet_does(header, packed):
    assert pack(header, b"payload") == packed + b"payload"


@pytest.mark.parametrize(
    "header",
    [(0, 1, -1, 0), (0, 1, 2**64, 0), (0, 1, 1.5, 0), (0, "a", 1, 0), (0, 10**400, 1, 0)],
)
def test_headers_that_do_not_fit_are_refused(header):
    with pytest.raises(ArgumentError, match="pack: header="):
        pack(header, b"")


def test_unpacking_gives_back_the_header():
    header, payload = unpack(pack((0, 1.5, 2, 3), b"payload"))
    assert (header, payload) == (IRHeader(0, 1.5, 2, 3), b"payload")
    assert repr(header) == "HEADER(flag=0, label=1.5, id=2, id2=3)"
    header, payload = unpack(pack((0, [1, 2], 2, 3), b"payload"))
    assert (header.flag, header.label.tolist(), payload) == (2, [1, 2], b"payload")
    assert header.label.dtype == np.float32


@pytest.mark.parametrize(
    ("packed", "message"),
    [
        (b"", "0 bytes, the header alone has 24"),
        (bytes(23), "23 bytes, the header alone has 24"),
        (struct.pack("<IfQQ", 2, 0, 0, 0) + bytes(7), "2 labels, and 31 bytes in all"),
        (struct.pack("<IfQQ", 2**32 - 1, 0, 0, 0), "4294967295 labels"),
    ],
)
def test_headers_that_are_cut_off_are_refused(packed, message):
    with pytest.raises(FormatError, match=message):
        unpack(packed)


def test_an_index_lists_keys_and_offsets():
    entries = parse_index((DATA / "mxnet.idx").read_bytes())
    assert [key for key, _ in entries] == [3 * number for number in range(len(PAYLOADS))]
    assert [read_record(MXNET_FILE, offset)[0] for _, offset in entries] == PAYLOADS


@pytest.mark.parametrize(
    ("text", "key_type", "entries"),
    [
        ("", int, []),
        ("1\t0", int, [(1, 0)]),
        ("1\t0\r\n 2 \t 12 \r\n", int, [(1, 0), (2, 12)]),
        ("1\t0\tmore\tcolumns\n", int, [(1, 0)]),
        ("1\t0\n1\t12\n", int, [(1, 0), (1, 12)]),
        ("a b\t0\né\t12\n", str, [("a b", 0), ("é", 12)]),
        ("1.5\t0\n", float, [(1.5, 0)]),
    ],
)
def test_index_lines_are_read_as_mxnet_does(text, key_type, entries):
    assert parse_index(text, key_type) == parse_index(text.encode(), key_type) == entries


@pytest.mark.parametrize(
    "line",
    ["", "1", "1 0", "\t0", "1\t", "1\t-4", "1\tx", "1\t1_2", "1\t0x1", "1\t٣", f"1\t{'9' * 20}"],
)
def test_index_lines_without_an_offset_are_refused(line):
    with pytest.raises(FormatError, match=r"index: line 2: .* is not a key, a tab, an offset"):
        parse_index(f"0\t0\n{line}\n")


def test_index_keys_must_be_of_their_type():
    with pytest.raises(FormatError, match=r"index: line 1: key '1\.5': invalid literal"):
        parse_index("1.5\t0\n")
    with pytest.raises(FormatError, match="is not a key"):
        parse_index(f"{'9' * 5000}\t0\n")
    with pytest.raises(FormatError, match="index: byte 0 is not UTF-8"):
        parse_index(b"\xff\t0\n", str)


IMAGES = {
    "jpeg": b"\xff\xd8\xff\xe0",
    "png": b"\x89PNG\r\n\x1a\n",
    "gif": b"GIF89a",
    "bmp": b"BM" + bytes(8),
    "webp": b"RIFF....WEBP",
    "tiff": b"II*\0",
    "npy": b"\x93NUMPY",
    None: b"nothing known",
}


@pytest.mark.parametrize("image", IMAGES)
def test_scanning_tells_headers_and_image_types(image):
    start = IMAGES[image] + bytes(30)
    payloads = [pack((0, 1, 0, 0), start), pack((0, [1, 2], 0, 0), start), IMAGES[image]]
    content = b"".join(map(encode, payloads))
    assert list(scan(content)) == [
        RecordSummary(0, len(payloads[0]), 0, image),
        RecordSummary(len(encode(payloads[0])), len(payloads[1]), 2, image),
        RecordSummary(len(content) - len(encode(payloads[2])), len(payloads[2]), None, image),
    ]


def test_scanning_joins_records_of_several_parts():
    payload = pack((0, [1], 0, 0), b"\xff\xd8\xff\xe0" + MAGIC + b"end")
    assert list(scan(encode(payload))) == [RecordSummary(0, len(payload), 1, "jpeg")]
