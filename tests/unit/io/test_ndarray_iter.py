# SPDX-License-Identifier: Apache-2.0
"""Iterators over arrays: batches as MXNet 1.9.1 gives them."""

from __future__ import annotations

import numpy as np
import pytest

import mxnova as mx
from mxnova.io import DataBatch, DataDesc, DataIter, NDArrayIter, ResizeIter

DATA, LABEL = np.arange(7.0).reshape(7, 1), np.arange(7.0) * 10


def batches(iterator):
    """Data and padding of each batch; labels are ten times the data."""
    found = []
    for batch in iterator:
        data = batch.data[0].asnumpy().ravel()
        np.testing.assert_array_equal(batch.label[0].asnumpy(), data * 10)
        found.append((data.astype(int).tolist(), batch.pad))
    iterator.reset()
    return found


FULL = [([0, 1, 2], 0), ([3, 4, 5], 0)]
EPOCHS = {
    "pad": [[*FULL, ([6, 0, 1], 2)]] * 2,
    "discard": [FULL] * 2,
    "roll_over": [
        FULL,
        [([6, 0, 1], 1), ([2, 3, 4], 0)],
        [([5, 6, 0], 2), ([1, 2, 3], 0), ([4, 5, 6], 0)],
        FULL,
    ],
}


@pytest.mark.parametrize("handle", EPOCHS)
def test_last_batches(handle):
    iterator = NDArrayIter(DATA, LABEL, 3, last_batch_handle=handle)
    for expected in EPOCHS[handle]:
        assert batches(iterator) == expected


def test_what_is_left_over_can_be_dropped():
    iterator = NDArrayIter(DATA, LABEL, 3, last_batch_handle="roll_over")
    iterator.next()
    iterator.reset()
    assert batches(iterator) == FULL
    iterator.hard_reset()
    assert batches(iterator) == FULL


@pytest.mark.parametrize(
    "size, batch", [(8, [0, 1, 2, 3, 4, 5, 6, 0]), (15, [*range(7), *range(7), 0])]
)
def test_batches_larger_than_the_data(size, batch):
    assert batches(NDArrayIter(DATA, LABEL, size)) == [(batch, size - 7)]


def test_shuffled_as_in_mxnet():
    np.random.seed(0)
    iterator = NDArrayIter(DATA, LABEL, 3, shuffle=True)
    assert batches(iterator) == [([6, 2, 1], 0), ([3, 0, 5], 0), ([4, 6, 2], 2)]
    assert batches(iterator) == [([1, 4, 0], 0), ([3, 6, 2], 0), ([5, 1, 4], 2)]


def test_what_rolls_over_is_of_the_order_before():
    iterator = NDArrayIter(DATA, LABEL, 3, shuffle=True, last_batch_handle="roll_over")
    seen = [value for data, _ in batches(iterator) for value in data]
    (left,) = set(range(7)) - set(seen)
    assert batches(iterator)[0][0][0] == left


@pytest.mark.parametrize(
    "data, names, dtypes",
    [
        (DATA, ["data"], ["float32"]),
        ([DATA, DATA], ["_0_data", "_1_data"], ["float32"] * 2),
        ({"b": DATA, "a": mx.nd.array(DATA, dtype="int32")}, ["a", "b"], ["int32", "float32"]),
    ],
)
def test_names(data, names, dtypes):
    iterator = NDArrayIter(data, None, 2, layout="NT")
    assert iterator.provide_data == [(name, (2, 1)) for name in names]
    assert [np.dtype(d.dtype).name for d in iterator.provide_data] == dtypes
    assert [d.layout for d in iterator.provide_data] == ["NT"] * len(names)
    assert iterator.provide_label == []
    assert [x.dtype for x in iterator.next().data] == [d.dtype for d in iterator.provide_data]


def test_batches_are_copies():
    iterator = NDArrayIter(DATA, LABEL, 3)
    iterator.next().data[0][:] = -1
    iterator.reset()
    assert batches(iterator)[0] == FULL[0]


@pytest.mark.parametrize("handle", EPOCHS)
def test_the_end_of_longer_arrays_is_left_out(handle):
    longer = NDArrayIter(DATA, np.arange(20.0) * 10, 3, last_batch_handle=handle)
    assert [batches(longer) for _ in EPOCHS[handle]] == EPOCHS[handle]


@pytest.mark.parametrize("shuffle", [False, True])
def test_sparse_data(shuffle):
    sparse = mx.nd.array(DATA).tostype("csr")
    iterator = NDArrayIter(sparse, LABEL, 3, shuffle, "discard")
    assert [batch.data[0].stype for batch in iterator] == ["csr"] * 2
    iterator.reset()
    batches(iterator)
    with pytest.raises(NotImplementedError, match="discard"):
        NDArrayIter(sparse, LABEL, 3)


@pytest.mark.parametrize(
    "args, kwargs, kind, text",
    [
        ((None,), {}, AssertionError, "there is no array"),
        (([],), {}, AssertionError, "there is no array"),
        ((3,), {}, TypeError, "data=3"),
        ((["some"],), {}, TypeError, "data: a str is no array"),
        ((DATA, LABEL[:3]), {}, ValueError, "shorter than the first: .*'softmax_label': 3"),
        ((DATA, LABEL, 0), {}, ValueError, "batch_size=0"),
        ((DATA,), {"last_batch_handle": "other"}, AssertionError, "last_batch_handle='other'"),
    ],
)
def test_refused(args, kwargs, kind, text):
    with pytest.raises(kind, match=text):
        NDArrayIter(*args, **kwargs)


def test_there_is_no_batch_before_the_first():
    iterator = NDArrayIter(DATA, LABEL, 3)
    with pytest.raises(ValueError, match="iter_next"):
        iterator.getdata()
    assert iterator.iter_next()
    assert iterator.getdata()[0].asnumpy().ravel().tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="before the first"):
        ResizeIter(iterator, 1).getdata()


def test_resized():
    iterator = ResizeIter(NDArrayIter(DATA, LABEL, 3), 5)
    whole = EPOCHS["pad"][0]
    assert batches(iterator) == batches(iterator) == [*whole, *whole[:2]]
    going_on = ResizeIter(NDArrayIter(DATA, LABEL, 3), 2, reset_internal=False)
    assert [batches(going_on) for _ in range(2)] == [whole[:2], [whole[2], whole[0]]]
    assert iterator.provide_data == NDArrayIter(DATA, LABEL, 3).provide_data


def test_descriptions():
    desc = DataDesc("a", (1, 2), "int32", "NTC")
    assert tuple(desc) == ("a", (1, 2))
    assert repr(desc) == "DataDesc[a,(1, 2),int32,NTC]"
    assert (DataDesc("a", ()).dtype, DataDesc("a", ()).layout) == (np.float32, "NCHW")
    assert [DataDesc.get_batch_axis(x) for x in ("TNC", None, "TC")] == [1, 0, -1]
    (made,) = DataDesc.get_list([("a", (1, 2))], [("a", "int32")])
    assert (made, made.dtype) == (("a", (1, 2)), "int32")
    assert DataDesc.get_list([("a", (1, 2))], None)[0].dtype is np.float32


def test_batches_show_shapes():
    batch = DataBatch([mx.nd.ones((2, 1))], [mx.nd.ones(2)])
    assert str(batch) == "DataBatch: data shapes: [(2, 1)] label shapes: [(2,)]"
    assert str(DataBatch([mx.nd.ones(2)])) == "DataBatch: data shapes: [(2,)] label shapes: None"
    with pytest.raises(AssertionError, match="must be a list"):
        DataBatch(mx.nd.ones(1))


def test_own_iterators():
    class Counting(DataIter):
        left = 2

        def iter_next(self):
            self.left -= 1
            return self.left >= 0

        def getdata(self):
            return [mx.nd.array([self.left])]

        def getlabel(self):
            return []

    assert [batch.data[0].asscalar() for batch in Counting(1)] == [1, 0]
    with pytest.raises(StopIteration):
        DataIter(1).next()


@pytest.mark.parametrize("shuffle", [False, True])
@pytest.mark.parametrize(
    ("samples", "size", "epochs"),
    [
        # Lists of (length, pad) of each epoch; None: an error, after which reset() starts afresh.
        (4, 7, [[], [(7, 4)], None, [], [(7, 4)]]),
        (4, 9, [[], None, [], None]),
        (1, 4, [[], None, []]),
        (5, 8, [[], [(8, 5)], None, []]),
        (3, 5, [[], [(5, 3)], None, []]),
        (4, 8, [[], [(8, 4)], [], [(8, 4)]]),
        (4, 4, [[(4, 0)], [(4, 0)]]),
    ],
)
def test_roll_over_gives_full_batches_or_raises(samples, size, epochs, shuffle):
    iterator = NDArrayIter(
        np.arange(samples), batch_size=size, shuffle=shuffle, last_batch_handle="roll_over"
    )
    for expected in epochs:
        if expected is None:
            with pytest.raises(mx.MXNetError, match=f"do not fill a batch of {size}: reduce"):
                list(iterator)
        else:
            found = [(len(batch.data[0]), batch.pad) for batch in iterator]
            assert found == expected
        iterator.reset()
