# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
import torch

from mxnova.core.base.dtypes import BFLOAT16, DTYPES
from mxnova.core.base.errors import ArgumentError, ArgumentTypeError, MXNetError
from mxnova.core.runtime.tblob import TBlob

NUMBERS = np.arange(24, dtype=np.float32).reshape(2, 3, 4)


def test_facts_of_a_tensor():
    blob = TBlob(torch.zeros(2, 3, 4, dtype=torch.int8).transpose(0, 2))
    assert (blob.shape, blob.stride, blob.ndim, blob.size) == ((4, 3, 2), (1, 4, 12), 3, 24)
    assert (blob.type_flag, blob.dev_mask, blob.dev_id) == (5, 1, 0)
    assert not blob.is_contiguous


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda d: d.name)
def test_every_element_type_comes_and_goes_through_numpy(dtype):
    values = np.zeros(3, dtype.numpy)
    blob = TBlob(values)
    assert blob.type_flag == dtype.flag
    assert blob.dptr == values.ctypes.data == blob.numpy().ctypes.data
    assert blob.numpy().dtype == dtype.numpy
    assert blob.get(dtype.numpy).dtype is getattr(torch, dtype.name)


def test_everything_shares_memory():
    values = NUMBERS.copy()
    blob = TBlob(values)
    views = [
        blob.torch(),
        blob.reshape(4, 6).numpy(),
        blob.flat_to_1d().numpy(),
        np.from_dlpack(blob),
        torch.from_dlpack(blob),
        TBlob(torch.from_dlpack(blob)).get("float32"),
    ]
    values[0, 0, 0] = 42
    assert [float(v.reshape(-1)[0]) for v in views] == [42.0] * len(views)


def test_dlpack_in():
    class Foreign:
        def __init__(self, values):
            self._values = values

        def __dlpack__(self, **options):
            return self._values.__dlpack__()

        def __dlpack_device__(self):
            return self._values.__dlpack_device__()

    values = NUMBERS.copy()
    assert TBlob(Foreign(values)).dptr == values.ctypes.data


def test_flat_to_2d_keeps_the_last_axis():
    assert TBlob(NUMBERS.copy()).flat_to_2d().shape == (6, 4)
    assert TBlob(np.zeros(5)).flat_to_2d().shape == (1, 5)
    assert TBlob(np.zeros(())).flat_to_2d().shape == (1, 1)
    assert TBlob(np.zeros((3, 0))).flat_to_2d().shape == (0, 0)


def test_from_address_neither_copies_nor_owns():
    values = NUMBERS.copy()
    blob = TBlob.from_address(values.ctypes.data, (6, 4), type_flag=0)
    blob.torch()[5, 3] = -1
    assert values[1, 2, 3] == -1
    with pytest.raises(ArgumentError, match="type_flag"):
        TBlob.from_address(values.ctypes.data, (6, 4), type_flag=99)


def test_bfloat16_from_address():
    values = np.array([0x3F80], np.uint16).view(BFLOAT16)
    assert TBlob.from_address(values.ctypes.data, (1,), type_flag=12).get("bfloat16").item() == 1.0


def test_refusals():
    with pytest.raises(ArgumentTypeError, match="holds float32, int32 was asked for"):
        TBlob(NUMBERS.copy()).get("int32")
    with pytest.raises(MXNetError, match=r"\[2,3,4\].*\[5,5\]"):
        TBlob(NUMBERS.copy()).reshape(5, 5)
    with pytest.raises(MXNetError, match="strides"):
        TBlob(NUMBERS.copy().transpose(2, 1, 0)).flat_to_1d()
    with pytest.raises(ArgumentTypeError, match="list"):
        TBlob([1, 2])
    with pytest.raises(ArgumentTypeError, match="complex64"):
        TBlob(torch.zeros(1, dtype=torch.complex64))
    with pytest.raises(MXNetError, match="strides"):
        TBlob(NUMBERS[::-1])
