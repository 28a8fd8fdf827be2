# SPDX-License-Identifier: Apache-2.0
import pickle

import numpy as np
import pytest
import torch

import mxnova as mx
from mxnova.core.base.dtypes import DTYPES
from mxnova.core.runtime import context

from ..fake_gpu import CUDA, FakeGpu, on_gpu

NAMES = [d.name for d in DTYPES]


@pytest.mark.parametrize("dtype", NAMES)
def test_every_element_type_survives(tmp_path, dtype):
    x = mx.nd.array([[0, 1], [1, 0]], dtype=dtype)
    path = str(tmp_path / "x.params")
    mx.nd.save(path, {"x": x})
    again = mx.nd.load(path)["x"]
    assert again.dtype == x.dtype
    np.testing.assert_array_equal(again.astype("float32").asnumpy(), [[0, 1], [1, 0]])


def test_lists_dicts_and_single_arrays(tmp_path):
    path = str(tmp_path / "x.params")
    x, y = mx.nd.ones((2,)), mx.nd.zeros((1, 3))
    mx.nd.save(path, x)
    assert [a.shape for a in mx.nd.load(path)] == [(2,)]
    mx.nd.save(path, [x, y])
    assert [a.shape for a in mx.nd.load(path)] == [(2,), (1, 3)]
    mx.nd.save(path, {"b": x, "a": y})
    assert list(mx.nd.load(path)) == ["b", "a"]
    mx.nd.save(path, [])
    assert mx.nd.load(path) == []


def test_views_and_transposes_are_saved_by_value(tmp_path):
    path = str(tmp_path / "x.params")
    x = mx.nd.array(np.arange(6).reshape(2, 3))
    mx.nd.save(path, [x.T, x[:, 1]])
    a, b = mx.nd.load(path)
    np.testing.assert_array_equal(a.asnumpy(), np.arange(6).reshape(2, 3).T)
    np.testing.assert_array_equal(b.asnumpy(), [1, 4])


@pytest.mark.parametrize("stype", ["csr", "row_sparse"])
def test_sparse_arrays(tmp_path, stype):
    path = str(tmp_path / "x.params")
    dense = np.array([[0, 1], [0, 0], [2, 0]], "f")
    mx.nd.save(path, {"x": mx.nd.array(dense).tostype(stype)})
    again = mx.nd.load(path)["x"]
    assert again.stype == stype
    np.testing.assert_array_equal(again.asnumpy(), dense)


def test_writing_into_a_loaded_array_leaves_the_file_alone(tmp_path):
    path = str(tmp_path / "x.params")
    mx.nd.save(path, [mx.nd.ones((4,))])
    loaded = mx.nd.load(path)[0]
    loaded[:] = 9
    assert mx.nd.load(path)[0].asnumpy().tolist() == [1, 1, 1, 1]
    mx.nd.save(path, [loaded])
    assert mx.nd.load(path)[0].asnumpy().tolist() == [9, 9, 9, 9]


def test_buffers(tmp_path):
    path = tmp_path / "x.params"
    mx.nd.save(str(path), {"x": mx.nd.ones((2,))})
    x = mx.nd.load_frombuffer(path.read_bytes())["x"]
    x[:] = 3
    assert x.asnumpy().tolist() == [3, 3]


def test_bad_input_leaves_the_old_file(tmp_path):
    path = tmp_path / "x.params"
    mx.nd.save(str(path), [mx.nd.ones((2,))])
    before = path.read_bytes()
    with pytest.raises(TypeError, match="'w'"):
        mx.nd.save(str(path), {"x": mx.nd.ones((2,)), "w": 3})
    for value in ("text", 3):
        with pytest.raises(ValueError, match=f"data={value!r}"):
            mx.nd.save(str(path), value)
    assert path.read_bytes() == before
    path.write_bytes(before[:-3])
    with pytest.raises(mx.MXNetError, match=str(path)):
        mx.nd.load(str(path))
    with pytest.raises(TypeError):
        mx.nd.load_frombuffer("text")


# Why a GPU cannot be used -> module, function, its answer.
ABSENT = {
    "no_gpu": (context, "num_gpus", 0),
    "fork": (torch.cuda, "_is_in_bad_fork", True),
}


@pytest.mark.parametrize("absent", ABSENT)
@pytest.mark.parametrize("stype", ["default", "csr", "row_sparse"])
def test_arrays_of_a_gpu_come_back_there_or_on_the_cpu(tmp_path, monkeypatch, stype, absent):
    path = str(tmp_path / "x.params")
    monkeypatch.setattr(mx.gpu(0), "_device", CUDA)
    monkeypatch.setattr(context, "num_gpus", lambda: 1)
    with FakeGpu():
        array = mx.nd.NDArray(on_gpu(torch.tensor([[1.0, 0.0], [0.0, 2.0]])))
        array = array if stype == "default" else array.tostype(stype)
        mx.nd.save(path, array)
        pickled = pickle.dumps(array)
        there = [mx.nd.load(path)[0], pickle.loads(pickled)]
        assert [str(a.context) for a in there] == ["gpu(0)"] * 2
        assert all((a.asnumpy() == array.asnumpy()).all() for a in there)
    module, function, answer = ABSENT[absent]
    monkeypatch.setattr(module, function, lambda: answer)
    here = [mx.nd.load(path)[0], pickle.loads(pickled)]
    assert [str(a.context) for a in here] == ["cpu(0)"] * 2
    assert all(a.asnumpy().tolist() == [[1, 0], [0, 2]] for a in here)
