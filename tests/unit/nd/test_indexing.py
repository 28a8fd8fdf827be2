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


@pytest.mark.parametrize(
    "value", [np.ones(4) * 3, 2, [[1], [2], [3]], np.arange(24).reshape(1, 2, 3, 4)]
)
def test_a_truth_value_writes_all_or_nothing_in_numpys_mode(value):
    with mx.util.np_array(True):
        for key in (True, False):
            x, expected = mx.np.zeros((2, 3, 4)), np.zeros((2, 3, 4))
            x[key] = value
            expected[key] = value
            assert x.asnumpy().tolist() == expected.tolist()
        with pytest.raises(ValueError, match="cannot write"):
            x[True] = np.ones(5)


@pytest.mark.parametrize(
    "key",
    [
        (True,), (False,), (True, 0), (1, False), (True, True), (True, False), (slice(None), True),
        (slice(None, None, -1), True), (None, True), (..., True), (1, True, True, [[False, True]] * 3),
        (True, [True, False]), (False, [True, False]), (1, np.True_, slice(1), [1, 0, 0]),
        (False, None), (None, False), (False, None, 0), (1, None, True), (False, slice(1, None), None),
        (True, slice(None), None), (False, ..., None), (..., False, None), (True, None, True),
        ([True, False], None), (None, [True, False], None, slice(None, None, -1)), (..., [True, False], None),
    ],
)  # fmt: skip
def test_truth_values_beside_other_keys_are_masks_of_no_axes_in_numpys_mode(key):
    a = np.arange(1.0, 13).reshape(2, 3, 2)
    parts = tuple(np.array(k) if type(k) is list else k for k in key)
    with mx.util.np_array(True), mx.util.np_shape(True):
        x, written, replaced = mx.np.array(a), mx.np.array(a), mx.np.array(a)
        x.attach_grad()
        with mx.autograd.record():
            read = x[key]
            total = (read * read).sum()
        total.backward()
        written[key] = 7
        replaced[key] = mx.np.array(-a[parts])
    assert read.shape == a[parts].shape
    assert read.asnumpy().tolist() == a[parts].tolist()
    grad, expected = np.zeros_like(a), a.copy()
    np.add.at(grad, parts, 2 * a[parts])
    expected[parts] = -a[parts]
    assert replaced.asnumpy().tolist() == expected.tolist()
    expected = a.copy()
    expected[parts] = 7
    assert x.grad.asnumpy().tolist() == grad.tolist()
    assert written.asnumpy().tolist() == expected.tolist()


def test_masks_select_as_in_numpy_and_single_truth_values_are_integers():
    x = mx.nd.array(A)
    mask = A > 11
    for key in (mask, mask.tolist(), mx.nd.array(mask, dtype="bool")):
        np.testing.assert_array_equal(x[key].asnumpy(), A[mask])
    np.testing.assert_array_equal(x[True].asnumpy(), A[1])
    np.testing.assert_array_equal(x[np.False_].asnumpy(), A[0])
    x[True] = 0
    assert x.asnumpy().sum() == A[0].sum()
    with pytest.raises(IndexError, match="mask"):
        x[np.array([True, False, True])]


def test_overlapping_memory_is_read_before_it_is_written():
    x, want = mx.nd.array(A), A.copy()
    x[:, 1:] = x[:, :-1]
    want[:, 1:] = want[:, :-1].copy()
    np.testing.assert_array_equal(x.asnumpy(), want)
    flat = mx.nd.arange(6)
    flat[1:] = flat[:-1]
    assert flat.asnumpy().tolist() == [0, 0, 1, 2, 3, 4]


def test_a_new_axis_counts_index_arrays_as_mxnet_does():
    assert mx.nd.array(A)[[1, 0], None].shape == (1, 2, 3, 4)
    assert mx.nd.array(A)[:, None, [0, 2]].shape == (2, 1, 2, 4)
    assert mx.nd.array(A)[[1, 0], None, [0, 2]].shape == (2, 1, 4)


@pytest.mark.parametrize(
    "value, want", [(300, 44), (-1, 255), (2**70, 0), (7.9, 7), (np.int64(257), 1)]
)
def test_numbers_are_cut_and_wrapped_to_integers(value, want):
    x = mx.nd.zeros((2,), dtype="uint8")
    x[0] = value
    assert x.asnumpy().tolist() == [want, 0]


def test_selections_and_values_may_be_empty():
    x = mx.nd.array(A)
    assert x[[]].shape == (0, 3, 4)
    assert x[:, 3:].shape == (2, 0, 4)
    assert x[1:0].shape == (0, 3, 4)
    x[[]] = []
    x[:, 3:] = 7
    np.testing.assert_array_equal(x.asnumpy(), A)
    with pytest.raises(mx.MXNetError):
        x[[]] = [1, 2]


@pytest.mark.parametrize("key", [1.5, "a", {}, (0, 1.5), slice(None, None, 0), object], ids=repr)
def test_what_is_no_index_is_a_value_error(key):
    with pytest.raises(ValueError):
        mx.nd.array(A)[key]
    with pytest.raises(ValueError):
        mx.nd.array(A)[key] = 0


def recorded(statement, shape=(2, 3)):
    """The gradient of y after `statement` wrote something of y into b, which is then summed up."""
    y = mx.nd.ones((3,))
    y.attach_grad()
    names = {"b": mx.nd.zeros(shape), "nd": mx.nd}
    with mx.autograd.record():
        names["y"] = y * 2
        exec(statement, names)
        z = (names["b"] * mx.nd.array([[1, 2, 3], [4, 5, 6]])).sum()
    z.backward()
    return y.grad.asnumpy().tolist()


@pytest.mark.parametrize(
    "statement",
    ["b[:] = y", "b[...] = y", "b[0:2] = y", "b[None] = y", "y.broadcast_to((2, 3)).copyto(b)"],
)
def test_gradients_flow_through_writes_of_whole_arrays(statement):
    assert recorded(statement) == [10, 14, 18]


@pytest.mark.parametrize(
    "statement",
    [
        "b[0] = y",
        "b[[0, 1]] = y",
        "b += y",
        "b[::-1] = y",
        "b.slice_assign(y.reshape((1, 3)), (0,), (1,), (1,))",
    ],
)
def test_writes_that_gradients_cannot_follow_are_refused(statement):
    with pytest.raises(mx.MXNetError, match="when recording with autograd"):
        recorded(statement)


def test_numpy_values_may_overwrite_a_leaf_while_recording():
    x = mx.nd.ones((3,))
    x.attach_grad()
    with mx.autograd.record():
        x[:] = np.array([2, 3, 4])
        y = (x * x).sum()
    y.backward()
    assert x.grad.asnumpy().tolist() == [4, 6, 8]


def test_legacy_masks_of_numbers_that_are_refused_name_boolean_mask():
    x = mx.nd.array([[1.0, -2.0, 3.0]])
    with pytest.raises(IndexError, match=r"mx\.nd\.contrib\.boolean_mask"):
        x[x > 0]
    with pytest.raises(IndexError, match=r"out of bounds for dimension 0 with size 1$"):
        x[mx.nd.array([0, 7])]
    symbol = mx.sym.var("x")
    with pytest.raises(TypeError, match=r"contrib\.boolean_mask\(x, index\) selects by a mask"):
        symbol[symbol > 0]
