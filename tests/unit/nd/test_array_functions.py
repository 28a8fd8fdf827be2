# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

import mxnova as mx
from mxnova.core.base.errors import MXNetError

nd = mx.nd


def test_concatenate():
    x = nd.array([[1, 2], [3, 4]])
    assert nd.concatenate([x, x]).shape == (4, 2)
    assert nd.concatenate([x, x[:, :1]], axis=1).asnumpy().tolist() == [[1, 2, 1], [3, 4, 3]]
    assert nd.concatenate([x], always_copy=False) is x
    nd.concatenate([x])[:] = 0
    assert x.asnumpy().sum() == 10


@pytest.mark.parametrize(
    "arrays, axis",
    [
        ([], 0),
        ([nd.ones((2,)), nd.ones((2,), dtype="int32")], 0),
        ([nd.ones((2, 2)), nd.ones((2, 3))], 0),
        ([nd.ones((2, 2))] * 2, 2),
    ],
)
def test_concatenate_refuses(arrays, axis):
    with pytest.raises(MXNetError):
        nd.concatenate(arrays, axis)


@pytest.mark.parametrize(
    "source, destination", [(0, 2), (-1, 0), ([0, 1], [-1, -2]), ((2, 0), (0, 1))]
)
def test_moveaxis_equals_numpys(source, destination):
    x = np.arange(24).reshape(2, 3, 4)
    np.testing.assert_array_equal(
        nd.moveaxis(nd.array(x), source, destination).asnumpy(), np.moveaxis(x, source, destination)
    )


@pytest.mark.parametrize("source, destination", [(3, 0), (0, 3), ((0, 1), (0,)), ((0, 0), (0, 1))])
def test_moveaxis_refuses(source, destination):
    with pytest.raises(ValueError, match="moveaxis"):
        nd.moveaxis(nd.ones((2, 3, 4)), source, destination)


def test_histogram_with_and_without_a_range():
    x = nd.array([1, 2, 4])
    counts, edges = nd.histogram(x, 3)
    assert (counts.dtype, counts.asnumpy().tolist()) == (np.float32, [1, 1, 1])
    assert edges.asnumpy().tolist() == [1, 2, 3, 4]
    counts, edges = nd.histogram(x, bins=2, range=(0, 4))
    assert (counts.dtype, counts.asnumpy().tolist()) == (np.int64, [1, 2])
    counts, edges = nd.histogram(x, nd.array([0, 2, 5]))
    assert counts.asnumpy().tolist() == [1, 2]
    with pytest.raises(ValueError):
        nd.histogram(x, "a")


def test_onehot_encode():
    out = nd.ones((3, 3))
    assert nd.onehot_encode(nd.array([0, 2, 5]), out) is out
    assert out.asnumpy().tolist() == [[1, 0, 0], [0, 0, 1], [0, 0, 0]]
    with pytest.raises(MXNetError):
        nd.onehot_encode(nd.array([0]), out)


def test_imdecode_names_what_decodes():
    with pytest.raises(MXNetError, match=r"mx\.image\.imdecode"):
        nd.imdecode(b"")


def test_creation_fills_out_and_takes_stype():
    out = nd.ones((2,))
    assert nd.zeros((2,), out=out) is out
    assert out.asnumpy().tolist() == [0, 0]
    nd.ones((2,), out=out)
    assert nd.full((2,), 7, out=out).asnumpy().tolist() == [7, 7]
    assert nd.full((2, 2), [1, 2]).asnumpy().tolist() == [[1, 2], [1, 2]]
    assert nd.empty((2, 2), stype="csr").stype == "csr"
    with pytest.raises(MXNetError):
        nd.zeros((3,), out=out)


@pytest.mark.parametrize("shape", [2.5, "a", None, (2, None), (-1,)])
def test_creation_names_shapes_that_are_none(shape):
    with pytest.raises(MXNetError, match="shape"):
        nd.zeros(shape)


def test_linspace_and_arange_refuse():
    with pytest.raises(MXNetError):
        nd.linspace(0, 1, -1)
    with pytest.warns(DeprecationWarning, match="infer_range"):
        nd.arange(3, infer_range=True)
