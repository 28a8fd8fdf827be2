# SPDX-License-Identifier: Apache-2.0
"""NDArray-list files: against files of MXNet 1.9.1, against themselves, and hostile."""

from __future__ import annotations

import io
import math
import os
import struct
import subprocess
import sys
import tracemalloc
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mxnova.core.base.dtypes import BFLOAT16, DTYPES, dtype_of
from mxnova.core.base.errors import ArgumentError, ArgumentTypeError, FormatError, MXNetError
from mxnova.formats import params, source
from mxnova.formats.params import ArrayRecord

FILES = Path(__file__).parents[2] / "data" / "files"
V1, V2, V3 = 0xF993FAC8, 0xF993FAC9, 0xF993FACA
MEBIBYTE = 1 << 20


def counted(shape, dtype="float32"):
    """An array counted up from 0, as in the recorded files."""
    kind = dtype_of(dtype)
    values = np.arange(math.prod(shape), dtype=np.float32).reshape(shape)
    if dtype == "bfloat16":
        return (values.view(np.uint32) >> 16).astype(np.uint16).view(BFLOAT16)
    return values.astype(kind.numpy)


def dense(shape, dtype="float32", context=(1, 0)):
    return ArrayRecord("default", shape, dtype_of(dtype), counted(shape, dtype), (), context)


def csr(indptr=(0, 2, 2, 3), indices=(0, 2, 1), shape=(3, 4), dtype="float32"):
    aux = (np.array(indptr, np.int64), np.array(indices, np.int64))
    return ArrayRecord("csr", shape, dtype_of(dtype), counted((len(indices),), dtype), aux)


def row_sparse(rows=(1, 4), shape=(5, 2), dtype="float32"):
    data = counted((len(rows), *shape[1:]), dtype)
    return ArrayRecord("row_sparse", shape, dtype_of(dtype), data, (np.array(rows, np.int64),))


RECORDED_DTYPES = [dtype.name for dtype in DTYPES if dtype.flag not in (8, 9, 10, 11)]
RECORDED = {
    "dense": ({dtype: dense((2, 3), dtype) for dtype in RECORDED_DTYPES}, False),
    "list": ([dense((4,)), dense((1, 2, 1, 3, 2), "float64"), dense((1,), "int64")], False),
    "single": ([dense((2, 3))], False),
    "empty": ([], False),
    "names": (
        {"arg:poids_é": dense((2,)), "aux:вес a/b.c": dense((1, 2)), "": dense((3,))},
        False,
    ),
    "sparse": (
        {
            "c": csr(),
            "c64": csr(dtype="float64"),
            "r": row_sparse(),
            "r3": row_sparse((2,), (3, 2, 2), "float64"),
        },
        False,
    ),
    "sparse_zero": ({"c": csr((0, 0, 0, 0), ()), "r": row_sparse(())}, False),
    "numpy_shapes": (
        {"scalar": dense((), "int32"), "nothing": dense((0, 3)), "x": dense((2, 3))},
        True,
    ),
}


def parts_of(content):
    names = list(content) if isinstance(content, dict) else []
    return list(content.values()) if isinstance(content, dict) else content, names


def assert_same(got, want):
    assert (got.stype, got.shape, got.dtype) == (want.stype, want.shape, want.dtype)
    assert got.context == want.context
    for a, b in zip((got.data, *got.aux), (want.data, *want.aux), strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)


def assert_same_file(file, records, names):
    assert file.names == names
    for got, want in zip(file.records, records, strict=True):
        if want is None:
            assert got is None
        else:
            assert_same(got, want)


# -- what MXNet writes


@pytest.mark.parametrize("name", RECORDED)
def test_reads_what_mxnet_wrote(name):
    content, np_shape = RECORDED[name]
    path = FILES / f"{name}.params"
    for opened in (path, str(path), path.read_bytes(), io.BytesIO(path.read_bytes())):
        assert_same_file(params.read(opened, np_shape=np_shape), *parts_of(content))


@pytest.mark.parametrize("name", RECORDED)
def test_writes_the_bytes_that_mxnet_wrote(name):
    content, np_shape = RECORDED[name]
    want = (FILES / f"{name}.params").read_bytes()
    assert params.dumps(*parts_of(content), np_shape=np_shape) == want


def test_reads_sparse_arrays_whose_stored_shape_starts_with_0():
    data = (FILES / "sparse_tostype.params").read_bytes()
    want = csr(indices=(0, 2, 1))
    (got,) = params.read(data).records
    assert got.stype == "csr"
    np.testing.assert_array_equal(got.data, [1.0, 2.0])  # the stored 0 of csr() became a zero
    written = bytearray(params.dumps([got]))
    assert want.shape == got.shape
    assert written[36:44] == struct.pack("<q", 2)  # MXNet writes the number, too, once it loaded it
    written[36:44] = bytes(8)
    assert written == data


# -- older versions


def array_list(*arrays, names=(), count=None, n_names=None, magic=0x112):
    count = len(arrays) if count is None else count
    n_names = len(names) if n_names is None else n_names
    named = b"".join(struct.pack("<Q", len(name)) + name for name in names)
    head = struct.pack("<QQQ", magic, 0, count)
    return head + b"".join(arrays) + struct.pack("<Q", n_names) + named


def shape_bytes(*shape):
    return struct.pack(f"<i{len(shape)}q", len(shape), *shape)


def array_v2(shape, data, flag=0, magic=V2, stype=0, context=(1, 0)):
    placement = struct.pack("<iii", *context, flag)
    return struct.pack("<Ii", magic, stype) + shape_bytes(*shape) + placement + data


def sparse_v2(stype, stored, shape, aux, data, aux_flag=6, aux_data=None):
    head = struct.pack("<Ii", V2, stype) + shape_bytes(*stored) + shape_bytes(*shape)
    head += struct.pack("<iii", 1, 0, 0)
    for indices in aux:
        head += struct.pack("<i", aux_flag) + shape_bytes(len(indices))
    if aux_data is None:
        aux_data = b"".join(struct.pack(f"<{len(indices)}q", *indices) for indices in aux)
    return head + np.asarray(data, "<f4").tobytes() + aux_data


EIGHT = np.arange(1, 9, dtype="<f8").tobytes()


@pytest.mark.parametrize(
    "head",
    [
        struct.pack("<III", 2, 2, 4),
        struct.pack("<Iiqq", V1, 2, 2, 4),
        struct.pack("<Iiiqq", V2, 0, 2, 2, 4),
    ],
    ids=["V0", "V1", "V2"],
)
def test_reads_every_legacy_version(head):
    array = head + struct.pack("<iii", 2, 3, 1) + EIGHT
    file = params.read(array_list(array, array, names=[b"a", b"b"]))
    assert file.names == ["a", "b"]
    for record in file.records:
        assert (record.shape, record.dtype.name, record.context) == ((2, 4), "float64", (2, 3))
        np.testing.assert_array_equal(record.data.ravel(), np.arange(1, 9))


@pytest.mark.parametrize(
    "none",
    [
        struct.pack("<I", 0),
        struct.pack("<Ii", V1, 0),
        struct.pack("<Iii", V2, 0, 0),
        struct.pack("<Iiii", V2, 1, 0, 0),
    ],
    ids=["V0", "V1", "V2", "V2 sparse"],
)
def test_an_array_without_dimensions_is_an_empty_handle(none):
    file = params.read(array_list(none, array_v2((2,), bytes(8)), none))
    assert [record is None for record in file.records] == [True, False, True]


def test_empty_handles_are_written_as_v2():
    data = params.dumps([None, dense((1,))], ["a", "b"])
    assert data == array_list(
        struct.pack("<Iii", V2, 0, 0), array_v2((1,), bytes(4)), names=[b"a", b"b"]
    )


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: dtype.name)
def test_reads_and_writes_every_dtype(dtype):
    record = dense((3, 2), dtype.name)
    assert_same_file(params.read(params.dumps([record])), [record], [])


def test_legacy_files_and_numpy_shapes_exclude_each_other():
    legacy, numpy = params.dumps([dense((2,))]), params.dumps([dense((2,))], np_shape=True)
    with pytest.raises(FormatError, match=r"array 0 at offset 24: .*turn np_shape on"):
        params.read(numpy)
    with pytest.raises(FormatError, match=r"array 0 at offset 24: .*turn np_shape off"):
        params.read(legacy, np_shape=True)


def test_contexts_are_kept():
    data = params.dumps([dense((2,), context=(2, 1))])
    assert params.read(data).records[0].context == (2, 1)


def test_equal_names_are_kept_and_what_follows_the_names_is_ignored():
    data = params.dumps([dense((2,))] * 2, ["a", "a"])
    assert params.read(data + b"more").names == ["a", "a"]


# -- where the arrays lie


def test_a_path_is_mapped_and_what_is_written_stays_out_of_the_file(tmp_path):
    path = tmp_path / "x.params"
    params.write(path, [dense((1000,))])
    before = path.read_bytes()
    data = params.read(path).records[0].data
    assert not data.flags.owndata
    data[:] = 7
    assert path.read_bytes() == before
    np.testing.assert_array_equal(params.read(path).records[0].data, np.arange(1000))


def test_a_mapped_file_can_be_replaced_by_what_was_read_from_it(tmp_path):
    path = tmp_path / "x.params"
    params.write(path, [dense((100_000,))])
    file = params.read(path)
    file.records[0].data[0] = 5
    params.write(path, file.records)
    assert params.read(path).records[0].data[0] == 5
    assert file.records[0].data[99_999] == 99_999


def test_arrays_of_bytes_are_read_only_views_and_those_of_a_bytearray_writable_ones():
    data = params.dumps([dense((4,))])
    assert not params.read(data).records[0].data.flags.writeable
    buffer = bytearray(data)
    params.read(buffer).records[0].data[0] = 1
    assert buffer != data


def test_only_elements_that_are_not_aligned_are_copied():
    file = [dense((3,), "uint8"), dense((2,)), dense((2,), "bfloat16"), dense((3,), "int8")]
    read = params.read(params.dumps(file)).records
    assert [record.data.flags.owndata for record in read] == [False, True, True, False]
    assert all(record.data.ctypes.data % record.dtype.numpy.itemsize == 0 for record in read)
    assert_same_file(params.ParamsFile(read, []), file, [])


def test_index_arrays_are_copies():
    buffer = bytearray(params.dumps([csr()]))
    (record,) = params.read(buffer).records
    buffer[24:] = bytes(len(buffer) - 24)
    np.testing.assert_array_equal(record.aux[1], [0, 2, 1])


def test_a_csr_array_that_was_never_written_to_is_zero():
    data = array_list(sparse_v2(2, (0,), (2, 3), [(), ()], []))
    (record,) = params.read(data).records
    np.testing.assert_array_equal(record.aux[0], [0, 0, 0])


def test_indices_may_be_unsorted_and_repeated():
    arrays = [row_sparse((4, 1, 1)), csr((0, 3, 3, 3), (2, 0, 0))]
    assert_same_file(params.read(params.dumps(arrays)), arrays, [])


# -- writing


def test_write_to_a_stream_and_to_a_path_give_the_same_bytes(tmp_path):
    records, names = [dense((2, 3)), csr()], ["a", "b"]
    stream = io.BytesIO()
    params.write(stream, records, names)
    params.write(str(tmp_path / "x"), records, names)
    data = params.dumps(records, names)
    assert stream.getvalue() == (tmp_path / "x").read_bytes() == data


def test_write_goes_on_where_a_raw_file_stopped():
    class Reluctant(io.BytesIO):
        def write(self, data):
            return super().write(bytes(data[:5]))

    file = Reluctant()
    params.write(file, [dense((2, 3))], ["w"])
    assert file.getvalue() == params.dumps([dense((2, 3))], ["w"])


def test_arrays_need_not_be_contiguous():
    data = np.arange(6, dtype=np.float32).reshape(2, 3).T
    (got,) = params.read(params.dumps([ArrayRecord("default", (3, 2), DTYPES[0], data)])).records
    np.testing.assert_array_equal(got.data, data)


def test_a_failed_write_leaves_the_old_file_and_no_other(tmp_path):
    path = tmp_path / "x.params"
    params.write(path, [dense((2,))])
    before = path.read_bytes()
    with pytest.raises(ArgumentError):
        params.write(path, [dense((2,)), dense(())])
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["x.params"]


f32 = dtype_of("float32")
BAD_RECORDS = {
    "names": ([dense((2,))], ["a", "b"], False, "2 names for 1 arrays"),
    "surrogate": ([dense((2,))], ["\ud800"], False, "name 0 .*not UTF-8"),
    "NUL": ([dense((2,))], ["a\0b"], False, "name 0 .*NUL"),
    "scalar": ([dense(())], ["s"], False, "array 0 .'s'.: a scalar"),
    "none": ([None], [], True, "array 0: an empty handle"),
    "sparse": ([csr()], [], True, "array 0: csr arrays have no form under np_shape"),
    "stype": ([ArrayRecord("coo", (2,), f32, np.zeros(2, "f4"))], [], False, "'coo'"),
    "aux": ([ArrayRecord("csr", (2, 2), f32, np.zeros(2, "f4"))], [], False, "'csr' with 0 aux"),
    "shape": ([ArrayRecord("default", (3,), f32, np.zeros(2, "f4"))], [], False, r"shape \(2,\)"),
    "dtype": ([ArrayRecord("default", (2,), f32, np.zeros(2, "f8"))], [], False, "float64"),
    "order": ([ArrayRecord("default", (2,), f32, np.zeros(2, ">f4"))], [], False, ">f4"),
    "indptr": ([csr((0, 3), (0, 1, 2))], [], False, r"expected \(4,\)"),
    "rows": (
        [ArrayRecord("row_sparse", (4, 2), f32, np.zeros((2, 2), "f4"), (np.zeros(1, "i8"),))],
        [],
        False,
        r"expected \(1, 2\)",
    ),
    "indices": (
        [ArrayRecord("row_sparse", (4,), f32, np.zeros(1, "f4"), (np.zeros(1, "i4"),))],
        [],
        False,
        "int64",
    ),
}


@pytest.mark.parametrize("case", BAD_RECORDS)
def test_refuses_to_write(case):
    records, names, np_shape, reason = BAD_RECORDS[case]
    with pytest.raises(ArgumentError, match=reason):
        params.dumps(records, names, np_shape=np_shape)


# -- single arrays


@pytest.mark.parametrize("record", [None, dense((2, 3)), csr(), row_sparse()])
def test_single_arrays(record):
    data = params.dumps_array(record)
    assert params.dumps([record])[24:-8] == data
    got = params.loads_array(data)
    assert_same_file(params.ParamsFile([got], []), [record], [])


def test_single_arrays_of_either_semantics_are_taken_unless_one_is_asked_for():
    scalar = params.dumps_array(dense(()), np_shape=True)
    assert params.loads_array(scalar).shape == ()
    assert params.loads_array(scalar, np_shape=True).shape == ()
    with pytest.raises(FormatError, match="np_shape on"):
        params.loads_array(scalar, np_shape=False)


# -- hostile files

DENSE = array_v2((2,), bytes(8))
HOSTILE = {
    "empty": (b"", "header at offset 0: .* 24 bytes, 0 are left"),
    "magic": (array_list(DENSE, magic=0x113), "header at offset 0: magic number 0x113"),
    "count": (array_list(count=1 << 62), "header at offset 24: a list of 4611686018427387904"),
    "ndim": (array_list(struct.pack("<Iii", V2, 0, 33)), "array 0 at offset 32: 33 dimensions"),
    "ndim < 0": (array_list(struct.pack("<Iii", V2, 0, -1)), "at offset 32: -1 dimensions"),
    "V0 ndim": (array_list(struct.pack("<I", 1 << 30)), "at offset 24: 1073741824 dimensions"),
    "dimension < 0": (array_list(array_v2((-1, 2), b"")), "negative dimension"),
    "overflow": (array_list(array_v2((1 << 40, 1 << 40), b"")), "too large"),
    "zero and overflow": (array_list(array_v2((0, 1 << 62, 4), b"")), "too large"),
    "data": (array_list(array_v2((1 << 40,), b"")), "needs 4398046511104 bytes, 8 are left"),
    "dtype": (array_list(array_v2((2,), b"", flag=13)), "at offset 52: unknown dtype flag 13"),
    "dtype < 0": (array_list(array_v2((2,), b"", flag=-1)), "unknown dtype flag -1"),
    "stype": (array_list(array_v2((2,), b"", stype=3)), "offset 28: storage type 3"),
    "stype < 0": (array_list(array_v2((2,), b"", stype=-1)), "storage type -1"),
    "no names": (array_list(DENSE)[:-8], "names at offset 64: .* 8 bytes, 0 are left"),
    "n_names": (array_list(DENSE, n_names=2), "names at offset 64: 2 names for 1 arrays"),
    "names of none": (array_list(n_names=1), "1 names for 0 arrays"),
    "name": (array_list(DENSE, names=[b"abc"])[:-1], "name 0 at offset 80: .* 3 bytes, 2 are"),
    "name length": (
        array_list(DENSE, n_names=1) + struct.pack("<Q", 1 << 63),
        "name 0 at offset 80: a name of 9223372036854775808 bytes",
    ),
    "long name": (array_list(DENSE, names=[b"a" * 70_000]), "at most 65536"),
    "UTF-8": (array_list(DENSE, names=[b"ab\xff"]), "name 0 at offset 82: not UTF-8"),
    "NUL": (array_list(DENSE, names=[b"a\0"]), "name 0 at offset 80: a NUL"),
    "csr rank": (array_list(sparse_v2(2, (1,), (3,), [(0, 1), (0,)], [1])), "csr array of shape"),
    "csr stored": (array_list(sparse_v2(2, (1, 1), (1, 3), [(0, 1), (0,)], [1])), "csr array"),
    "csr rows": (array_list(sparse_v2(2, (1,), (9, 3), [(0, 1), (0,)], [1])), "2 row pointers"),
    "no indptr": (array_list(sparse_v2(2, (1,), (9, 3), [(), (0,)], [1])), "0 row pointers"),
    "rsp rank": (array_list(sparse_v2(1, (1,), (4, 2), [(0,)], [1])), "row_sparse array of shape"),
    "rsp scalar": (array_list(sparse_v2(1, (), (4,), [(0,)], [1])), "row_sparse array of shape"),
    "rsp columns": (array_list(sparse_v2(1, (1, 3), (4, 2), [(0,)], [1, 2, 3])), "row_sparse"),
    "aux flag": (array_list(sparse_v2(1, (1,), (4,), [(0,)], [1], aux_flag=4)), "flag 4"),
    "aux short": (array_list(sparse_v2(1, (1,), (4,), [(0,)], [1], aux_data=b""))[:-8], "8 bytes"),
    "V3 sparse": (
        array_list(struct.pack("<Ii", V3, 1)),
        "storage type 1, expected 0 .dense., as V3 is",
    ),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_refuses_to_read(case):
    data, reason = HOSTILE[case]
    with pytest.raises(FormatError, match=f"^<bytes>: .*{reason}"):
        params.read(data, np_shape=case.startswith("V3"))


BAD_INDICES = {
    "row < 0": row_sparse((-1,)),
    "row": row_sparse((5,)),
    "column": csr(indices=(0, 4, 1)),
    "column < 0": csr(indices=(0, -1, 1)),
    "first pointer": csr((1, 2, 2, 3)),
    "last pointer": csr((0, 2, 2, 2)),
    "falling": csr((0, 3, 2, 3)),
    "rows of none": row_sparse((0,), (0, 2)),
}


@pytest.mark.parametrize("case", BAD_INDICES)
def test_refuses_indices_that_point_outside(case):
    data = params.dumps([dense((2,)), BAD_INDICES[case]], ["arg:x", "arg:w"])
    with pytest.raises(FormatError, match=r"array 1 .'arg:w'. at offset .*, expected|pointers"):
        params.read(data)
    with pytest.raises(FormatError):
        params.loads_array(params.dumps_array(BAD_INDICES[case]))


def test_row_pointers_are_checked_across_the_steps_of_the_check():
    n = (1 << 20) + 1
    indptr = np.zeros(n + 1, np.int64)
    indptr[1 << 20] = 1  # the only fall is from the last of one step to the first of the next
    with pytest.raises(FormatError, match="row pointers do not rise"):
        params.read(params.dumps([csr(indptr, (), (n, 4))]))


def peak_of(function, *args):
    """What `function` returned or raised, and the most memory that it held."""
    tracemalloc.start()
    try:
        function(*args)
        error = None
    except MXNetError as raised:
        error = raised
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return error, peak


V0_NONE = struct.pack("<I", 0)
AMPLIFYING = {
    "small": [array_v2((1,), bytes(4))] * 10_000,
    "many dimensions": [array_v2((300,) * 2 + (0,) * 30, b"")] * 5_000,
    "sparse": [sparse_v2(1, (0,), (300,), [()], [])] * 5_000,
    "row pointers": [sparse_v2(2, (0,), (100_000, 3), [(), ()], [])] * 5,
    "names": ([V0_NONE] * 40_000, ["é€".encode()] * 40_000),
    "row pointers of many rows": [sparse_v2(2, (0,), (1 << 40, 3), [(), ()], [])],
    "wide names": ([V0_NONE] * 100, ["😀".encode() + b"a" * 65_000] * 100),
}


@pytest.mark.parametrize("case", AMPLIFYING)
def test_memory_is_bounded_by_the_size_of_the_file(case, monkeypatch):
    monkeypatch.setattr(source, "_SLACK", MEBIBYTE)
    content = AMPLIFYING[case]
    arrays, names = content if isinstance(content, tuple) else (content, ())
    data = array_list(*arrays, names=names)
    error, peak = peak_of(params.read, data)
    assert error is None or "bytes of memory" in str(error)
    assert (error is not None) == (case in ("sparse", "row pointers", "row pointers of many rows"))
    assert peak <= params.FACTOR * len(data) + 2 * MEBIBYTE


# fmt: off
WITHOUT_ELEMENTS = [(3 * 10**9, 0), (0, 3 * 10**9), (1 << 24, 2, 0), (1 << 59, 0), (0, 1 << 59)]
# fmt: on


@pytest.mark.parametrize("shape", WITHOUT_ELEMENTS, ids=str)
@pytest.mark.parametrize("version", [array_v2, partial(sparse_v2, 1), partial(sparse_v2, 2)])
def test_arrays_without_elements_have_dimensions_that_programs_can_work_with(version, shape):
    if version is array_v2:
        arrays = [array_v2(shape, b"")]
    elif version.args == (1,):
        arrays = [sparse_v2(1, (0, *shape[1:]), shape, [(0,)], [])]
    else:
        arrays = [sparse_v2(2, (0,), shape, [(), ()], [])]
    with pytest.raises(FormatError, match="without elements is too large|expected one|csr array"):
        params.read(array_list(*arrays))


LOAD_AND_MEASURE = """
import os, re, sys
import mxnova as mx

def resident(which):
    return int(re.search(which + r":\\s*(\\d+) kB", open("/proc/self/status").read())[1]) << 10

mx.nd.save(sys.argv[1], [mx.nd.ones((2,)), mx.nd.ones((2, 2)).tostype("csr")])
mx.nd.load(sys.argv[1])
for path in sys.argv[2:]:
    sys.stdout.flush()
    if os.fork():
        os.wait()
        continue
    mx.nd.load(sys.argv[1])  # pages of libraries, which a fork does not have yet, up to 13 MB
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")  # the peak begins anew
    before = resident("VmRSS")
    try:
        kept = mx.nd.load(path)
    except mx.MXNetError as error:
        assert "bytes of memory" in str(error), error
    print(resident("VmHWM") - before, flush=True)
    os._exit(0)
"""


def array_v0(shape, data):
    return struct.pack(f"<{1 + len(shape)}I3i", len(shape), *shape, 1, 0, 0) + data


MANY = {
    "V0": [array_v0((1,), bytes(4))] * 30_000,
    "V0 without elements": [array_v0((0,), b"")] * 30_000,
    "V2": [array_v2((1,), bytes(4))] * 30_000,
    "row_sparse": [sparse_v2(1, (0, 3), (2, 3), [()], [])] * 15_000,
    "csr": [sparse_v2(2, (0,), (2, 3), [(), ()], [])] * 15_000,
    "none": [V0_NONE] * 300_000,
    "names": ([array_v0((1,), bytes(4))] * 20_000, [b"%d" % i for i in range(20_000)]),
}


@pytest.mark.skipif(sys.platform != "linux", reason="/proc")
def test_arrays_made_of_many_small_ones_stay_within_the_bound(tmp_path):
    paths = [tmp_path / case for case in MANY]
    for path, content in zip(paths, MANY.values()):
        arrays, names = content if isinstance(content, tuple) else (content, ())
        path.write_bytes(array_list(*arrays, names=names))
    command = [sys.executable, "-c", LOAD_AND_MEASURE, tmp_path / "warm", *paths]
    grown = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout.split()
    for path, n_bytes in zip(paths, grown, strict=True):
        bound = params.FACTOR * path.stat().st_size + 16 * MEBIBYTE
        assert int(n_bytes) <= bound, path.name


def test_misaligned_arrays_are_within_the_bound():
    arrays = array_v2((3,), bytes(3), 3), array_v2((10 * MEBIBYTE,), bytes(40 * MEBIBYTE))
    data = array_list(*arrays)
    error, peak = peak_of(params.read, data)
    assert error is None
    assert peak <= len(data) + MEBIBYTE


def test_many_arrays_of_some_size_are_no_amplification():
    records = [dense((200,))] * 50_000
    assert len(params.read(params.dumps(records)).records) == 50_000


def test_the_file_is_named_in_errors(tmp_path):
    path = tmp_path / "x.params"
    path.write_bytes(b"short")
    with pytest.raises(FormatError, match=f"^{path}: header at offset 0"):
        params.read(path)
    with open(path, "rb") as file, pytest.raises(FormatError, match=f"^{path}: header"):
        params.read(file)


def test_an_empty_file_and_a_missing_one(tmp_path):
    (tmp_path / "x").write_bytes(b"")
    with pytest.raises(FormatError, match="0 are left"):
        params.read(tmp_path / "x")
    with pytest.raises(FileNotFoundError):
        params.read(tmp_path / "y")


@pytest.mark.parametrize("source", [None, 5, io.StringIO("text")])
def test_sources_that_are_none(source):
    with pytest.raises(ArgumentTypeError, match="expected a path, bytes or a binary stream"):
        params.read(source)


def test_big_endian_hosts_are_refused(monkeypatch):
    monkeypatch.setattr(sys, "byteorder", "big")
    for action in (lambda: params.read(b""), lambda: params.dumps([])):
        with pytest.raises(MXNetError, match="big-endian"):
            action()


# -- any file

shapes = st.lists(st.integers(0, 4), min_size=1, max_size=4).map(tuple)
dtypes = st.sampled_from([dtype.name for dtype in DTYPES])
arrays = st.one_of(
    st.none(),
    st.builds(dense, shapes, dtypes),
    st.builds(row_sparse, st.lists(st.integers(0, 4), max_size=6), st.just((5, 2)), dtypes),
    st.builds(
        lambda columns: csr((0, len(columns), len(columns)), columns, (2, 7)),
        st.lists(st.integers(0, 6), max_size=6),
    ),
)
texts = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))


@given(st.lists(arrays), st.data())
def test_what_is_written_is_read(records, data):
    n = len(records)
    names = data.draw(st.one_of(st.just([]), st.lists(texts, min_size=n, max_size=n)))
    written = params.dumps(records, names)
    assert_same_file(params.read(written), records, names)
    assert params.dumps(params.read(written).records, names) == written
