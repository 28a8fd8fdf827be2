# SPDX-License-Identifier: Apache-2.0
"""Errors that only values tell are raised by who waits for the results."""

import pytest

import mxnova as mx
from mxnova import nd
from mxnova.core.runtime.slow_path import SLOW_PATH


def bad(shape=(2, 2)):
    return nd.random.normal(0, -1, shape)


READS = {
    "asnumpy": lambda a: a.asnumpy(),
    "wait_to_read": lambda a: a.wait_to_read(),
    "waitall": lambda a: nd.waitall(),
    "after operators": lambda a: (nd.dot(a, a) + 1).asnumpy(),
    "after copies": lambda a: a.copyto(mx.cpu(1)).asnumpy(),
    "rows": lambda a: next(iter(a)).asnumpy(),
    "another shape": lambda a: a.reshape((4,)).asnumpy(),
    "columns": lambda a: a[:, 1].asnumpy(),
    "written elsewhere": lambda a: nd.zeros((2, 2)).__iadd__(a).asnumpy(),
    "several outputs": lambda a: nd.split(a, 2)[1].asnumpy(),
}


@pytest.mark.parametrize("read", READS)
def test_who_waits_gets_the_error_once(read):
    made = bad()
    assert made.shape == (2, 2)
    with pytest.raises(ValueError, match="test_deferred_errors.py:[0-9]+.*scale=-1.0"):
        READS[read](made)
    nd.waitall()
    assert (nd.ones((1,)) + 1).asscalar() == 2
    assert not SLOW_PATH


def test_views_do_not_wait():
    made = bad()
    views = [made[1:], made.reshape((4,)), made[1:].reshape((2,))]
    with pytest.raises(ValueError, match="scale=-1.0"):
        views[-1].asnumpy()
    assert [view.shape for view in views] == [(1, 2), (4,), (2,)]


def test_results_written_to_a_given_array():
    out = nd.ones((2,))
    nd.take(nd.ones((3,)), nd.array([5, 1]), mode="raise", out=out)
    with pytest.raises(IndexError, match=r"take: indices\[0\] is 5"):
        out.asnumpy()


def test_what_was_told_meanwhile_spares_who_waits_for_all():
    first, second = bad(), bad()
    with pytest.raises(ValueError, match="scale"):
        second.asnumpy()
    nd.waitall()
    assert first.shape == (2, 2)


def test_nobody_needs_to_wait_under_the_naive_engine():
    before = mx.core.runtime.engine.set_engine_type("NaiveEngine")
    try:
        with pytest.raises(ValueError, match="scale=-1.0"):
            bad()
    finally:
        mx.core.runtime.engine.set_engine_type(before)


def test_errors_that_shapes_tell_are_raised_by_the_call():
    with pytest.raises(mx.base.MXNetError, match="dot"):
        nd.dot(nd.ones((2, 3)), nd.ones((2, 3)))
