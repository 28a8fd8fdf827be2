# SPDX-License-Identifier: Apache-2.0
"""Symbols rewritten: subgraphs for backends, integers, mixed precision."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..contrib.amp.amp import convert_symbol
from ..contrib.quantization.graph import calibrated, quantized_symbol
from ..core.base.dtypes import dtype_of_flag
from ..core.base.errors import ArgumentError
from ..core.base.handles import find, give
from ..core.exec.bind import subgraph_backends
from ..core.graph.symbol import Symbol
from ..core.nd.array import NDArray
from .arguments import maybe_found, numbers, optional_text, pairs, shapes_by_name, text, texts
from .entry_points import extern
from .enums import context_at, dtype_at, stype_at
from .interface import NULL
from .returns import return_texts

_NO_DEVICE = 0

# Subgraphs ----------------------------------------------------------------------------------------


@extern
def MXGenBackendSubgraph(sym_handle: int, backend: Any, ret_sym_handle: Any) -> None:
    symbol = find(sym_handle, Symbol)
    ret_sym_handle[0] = give(subgraph_backends.get_backend_symbol(symbol, text(backend)))


@extern
def MXBuildSubgraphByOpNames(
    sym_handle: int, prop_name: Any, num_ops: int, op_names: Any, ret_sym_handle: Any
) -> None:
    symbol, names = find(sym_handle, Symbol), texts(num_ops, op_names)
    ret_sym_handle[0] = give(subgraph_backends.with_operators(symbol, text(prop_name), names))


@extern
def MXSetSubgraphPropertyOpNames(prop_name: Any, num_ops: int, op_names: Any) -> None:
    subgraph_backends.set_operators(text(prop_name), texts(num_ops, op_names))


@extern
def MXSetSubgraphPropertyOpNamesV2(prop_name: Any, num_ops: int, op_names: Any) -> None:
    subgraph_backends.set_operators(text(prop_name), texts(num_ops, op_names), must_exist=True)


@extern
def MXRemoveSubgraphPropertyOpNames(prop_name: Any) -> None:
    subgraph_backends.remove_operators(text(prop_name))


@extern
def MXRemoveSubgraphPropertyOpNamesV2(prop_name: Any) -> None:
    subgraph_backends.remove_operators(text(prop_name), must_exist=True)


@extern
def MXOptimizeForBackend(
    sym_handle: int,
    backend_name: Any,
    dev_type: int,
    ret_sym_handle: Any,
    args_len: int,
    in_args_handle: Any,
    aux_len: int,
    in_aux_handle: Any,
    num_options: int,
    keys: Any,
    vals: Any,
    num_input_shapes: int,
    input_shape_names: Any,
    input_shape_data: Any,
    input_shape_idx: Any,
    num_input_dtypes: int,
    input_dtype_names: Any,
    input_dtypes: Any,
    num_input_stypes: int,
    input_stype_names: Any,
    input_stypes: Any,
    skip_infer: bool,
    new_args_cnt: Any,
    new_args_handle: Any,
    new_arg_names_handle: Any,
    new_aux_cnt: Any,
    new_aux_handle: Any,
    new_aux_names_handle: Any,
) -> None:
    symbol = find(sym_handle, Symbol)
    dtypes = numbers(num_input_dtypes, input_dtypes)
    stypes = numbers(num_input_stypes, input_stypes)
    made = subgraph_backends.optimize_for(
        symbol,
        text(backend_name),
        _by_name(symbol.list_arguments(), args_len, in_args_handle),
        _by_name(symbol.list_auxiliary_states(), aux_len, in_aux_handle),
        None if dev_type == _NO_DEVICE else context_at(dev_type, 0),
        shapes_by_name(num_input_shapes, input_shape_names, input_shape_idx, input_shape_data),
        _named(num_input_dtypes, input_dtype_names, [_type_name(flag) for flag in dtypes]),
        _named(num_input_stypes, input_stype_names, [stype_at(each) for each in stypes]),
        skip_infer,
        **pairs(num_options, keys, vals),
    )
    ret_sym_handle[0] = give(made)
    for count in (new_args_cnt, new_aux_cnt):
        if count != NULL:
            count[0] = 0


def _by_name(names: Sequence[str], count: int, handles: Any) -> dict[str, NDArray]:
    """Arrays by name; there may be fewer than names, and null pointers among them."""
    if count > len(names):
        raise ArgumentError(f"{count} arrays are given for {len(names)} names")
    arrays = maybe_found(count, handles, NDArray)
    return {n: a for n, a in zip(names, arrays, strict=False) if a is not None}


def _named(count: int, names: Any, values: list[Any]) -> dict[str, Any]:
    return dict(zip(texts(count, names), values, strict=True))


def _type_name(flag: int) -> str:
    found = dtype_of_flag(flag)
    if found is None:
        raise ArgumentError(f"dtype={flag}: is the number of no element type")
    return found.name


# Integers -----------------------------------------------------------------------------------------


@extern
def MXQuantizeSymbol(
    sym_handle: int,
    ret_sym_handle: Any,
    dev_type: Any,
    num_excluded_sym_names: int,
    excluded_sym_names: Any,
    num_excluded_op_names: int,
    excluded_op_names: Any,
    num_offline: int,
    offline_params: Any,
    quantized_dtype: Any,
    calib_quantize: bool,
    quantize_mode: Any,
    quantize_granularity: Any,
    out_num_calib_names: Any,
    out_calib_names: Any,
) -> None:
    made, layers = quantized_symbol(
        find(sym_handle, Symbol),
        texts(num_offline, offline_params),
        texts(num_excluded_sym_names, excluded_sym_names),
        texts(num_excluded_op_names, excluded_op_names),
        _choice("quantized_dtype", quantized_dtype, ("int8", "uint8", "auto")),
        _choice("quantize_mode", quantize_mode, ("full", "smart")),
        calib_quantize,
    )
    _choice("quantize_granularity", quantize_granularity, ("tensor-wise", "channel-wise"))
    ret_sym_handle[0] = give(made)
    return_texts(out_num_calib_names, out_calib_names, layers, "calib_names")


def _choice(name: str, pointer: Any, known: Sequence[str]) -> str:
    chosen = optional_text(pointer) or known[0]
    if chosen not in known:
        raise ArgumentError(f"MXQuantizeSymbol: {name}={chosen!r}: must be {' or '.join(known)}")
    return chosen


@extern
def MXSetCalibTableToQuantizedSymbol(
    qsym_handle: int,
    num_layers: int,
    layer_names: Any,
    low_quantiles: Any,
    high_quantiles: Any,
    ret_sym_handle: Any,
) -> None:
    ends = (numbers(num_layers, each) for each in (low_quantiles, high_quantiles))
    ranges = dict(zip(texts(num_layers, layer_names), zip(*ends, strict=True), strict=True))
    ret_sym_handle[0] = give(calibrated(find(qsym_handle, Symbol), ranges))


# Mixed precision ----------------------------------------------------------------------------------


@extern
def MXReducePrecisionSymbol(
    sym_handle: int,
    ret_sym_handle: Any,
    num_args: int,
    arg_type_data: Any,
    num_ind_ptr: int,
    ind_ptr: Any,
    target_dtype: Any,
    cast_optional_params: int,
    num_target_dtype_op_names: int,
    num_fp32_op_names: int,
    num_widest_dtype_op_names: int,
    num_conditional_fp32_op_names: int,
    num_excluded_symbols: int,
    num_model_params: int,
    target_dtype_op_names: Any,
    fp32_op_names: Any,
    widest_dtype_op_names: Any,
    conditional_fp32_op_names: Any,
    excluded_symbols: Any,
    conditional_param_names: Any,
    conditional_param_vals: Any,
    model_param_names: Any,
    arg_names: Any,
) -> None:
    symbol = find(sym_handle, Symbol)
    parameters = set(texts(num_model_params, model_param_names))
    each = (conditional_fp32_op_names, conditional_param_names, conditional_param_vals)
    conditions = zip(*(texts(num_conditional_fp32_op_names, names) for names in each), strict=True)
    made = convert_symbol(
        symbol,
        str(dtype_at(target_dtype[0])).removeprefix("torch."),
        texts(num_target_dtype_op_names, target_dtype_op_names),
        texts(num_fp32_op_names, fp32_op_names),
        _grouped(conditions),
        texts(num_excluded_symbols, excluded_symbols),
        [name for name in symbol.list_inputs() if name not in parameters],
        bool(cast_optional_params),
    )
    ret_sym_handle[0] = give(made)


def _grouped(conditions: Any) -> list[Any]:
    """(operator, parameter, values) of C's list, which has a line for each value."""
    values: dict[tuple[str, str], list[str]] = {}
    for operator, parameter, value in conditions:
        values.setdefault((operator, parameter), []).append(value)
    return [(operator, parameter, listed) for (operator, parameter), listed in values.items()]
