# SPDX-License-Identifier: Apache-2.0
"""C values from Python ones and back."""

from __future__ import annotations

import array
import ctypes

import pytest

from mxnova import base
from mxnova.core.base.params import NOT_GIVEN


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


def test_return_codes():
    base.check_call(0)
    with pytest.raises(base.MXNetError, match="returned -1"):
        base.check_call(-1)


def test_the_mark_of_an_argument_left_out():
    assert base._Null is NOT_GIVEN
    assert repr(base._Null) == "_Null"


def test_what_symbols_refuse_says_so():
    error = base.NotImplementedForSymbol(len, "size", 3)
    assert (error.function, error.alias) == ("len", "size")
    assert str(error) == "len (size) is for arrays: a Symbol has no data until it is bound"
