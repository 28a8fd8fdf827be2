"""Iterators over files through C."""

import ctypes

import numpy as np
import pytest

import mxnova as mx

from .c import Handle, UInt, created, out, texts

Texts = ctypes.POINTER(ctypes.c_char_p)


@pytest.fixture(scope="module")
def kinds(call):
    """The handle of each kind of iterator, and what is told of it, by name."""
    (count, count_at), (listed, at) = out(UInt), out(ctypes.POINTER(Handle))
    call("MXListDataIters", count_at, at)
    found = {}
    for creator in listed[: count.value]:
        (name, name_at), (text, text_at) = out(ctypes.c_char_p), out(ctypes.c_char_p)
        (number, number_at), lists = out(UInt), [out(Texts) for _ in range(3)]
        call(
            *("MXDataIterGetIterInfo", Handle(creator), name_at, text_at, number_at),
            *(each_at for _, each_at in lists),
        )
        names, types, _ = ([t.decode() for t in each[: number.value]] for each, _ in lists)
        found[name.value.decode()] = Handle(creator), dict(zip(names, types))
        assert text.value
    return found


@pytest.fixture
def numbers(tmp_path):
    path = tmp_path / "numbers.csv"
    np.savetxt(path, np.arange(20).reshape(5, 4), delimiter=",")
    return path


def test_all_kinds_of_mxnet_are_there(kinds):
    assert {*kinds} == {
        *("CSVIter", "LibSVMIter", "MNISTIter", "ImageDetRecordIter", "ImageRecordInt8Iter"),
        *("ImageRecordIter", "ImageRecordIter_v1", "ImageRecordUInt8Iter"),
        "ImageRecordUInt8Iter_v1",
    }


def test_parameters_are_told_as_mxnet_tells_them(kinds):
    _, parameters = kinds["CSVIter"]
    types = "'bfloat16', 'float16', 'float32', 'float64', 'int32', 'int64', 'int8', 'uint8'"
    assert [*parameters.items()] == [
        ("data_csv", "string, required"),
        ("data_shape", "Shape(tuple), required"),
        ("label_csv", "string, optional, default='NULL'"),
        ("label_shape", "Shape(tuple), optional, default=[1]"),
        ("batch_size", "int (non-negative), required"),
        ("round_batch", "boolean, optional, default=1"),
        ("prefetch_buffer", "long (non-negative), optional, default=4"),
        ("ctx", "{'cpu', 'gpu'},optional, default='gpu'"),
        ("dtype", f"{{None, {types}}},optional, default='None'"),
    ]


def test_iterators_of_integers_are_not_told_to_normalize(kinds):
    _, floats = kinds["ImageRecordIter"]
    _, integers = kinds["ImageRecordInt8Iter"]
    assert [*integers] == [*floats][: len(integers)]
    assert [*floats][len(integers) :][:3] == ["mirror", "rand_mirror", "mean_img"]


@pytest.fixture
def iterator(call, kinds, numbers):
    keys = texts("data_csv", "data_shape", "batch_size")
    values = texts(numbers, "(4,)", 2)
    return created(call, "MXDataIterCreateIter", kinds["CSVIter"][0], 3, keys, values)


def batches(call, values, iterator):
    (more, more_at), (pad, pad_at) = out(ctypes.c_int), out(ctypes.c_int)
    (index, index_at), (size, size_at) = out(ctypes.POINTER(ctypes.c_uint64)), out(ctypes.c_uint64)
    call("MXDataIterNext", iterator, more_at)
    while more.value:
        data = created(call, "MXDataIterGetData", iterator)
        label = created(call, "MXDataIterGetLabel", iterator)
        call("MXDataIterGetPadNum", iterator, pad_at)
        call("MXDataIterGetIndex", iterator, index_at, size_at)
        yield values(data), values(label), pad.value, index[: size.value]
        call("MXDataIterNext", iterator, more_at)


def test_the_batches_are_those_of_python(call, values, iterator, numbers):
    expected = mx.io.CSVIter(data_csv=str(numbers), data_shape=(4,), batch_size=2)
    for _ in range(2):
        call("MXDataIterBeforeFirst", iterator)
        expected.reset()
        rounds = 0
        for data, label, pad, index in batches(call, values, iterator):
            batch = expected.next()
            assert np.array_equal(data, batch.data[0].asnumpy())
            assert np.array_equal(label, batch.label[0].asnumpy())
            assert (pad, index) == (batch.pad, batch.index.tolist())
            rounds += 1
        assert rounds >= 2
        with pytest.raises(StopIteration):
            expected.next()


def test_errors(call, kinds, iterator):
    creator = kinds["CSVIter"][0]
    with pytest.raises(RuntimeError, match="is missing"):
        created(call, "MXDataIterCreateIter", creator, 0, None, None)
    pairs = (3, texts("data_csv", "data_shape", "batch_size"), texts("/none.csv", "(4,)", 2))
    with pytest.raises(RuntimeError, match="none.csv"):
        created(call, "MXDataIterCreateIter", creator, *pairs)
    call("MXDataIterFree", iterator)
    with pytest.raises(RuntimeError, match="no iterator"):
        call("MXDataIterNext", iterator, None)
