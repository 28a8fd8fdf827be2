# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mxnova.core.base.errors import ArgumentError
from mxnova.core.base.scopes import set_np_shape
from mxnova.core.base.shapes import (
    UNKNOWN,
    Pause,
    ShapeMismatch,
    from_user,
    is_known,
    parse_shape,
    shape_text,
    sizes_of,
    to_user,
    unify,
)

dims = st.one_of(st.integers(0, 4), st.just(UNKNOWN))
shapes = st.one_of(st.none(), st.lists(dims, max_size=3).map(tuple))


def unified(a, b):
    try:
        return unify(a, b)
    except ShapeMismatch:
        return "contradiction"


@given(shapes, shapes)
def test_unify_is_symmetric(a, b):
    assert unified(a, b) == unified(b, a)


@given(shapes, shapes)
def test_unify_adds_up(a, b):
    both = unified(a, b)
    if both != "contradiction":
        assert unified(both, a) == both == unified(both, b)


@given(shapes)
def test_unify_with_nothing_and_itself_changes_nothing(a):
    assert unified(a, None) == a == unified(a, a)


def test_unknown_dimensions_flow_through_arithmetic():
    assert (UNKNOWN + 1) * 2 // 3 - 1 is UNKNOWN
    assert 5 - UNKNOWN is UNKNOWN
    assert -UNKNOWN is UNKNOWN


@pytest.mark.parametrize(
    "decide", [lambda d: d < 1, lambda d: d == 1, bool, range, lambda d: max(d, 1)]
)
def test_a_decision_on_an_unknown_dimension_pauses(decide):
    with pytest.raises(Pause):
        decide(UNKNOWN)


def test_legacy_and_numpy_forms():
    assert from_user(()) is None
    assert from_user((0, 3)) == (UNKNOWN, 3)
    assert to_user(None) == ()
    assert to_user((UNKNOWN, 3)) == (0, 3)
    set_np_shape(True)
    try:
        assert from_user(()) == ()
        assert from_user((0, -1)) == (0, UNKNOWN)
        assert to_user(None) is None
        assert to_user((UNKNOWN,)) == (-1,)
    finally:
        set_np_shape(False)


def test_text_and_knowledge():
    assert shape_text((2, UNKNOWN)) == "[2,?]"
    assert shape_text(None) == "unknown"
    assert is_known(())
    assert not is_known(None)
    assert not is_known((1, UNKNOWN))


@pytest.mark.parametrize(
    "shape, sizes",
    [
        (3, (3,)),
        (np.int64(3), (3,)),
        (np.array(3), (3,)),
        ([2, 3], (2, 3)),
        ((np.int32(2), 3), (2, 3)),
        (np.array([2, 3]), (2, 3)),
        (iter([2, 3]), (2, 3)),
        ((), ()),
    ],
)
def test_shapes_of_arrays_to_make(shape, sizes):
    assert sizes_of("zeros", shape) == sizes
    assert all(type(size) is int for size in sizes_of("zeros", sizes))


@pytest.mark.parametrize(
    "shape, text",
    [
        (2.0, "must be integers"),
        ((2, 3.0), "must be integers"),
        (np.ones(2), "must be integers"),
        ("(2,3)", "must be integers"),
        (None, "must be integers"),
        ([[1], [2]], "must be integers"),
        ((2, -1), "must not be negative"),
    ],
)
def test_what_is_no_shape_of_an_array(shape, text):
    with pytest.raises(ArgumentError, match=f"zeros: shape=.*{text}"):
        sizes_of("zeros", shape)


@pytest.mark.parametrize("text", [f"({1 << 63},)", f"(-{(1 << 63) + 1},)", f"({'9' * 5000},)"])
def test_sizes_beyond_64_bits_are_no_sizes(text):
    assert parse_shape(f"({(1 << 63) - 1},-{1 << 63})") == ((1 << 63) - 1, -(1 << 63))
    with pytest.raises(ValueError):
        parse_shape(text)


def test_shapes_of_any_length_are_shown_briefly():
    assert len(shape_text((1,) * 10**5)) < 200
