# SPDX-License-Identifier: Apache-2.0
"""Networks on 8-bit integers: quantized, calibrated, run by integer kernels."""

from ...context import Context, cpu
from ...core.base.doors import facade
from ...io import DataBatch, DataDesc, DataIter
from ...module import Module
from ...ndarray import NDArray
from ...symbol import Symbol
from .calibration import HistogramCollector as _LayerHistogramCollector
from .calibration import MinMaxCollector as _LayerOutputMinMaxCollector
from .calibration import combine_histogram
from .calibration import optimal_threshold as _get_optimal_threshold
from .calibration import smooth_distribution as _smooth_distribution
from .model import calib_graph, quantize_graph, quantize_model, quantize_model_mkldnn
from .network import quantize_net, quantize_net_v2
from .steps import calibrate_quantized_sym as _calibrate_quantized_sym
from .steps import get_optimal_thresholds as _get_optimal_thresholds
from .steps import quantize_params as _quantize_params
from .steps import quantize_symbol as _quantize_symbol

# Scripts take the names of other modules from here, too, by `import *`.
__all__ = [
    "Context",
    "DataBatch",
    "DataDesc",
    "DataIter",
    "Module",
    "NDArray",
    "Symbol",
    "_LayerHistogramCollector",
    "_LayerOutputMinMaxCollector",
    "_calibrate_quantized_sym",
    "_get_optimal_threshold",
    "_get_optimal_thresholds",
    "_quantize_params",
    "_quantize_symbol",
    "_smooth_distribution",
    "calib_graph",
    "combine_histogram",
    "cpu",
    "quantize_graph",
    "quantize_model",
    "quantize_model_mkldnn",
    "quantize_net",
    "quantize_net_v2",
]


facade(__name__)
