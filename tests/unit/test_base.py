# SPDX-License-Identifier: Apache-2.0
"""C values from Python ones and back."""

from __future__ import annotations

import array
import ctypes

import numpy as np
import pytest

import mxnova as mx
from mxnova import base
from mxnova.core.base.parameter_types import NOT_GIVEN


class Owner:
    def __init__(self, address):
        self.handle = ctypes.c_void_p(address)


def test_text():
    assert base.c_str("é").value == "é".encode()
    assert list(base.c_str_array(["a", "b"])) == [b"a", b"b"]
    assert base.py_str(b"\xc3\xa9") == "é"


def test_arrays():
    assert list(base.c_array(base.mx_uint, [1, 2])) == [1, 2]
    buffer = array.array("i", [1, 2])
    shared = base.c_array_buf(ctypes.c_int, buffer)
    shared[0] = 7
    assert buffer[0] == 7
    assert list(base.c_handle_array([Owner(8), Owner(16)])) == [8, 16]


def test_bytes_behind_a_pointer():
    source = ctypes.create_string_buffer(b"abc\0def")
    pointer = ctypes.cast(source, ctypes.POINTER(ctypes.c_char))
    assert base.ctypes2buffer(pointer, 7) == bytearray(b"abc\0def")
    with pytest.raises(TypeError, match="bytes is no pointer"):
        base.ctypes2buffer(b"abc", 3)


def test_return_codes(monkeypatch):
    monkeypatch.setattr(base, "get_last_ffi_error", lambda: base.MXNetError(""))
    base.check_call(0)
    with pytest.raises(base.MXNetError, match="returned -1"):
        base.check_call(-1)


def test_the_mark_of_an_argument_left_out():
    assert base._Null is NOT_GIVEN
    assert repr(base._Null) == "_Null"


def test_what_symbols_refuse_says_so():
    error = base.NotImplementedForSymbol(len, "size", 3)
    assert (error.function, error.alias) == ("len", "size")
    told = "len (size) is for arrays: a Symbol has no data until it is bound"
    assert str(error).startswith(told)


def test_errors_of_c_functions_by_name():
    class Unusual(base.MXNetError):
        pass

    assert base.register_error(Unusual) is Unusual
    assert base.error_types.pop("Unusual") is Unusual
    assert base.c2pyerror("ValueError: no") == ("ValueError: no", "ValueError")
    assert base.c2pyerror("[12:00:00] a.cc:3: Check failed") == (
        "[12:00:00] a.cc:3: Check failed",
        None,
    )


def test_numbers_behind_a_pointer_are_shared():
    source = (ctypes.c_float * 6)(*range(6))
    shared = base.ctypes2numpy_shared(ctypes.cast(source, base.mx_float_p), (2, 3))
    shared[1, 2] = 9
    assert list(source) == [0, 1, 2, 3, 4, 9]
    with pytest.raises(TypeError, match="no pointer to floats"):
        base.ctypes2numpy_shared(source, (2, 3))


def test_documentation_of_parameters():
    text = "Parameters\n----------\na : int\n    what a is\nb : float\n"
    assert (
        base.build_param_doc(["a", "b", "a"], ["int", "float", "x"], ["what a is", "", ""]) == text
    )


def test_properties_and_metaclasses_of_classes():
    class Meta(type):
        pass

    class Made(base.with_metaclass(Meta, dict)):
        name = base.classproperty(lambda cls: cls.__name__)

    assert type(Made) is Meta
    assert Made.name == Made().name == "Made"


def test_lists_of_one():
    assert base._as_list(1) == [1]
    assert base._as_list((1, 2)) == (1, 2)
    assert base._as_list([1]) == [1]


def test_where_data_is_kept(monkeypatch):
    monkeypatch.setenv("HOME", "/home/u")
    monkeypatch.delenv("MXNET_HOME", raising=False)
    assert base.data_dir() == base.data_dir_default() == "/home/u/.mxnet"
    monkeypatch.setenv("MXNET_HOME", "/data")
    assert base.data_dir() == "/data"
    monkeypatch.setattr(base.platform, "system", lambda: "Windows")
    monkeypatch.setenv("APPDATA", "/app")
    assert base.data_dir_default() == "/app/mxnet"


# What passes through ctypes ------------------------------------------------------------------------


def test_an_arrays_address_makes_it_an_array_again():
    x = mx.nd.array([1, 2])
    same = mx.nd.NDArray(ctypes.cast(x, base.NDArrayHandle), writable=False)
    x[0] = 7
    assert same.asnumpy().tolist() == [7, 2]


def test_addresses_of_nothing_are_refused():
    handle = ctypes.cast(mx.nd.ones(1), base.NDArrayHandle)
    for dead in (handle, base.NDArrayHandle(), base.NDArrayHandle(12345)):
        with pytest.raises(base.MXNetError, match="the handle of no NDArray"):
            mx.nd.NDArray(dead)


def test_a_dlpack_capsule_by_its_address():
    x = mx.nd.array([[1, 2], [3, 4]])
    capsule = ctypes.py_object(mx.nd.to_dlpack_for_write(x))
    assert base._LIB.omp_get_max_threads() >= 1
    pointer = ctypes.pythonapi.PyCapsule_GetPointer(capsule, base.c_str("dltensor"))
    handle = base.NDArrayHandle()
    base.check_call(base._LIB.MXNDArrayFromDLPack(ctypes.c_void_p(pointer), ctypes.byref(handle)))
    ctypes.pythonapi.PyCapsule_SetName(capsule, base.c_str("used_dltensor"))
    ctypes.pythonapi.PyCapsule_SetDestructor(capsule, None)
    taken = mx.nd.NDArray(handle)
    taken[0] = 9
    assert x.asnumpy().tolist() == [[9, 9], [3, 4]]


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
@pytest.mark.parametrize("shape", [(2, 3), (1,), (0, 2)])
def test_elements_are_copied_to_and_from_memory(shape, dtype):
    with mx.np_shape():
        x = mx.nd.random.randint(-9, 9, shape).astype(dtype).T
        there, back = np.zeros(x.shape, dtype), mx.nd.zeros(x.shape, dtype=dtype)
        memory, size = there.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(x.size)
        base.check_call(base._LIB.MXNDArraySyncCopyToCPU(x.handle, memory, size))
        assert there.tolist() == x.asnumpy().tolist()
        base.check_call(base._LIB.MXNDArraySyncCopyFromCPU(back.handle, memory, x.size))
        assert back.asnumpy().tolist() == there.tolist()


def test_a_wrong_number_of_elements_is_not_copied():
    x, there = mx.nd.ones((2, 3)), np.zeros(5, "f")
    for copy in (base._LIB.MXNDArraySyncCopyToCPU, base._LIB.MXNDArraySyncCopyFromCPU):
        with pytest.raises(base.MXNetError, match=r"5 elements .* shape is \[2,3\]"):
            base.check_call(copy(x.handle, there.ctypes.data_as(ctypes.c_void_p), 5))
    assert there.tolist() == [0] * 5
    assert x.asnumpy().tolist() == [[1] * 3] * 2


def test_threads_of_kernels_by_ctypes():
    before = base._LIB.omp_get_max_threads()
    try:
        base.check_call(base._LIB.MXSetNumOMPThreads(ctypes.c_int(1)))
        assert base._LIB.omp_get_max_threads() == 1
        with pytest.raises(base.MXNetError, match="thread_num=0"):
            base.check_call(base._LIB.MXSetNumOMPThreads(0))
    finally:
        base._LIB.MXSetNumOMPThreads(before)


def test_names_of_operators_by_their_address():
    count, names = ctypes.c_uint(), ctypes.POINTER(ctypes.c_char_p)()
    reference = ctypes.byref(count), ctypes.byref(names)
    base.check_call(base._LIB.MXListAllOpNames(*reference))
    listed = [base.py_str(names[i]) for i in range(count.value)]
    assert sorted(mx.operator.get_all_registered_operators()) == listed


def test_functions_of_a_c_library_that_is_not_there():
    with pytest.raises(AttributeError, match="no function 'MXNDArrayFromDLPac'.*did you mean"):
        base._LIB.MXNDArrayFromDLPac  # noqa: B018
