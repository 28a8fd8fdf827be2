# SPDX-License-Identifier: Apache-2.0
"""Names with an underscore that programs take from MXNet's modules."""

from __future__ import annotations

import ctypes
import importlib
import struct

import numpy as np
import pytest

import mxnova as mx

NAMES = {
    "autograd": "_RecordingStateScope _parse_head",
    "contrib.quantization": "_LayerHistogramCollector _LayerOutputMinMaxCollector "
    "_calibrate_quantized_sym _get_optimal_threshold _get_optimal_thresholds _quantize_params "
    "_quantize_symbol _smooth_distribution",
    "executor_manager": "_load_data _load_label _split_input_slice",
    "gluon.block": "_BlockScope _flatten _regroup",
    "image.detection": "ImageIter",
    "io": "_getdata_by_idx _has_instance _init_data",
    "io.io": "_getdata_by_idx _has_instance _init_data",
    "model": "_create_kvstore _initialize_kvstore _update_params _update_params_on_kvstore "
    "_update_params_on_kvstore_nccl",
    "module.base_module": "_as_list _check_input_names _check_names_match _parse_data_desc",
    "recordio": "_IR_FORMAT _IR_SIZE",
    "rnn.rnn_cell": "_cells_state_info _normalize_sequence",
}


@pytest.mark.parametrize(
    "module, name", [(module, name) for module in NAMES for name in NAMES[module].split()]
)
def test_names_are_there(module: str, name: str) -> None:
    assert getattr(importlib.import_module(f"mxnova.{module}"), name) is not None


def test_headers_of_image_records_have_this_form() -> None:
    header = mx.recordio.pack(mx.recordio.IRHeader(0, 1.5, 7, 0), b"")
    assert len(header) == mx.recordio._IR_SIZE
    assert struct.unpack(mx.recordio._IR_FORMAT, header) == (0, 1.5, 7, 0)


def test_heads_have_handles() -> None:
    x, y = mx.nd.ones(2), mx.nd.zeros(2)

    def values(handles: ctypes.Array[ctypes.c_void_p]) -> list[list[float]]:
        return [mx.nd.NDArray(ctypes.c_void_p(handle)).asnumpy().tolist() for handle in handles]

    heads, none = mx.autograd._parse_head(x, None)
    assert values(heads) == [[1, 1]]
    assert none is None
    assert [values(a) for a in mx.autograd._parse_head([x, y], [y, x])] == [
        [[1, 1], [0, 0]],
        [[0, 0], [1, 1]],
    ]


def test_distributions_are_smoothed() -> None:
    smooth = mx.contrib.quantization._smooth_distribution
    np.testing.assert_allclose(smooth(np.array([0, 3, 0, 1]), 0.25), [0.25, 2.75, 0.25, 0.75])
    with pytest.raises(ValueError, match="zeros"):
        smooth(np.zeros(3))


def test_rates_of_old_programs() -> None:
    rate = importlib.import_module("mxnova.misc").FactorScheduler(step=10, factor=0.5)
    rate.base_lr = 1.0
    assert [rate(i) for i in (0, 9, 10, 25, 5)] == [1, 1, 0.5, 0.25, 1]
