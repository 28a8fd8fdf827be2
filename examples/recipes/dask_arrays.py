# SPDX-License-Identifier: Apache-2.0
"""Dask: the scores of an array's rows, block by block in the workers."""

from __future__ import annotations

import dask
import dask.array
import numpy as np

import mxnova as mx


def score_block(rows: np.ndarray, predictor: mx.Predictor) -> np.ndarray:
    return predictor.predict(data=rows)[0]


def scores_of(rows: dask.array.Array, predictor: mx.Predictor, classes: int) -> dask.array.Array:
    rows = rows.rechunk((rows.chunks[0], -1))
    sent = dask.delayed(predictor)  # once to each worker, not once with each block
    like = np.empty((0, classes), "float32")
    chunks = (rows.chunks[0], (classes,))
    return rows.map_blocks(score_block, predictor=sent, meta=like, chunks=chunks)
