# SPDX-License-Identifier: Apache-2.0
"""PrefetchingIter: batches side by side, taken in threads."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import mxnova as mx
from mxnova.io import NDArrayIter, PrefetchingIter

DATA = np.arange(5.0).reshape(5, 1)


def arrays(length=5):
    return NDArrayIter(DATA[:length], DATA[:length, 0] * 10, 2)


def seen(iterator):
    return [([a.asnumpy().ravel().tolist() for a in b.data], b.pad) for b in iterator]


ONE = [([[0, 1]], 0), ([[2, 3]], 0), ([[4, 0]], 1)]


def test_one_iterator_comes_as_it_is():
    iterator = PrefetchingIter(arrays())
    assert seen(iterator) == ONE
    assert seen(iterator) == []
    iterator.reset()
    assert seen(iterator) == ONE


def test_reset_in_the_midst_starts_again():
    iterator = PrefetchingIter(arrays())
    iterator.next()
    iterator.reset()
    assert seen(iterator) == ONE


def test_several_iterators_stand_side_by_side():
    names = [{"data": "left"}, {"data": "right"}], [{"softmax_label": "a"}, {"softmax_label": "b"}]
    iterator = PrefetchingIter([arrays(), arrays()], *names)
    assert [d.name for d in iterator.provide_data] == ["left", "right"]
    assert [d.name for d in iterator.provide_label] == ["a", "b"]
    assert iterator.batch_size == 2
    assert seen(iterator) == [(data * 2, pad) for data, pad in ONE]


def test_methods_show_the_batch():
    iterator = PrefetchingIter(arrays())
    with pytest.raises(mx.MXNetError, match="no batch before"):
        iterator.getdata()
    assert iterator.iter_next() is True
    assert iterator.getdata()[0].asnumpy().ravel().tolist() == [0, 1]
    assert iterator.getlabel()[0].asnumpy().tolist() == [0, 10]
    assert (iterator.getpad(), iterator.getindex()) == (0, None)


@pytest.mark.parametrize(
    "make, error, text",
    [
        (lambda: PrefetchingIter([]), AssertionError, "must not be empty"),
        (lambda: PrefetchingIter(arrays(), [{}, {}]), AssertionError, "a dict for each of 1"),
        (lambda: PrefetchingIter(arrays(), [{"x": "y"}]), KeyError, "no new name"),
        (lambda: list(PrefetchingIter([arrays(), arrays(3)])), AssertionError, "differ in length"),
    ],
)
def test_refused(make, error, text):
    with pytest.raises(error, match=text):
        make()


def test_errors_are_raised_where_the_batch_is_asked_for():
    class Broken(NDArrayIter):
        def getdata(self):
            if self.cursor:
                raise mx.MXNetError("record 7")
            return super().getdata()

    iterator = PrefetchingIter(Broken(DATA, None, 2))
    assert iterator.next().pad == 0
    with pytest.raises(mx.MXNetError, match="record 7"):
        iterator.next()


def test_threads_end_with_the_iterator():
    def running():
        return [t for t in threading.enumerate() if t.name.startswith("PrefetchingIter")]

    before = set(running())
    iterator = PrefetchingIter(arrays())
    iterator.next()
    mine = set(running()) - before
    assert mine
    del iterator
    for thread in mine:
        thread.join(timeout=60)
    assert not any(thread.is_alive() for thread in mine)


class Described(mx.io.DataIter):
    """Batches that are described as programs do."""

    def __init__(self, data, label):
        super().__init__(2)
        self.provide_data, self.provide_label = data, label

    def next(self):
        raise StopIteration


@pytest.mark.parametrize(
    "data, label",
    [
        ([("data", (2, 3))], [("label", (2,))]),
        ([("data", [2, 3])], []),
        ([("data", (2, 3), "int32")], []),
        ([mx.io.DataDesc("data", (2, 3), "int32", "NT")], []),
    ],
)
def test_descriptions_are_passed_on_as_they_are(data, label):
    made = mx.io.PrefetchingIter(Described(data, label))
    assert [*map(repr, made.provide_data)] == [*map(repr, data)]
    assert [*map(repr, made.provide_label)] == [*map(repr, label)]
    assert made.batch_size == 2
