# SPDX-License-Identifier: Apache-2.0
"""Kernels are tested on small arrays, whatever size they are worth using from."""

import pytest

from mxnova.core.runtime import tuning

SMALL = {
    "PRODUCT_MIN_MULTIPLICATIONS": 1 << 21,
    "PRODUCT_MIN_COLUMNS": 16,
    "COLUMN_SPLIT_MIN_WEIGHTS": 1 << 11,
    "TANH_MIN_SIZE": 1 << 9,
    "SHORT_ROWS_MIN_SIZE": 1 << 11,
    "LAYER_NORM_MIN_SIZE": 1 << 11,
    "LAYER_NORM_SHORT_ROW": 12,
    "EXTREMES_MIN_SIZE": 1 << 11,
    "TRANSPOSE_MIN_SIZE": 1 << 13,
    "TOPK_MIN_BLOCKS": 64,
}


@pytest.fixture(autouse=True)
def small_arrays(monkeypatch):
    """Thresholds that small arrays reach."""
    for name, value in SMALL.items():
        monkeypatch.setattr(tuning, name, value)
