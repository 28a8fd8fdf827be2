# SPDX-License-Identifier: Apache-2.0
import pickle

import numpy as np
import pytest

import mxnova as mx

DENSE = np.array([[0, 1, 0], [0, 0, 0], [2, 0, 3]], "f")


def test_csr_parts():
    x = mx.nd.array(DENSE).tostype("csr")
    assert (x.stype, x.shape, x.size, x.ndim) == ("csr", (3, 3), 9, 2)
    assert x.data.asnumpy().tolist() == [1, 2, 3]
    assert x.indices.asnumpy().tolist() == [1, 0, 2]
    assert x.indptr.asnumpy().tolist() == [0, 1, 1, 3]
    assert x.dtype is np.float32
    assert "CSRNDArray 3x3 @cpu(0)" in repr(x)


def test_row_sparse_parts():
    x = mx.nd.array(DENSE).tostype("row_sparse")
    assert x.indices.asnumpy().tolist() == [0, 2]
    assert x.data.asnumpy().tolist() == [[0, 1, 0], [2, 0, 3]]


@pytest.mark.parametrize("stype", ["csr", "row_sparse"])
def test_everything_else_sees_the_dense_values(stype):
    x = mx.nd.array(DENSE).tostype(stype)
    np.testing.assert_array_equal(x.asnumpy(), DENSE)
    np.testing.assert_array_equal((x + 1).asnumpy(), DENSE + 1)
    np.testing.assert_array_equal(x.tostype("default").asnumpy(), DENSE)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(x)).asnumpy(), DENSE)
    np.testing.assert_array_equal(x.astype("float64").asnumpy(), DENSE)
    target = mx.nd.zeros((3, 3), stype=stype)
    x.copyto(target)
    np.testing.assert_array_equal(target.asnumpy(), DENSE)
    dense = mx.nd.zeros((3, 3))
    np.testing.assert_array_equal(x.copyto(dense).asnumpy(), DENSE)
    assert x.copyto(mx.cpu(1)).context == mx.cpu(1)


def test_bad_storage_types_are_named():
    with pytest.raises(mx.MXNetError, match="stype='coo'"):
        mx.nd.ones((2, 2)).tostype("coo")
    with pytest.raises(mx.MXNetError, match="2 dimensions"):
        mx.nd.ones((2,)).tostype("csr")
