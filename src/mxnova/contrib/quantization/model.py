# SPDX-License-Identifier: Apache-2.0
"""Models on 8-bit integers: symbols with parameters, and Gluon networks."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ... import ndarray as nd
from ...context import Context, cpu
from ...core.base.errors import argument_error
from ...core.exec.passes.mkldnn_subgraphs import with_integer_layers
from ...core.graph.symbol import Symbol
from ...core.nd.array import NDArray
from ...io import DataIter
from ...ndarray import contrib as nd_contrib
from ...ndarray import load as load_arrays
from ...symbol import load as load_symbol
from .calibration import Collector, HistogramCollector, MinMaxCollector, collect
from .graph import calibrated, quantized_symbol

__all__ = [
    "calib_graph",
    "check_context",
    "check_quantization",
    "names_of",
    "quantize_graph",
    "quantize_model",
    "quantize_model_mkldnn",
    "quantized_parameters",
]

_CPU = cpu()
_DTYPES = ("int8", "uint8", "auto")
_MODES = ("full", "smart")
_GRANULARITIES = ("tensor-wise", "channel-wise")
_CALIBRATIONS = ("none", "naive", "entropy", "customize")

_Params = dict[str, NDArray]


def _choice(function: str, argument: str, value: Any, choices: Sequence[str]) -> None:
    if value not in choices:
        raise argument_error(function, argument, value, f"must be one of {', '.join(choices)}")


def check_quantization(function: str, dtype: str, mode: str, granularity: str) -> None:
    """Raises `ArgumentError` where one of the choices of a quantized symbol is none."""
    _choice(function, "quantized_dtype", dtype, _DTYPES)
    _choice(function, "quantize_mode", mode, _MODES)
    _choice(function, "quantize_granularity", granularity, _GRANULARITIES)


def names_of(function: str, argument: str, value: Any) -> list[str]:
    """A list of names that was given as `argument`, which may be None."""
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
        raise argument_error(function, argument, value, "must be a list of names")
    return value


def quantize_graph(
    sym: Any,
    arg_params: Any,
    aux_params: Any,
    ctx: Context = _CPU,
    excluded_sym_names: list[str] | None = None,
    excluded_op_names: list[str] | None = None,
    calib_mode: str = "entropy",
    quantized_dtype: str = "int8",
    quantize_mode: str = "full",
    quantize_granularity: str = "tensor-wise",
    LayerOutputCollector: Collector | None = None,  # noqa: N803 - MXNet's name
    logger: logging.Logger | None = None,
) -> tuple[Symbol, _Params, _Params, Any]:
    """Return a quantized network without calibrated ranges, and the collector that finds them.

    Args:
        sym: the network, or a file of it; it stays as it is.
        arg_params: its arguments by name, or a file with all parameters.
        aux_params: its auxiliary states by name.
        ctx: where it will run.
        excluded_sym_names: names of nodes that stay on real numbers.
        excluded_op_names: names of operators that stay.
        calib_mode: how ranges are found: ``"none"``, in every run; ``"naive"``, the least and the
            greatest number; ``"entropy"``, what loses least; ``"customize"``, see
            `LayerOutputCollector`.
        quantized_dtype: ``"int8"``, ``"uint8"`` or ``"auto"``: uint8 for what is never negative.
        quantize_mode: ``"full"``, whatever can be; ``"smart"``, convolutions, FullyConnected and
            RNN, and what lies between.
        quantize_granularity: ``"tensor-wise"``; MXNet's own backends know ``"channel-wise"``.
        LayerOutputCollector: has ``collect(name, handle of an array)`` and `min_max_dict`.
        logger: told what is done.

    Returns:
        (symbol, its arguments, its auxiliary states, collector): install ``collector.collect`` as a
        monitor of the network on real numbers, run that, and call `calib_graph`.
    """
    what = "quantization.quantize_graph"
    _choice(what, "calib_mode", calib_mode, _CALIBRATIONS)
    check_quantization(what, quantized_dtype, quantize_mode, quantize_granularity)
    excluded = names_of(what, "excluded_sym_names", excluded_sym_names)
    operators = names_of(what, "excluded_op_names", excluded_op_names)
    sym, arg_params, aux_params = _loaded(sym, arg_params, aux_params)
    made, layers = quantized_symbol(
        sym,
        arg_params,
        excluded,
        operators,
        quantized_dtype,
        quantize_mode,
        has_ranges=calib_mode != "none",
        by_channel=quantize_granularity == "channel-wise",
    )
    collector = _collector(calib_mode, quantized_dtype, layers, LayerOutputCollector, logger)
    if logger:
        logger.info("quantization: %d layers need ranges", len(layers))
    return made, quantized_parameters(made, arg_params), dict(aux_params), collector


def _loaded(sym: Any, arg_params: Any, aux_params: Any) -> tuple[Symbol, _Params, _Params]:
    if isinstance(sym, str):
        sym = load_symbol(sym)
    if isinstance(arg_params, str):
        arg_params, aux_params = _parameters(arg_params)
    if not isinstance(sym, Symbol):
        raise argument_error("quantization", "sym", sym, "must be a Symbol, or a file of one")
    for argument, value in (("arg_params", arg_params), ("aux_params", aux_params)):
        if not isinstance(value, Mapping):
            raise argument_error("quantization", argument, value, "must be a dict of arrays")
    return sym, arg_params, aux_params


def _parameters(fname: str) -> tuple[_Params, _Params]:
    """Arguments and auxiliary states in a file of a model."""
    arrays: Any = load_arrays(fname)
    groups = [
        {n.removeprefix(kind): a for n, a in arrays.items() if n.startswith(kind)}
        for kind in ("arg:", "aux:")
    ]
    return groups[0], groups[1]


def _collector(
    mode: str,
    dtype: str,
    layers: list[str],
    given: Any,
    logger: logging.Logger | None,
) -> Any:
    if mode == "naive":
        return MinMaxCollector(dtype, layers, logger)
    if mode == "entropy":
        return HistogramCollector(8001, layers, logger)
    if mode == "customize" and given is None:
        raise argument_error(
            "quantization", "LayerOutputCollector", None, "calib_mode='customize' needs one"
        )
    return given if mode == "customize" else None


def quantized_parameters(symbol: Symbol, params: Mapping[str, NDArray]) -> _Params:
    """The parameters of a quantized symbol: real numbers, integers, ends of ranges."""
    found: _Params = {}
    integers: dict[str, list[NDArray]] = {}
    for name in symbol.list_arguments():
        if name in params:
            found[name] = params[name]
            continue
        origin, _, kind = name.rpartition("_quantize")
        if origin in params and kind in ("", "_min", "_max"):
            if origin not in integers:
                values = params[origin]
                ends = nd.min(values).reshape((1,)), nd.max(values).reshape((1,))
                integers[origin] = nd_contrib.quantize(values, *ends, out_type="int8")
            found[name] = integers[origin][("", "_min", "_max").index(kind)]
    return found


def calib_graph(
    qsym: Symbol,
    arg_params: _Params,
    aux_params: _Params,
    collector: Any,
    calib_mode: str = "entropy",
    quantized_dtype: str = "int8",
    logger: Any = logging,
) -> tuple[Symbol, _Params, _Params]:
    """A network of `quantize_graph` with the ranges that its collector has found.

    Args:
        qsym: the network.
        arg_params: its arguments, or those of the network on real numbers.
        aux_params: its auxiliary states.
        collector: what has seen data.
        calib_mode: as it was given to `quantize_graph`.
        quantized_dtype: as it was given to `quantize_graph`.
        logger: told what is done.

    Returns:
        (symbol, its arguments, its auxiliary states).
    """
    what = "quantization.calib_graph"
    _choice(what, "calib_mode", calib_mode, _CALIBRATIONS)
    if calib_mode == "none":
        return qsym, arg_params, aux_params
    _choice(what, "quantized_dtype", quantized_dtype, _DTYPES)
    if calib_mode == "entropy":
        ranges = collector.ranges(quantized_dtype)
    else:
        ranges = collector.min_max_dict
    if logger:
        logger.info("quantization: ranges of %d layers", len(ranges))
    return calibrated(qsym, ranges), quantized_parameters(qsym, arg_params), aux_params


def quantize_model(
    sym: Any,
    arg_params: Any,
    aux_params: Any,
    data_names: Sequence[str] = ("data",),
    label_names: Sequence[str] | None = ("softmax_label",),
    ctx: Context = _CPU,
    excluded_sym_names: list[str] | None = None,
    excluded_op_names: list[str] | None = None,
    calib_mode: str = "entropy",
    calib_data: DataIter | None = None,
    num_calib_examples: int | None = None,
    quantized_dtype: str = "int8",
    quantize_mode: str = "smart",
    quantize_granularity: str = "tensor-wise",
    logger: logging.Logger | None = None,
) -> tuple[Symbol, _Params, _Params]:
    """A network on 8-bit integers: (symbol, arguments, auxiliary states).

    Args:
        sym: the network, or a file of it; it stays as it is.
        arg_params: its arguments by name.
        aux_params: its auxiliary states by name.
        data_names: names of its inputs.
        label_names: names of its labels, which calibration needs none of.
        ctx: where calibration runs.
        excluded_sym_names: see `quantize_graph`.
        excluded_op_names: see `quantize_graph`.
        calib_mode: see `quantize_graph`.
        calib_data: data to find ranges with.
        num_calib_examples: how many samples of it to take, at least; None: all.
        quantized_dtype: see `quantize_graph`.
        quantize_mode: see `quantize_graph`.
        quantize_granularity: see `quantize_graph`.
        logger: told what is done.
    """
    what = "quantization.quantize_model"
    _choice(what, "calib_mode", calib_mode, _CALIBRATIONS[:3])
    check_context(what, ctx)
    sym, arg_params, aux_params = _loaded(sym, arg_params, aux_params)
    if calib_mode != "none" and not isinstance(calib_data, DataIter):
        raise argument_error(
            what, "calib_data", calib_data, f"calib_mode={calib_mode!r} needs a DataIter"
        )
    qsym, qargs, aux, collector = quantize_graph(
        sym,
        arg_params,
        aux_params,
        ctx,
        excluded_sym_names,
        excluded_op_names,
        calib_mode,
        quantized_dtype,
        quantize_mode,
        quantize_granularity,
        logger=logger,
    )
    if collector is not None:
        batches = _batches(calib_data, list(data_names), num_calib_examples)
        collect(sym, {**arg_params, **aux_params}, batches, ctx, collector)
    return calib_graph(qsym, qargs, aux, collector, calib_mode, quantized_dtype, logger)


def check_context(function: str, ctx: Any) -> None:
    """Raise an error unless `ctx` is a single context."""
    if not isinstance(ctx, Context):
        raise argument_error(function, "ctx", ctx, "must be one context")


def _batches(data: Any, names: list[str], most: int | None) -> Iterator[Mapping[str, NDArray]]:
    """Inputs by name, batch by batch, until there are as many samples as asked for."""
    samples = 0
    data.reset()
    for batch in data:
        if most is not None and samples >= most:
            break
        samples += batch.data[0].shape[0] - (batch.pad or 0)
        yield dict(zip(names, batch.data, strict=False))


def quantize_model_mkldnn(
    sym: Any,
    arg_params: Any,
    aux_params: Any,
    data_names: Sequence[str] = ("data",),
    label_names: Sequence[str] | None = ("softmax_label",),
    ctx: Context = _CPU,
    excluded_sym_names: list[str] | None = None,
    excluded_op_names: list[str] | None = None,
    calib_mode: str = "entropy",
    calib_data: DataIter | None = None,
    num_calib_examples: int | None = None,
    quantized_dtype: str = "int8",
    quantize_mode: str = "smart",
    quantize_granularity: str = "tensor-wise",
    logger: logging.Logger | None = None,
) -> tuple[Symbol, _Params, _Params]:
    """Like `quantize_model`, for CPUs: layers are fused with the operators after them.

    Arguments as those of `quantize_model`.

    Raises:
        ArgumentError: `ctx` is no CPU.
    """
    check_context("quantization.quantize_model_mkldnn", ctx)
    if ctx.device_type != "cpu":
        raise argument_error("quantization.quantize_model_mkldnn", "ctx", ctx, "must be a CPU")
    sym, arg_params, aux_params = _loaded(sym, arg_params, aux_params)
    qsym, qargs, aux = quantize_model(
        with_integer_layers(sym),
        arg_params,
        aux_params,
        data_names,
        label_names,
        ctx,
        excluded_sym_names,
        excluded_op_names,
        calib_mode,
        calib_data,
        num_calib_examples,
        quantized_dtype,
        quantize_mode,
        quantize_granularity,
        logger,
    )
    return with_integer_layers(qsym), qargs, aux
