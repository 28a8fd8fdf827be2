# SPDX-License-Identifier: Apache-2.0
import json
import tracemalloc

import numpy as np
import pytest

from mxnova.serve.errors import Refused
from mxnova.serve.tensors import (
    DATATYPES,
    datatype_of,
    dtype_of,
    encode_json,
    from_bytes,
    from_json,
    to_json,
)

ALL = pytest.mark.parametrize("name", DATATYPES)


@ALL
def test_names_of_element_types_lead_back(name):
    assert datatype_of(dtype_of("x", name)) == name


@ALL
def test_bytes_are_little_endian_rows(name):
    dtype = DATATYPES[name]
    values = np.array([[0, 1, 1], [1, 0, 1]]).astype(dtype)
    read = from_bytes("x", memoryview(values.tobytes()), dtype, (2, 3))
    assert read.dtype == dtype
    np.testing.assert_array_equal(read, values)


def test_any_byte_but_zero_is_true():
    read = from_bytes("x", memoryview(b"\0\1\2"), np.dtype(bool), (3,))
    assert read.tobytes() == b"\0\1\1"


def test_bf16_is_read_as_fp32_from_bytes_alone():
    values = np.float32([[1.5, -0.0], [np.inf, 2.0**-130]])
    upper = (values.view(np.uint32) >> 16).astype("<u2")
    dtype = dtype_of("x", "BF16")
    read = from_bytes("x", memoryview(upper.tobytes()), dtype, (2, 2))
    assert read.dtype == np.float32
    assert read.tobytes() == values.tobytes()
    with pytest.raises(Refused, match="binary data"):
        from_json("x", [1.0], dtype, (1,))
    with pytest.raises(Refused, match="7 bytes, and its shape and datatype 8"):
        from_bytes("x", memoryview(bytes(7)), dtype, (2, 2))


GOOD = [
    ([1, 2, 3, 4], "FP32", [[1, 2], [3, 4]]),
    ([[1, 2], [3, 4]], "FP32", [[1, 2], [3, 4]]),
    ([0.5, "NaN", "Infinity", "-Infinity"], "FP64", [[0.5, np.nan], [np.inf, -np.inf]]),
    ([["NaN", 1], [2, 3]], "FP16", [[np.nan, 1], [2, 3]]),
    ([True, False, False, True], "BOOL", [[True, False], [False, True]]),
    ([2**64 - 1, 1, 0, 2], "UINT64", [[2**64 - 1, 1], [0, 2]]),
    ([-(2**63), 1, 0, 2**63 - 1], "INT64", [[-(2**63), 1], [0, 2**63 - 1]]),
    ([1.0, 2, 3, 4], "INT8", [[1, 2], [3, 4]]),
    ([1e300, 1, 2, 3], "FP32", [[np.inf, 1], [2, 3]]),
]


@pytest.mark.parametrize("data, datatype, wanted", GOOD)
def test_json_is_flat_or_nested(data, datatype, wanted):
    dtype = DATATYPES[datatype]
    read = from_json("x", data, dtype, (2, 2))
    assert read.dtype == dtype
    np.testing.assert_array_equal(read, np.array(wanted, dtype))


BAD = [
    (None, "FP32", "expected a list"),
    ("1234", "FP32", "expected a list"),
    ([1, 2, 3], "FP32", "3 elements, and its shape 4"),
    ([1, 2, 3, [4]], "FP32", "no array of numbers"),
    ([1, 2, 3, None], "FP32", "no array of numbers"),
    ([1, 2, 3, {}], "FP32", "no array of numbers"),
    ([1, 2, 3, "four"], "FP32", "no array of numbers"),
    (["1", "2", "3", "4"], "FP32", "no array of numbers"),
    ([[1, 2, 3, 4]], "FP32", "nested as"),
    ([1, 2, 3, 300], "INT8", "not INT8"),
    ([1, 2, 3, -1], "UINT64", "not UINT64"),
    ([1, 2, 3, 2**64 - 1], "INT64", "not INT64"),
    ([1, 2, 3, 0.5], "INT32", "not INT32"),
    ([1, 2, 3, "NaN"], "INT32", "not INT32"),
    ([True, False, True, True], "FP32", "takes numbers"),
    ([1, 0, 1, 1], "BOOL", "takes booleans"),
]


@pytest.mark.parametrize("data, datatype, reason", BAD)
def test_what_is_no_tensor_is_refused(data, datatype, reason):
    with pytest.raises(Refused, match=reason) as caught:
        from_json("x", data, DATATYPES[datatype], (2, 2))
    assert caught.value.status == 400


@pytest.mark.parametrize("datatype", ["BYTES", "fp32", "", None, 7, [], "x" * 9999])
def test_datatypes_that_are_no_numbers_are_refused(datatype):
    with pytest.raises(Refused, match="has datatype"):
        dtype_of("x", datatype)


def test_bytes_must_be_as_many_as_the_shape_says():
    with pytest.raises(Refused, match="15 bytes, and its shape and datatype 16"):
        from_bytes("x", memoryview(b"x" * 15), DATATYPES["FP32"], (2, 2))


def test_outputs_that_json_lacks_are_words_that_are_read_back():
    values = np.array([[1.5, np.nan], [np.inf, -np.inf]], np.float32)
    flat = to_json(values)
    assert flat == [1.5, "NaN", "Infinity", "-Infinity"]
    np.testing.assert_array_equal(from_json("x", flat, values.dtype, (2, 2)), values)
    np.testing.assert_array_equal(np.array(flat, np.float32), values.ravel())  # as clients do


@pytest.mark.parametrize(
    "shape", [(), (1,), (3,), (2, 3), (0, 3), (3, 0), (2, 9000), (9000, 2), (2, 3, 5000), (20_000,)]
)
def test_encode_json_writes_what_from_json_reads(shape):
    values = np.random.default_rng(0).normal(size=shape).astype(np.float32)
    if values.size > 2:
        values.reshape(-1)[[0, -1]] = np.inf, np.nan
    told = json.loads(b"".join(encode_json(values, lambda n_bytes: None)))
    assert told == np.array(to_json(values), object).reshape(shape).tolist()
    if shape and values.size:
        np.testing.assert_array_equal(from_json("x", told, values.dtype, shape), values)
        np.testing.assert_array_equal(from_json("x", told, values.dtype), values)


@pytest.mark.parametrize(
    "data",
    [["x" * 1_000_000] + [1] * 1000, [1] * 1000 + ["NaN" * 300_000], [[1] * 1000] + [[]] * 10_000,
     [[1, 2]] * 9000 + [[3]]],
)  # fmt: skip
def test_irregular_data_is_refused_in_little_memory(data):
    tracemalloc.start()
    with pytest.raises(Refused, match="no array of numbers"):
        from_json("x", data, DATATYPES["FP32"])
    assert tracemalloc.get_traced_memory()[1] < 4 << 20
    tracemalloc.stop()


@pytest.mark.parametrize("data", [[1, True], [True] * 9000 + [1.5], [1.5] * 9000 + [True]])
def test_booleans_are_no_numbers_whatever_is_beside_them(data):
    for datatype in ("FP32", "BOOL"):
        with pytest.raises(Refused, match="takes"):
            from_json("x", data, DATATYPES[datatype])
