# SPDX-License-Identifier: Apache-2.0
"""Networks on 8-bit integers: quantized, calibrated, run by integer kernels."""

from .calibration import HistogramCollector as _LayerHistogramCollector
from .calibration import MinMaxCollector as _LayerOutputMinMaxCollector
from .calibration import combine_histogram
from .calibration import optimal_threshold as _get_optimal_threshold
from .model import calib_graph, quantize_graph, quantize_model, quantize_model_mkldnn
from .network import quantize_net, quantize_net_v2

__all__ = [
    "_LayerHistogramCollector",
    "_LayerOutputMinMaxCollector",
    "_get_optimal_threshold",
    "calib_graph",
    "combine_histogram",
    "quantize_graph",
    "quantize_model",
    "quantize_model_mkldnn",
    "quantize_net",
    "quantize_net_v2",
]
