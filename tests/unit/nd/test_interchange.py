# SPDX-License-Identifier: Apache-2.0
"""Arrays and other libraries: NumPy, DLPack, PyTorch, pickle."""

import copy
import pickle

import numpy as np
import pytest
import torch

import mxnova as mx
from mxnova.core.base.errors import MXNetError

nd = mx.nd
DTYPES = ["float32", "float64", "float16", "uint8", "int32", "int8", "int64", "bool"]


@pytest.fixture
def x():
    return nd.array([[0, 1, 2], [3, 4, 5]])


# NumPy


def test_numpys_functions_read_arrays(x):
    np.testing.assert_allclose(np.sin(x), np.sin(np.arange(6, dtype="f").reshape(2, 3)))
    assert np.asarray(x).dtype == np.float32
    assert np.array(x, dtype="int32").tolist() == [[0, 1, 2], [3, 4, 5]]
    assert np.stack([x, x]).shape == (2, 2, 3)
    assert np.maximum(x, 2).tolist() == [[2, 2, 2], [3, 4, 5]]


def test_array_protocol_copies_unless_told_not_to(x):
    np.asarray(x)[:] = 9
    assert x.asnumpy()[0].tolist() == [0, 1, 2]
    shared = x.__array__(copy=False)
    shared[0, 0] = 7
    assert x[0, 0].asscalar() == 7
    with pytest.raises(ValueError):
        x.__array__(dtype="int32", copy=False)


@pytest.mark.parametrize("operator", ["__add__", "__sub__", "__truediv__", "__pow__", "__eq__"])
def test_operators_refuse_numpy_arrays_on_either_side(x, operator):
    a = np.ones((2, 3), "f")
    with pytest.raises(TypeError):
        getattr(x, operator)(a)
    with pytest.raises(TypeError):
        a - x


@pytest.mark.parametrize("dtype", DTYPES)
def test_asnumpy_of_every_type(dtype):
    values = np.array([[0, 1], [2, 3]]).astype(dtype)
    made = nd.array(values, dtype=dtype).asnumpy()
    assert made.dtype == dtype
    np.testing.assert_array_equal(made, values)


def test_arrays_of_one_element_are_numbers():
    assert float(nd.array([2.5])) == 2.5
    assert int(nd.array([[7]])) == 7
    assert range(5)[nd.array([2], dtype="int32")] == 2
    assert nd.array([[3]]).asscalar() == 3
    with pytest.raises(TypeError):
        float(nd.ones((2,)))
    with pytest.raises(TypeError):
        range(5)[nd.array([2.0])]


def test_array_takes_what_numpy_reads():
    assert nd.array(np.float64(3)).shape == ()
    assert nd.array([nd.array([1, 2]), [3, 4]]).asnumpy().tolist() == [[1, 2], [3, 4]]
    assert nd.array(np.arange(3, dtype=">f8")).asnumpy().tolist() == [0, 1, 2]
    assert nd.array(np.arange(4)[::-2]).asnumpy().tolist() == [3, 1]
    with pytest.raises(TypeError, match="array"):
        nd.array([1, "a"])
    with pytest.raises(TypeError):
        nd.array([1j])


def test_a_copied_numpy_array_is_left_alone():
    a = np.zeros(3, "f")
    nd.array(a)[:] = 5
    assert a.tolist() == [0, 0, 0]
    assert a.flags.writeable


def test_from_numpy_refuses_what_it_cannot_share():
    with pytest.raises(ValueError):
        nd.from_numpy(np.ones((2, 3))[:, ::2])
    with pytest.raises(ValueError):
        nd.from_numpy(np.ones(2, "complex64"))
    with pytest.raises(TypeError):
        nd.from_numpy([1, 2])


# DLPack


@pytest.mark.parametrize("give", ["to_dlpack_for_read", "to_dlpack_for_write"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_capsules_share_memory(give, dtype):
    x = nd.zeros((2, 3), dtype=dtype)
    y = nd.from_dlpack(getattr(nd, give)(x))
    y[1] = 1
    assert y.dtype is x.dtype
    assert x.asnumpy().astype(int).tolist() == [[0, 0, 0], [1, 1, 1]]


def test_a_capsule_is_consumed_once(x):
    capsule = x.to_dlpack_for_read()
    nd.from_dlpack(capsule)
    with pytest.raises(MXNetError, match="from_dlpack"):
        nd.from_dlpack(capsule)
    with pytest.raises(MXNetError):
        nd.from_dlpack(5)


def test_the_protocol_goes_both_ways(x):
    np.from_dlpack(x)
    tensor = torch.from_dlpack(x)
    tensor[0, 0] = 9
    assert x[0, 0].asscalar() == 9
    assert tuple(x.__dlpack_device__()) == (1, 0)
    made = nd.from_dlpack(torch.arange(3))
    assert made.dtype is np.int64
    a = np.arange(3, dtype="f")
    nd.from_dlpack(a)[1] = 7
    assert a.tolist() == [0, 7, 2]


def test_capsules_keep_memory_alive():
    capsule = nd.full((1000,), 3).to_dlpack_for_read()
    nd.full((1000,), 4)
    assert (nd.from_dlpack(capsule).asnumpy() == 3).all()


def test_views_are_given_at_their_place(x):
    nd.from_dlpack(x[1].to_dlpack_for_write())[:] = 9
    assert x.asnumpy().tolist() == [[0, 1, 2], [9, 9, 9]]


# PyTorch


def test_tensors_share_memory():
    tensor = torch.zeros(2, 3)
    x = nd.from_torch(tensor)
    x[1] = 5
    x.to_torch()[0, 0] = 7
    assert tensor.tolist() == [[7, 0, 0], [5, 5, 5]]


def test_tensors_must_be_contiguous():
    with pytest.raises(ValueError, match="contiguous"):
        nd.from_torch(torch.zeros(2, 3).T)


def test_read_only_arrays_refuse_in_place_operators():
    x = nd.NDArray(torch.zeros(3), writable=False)
    assert not x.writable
    with pytest.raises(ValueError, match="read-only"):
        x += 1
    with pytest.raises(ValueError):
        x[1:].__imul__(2)
    assert (x + 1).writable


# Pickle


@pytest.mark.parametrize("dtype", [*DTYPES, "int16", "bfloat16"])
def test_pickles_keep_type_and_values(dtype):
    x = nd.array([[0, 1], [1, 0]]).astype(dtype)
    made = pickle.loads(pickle.dumps(x))
    assert np.dtype(made.dtype) == np.dtype(x.dtype)
    assert made.astype("float32").asnumpy().tolist() == [[0, 1], [1, 0]]


def test_pickles_keep_shapes_without_elements_and_contexts():
    assert pickle.loads(pickle.dumps(nd.array(5))).shape == ()
    assert pickle.loads(pickle.dumps(nd.empty((2, 0)))).shape == (2, 0)
    made = pickle.loads(pickle.dumps(nd.ones((1,), ctx=mx.cpu(2))))
    assert made.context == mx.cpu(2)


def test_state_that_mxnet_pickled_is_read():
    state = bytes.fromhex(
        "c9fa93f9000000000200000002000000000000000300000000000000010000000000000000000000"
        "000000000000803f0000004000004040000080400000a040"
    )
    x = nd.NDArray(None)
    x.__setstate__({"handle": bytearray(state)})
    assert x.asnumpy().tolist() == [[0, 1, 2], [3, 4, 5]]
    assert bytes(x.__getstate__()["handle"]) == state


def test_broken_state_is_a_format_error():
    x = nd.NDArray(None)
    with pytest.raises(MXNetError):
        x.__setstate__({"handle": bytearray(b"nonsense")})


def test_copies_share_nothing(x):
    for made in (copy.copy(x), copy.deepcopy({"x": x})["x"], x.copy()):
        made[:] = 9
    assert x.asnumpy().tolist() == [[0, 1, 2], [3, 4, 5]]
