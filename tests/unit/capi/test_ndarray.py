"""Arrays and operators through C."""

import ctypes

import numpy as np
import pytest

Handle = ctypes.c_void_p


def test_an_operator_by_name(call, array, values):
    operator, outputs, count = Handle(), ctypes.POINTER(Handle)(), ctypes.c_int(0)
    call("NNGetOpHandle", b"elemwise_add", ctypes.byref(operator))
    inputs = (Handle * 2)(array([[1, 2], [3, 4]]), array([[10, 20], [30, 40]]))
    call(
        "MXImperativeInvoke", operator, 2, inputs, ctypes.byref(count), ctypes.byref(outputs),
        0, None, None,
    )  # fmt: skip
    assert count.value == 1
    assert np.array_equal(values(Handle(outputs[0])), [[11, 22], [33, 44]])


def test_a_freed_handle_is_an_error(call, array, values):
    made = array([1, 2])
    call("MXNDArrayFree", made)
    for attempt in (lambda: values(made), lambda: call("MXNDArrayFree", made)):
        with pytest.raises(RuntimeError, match="is the handle of no NDArray"):
            attempt()


def test_another_kind_of_handle_is_an_error(call, values):
    operator = Handle()
    call("NNGetOpHandle", b"relu", ctypes.byref(operator))
    with pytest.raises(RuntimeError, match="is a handle of kind operator, not NDArray"):
        values(operator)


def test_arrays_of_python_have_handles(call, values):
    import mxnova as mx

    array = mx.nd.array([1, 2, 3])
    assert np.array_equal(values(array.handle), [1, 2, 3])
    assert array.handle.value == array.handle.value
    stale = array.handle
    del array
    with pytest.raises(RuntimeError, match="is the handle of no NDArray"):
        values(stale)


def test_freeing_another_kind_frees_nothing(call):
    symbol = Handle()
    call("MXSymbolCreateVariable", b"x", ctypes.byref(symbol))
    with pytest.raises(RuntimeError, match="is a handle of kind Symbol, not NDArray"):
        call("MXNDArrayFree", symbol)
    call("MXSymbolFree", symbol)
