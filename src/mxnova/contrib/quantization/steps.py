# SPDX-License-Identifier: Apache-2.0
"""The steps of `quantize_model`, which programs that quantize in their own way call one by one."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from ...context import Context
from ...core.graph.symbol import Symbol
from ...core.nd.array import NDArray
from .calibration import Histogram, optimal_range
from .graph import calibrated, quantized_symbol
from .model import check_quantization, names_of, quantized_parameters

__all__ = [
    "calibrate_quantized_sym",
    "get_optimal_thresholds",
    "quantize_params",
    "quantize_symbol",
]

_Range = tuple[float, float]


def quantize_symbol(
    sym: Symbol,
    ctx: Context,
    excluded_symbols: list[str] | None = None,
    excluded_operators: list[str] | None = None,
    offline_params: list[str] | None = None,
    quantized_dtype: str = "int8",
    quantize_mode: str = "smart",
    quantize_granularity: str = "tensor-wise",
) -> tuple[Symbol, list[str]]:
    """A symbol on 8-bit integers, and the outputs of `sym` whose ranges calibration is to find.

    Args:
        sym: it stays as it is.
        ctx: where it will run; all places have the same integer layers.
        excluded_symbols: names of nodes that stay on real numbers.
        excluded_operators: names of operators that stay.
        offline_params: names of parameters that `quantize_params` makes integers.
        quantized_dtype: ``"int8"``, ``"uint8"`` or ``"auto"``.
        quantize_mode: ``"full"`` or ``"smart"``.
        quantize_granularity: ``"tensor-wise"`` or ``"channel-wise"``.

    Raises:
        ArgumentError: one of the last three is none of these.
    """
    what = "quantization.quantize_symbol"
    check_quantization(what, quantized_dtype, quantize_mode, quantize_granularity)
    made, layers = quantized_symbol(
        sym,
        names_of(what, "offline_params", offline_params),
        names_of(what, "excluded_symbols", excluded_symbols),
        names_of(what, "excluded_operators", excluded_operators),
        quantized_dtype,
        quantize_mode,
        has_ranges=True,
        by_channel=quantize_granularity == "channel-wise",
    )
    return made, layers


def quantize_params(
    qsym: Symbol, params: Mapping[str, NDArray], th_dict: Mapping[str, _Range]
) -> dict[str, NDArray]:
    """The parameters of a symbol of `quantize_symbol`: real numbers, integers, ends of ranges.

    Args:
        qsym: the symbol.
        params: the parameters, real numbers, by name.
        th_dict: ranges by layer; they say nothing about parameters, which are all known.
    """
    return quantized_parameters(qsym, params)


def get_optimal_thresholds(
    hist_dict: Mapping[str, Histogram],
    quantized_dtype: str,
    num_quantized_bins: int = 255,
    logger: logging.Logger | None = None,
) -> dict[str, _Range]:
    """The range by layer that loses least of the entropy of its histogram.

    Args:
        hist_dict: counts, borders, least and greatest number, threshold, by layer.
        quantized_dtype: type of the integers.
        num_quantized_bins: how many of them there are.
        logger: told of what is found.
    """
    return {
        name: optimal_range(name, histogram, quantized_dtype, num_quantized_bins, logger)
        for name, histogram in hist_dict.items()
    }


def calibrate_quantized_sym(qsym: Symbol, th_dict: Mapping[str, _Range] | None) -> Symbol:
    """A symbol of `quantize_symbol` with ranges by layer; without any, the symbol itself."""
    return calibrated(qsym, th_dict) if th_dict else qsym
