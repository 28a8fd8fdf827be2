# SPDX-License-Identifier: Apache-2.0
"""Pickles as data: against the pickle module, and hostile."""

from __future__ import annotations

import collections
import math
import pickle
import struct
import time
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mxnova.core.base.errors import ArgumentError, FormatError
from mxnova.formats import source
from mxnova.formats.inert_pickle import Global, Instance, LongText, loads
from mxnova.formats.pickle_writer import dumps
from mxnova.formats.source import Source

MEBIBYTE = 1 << 20


def load(data):
    return loads(Source(data))


def plain(value):
    """`value` with views of bytes as bytes, and types beside what is equal across types."""
    if isinstance(value, memoryview):
        return plain(bytes(value))
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(plain(item) for item in value)
    return type(value), value


def dump(value):
    return dumps(value, describe=lambda value: Instance(Global("m", "C")), allow=lambda name: True)


keys = st.one_of(st.integers(-(2**59), 2**59), st.text(max_size=5), st.booleans())
values = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.integers(-(2**2000), 2**2000),
        st.floats(allow_nan=False),
        st.text(),
        st.binary(),
    ),
    lambda inner: st.one_of(
        st.lists(inner),
        st.lists(inner, max_size=4).map(tuple),
        st.dictionaries(keys, inner),
    ),
    max_leaves=20,
)


@given(values, st.integers(3, 5))
def test_reads_what_pickle_writes(value, protocol):
    assert plain(load(pickle.dumps(value, protocol))) == plain(value)


@given(values)
def test_pickle_reads_what_is_written(value):
    assert plain(pickle.loads(dump(value))) == plain(value)
    assert plain(load(dump(value))) == plain(value)


@pytest.mark.parametrize("protocol", range(6))
def test_every_protocol(protocol):
    value = {
        "text": ["", "a\n\\'\"", "é", "ж\0", "😀"],
        "numbers": [0, -1, 255, 256, 65536, -(2**31), 2**31, 2**63, -(2**63), 1e-300, -0.0],
        "constants": (None, True, False),
        "tuples": ((), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4)),
        "nested": {1: {2: [[], {}]}},
    }
    assert plain(load(pickle.dumps(value, protocol))) == plain(value)
    assert load(pickle.dumps(math.inf, protocol)) == math.inf


def test_python_2_strings_are_text_of_their_bytes():
    assert load(b"(S'a\\xe9\\n\\\\\\'\"'\nS\"'\"\nU\x02a\xe9T\x01\0\0\0xt.") == (
        "aé\n\\'\"",
        "'",
        "aé",
        "x",
    )


def test_what_is_shared_stays_shared():
    inner = [1]
    got = load(pickle.dumps([inner, (inner,), {"a": inner}]))
    assert got[0] is got[1][0] is got[2]["a"]
    again = pickle.loads(dump(got))
    assert again[0] is again[1][0] is again[2]["a"]
    got.append(got)
    assert pickle.loads(dump(got))[3][3] is not None


@pytest.mark.parametrize("protocol", range(2, 6))
def test_calls_and_objects_are_not_made(protocol):
    got = load(pickle.dumps(collections.OrderedDict(), protocol))
    assert (got.callee, got.args, got.is_object) == (
        Global("collections", "OrderedDict"),
        (),
        False,
    )
    got = load(pickle.dumps(Plain(), protocol))
    assert (got.callee.name, got.args, got.is_object) == ("Plain", (), True)
    assert got.state == {"x": 5}


class Plain:
    def __init__(self):
        self.x = 5


def test_instances_are_written_as_calls_and_objects():
    call = Instance(Global("collections", "deque"), ((1, 2), 5))
    thing = Instance(Global(__name__, "Plain"), (), {"x": 7}, is_object=True)
    first, second, third = pickle.loads(dump([call, thing, call]))
    assert first == collections.deque([1, 2], 5)
    assert first is third
    assert second.x == 7


def test_names_must_be_allowed_to_be_written():
    with pytest.raises(ArgumentError, match=r"os\.system may not be named"):
        dumps([Global("os", "system")], lambda value: Instance(value), lambda name: False)
    with pytest.raises(ArgumentError, match="an integer of 376 bytes"):
        dump(1 << 3000)


def test_bytes_are_views_of_the_source():
    data = bytearray(pickle.dumps(b"content"))
    view = load(data)
    data[data.index(b"content")] = ord("C")
    assert bytes(view) == b"Content"


@pytest.mark.parametrize("protocol", [0, 2, 4])
def test_long_text_stays_encoded(protocol):
    text = "a\né" * 50_000
    got = load(pickle.dumps(text, protocol))
    assert isinstance(got, LongText)
    assert bytes(got.encoded).decode(got.encoding) == text


def u32(n):
    return struct.pack("<I", n)


HOSTILE = {
    "empty": (b"", "offset 0: 1 bytes wanted, 0 are left"),
    "protocol": (b"\x80\x06N.", "offset 0: protocol 6"),
    "no stop": (b"\x80\x04N", "offset 3: 1 bytes wanted"),
    "nothing": (b".", "offset 0: stops with 0 values"),
    "two": (b"NN.", "offset 2: stops with 2 values"),
    "open mark": (b"(N.", "stops with 1 values"),
    "no mark": (b"Nt.", "no mark"),
    "pop": (b"\x85.", "the stack is empty"),
    "append": (b"}Na.", "expected list"),
    "append to nothing": (b"Na.", "expected list"),
    "set item": (b"]K\1Ns.", "expected dict"),
    "odd items": (b"}(K\1u.", "a key without a value"),
    "odd dict": (b"(K\1d.", "a key without a value"),
    "list key": (b"}]Ns.", "key of type list"),
    "tuple key": (b"})Ns.", "key of type tuple"),
    "huge key": (b"}\x8a\x09" + bytes(8) + b"\1Ns.", "key of type int"),
    "build on a list": (b"]}b.", "expected Instance"),
    "build twice": (b"ca\nb\n)\x81}b}b.", "a second state"),
    "call of text": (b"U\x01a)R.", "not a name"),
    "call with a list": (b"ca\nb\n]R.", "not a name"),
    "global of numbers": (b"K\1K\2\x93.", "not text"),
    "memo": (b"h\5.", "nothing is stored under 5"),
    "memo index": (b"Np-1\n.", "index -1"),
    "memo of nothing": (b"q\0.", "the stack is empty"),
    "large memo": (b"Nr\xff\xff\xff\xffj\xff\xff\xff\xff", "1 bytes wanted"),
    "persistent id": (b"P1\n.", "opcode b'P'"),
    "binary persistent id": (b"NQ.", "opcode b'Q'"),
    "extension": (b"\x82\1.", "opcode"),
    "inst": (b"(ios\nsystem\n.", "opcode b'i'"),
    "obj": (b"(cos\nsystem\no.", "opcode b'o'"),
    "new with keywords": (b"ca\nb\n)}\x92.", "opcode"),
    "set": (b"\x8f.", "opcode"),
    "buffer": (b"\x97.", "opcode"),
    "bytes": (b"\x8e" + b"\xff" * 8, "18446744073709551615 bytes wanted"),
    "bytearray": (b"\x96" + b"\0\0\0\0\0\1\0\0", "1099511627776 bytes wanted"),
    "text": (b"X" + u32(1 << 31) + b"abc", "2147483648 bytes wanted, 3 are left"),
    "negative length": (b"T\xff\xff\xff\xff", "-1 bytes"),
    "negative long": (b"\x8b\xff\xff\xff\xff", "-1 bytes"),
    "long integer": (b"\x8b\0\1\0\0" + bytes(256), "an integer of 256 bytes"),
    "integer": (b"Iabc\n.", "'abc' is not a number"),
    "float": (b"F\n.", "'' is not a number"),
    "long line": (b"I" + b"1" * 600 + b"\n.", "a line of 600 bytes"),
    "open line": (b"I12", "a line without an end"),
    "not ASCII": (b"I\xe9\n.", "not ascii"),
    "UTF-8": (b"X" + u32(1) + b"\xff.", "not utf-8"),
    "escape": (b"V\\u12\n.", "not raw-unicode-escape"),
    "quote": (b"S'a\n.", "not a quoted string"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_refuses(case):
    data, reason = HOSTILE[case]
    with pytest.raises(FormatError, match=f"<bytes>: pickle at .*{reason}"):
        load(data)


AMPLIFYING = {
    "dicts": b"}" * 50_000,
    "marks": b"(" * 50_000,
    "memo": b"N" + b"\x94" * 50_000,
    "memoized dicts": b"}\x94" * 50_000,
    "views": b"C\0" * 50_000,
    "text": b"X\5\0\0\0a\xf0\x9f\x98\x80" * 50_000,
    "objects": b"ca\nb\n\x94" + b"h\0)\x81" * 50_000,
    "keys": b"}(" + b"".join(b"J" + struct.pack("<i", i) + b"N" for i in range(50_000)) + b"u",
}


@pytest.mark.parametrize("case", AMPLIFYING)
def test_memory_is_bounded(case, monkeypatch):
    monkeypatch.setattr(source, "_SLACK", MEBIBYTE)
    data = AMPLIFYING[case] + b"."
    tracemalloc.start()
    with pytest.raises(FormatError, match="bytes of memory"):
        load(data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak <= len(data) + 2 * MEBIBYTE


LINEAR = {
    "nesting": b")" + b"\x85" * 100_000,
    "lines": b"V" + b"a" * 3_000_000 + b"\n",
    "long text, many times": b"X" + u32(100_000) + b"a" * 100_000 + b"\x94" + b"h\0\x86" * 30_000,
    "keys of one slot": b"}("
    + b"".join(b"\x8a\x08" + struct.pack("<q", i << 43) + b"N" for i in range(1 << 15))
    + b"u",
}


@pytest.mark.parametrize("case", LINEAR)
def test_time_is_linear(case):
    start = time.process_time()
    load(LINEAR[case] + b".")
    assert time.process_time() - start < 5
