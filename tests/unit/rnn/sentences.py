# SPDX-License-Identifier: Apache-2.0
"""Iterators over sentences, run by MXNet to be recorded and by mxnova to be compared."""

from __future__ import annotations

import random

import numpy as np

OPTIONS = [
    {"batch_size": 4},
    {"batch_size": 3, "buckets": [4, 8, 10], "invalid_label": 0},
    {"batch_size": 3, "buckets": [4, 8, 12], "layout": "TN", "dtype": "int32"},
    {"batch_size": 2, "buckets": [8, 12, 40], "data_name": "x", "label_name": "y"},
]


def facts_of(mx, options):
    """What an iterator says of itself, and its batches of two epochs."""
    random.seed(3)
    np.random.seed(4)
    draw = np.random.RandomState(0)
    sentences = [draw.randint(1, 9, n).tolist() for n in draw.randint(1, 13, 30)]
    batches = mx.rnn.BucketSentenceIter(sentences, **options)
    facts = {
        "buckets": batches.buckets,
        "default": batches.default_bucket_key,
        "provide": _described(batches),
        "batches": [],
    }
    for _ in range(2):
        facts["batches"] += [_batch(batch) for batch in batches]
        batches.reset()
    return facts


def _batch(batch):
    arrays = [array.asnumpy() for array in (*batch.data, *batch.label)]
    return {
        "key": batch.bucket_key,
        "pad": batch.pad,
        "provide": _described(batch),
        "arrays": [[array.dtype.name, array.astype(int).tolist()] for array in arrays],
    }


def _described(batch):
    return [
        [desc.name, list(desc.shape), np.dtype(desc.dtype).name, desc.layout]
        for desc in (*batch.provide_data, *batch.provide_label)
    ]
