# SPDX-License-Identifier: Apache-2.0
"""Datasets, samplers and batches: errors, and what records cannot show."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import mxnova as mx
from mxnova.gluon import data as D
from mxnova.gluon.contrib.data import IntervalSampler
from mxnova.gluon.data.dataset import _FilteredDataset, _LazyTransformDataset

NUMBERS = D.SimpleDataset(range(6))
BATCHIFIERS = [D.dataloader.default_batchify_fn, D.dataloader.default_mp_batchify_fn]


def double(x):
    return 2 * x


@pytest.mark.parametrize(
    ("function", "error", "text"),
    [
        (lambda: D.Dataset()[0], NotImplementedError, "__getitem__"),
        (lambda: len(D.Dataset()), NotImplementedError, "__len__"),
        (lambda: iter(D.Sampler()), NotImplementedError, "__iter__"),
        (lambda: len(D.Sampler()), NotImplementedError, "__len__"),
        (lambda: NUMBERS.shard(0, 0), AssertionError, "num_shards=0"),
        (lambda: NUMBERS.shard(2, 2), AssertionError, "index=2: must be from 0 to 1"),
        (lambda: NUMBERS.shard(2, -1), AssertionError, "index=-1"),
        (lambda: NUMBERS.sample([1]), TypeError, "a list"),
        (lambda: D.ArrayDataset(), AssertionError, "no array"),
        (lambda: D.ArrayDataset([1], [1, 2]), AssertionError, "array 1 2"),
        (lambda: len(D.BatchSampler(D.SequentialSampler(3), 2, "all")), ValueError, "'all'"),
        (lambda: list(D.BatchSampler(D.SequentialSampler(3), 0)), ValueError, "batch_size=0"),
        (lambda: IntervalSampler(3, 5), AssertionError, "interval=5"),
        (lambda: IntervalSampler(3, 0), AssertionError, "interval=0"),
        (lambda: D.ArrayDataset([1, 2])[2], IndexError, "range"),
    ],
)
def test_errors(function, error, text):
    with pytest.raises(error, match=text):
        function()


@pytest.mark.parametrize("batchify", BATCHIFIERS)
@pytest.mark.parametrize(
    ("elements", "error", "text"),
    [
        (["a", "b"], TypeError, "no array of str; give a batchify_fn"),
        ([None, 1], TypeError, "NoneType, int"),
        ([np.ones(2), np.ones(3)], ValueError, r"element 0 has shape \(2,\), element 1 \(3,\)"),
        (
            [mx.nd.ones(2), mx.nd.ones(3)],
            ValueError,
            r"element 0 has shape \(2,\), element 1 \(3,\)",
        ),
        ([mx.nd.ones(2), np.ones(2)], TypeError, "ndarray mixed"),
    ],
)
def test_what_makes_no_batch(batchify, elements, error, text):
    with pytest.raises(error, match=text):
        batchify(elements)


@pytest.mark.parametrize("batchify", BATCHIFIERS)
def test_batches_of_sparse_arrays_and_under_numpy_semantics(batchify):
    csr = mx.nd.array([[0, 1], [2, 0]]).tostype("csr")
    assert batchify([csr, csr]).shape == (2, 2, 2)
    with mx.util.np_shape(), mx.util.np_array():
        batch = batchify([(1, np.ones(2)), (2, np.zeros(2))])
    assert [type(part).__name__ for part in batch] == ["ndarray", "ndarray"]


def test_slices_are_lazy_and_pickle():
    dataset = NUMBERS.transform(double)
    assert type(dataset) is _LazyTransformDataset
    assert [pickle.loads(pickle.dumps(dataset))[i] for i in range(6)] == [0, 2, 4, 6, 8, 10]
    seen = []
    eager = NUMBERS.transform(seen.append, lazy=False)
    assert (type(eager), seen) == (D.SimpleDataset, list(range(6)))
    pairs = D.SimpleDataset([(1, 2), (3, 4)]).transform_first(double)
    assert [pickle.loads(pickle.dumps(pairs))[i] for i in range(2)] == [(2, 2), (6, 4)]


def test_datasets_without_an_end_are_transformed_by_their_length():
    class Endless(D.Dataset):
        def __len__(self):
            return 3

        def __getitem__(self, idx):
            return idx

    assert list(Endless().transform(double, lazy=False)) == [0, 2, 4]
    assert [Endless().filter(lambda x: x % 2 == 0)[i] for i in range(2)] == [0, 2]


def test_filtered():
    dataset = _FilteredDataset(NUMBERS, lambda x: x > 3)
    assert (len(dataset), list(dataset)) == (2, [4, 5])
    assert list(NUMBERS.filter(lambda x: x > 3).transform(double)) == [8, 10]


def test_flat_arrays_give_numbers():
    element = D.ArrayDataset(mx.nd.array([1, 2]), mx.nd.ones((2, 3)))[1]
    assert (type(element[0]), element[1].shape) == (np.float32, (3,))


def test_interval_sampler_counts_what_it_gives():
    for sampler in (IntervalSampler(13, 3), IntervalSampler(13, 3, rollover=False)):
        assert len(sampler) == len(list(sampler))
