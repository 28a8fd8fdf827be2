# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

import mxnova as mx

A = np.arange(24, dtype="float32").reshape(2, 3, 4)
I = [1, 0]  # noqa: E741
# fmt: off
KEYS = [
    1, -1, slice(None), slice(1, None), (0, 1), (slice(None), 1), (Ellipsis, 2), (1, Ellipsis), None, (None, 1), (slice(None), None, 0),
    slice(None, None, -1), (slice(None), slice(2, 0, -1)), (slice(None), slice(None, None, 2)), (slice(0, 0),), (0, slice(5, 2)),
    I, (I, 1), (I, [2, 2]), (slice(None), I), (Ellipsis, I), (I, slice(None), 3), np.array([[0, 1], [1, 1]]),
    A[:, 0, 0] > 5, (slice(None, None, -1), I), (I, slice(None, None, -2)), (0, slice(None, None, -1), [0, 3]),
]
VIEWS = [1, slice(1, None), (0, 1), (None, 1), (0, slice(0, 2)), (slice(0, 1), slice(1, 2)), Ellipsis, (0, 1, 2), slice(None, None, 2)]
COPIES = [(slice(None), 1), (Ellipsis, 2), (slice(None), slice(None, None, 2)), slice(None, None, -1), (slice(0, 1), slice(None), slice(1, 2)), I]
# fmt: on


def converted(key):
    """The key with NumPy arrays as NDArrays, which users index with."""
    keys = key if isinstance(key, tuple) else (key,)
    made = tuple(
        mx.nd.array(k, dtype="int32") if isinstance(k, np.ndarray) and k.dtype != bool else k
        for k in keys
    )
    return made if isinstance(key, tuple) else made[0]


@pytest.mark.parametrize("key", KEYS, ids=repr)
def test_selection_equals_numpys(key):
    np.testing.assert_array_equal(mx.nd.array(A)[converted(key)].asnumpy(), A[key])


@pytest.mark.parametrize("key", KEYS, ids=repr)
def test_assignment_equals_numpys(key):
    for value in (7.0, np.arange(A[key].size, dtype="f").reshape(A[key].shape)):
        x, want = mx.nd.array(A), A.copy()
        want[key] = value
        x[converted(key)] = value
        np.testing.assert_array_equal(x.asnumpy(), want)


@pytest.mark.parametrize("key", VIEWS, ids=repr)
def test_basic_selections_that_lie_together_are_views_both_ways(key):
    x, want = mx.nd.array(A), A.copy()
    view = x[key]
    view[:] = -1
    want[key] = -1
    np.testing.assert_array_equal(x.asnumpy(), want)
    x[:] = 5
    assert (view.asnumpy() == 5).all()


@pytest.mark.parametrize("key", COPIES, ids=repr)
def test_other_selections_are_copies(key):
    x = mx.nd.array(A)
    x[key][:] = -1
    np.testing.assert_array_equal(x.asnumpy(), A)


def test_a_single_element_has_shape_1_unless_numpy_semantics():
    x = mx.nd.array(A)
    assert x[0, 1, 2].shape == (1,)
    with mx.util.np_shape(True):
        assert x[0, 1, 2].shape == ()


@pytest.mark.parametrize("key", [2, (0, 3), (0, 0, 0, 0), [5]], ids=repr)
def test_indices_out_of_range_are_index_errors(key):
    with pytest.raises(IndexError):
        mx.nd.array(A)[key]
    with pytest.raises(IndexError):
        mx.nd.array(A)[key] = 0


def test_values_must_fit():
    x = mx.nd.array(A)
    with pytest.raises(mx.MXNetError, match=r"\[5\].*\[3,4\]"):
        x[0] = np.ones(5)
    with pytest.raises(TypeError):
        x[0] = "text"
    np.testing.assert_array_equal(x.asnumpy(), A)
