# SPDX-License-Identifier: Apache-2.0
"""MXDataIter over a reader that is made here."""

from __future__ import annotations

import numpy as np
import pytest

import mxnova as mx
from mxnova.io import DataBatch, MXDataIter


class Reader:
    """Batches of two numbers each."""

    def __init__(self, batches):
        self.batches, self.at, self.closed = batches, 0, False

    def read(self):
        if self.at == self.batches:
            return None
        self.at += 1
        index = np.arange(2) + 2 * (self.at - 1)
        return DataBatch([mx.nd.array(index)], [mx.nd.array(index * 10)], 0, index)

    def rewind(self):
        self.at = 0

    def close(self):
        self.closed = True


def seen(iterator):
    return [b.data[0].asnumpy().tolist() for b in iterator]


def test_batches_come_until_the_end_and_again_after_reset():
    iterator = MXDataIter(Reader(2), data_name="x")
    assert iterator.provide_data == [("x", (2,))]
    assert iterator.provide_label == [("softmax_label", (2,))]
    assert iterator.batch_size == 2
    assert seen(iterator) == [[0, 1], [2, 3]]
    assert seen(iterator) == []
    iterator.reset()
    assert seen(iterator) == [[0, 1], [2, 3]]


def test_methods_show_the_batch():
    iterator = MXDataIter(Reader(2))
    with pytest.raises(mx.MXNetError, match="no batch"):
        iterator.getdata()
    iterator.next()
    assert iterator.iter_next()
    assert iterator.getdata().asnumpy().tolist() == [2, 3]
    assert iterator.getlabel().asnumpy().tolist() == [20, 30]
    assert (iterator.getpad(), iterator.getindex().tolist()) == (0, [2, 3])


def test_reading_can_be_left_out():
    iterator = MXDataIter(Reader(1))
    iterator.debug_skip_load()
    assert [iterator.next().index.tolist() for _ in range(3)] == [[0, 1]] * 3


def test_an_empty_reader_is_refused():
    with pytest.raises(mx.MXNetError, match="Reader: there is no batch"):
        MXDataIter(Reader(0))


def test_the_reader_is_closed_at_the_end():
    reader = Reader(1)
    MXDataIter(reader)
    assert reader.closed
