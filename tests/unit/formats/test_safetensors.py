# SPDX-License-Identifier: Apache-2.0
import json
import os
import struct

import numpy as np
import pytest

from mxnova.core.base.dtypes import BFLOAT16, DTYPES, dtype_of
from mxnova.core.base.errors import ArgumentError, FormatError, MXNetError
from mxnova.formats import safetensors
from mxnova.formats.params import ArrayRecord


def dense(values):
    values = np.asarray(values)
    return ArrayRecord("default", values.shape, dtype_of(values.dtype), values)


def arrays():
    rng = np.random.default_rng(0)
    found = {}
    for dtype in DTYPES:
        raw = rng.integers(0, 2, 6 * dtype.numpy.itemsize, np.uint8)
        found[f"a.{dtype.name}"] = dense(raw.view(dtype.numpy).reshape(2, 3))
    return {**found, "scalar": dense(np.float32(2)), "empty": dense(np.zeros((0, 3), "int8"))}


def file(header, data=b"", length=None):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + data


def entry(begin=0, end=8, shape=(2,), dtype="F32"):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": [begin, end]}


def test_what_is_written_is_read(tmp_path):
    metadata = {"b": "é", "a": ""}
    safetensors.write(tmp_path / "x.safetensors", arrays(), metadata)
    content = (tmp_path / "x.safetensors").read_bytes()
    assert content == safetensors.dumps(arrays(), metadata)
    for source in (tmp_path / "x.safetensors", content):
        read = safetensors.read(source)
        assert read.metadata == metadata
        assert read.arrays.keys() == arrays().keys()
        for name, array in arrays().items():
            assert (read.arrays[name].dtype, read.arrays[name].shape) == (array.dtype, array.shape)
            assert read.arrays[name].data.tobytes() == array.data.tobytes()
            assert read.arrays[name].data.ctypes.data % array.data.itemsize == 0


def test_the_package_reads_what_we_write_and_the_reverse(tmp_path):
    package = pytest.importorskip("safetensors.torch")
    torch = pytest.importorskip("torch")
    path = os.fspath(tmp_path / "x.safetensors")
    safetensors.write(path, arrays(), {"k": "v"})
    theirs = package.load_file(path)
    for name, array in arrays().items():
        wanted = array.data.view(np.uint16) if array.data.dtype == BFLOAT16 else array.data
        values = theirs[name].view(torch.uint16) if "bfloat16" in name else theirs[name]
        np.testing.assert_array_equal(values.numpy(), wanted)
    package.save_file(theirs, path, {"k": "v"})
    read = safetensors.read(path)
    assert read.metadata == {"k": "v"}
    for name, array in arrays().items():
        assert read.arrays[name].data.tobytes() == array.data.tobytes()


def test_arrays_are_views_of_the_map(tmp_path):
    safetensors.write(tmp_path / "x.safetensors", {"w": dense(np.zeros(1000, "f"))})
    read = safetensors.read(tmp_path / "x.safetensors").arrays["w"].data
    read[:] = 1  # copy-on-write
    assert not safetensors.read(tmp_path / "x.safetensors").arrays["w"].data.any()


def test_arrays_that_are_not_aligned_are_copies():
    content = file({"a": entry(0, 1, (1,), "I8"), "b": entry(1, 9)}, b"\1" + bytes(8))
    read = safetensors.read(content)
    assert read.arrays["b"].data.ctypes.data % 4 == 0


HOSTILE = {
    "short": (b"\1\0", "2 bytes, fewer than the 8"),
    "long header": (file({}, length=1 << 40), "at most 100,000,000 are read"),
    "header beyond the end": (file({}, length=9), "2 are left"),
    "no object": (file(b"[]"), "does not begin with"),
    "a space first": (file(b" {}"), "does not begin with"),
    "no JSON": (file(b"{x}"), "line 1, column 2"),
    "no UTF-8": (file(b'{"\xff":1}'), "not UTF-8"),
    "deep": (file(b'{"a":' + b"[" * 100000), "brackets nest"),
    "twice": (file(b'{"a":{"dtype":"F32","shape":[0],"data_offsets":[0,0]},"a":1}'), "twice"),
    "a field twice": (file(b'{"a":{"dtype":"F32","dtype":"F32"}}'), "twice"),
    "metadata twice": (file(b'{"__metadata__":{"x":"","x":""}}'), "twice"),
    "metadata of numbers": (file({"__metadata__": {"a": 1}}), "an object of texts"),
    "metadata as a list": (file({"__metadata__": []}), "an object of texts"),
    "a field more": (file({"a": {**entry(), "x": 1}}, bytes(8)), "no others"),
    "a field less": (file({"a": {"dtype": "F32"}}), "no others"),
    "no entry": (file({"a": 1}), "no others"),
    "dtype": (file({"a": entry(dtype="F8_E4M3")}, bytes(8)), "no element type 'F8_E4M3'"),
    "dtype as a list": (file({"a": entry(dtype=[])}, bytes(8)), "no element type"),
    "negative size": (file({"a": entry(shape=(-2,))}, bytes(8)), "numbers from 0 on"),
    "real size": (file({"a": entry(shape=(2.0,))}, bytes(8)), "numbers from 0 on"),
    "truth value": (file({"a": entry(shape=(True, 2))}, bytes(8)), "numbers from 0 on"),
    "too many axes": (file({"a": entry(shape=(1,) * 33)}, bytes(8)), "is too large"),
    "overflow": (file({"a": entry(shape=(1 << 40, 1 << 40))}, bytes(8)), "is too large"),
    "a huge number": (file(b'{"a":{"shape":[%b]}}' % (b"9" * 5000)), "too large"),
    "empty but huge": (file({"a": entry(0, 0, (0, 1 << 30))}), "without elements is too large"),
    "wrong size": (file({"a": entry(0, 4)}, bytes(4)), "4 bytes for float32"),
    "turned": (file({"a": entry(8, 0)}, bytes(8)), "do not lie in 8 bytes"),
    "beyond": (file({"a": entry(8, 16)}, bytes(8)), "do not lie in 8 bytes"),
    "three offsets": (
        file({"a": {**entry(), "data_offsets": [0, 8, 8]}}, bytes(8)),
        "do not lie",
    ),
    "overlap": (file({"a": entry(), "b": entry(4, 12)}, bytes(12)), "overlaps"),
    "the same bytes": (file({"a": entry(), "b": entry()}, bytes(8)), "overlaps"),
    "gap": (file({"a": entry(), "b": entry(9, 17)}, bytes(17)), "leaves a gap"),
    "bytes after": (file({"a": entry()}, bytes(9)), "1 bytes after the last array"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_headers_are_refused(case):
    content, text = HOSTILE[case]
    with pytest.raises(FormatError, match=text):
        safetensors.read(content)


def test_an_error_names_the_file(tmp_path):
    (tmp_path / "bad.safetensors").write_bytes(file({"a": entry(0, 4)}, bytes(4)))
    with pytest.raises(FormatError, match=r"bad\.safetensors: array 'a': 4 bytes"):
        safetensors.read(tmp_path / "bad.safetensors")


@pytest.mark.parametrize("name", ["__metadata__", "\ud800"])
def test_names_that_the_format_lacks_are_refused(tmp_path, name):
    with pytest.raises(ArgumentError, match="safetensors"):
        safetensors.write(tmp_path / "x", {name: dense(np.zeros(2, "f"))})
    assert not list(tmp_path.iterdir())


def test_a_full_disk_leaves_nothing(tmp_path):
    if not os.path.exists("/dev/full"):
        pytest.skip("there is no /dev/full")
    with pytest.raises(MXNetError):
        safetensors.write("/dev/full", arrays())
