# SPDX-License-Identifier: Apache-2.0
"""Ranges of what layers give, found by running data through a network."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Protocol

import numpy as np
import torch

from ...base import py_str
from ...core.base.errors import ArgumentError, argument_error
from ...core.base.handles import handle_of
from ...core.exec.bind.cached_op import CachedOp
from ...core.graph.base_symbol import output_name
from ...core.graph.symbol import Symbol
from ...core.nd.array import NDArray
from ...core.op.tensor.calibration import smoothed
from ...core.runtime.context import Context
from ...ndarray import array
from ...ndarray import contrib as nd_contrib

__all__ = [
    "Collector",
    "HistogramCollector",
    "MinMaxCollector",
    "collect",
    "combine_histogram",
    "optimal_threshold",
    "smooth_distribution",
]

_LEVELS = 255

Histogram = tuple[Any, Any, float, float, float]  # counts, borders, least, greatest, threshold


class Collector(Protocol):
    """Collects outputs of layers, batch by batch; users may supply their own subclass.

    Attributes:
        include_layer: names of outputs, a function that tells whether it wants one, or None: all.
    """

    include_layer: Any

    def collect(self, name: Any, arr: Any) -> None:
        """Collect a layer's output, given by its name and the handle of an array."""


class MinMaxCollector:
    """The least and the greatest number that each layer gives.

    Args:
        quantized_dtype: type of the integers.
        include_layer: names of outputs; None: all.
        logger: told of what is found.
    """

    def __init__(
        self,
        quantized_dtype: str,
        include_layer: Collection[str] | None = None,
        logger: logging.Logger | None = None,
    ) -> None:
        self.min_max_dict: dict[str, tuple[float, float]] = {}
        self.quantized_dtype = quantized_dtype
        self.include_layer = include_layer
        self.logger = logger

    def collect(self, name: Any, arr: Any) -> None:
        """Collect a layer's output: an array or the handle of one."""
        name = py_str(name)
        if not _wants(self, name):
            return
        arr = arr if isinstance(arr, NDArray) else NDArray(arr, writable=False)
        low, high = arr.min().asscalar(), arr.max().asscalar()
        before = self.min_max_dict.get(name, (low, high))
        self.min_max_dict[name] = (min(low, before[0]), max(high, before[1]))
        if self.logger:
            self.logger.debug("%s: from %g to %g", name, low, high)


class HistogramCollector:
    """Collects histograms of layer outputs, from which optimal thresholds are computed.

    Args:
        num_bins: bins of a histogram.
        include_layer: names of outputs; None: all.
        logger: told of what is found.
    """

    def __init__(
        self,
        num_bins: int = 8001,
        include_layer: Collection[str] | None = None,
        logger: logging.Logger | None = None,
    ) -> None:
        self.hist_dict: dict[str, Histogram] = {}
        self.num_bins = num_bins
        self.include_layer = include_layer
        self.logger = logger

    def collect(self, name: Any, arr: Any) -> None:
        """Collect a layer's output: an array or the handle of one."""
        name = py_str(name)
        if not _wants(self, name):
            return
        arr = arr if isinstance(arr, NDArray) else NDArray(arr, writable=False)
        values = arr.asnumpy()
        low, high = values.min(), values.max()
        threshold = max(abs(low), abs(high))
        if name in self.hist_dict:
            self.hist_dict[name] = combine_histogram(
                self.hist_dict[name], values, low, high, threshold
            )
        else:
            counts, borders = np.histogram(values, self.num_bins, range=(-threshold, threshold))
            self.hist_dict[name] = (counts, borders, low, high, threshold)

    def ranges(self, quantized_dtype: str) -> dict[str, tuple[float, float]]:
        """The range by layer that loses least of the entropy of its histogram."""
        return {
            name: optimal_range(name, histogram, quantized_dtype, _LEVELS, self.logger)
            for name, histogram in self.hist_dict.items()
        }


def combine_histogram(
    old_hist: Histogram, arr: Any, new_min: float, new_max: float, new_th: float
) -> Histogram:
    """A histogram with further numbers counted; it grows by bins of the same width.

    Args:
        old_hist: counts, borders, least and greatest number, threshold.
        arr: the numbers.
        new_min: the least of them.
        new_max: the greatest of them.
        new_th: the greatest magnitude of them.
    """
    counts, borders, low, high, threshold = old_hist
    low, high = min(low, new_min), max(high, new_max)
    if new_th <= threshold:
        more, _ = np.histogram(arr, len(counts), range=(-threshold, threshold))
        return counts + more, borders, low, high, threshold
    width = 2 * threshold / len(counts)
    growth = int((new_th - threshold) // width + 1)
    reach = growth * width + threshold
    total, borders = np.histogram(arr, len(counts) + 2 * growth, range=(-reach, reach))
    total[growth : len(total) - growth] += counts
    return total, borders, low, high, reach


def optimal_threshold(
    histogram: Histogram, quantized_dtype: str, num_quantized_bins: int = _LEVELS
) -> tuple[float, float, float, float]:
    """Return (least number, greatest number, threshold, divergence) of the best clipping.

    Migacz: 8-bit inference with TensorRT, 2017.

    Args:
        histogram: counts, borders, least and greatest number, threshold.
        quantized_dtype: type of the integers.
        num_quantized_bins: how many of them there are.
    """
    counts, borders, low, high, _ = histogram
    if low >= 0 and quantized_dtype in ("auto", "uint8"):
        num_quantized_bins = num_quantized_bins * 2 + 1  # half of them lie below zero
    threshold, divergence = nd_contrib.calibrate_entropy(
        hist=array(counts, dtype="float32"),
        hist_edges=array(borders, dtype="float32"),
        num_quantized_bins=num_quantized_bins,
    )
    return low, high, threshold.asscalar(), divergence.asscalar()


def optimal_range(
    name: str,
    histogram: Histogram,
    quantized_dtype: str,
    num_quantized_bins: int,
    logger: logging.Logger | None,
) -> tuple[float, float]:
    """The range of a layer that loses least of the entropy of its histogram."""
    low, _, threshold, divergence = optimal_threshold(
        histogram, quantized_dtype, num_quantized_bins
    )
    if logger:
        logger.debug("%s: threshold %g, divergence %g", name, threshold, divergence)
    unsigned = low >= 0 and quantized_dtype in ("auto", "uint8")
    return (0.0 if unsigned else -threshold, threshold)


def smooth_distribution(p: Any, eps: float = 0.0001) -> Any:
    """A histogram without zeros, as divergences need them: float32, of the same sum.

    Args:
        p: the counts.
        eps: what takes the place of zeros; it is taken from the others in equal parts.

    Raises:
        ArgumentError: all counts are 0.
    """
    counts = np.asarray(p, np.float32)
    if not counts.any():
        raise argument_error("smooth_distribution", "p", p, "has nothing but zeros")
    return smoothed(torch.from_numpy(counts), eps).numpy()


def _wants(collector: Collector, name: str) -> bool:
    layers = collector.include_layer
    if layers is None:
        return True
    return bool(layers(name)) if callable(layers) else name in layers


def collect(
    symbol: Symbol,
    params: Mapping[str, NDArray],
    batches: Iterable[Mapping[str, NDArray]],
    context: Context,
    collector: Collector,
) -> None:
    """Pass the layer outputs for calibration data to a collector.

    Args:
        symbol: the network.
        params: its arguments and auxiliary states by name.
        batches: its other inputs by name, batch by batch.
        context: where it runs.
        collector: what collects.
    """
    internals = symbol.get_internals()
    wanted = {output_name(e): e for e in internals.entries if _wants(collector, output_name(e))}
    if not wanted:
        return
    outputs = type(internals)(wanted.values())
    inputs = outputs.list_inputs()
    run = CachedOp(outputs)
    # Copies: some operators write to their parameters.
    fixed = {name: params[name].copyto(context) for name in inputs if name in params}
    for batch in batches:
        missing = [n for n in inputs if n not in fixed and n not in batch]
        if missing:
            raise ArgumentError(f"calibration: {missing} are neither data nor parameters")
        arrays: list[Any] = [
            fixed[n] if n in fixed else batch[n].as_in_context(context) for n in inputs
        ]
        results = run(*arrays)
        for name, result in zip(wanted, results if len(wanted) > 1 else [results], strict=True):
            collector.collect(name, handle_of(result))
