# SPDX-License-Identifier: Apache-2.0
"""Gluon networks on 8-bit integers."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...context import Context, cpu
from ...core.base.errors import ArgumentError, argument_error
from ...core.exec.passes.mkldnn_subgraphs import with_integer_layers
from ...core.graph.symbol import Symbol
from ...core.nd.array import NDArray
from ...gluon.block import HybridBlock, SymbolBlock
from ...io import DataBatch, DataIter
from ...ndarray import zeros
from .calibration import Collector, collect
from .model import calib_graph, check_context, quantize_graph

__all__ = ["quantize_net", "quantize_net_v2"]

_CPU = cpu()


def quantize_net_v2(
    network: HybridBlock,
    quantized_dtype: str = "auto",
    quantize_mode: str = "full",
    quantize_granularity: str = "tensor-wise",
    exclude_layers: list[str] | None = None,
    exclude_layers_match: list[str] | None = None,
    exclude_operators: list[str] | None = None,
    calib_data: Any = None,
    data_shapes: Sequence[Any] | None = None,
    calib_mode: str = "none",
    num_calib_examples: int | None = None,
    ctx: Context = _CPU,
    LayerOutputCollector: Collector | None = None,  # noqa: N803 - MXNet's name
    logger: logging.Logger | None = None,
) -> SymbolBlock:
    """A network that computes the same on 8-bit integers.

    On CPUs layers take over what follows them, as for oneDNN in MXNet: nodes of
    ``get_backend_symbol("MKLDNN_QUANTIZE")``.

    Args:
        network: it stays as it is, but that it is hybridized and has values for all parameters.
        quantized_dtype: see `quantize_graph`.
        quantize_mode: see `quantize_graph`.
        quantize_granularity: see `quantize_graph`.
        exclude_layers: names of nodes of its graph that stay on real numbers.
        exclude_layers_match: parts of such names.
        exclude_operators: names of operators that stay.
        calib_data: data to find ranges with: a DataIter, a DataLoader, an array, or batches of
            arrays; what a batch has besides the inputs, labels, is left out.
        data_shapes: shapes of the inputs, or their DataDescs; None: those of the data.
        calib_mode: see `quantize_graph`.
        num_calib_examples: how many samples of the data to take, at least; None: all.
        ctx: where the network runs.
        LayerOutputCollector: see `quantize_graph`.
        logger: told what is done.
    """
    what = "quantization.quantize_net"
    if not isinstance(network, HybridBlock):
        raise argument_error(what, "network", network, "must be a HybridBlock")
    check_context(what, ctx)
    if calib_mode != "none" and calib_data is None:
        raise argument_error(what, "calib_data", None, f"calib_mode={calib_mode!r} needs data")
    inputs, sym = _graph(network, _samples(data_shapes, calib_data, ctx))
    params = {name: p.data(ctx) for name, p in network.collect_params().items()}
    arguments = {n: params[n] for n in sym.list_arguments() if n in params}
    states = {n: params[n] for n in sym.list_auxiliary_states()}
    excluded = list(exclude_layers or ())
    for part in exclude_layers_match or ():
        excluded += [n.name for n in sym.nodes if part in n.name]
    on_cpu = ctx.device_type == "cpu"
    sym = with_integer_layers(sym) if on_cpu else sym
    qsym, qarguments, qstates, collector = quantize_graph(
        sym,
        arguments,
        states,
        ctx,
        excluded,
        exclude_operators,
        calib_mode,
        quantized_dtype,
        quantize_mode,
        quantize_granularity,
        LayerOutputCollector,
        logger,
    )
    if collector is not None:
        names = [str(i.name) for i in inputs]
        collect(sym, params, _named(calib_data, names, num_calib_examples), ctx, collector)
    qsym, qarguments, qstates = calib_graph(
        qsym, qarguments, qstates, collector, calib_mode, quantized_dtype, logger
    )
    qsym = with_integer_layers(qsym) if on_cpu else qsym
    return _block(qsym, inputs, {**qarguments, **qstates}, ctx)


def quantize_net(
    network: HybridBlock,
    quantized_dtype: str = "auto",
    quantize_mode: str = "full",
    exclude_layers: list[str] | None = None,
    exclude_layers_match: list[str] | None = None,
    exclude_operators: list[str] | None = None,
    calib_data: Any = None,
    data_shapes: Sequence[Any] | None = None,
    calib_mode: str = "none",
    num_calib_examples: int | None = None,
    ctx: Context = _CPU,
    logger: logging.Logger | None = None,
) -> SymbolBlock:
    """A network that computes the same on 8-bit integers; arguments as of `quantize_net_v2`."""
    return quantize_net_v2(
        network,
        quantized_dtype,
        quantize_mode,
        "tensor-wise",
        exclude_layers,
        exclude_layers_match,
        exclude_operators,
        calib_data,
        data_shapes,
        calib_mode,
        num_calib_examples,
        ctx,
        None,
        logger,
    )


def _samples(data_shapes: Sequence[Any] | None, data: Any, ctx: Context) -> list[NDArray]:
    """Arrays like the inputs: of the given shapes, or the first batch."""
    if data_shapes is not None:
        shapes = [getattr(d, "shape", d) for d in data_shapes]
        types = [getattr(d, "dtype", "float32") for d in data_shapes]
        return [zeros(s, ctx=ctx, dtype=t) for s, t in zip(shapes, types, strict=True)]
    first = next(_arrays(data), None) if data is not None else None
    if not first:
        raise argument_error(
            "quantization.quantize_net", "data_shapes", None, "needed where there is no data"
        )
    return [a.as_in_context(ctx) for a in first]


def _graph(network: HybridBlock, samples: list[NDArray]) -> tuple[list[Symbol], Symbol]:
    """Inputs and graph of the network, which takes as many of the arrays as it has arguments."""
    if not network._active:
        network.hybridize()
    if not network._cached_graph:
        for count in range(len(samples), 0, -1):
            try:
                network(*samples[:count])
                break
            except TypeError:  # a label after the inputs
                if count == 1:
                    raise
    inputs, outputs = network._cached_graph
    return inputs, outputs


def _arrays(data: Any) -> Iterator[list[NDArray]]:
    """Batches as lists of arrays."""
    if isinstance(data, NDArray):
        yield [data]
        return
    if isinstance(data, DataIter):
        data.reset()
    for batch in data:
        if isinstance(batch, DataBatch):
            yield list(batch.data)
        elif isinstance(batch, NDArray):
            yield [batch]
        elif isinstance(batch, (list, tuple)) and all(isinstance(a, NDArray) for a in batch):
            yield list(batch)
        else:
            raise ArgumentError(
                f"quantization: calib_data: a batch is a {type(batch).__name__}: must be an array, "
                "a list of arrays or a DataBatch"
            )


def _named(data: Any, names: list[str], most: int | None) -> Iterator[Mapping[str, NDArray]]:
    """Batches by name of the input, until there are as many samples as asked for."""
    samples = 0
    for arrays in _arrays(data):
        if most is not None and samples >= most:
            return
        samples += arrays[0].shape[0]
        yield dict(zip(names, arrays, strict=False))


def _block(
    sym: Symbol, inputs: list[Symbol], params: Mapping[str, NDArray], ctx: Context
) -> SymbolBlock:
    """The block of a symbol, with parameters that nothing learns."""
    block = SymbolBlock(sym, inputs)
    for name, param in block.collect_params().items():
        param.grad_req = "null"
        param.cast(params[name].dtype)
        param._load_init(params[name], ctx, cast_dtype=True)
    return block
