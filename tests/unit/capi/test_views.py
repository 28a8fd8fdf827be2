"""Views, sparse arrays, files, shared memory and functions from before operators, through C."""

import ctypes
import os
import socket
import subprocess
import sys

import numpy as np
import pytest

import mxnova as mx

from .c import Handle, UInt, address, created, handles, ints, out, texts, uints


def test_views_share_memory_and_outlive_their_base(call, array, values):
    base = array([[1, 2], [3, 4], [5, 6]])
    rows = created(call, "MXNDArraySlice", base, 1, 3)
    row = created(call, "MXNDArrayAt", base, 1)
    flat = created(call, "MXNDArrayReshape", base, 1, ints(-1))
    data, where = out(ctypes.POINTER(ctypes.c_float))
    call("MXNDArrayGetData", base, where)
    data[2] = 30
    call("MXNDArrayFree", base)
    assert values(rows).tolist() == [[30, 4], [5, 6]]
    assert values(row).tolist() == [30, 4]
    assert values(flat).tolist() == [1, 2, 30, 4, 5, 6]


@pytest.mark.parametrize("name, kind, more", [
    ("MXNDArrayReshape", ctypes.c_int, ()), ("MXNDArrayReshape64", ctypes.c_int64, (False,)),
])  # fmt: skip
def test_a_shape_of_fewer_elements_has_the_first_ones(call, array, values, name, kind, more):
    base = array([[1, 2, 3], [4, 5, 6]])
    first = created(call, name, base, 2, (kind * 2)(2, 2), *more)
    assert values(first).tolist() == [[1, 2], [3, 4]]
    with pytest.raises(RuntimeError, match="MXNetError: Reshape: "):
        created(call, name, base, 2, (kind * 2)(4, 5), *more)


def test_a_row_without_elements(call):
    was = ctypes.c_int()
    call("MXSetIsNumpyShape", 1, ctypes.byref(was))
    try:
        base = created(call, "MXNDArrayCreateEx", uints(2, 0, 3), 3, 1, 0, 0, 0)
        row = created(call, "MXNDArrayAt", base, 1)
        ndim, where_ndim = out(ctypes.c_int)
        sizes, where_sizes = out(ctypes.POINTER(ctypes.c_int))
        call("MXNDArrayGetShapeEx", row, where_ndim, where_sizes)
        assert sizes[: ndim.value] == [0, 3]
    finally:
        call("MXSetIsNumpyShape", was, ctypes.byref(ctypes.c_int()))


@pytest.mark.parametrize(
    "call_of", [("MXNDArraySlice", 1, 4), ("MXNDArraySlice64", 2, 1), ("MXNDArrayAt", 3)]
)
def test_rows_that_are_not_there(call, array, call_of):
    name, *numbers = call_of
    with pytest.raises(RuntimeError, match="of an array with 3"):
        created(call, name, array([1, 2, 3]), *numbers)


def test_facts(call, array):
    made = array([[1, 2]])
    for name, wanted in (("MXNDArrayGetDType", 0), ("MXNDArrayGetStorageType", 0)):
        number, where = out(ctypes.c_int)
        call(name, made, where)
        assert number.value == wanted
    place = [out(ctypes.c_int) for _ in range(2)]
    call("MXNDArrayGetContext", made, *(where for _, where in place))
    assert [number.value for number, _ in place] == [1, 0]


def test_a_sparse_array_of_its_parts(call, values):
    matrix = mx.nd.array([[0, 1], [2, 0]]).tostype("csr")
    made = created(
        call, "MXNDArrayCreateSparseEx", 2, uints(2, 2), 2, 1, 0, 0, 0, 2, ints(6, 6),
        uints(1, 1), uints(3, 2),
    )  # fmt: skip
    for i, part in enumerate((matrix.data, matrix.indptr, matrix.indices)):
        call("MXNDArraySyncCopyFromNDArray", made, part.handle, i - 1)
    call("MXNDArraySyncCheckFormat", made, True)
    again = mx.nd.NDArray(Handle(created(call, "MXShallowCopyNDArray", made).value))
    assert again.asnumpy().tolist() == [[0, 1], [2, 0]]
    data = created(call, "MXNDArrayGetDataNDArray", made)
    assert values(data).tolist() == [1, 2]
    aux = created(call, "MXNDArrayGetAuxNDArray", made, 1)
    kind, where = out(ctypes.c_int)
    call("MXNDArrayGetDType", aux, where)
    assert kind.value == 6
    with pytest.raises(RuntimeError, match="part 2 of a csr array, which has 2"):
        created(call, "MXNDArrayGetAuxNDArray", made, 2)


def test_rows_that_get_an_order_of_their_own(call):
    rows = mx.nd.array([[1, 1], [0, 0], [2, 2]]).tostype("row_sparse")
    numbers = mx.nd.array([2, 0], dtype="int64")
    call("MXNDArraySyncCopyFromNDArray", rows.handle, numbers.handle, 0)
    kept = mx.nd.sparse.retain(rows, mx.nd.array([0]))
    assert kept.asnumpy().tolist() == [[2, 2], [0, 0], [0, 0]]


def test_files(call, array, values, tmp_path):
    path = str(tmp_path / "a.params").encode()
    call("MXNDArraySave", path, 2, handles(array([1, 2]), array([[3]])), texts("a", "b"))
    assert mx.nd.load(path.decode())["b"].asnumpy().tolist() == [[3]]
    content = (tmp_path / "a.params").read_bytes()
    for name, source in (
        ("MXNDArrayLoad", (path,)),
        ("MXNDArrayLoadFromBuffer", (content, ctypes.c_size_t(len(content)))),
    ):
        _, where_size = out(UInt)
        arrays, where = out(ctypes.POINTER(Handle))
        n_names, where_n = out(UInt)
        names, where_names = out(ctypes.POINTER(ctypes.c_char_p))
        call(name, *source, where_size, where, where_n, where_names)
        assert names[: n_names.value] == [b"a", b"b"]
        assert values(Handle(arrays[0])).tolist() == [1, 2]
    with pytest.raises(RuntimeError, match=r"b\.params"):
        call(
            "MXNDArrayLoad",
            str(tmp_path / "b.params").encode(),
            where_size,
            where,
            where_n,
            where_names,
        )


def test_raw_bytes(call, array, values):
    size, where_size = out(ctypes.c_size_t)
    data, where = out(ctypes.c_void_p)
    call("MXNDArraySaveRawBytes", array([[1, 2]]), where_size, where)
    content = ctypes.string_at(data.value, size.value)
    loaded = created(call, "MXNDArrayLoadFromRawBytes", content, ctypes.c_size_t(len(content)))
    assert values(loaded).tolist() == [[1, 2]]


@pytest.mark.parametrize("transient", [False, True])
def test_dlpack(call, array, values, transient):
    source = array([1, 2, 3])
    tensor = created(call, "MXNDArrayToDLPack", source)
    given = ctypes.create_string_buffer(ctypes.string_at(tensor.value, 64), 64)
    pointer = given if transient else tensor
    other = created(call, "MXNDArrayFromDLPackEx", pointer, transient)
    ctypes.memset(given, 0, 64)  # a transient one is the caller's
    call("MXNDArrayFree", source)
    assert values(other).tolist() == [1, 2, 3]
    call("MXNDArrayFree", other)


def test_shared_memory(call, values):
    array = mx.nd.array([[1, 2, 3]]).as_in_context(mx.Context("cpu_shared", 0))
    pid, where_pid = out(ctypes.c_int)
    number, where_number = out(ctypes.c_int)
    call("MXNDArrayGetSharedMemHandle", array.handle, where_pid, where_number)
    assert pid.value == os.getpid()
    other = created(call, "MXNDArrayCreateFromSharedMemEx", pid, number, ints(1, 3), 2, 0)
    array[:] = 7
    assert values(other).tolist() == [[7, 7, 7]]
    elsewhere = mx.nd.ones((1,))
    with pytest.raises(RuntimeError, match="cpu_shared"):
        call("MXNDArrayGetSharedMemHandle", elsewhere.handle, where_pid, where_number)


def test_truth_values_of_dlpack_as_mxnet_codes_them(call):
    made = mx.np.array([True, False, True], dtype="bool")
    tensor = created(call, "MXNDArrayToDLPack", made.handle)
    kind = ctypes.cast(tensor.value + 20, ctypes.POINTER(ctypes.c_uint8))
    kind[0], kind[1] = 1, 1  # unsigned integers of one bit
    array = created(call, "MXNDArrayFromDLPack", tensor)
    flag, where = out(ctypes.c_int)
    call("MXNDArrayGetDType", array, where)
    data, where = out(ctypes.POINTER(ctypes.c_bool))
    call("MXNDArrayGetData", array, where)
    assert (flag.value, data[:3]) == (7, [True, False, True])


def test_memory_of_a_duplicated_file(call, values):
    """What multiprocessing's DupFd gives a receiver, who closes it."""
    array = mx.nd.array([1, 2]).as_in_context(mx.Context("cpu_shared", 0))
    _, where_pid = out(ctypes.c_int)
    number, where_number = out(ctypes.c_int)
    call("MXNDArrayGetSharedMemHandle", array.handle, where_pid, where_number)
    duplicate = os.dup(number.value)
    nobody = ctypes.c_int(2**30)
    other = created(
        call, "MXNDArrayCreateFromSharedMem", nobody, ctypes.c_int(duplicate), ints(2), 1, 0
    )
    array[:] = 5
    assert values(other).tolist() == [5, 5]
    assert not is_shared_memory(duplicate)
    assert is_shared_memory(number.value)


def test_a_pipe_is_no_memory(call):
    ends = os.pipe()
    for pid in (os.getpid(), 2**30):
        with pytest.raises(RuntimeError, match="shares no array"):
            created(call, "MXNDArrayCreateFromSharedMem", pid, ends[0], ints(2), 1, 0)
    for end in ends:
        os.close(end)


def is_shared_memory(file):
    """Whether `file` is one: its number may be another's by now."""
    place = f"/proc/self/fd/{file}"
    return os.path.lexists(place) and "memfd:mxnova" in os.readlink(place)


SENDER = """
import ctypes, socket, sys
library = ctypes.CDLL(sys.argv[1])
link = socket.socket(fileno=int(sys.argv[2]))
array, pid, number = ctypes.c_void_p(), ctypes.c_int(), ctypes.c_int()
shape, values = (ctypes.c_uint32 * 2)(1, 3), (ctypes.c_float * 3)(1, 2, 3)
assert not library.MXNDArrayCreate(shape, 2, 5, 0, 0, ctypes.byref(array))
assert not library.MXNDArraySyncCopyFromCPU(array, values, ctypes.c_size_t(3))
arguments = array, ctypes.byref(pid), ctypes.byref(number)
assert not library.MXNDArrayGetSharedMemHandle(*arguments)
socket.send_fds(link, [b"%d %d" % (pid.value, number.value)], [number.value])
assert link.recv(1) == b"."
assert not library.MXNDArraySyncCopyToCPU(array, values, ctypes.c_size_t(3))
link.send(b"%g %g %g" % tuple(values))
"""


@pytest.mark.parametrize("given", [True, False])
def test_shared_memory_of_another_process(built, call, values, given):
    """The number is that of a file that was brought here, or of the sender's."""
    ours, theirs = socket.socketpair()
    command = [sys.executable, "-c", SENDER, str(built.library), str(theirs.fileno())]
    with subprocess.Popen(command, pass_fds=[theirs.fileno()]) as sender, ours, theirs:
        ours.settimeout(120)
        theirs.close()  # its end must show here
        text, (file,), _, _ = socket.recv_fds(ours, 100, 1)
        pid, number = map(int, text.split())
        assert pid == sender.pid
        place = file if given else number
        if not given:
            os.close(file)
        array = created(call, "MXNDArrayCreateFromSharedMemEx", pid, place, ints(1, 3), 2, 0)
        assert values(array).tolist() == [[1, 2, 3]]
        assert not (given and is_shared_memory(file))  # whose it was is the array now
        new = np.array([4, 5, 6], np.float32)
        call("MXNDArraySyncCopyFromCPU", array, address(new), ctypes.c_size_t(3))
        ours.send(b".")
        assert ours.recv(100) == b"4 5 6"
        assert sender.wait(60) == 0


def test_the_data_of_a_dense_array_is_the_array(call, array, values):
    whole = array([[1, 2], [3, 4]])
    data = created(call, "MXNDArrayGetDataNDArray", whole)
    call("MXNDArraySyncCopyFromNDArray", data, array([[5, 6], [7, 8]]), -1)
    assert values(whole).tolist() == [[5, 6], [7, 8]]
    with pytest.raises(RuntimeError, match="part 0 of a dense array"):
        call("MXNDArraySyncCopyFromNDArray", data, whole, 0)


@pytest.mark.parametrize("shape", [(3, 2), (8,)])
def test_an_array_takes_the_shape_of_what_is_copied_into_it(call, array, values, shape):
    target = array(np.ones(shape))
    call("MXNDArraySyncCopyFromNDArray", target, array([[5, 6, 7]]), -1)
    assert values(target).tolist() == [[5, 6, 7]]


def test_functions_from_before_operators(call, array, values):
    size, where_size = out(UInt)
    _, where = out(ctypes.POINTER(Handle))
    call("MXListFunctions", where_size, where)
    assert size.value == 4
    assert not created(call, "MXGetFunction", b"_plus").value
    function = created(call, "MXGetFunction", b"_set_value")
    target = array(np.zeros(3))
    call("MXFuncInvoke", function, None, (ctypes.c_float * 1)(2.5), handles(target))
    assert values(target).tolist() == [2.5, 2.5, 2.5]
    function = created(call, "MXGetFunction", b"_onehot_encode")
    target = array(np.zeros((2, 3)))
    call("MXFuncInvoke", function, handles(array([2, 0]), target), None, handles(target))
    assert values(target).tolist() == [[0, 0, 1], [1, 0, 0]]


def test_variables_of_the_environment(call, monkeypatch):
    monkeypatch.setenv("MXNOVA_SOMETHING", "1")
    value, where = out(ctypes.c_char_p)
    call("MXSetEnv", b"MXNOVA_SOMETHING", b"2")
    call("MXGetEnv", b"MXNOVA_SOMETHING", where)
    assert value.value == b"2"
    call("MXSetEnv", b"MXNOVA_SOMETHING", None)
    call("MXGetEnv", b"MXNOVA_SOMETHING", where)
    assert value.value is None


@pytest.mark.skipif(mx.num_gpus() > 0, reason="there is a GPU")
def test_memory_of_a_device_that_is_not_there(call):
    call("MXStorageEmptyCache", 1, 0)
    with pytest.raises(RuntimeError, match=r"gpu\(0\)"):
        call("MXStorageEmptyCache", 2, 0)


def test_features_and_seeds(call, values):
    class Feature(ctypes.Structure):
        _fields_ = (("name", ctypes.c_char_p), ("enabled", ctypes.c_bool))

    features, where = out(ctypes.POINTER(Feature))
    size, where_size = out(ctypes.c_size_t)
    call("MXLibInfoFeatures", where, where_size)
    assert size.value == len(mx.runtime.feature_list())
    assert features[0].name == b"CUDA"
    call("MXRandomSeed", 5)
    drawn = mx.nd.random.uniform(shape=(3,))
    mx.random.seed(5)
    assert np.array_equal(values(drawn.handle), mx.nd.random.uniform(shape=(3,)).asnumpy())
