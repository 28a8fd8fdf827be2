# SPDX-License-Identifier: Apache-2.0
"""Executors: symbols bound to arrays, run forwards and backwards."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core.base.handles import find, free, give
from ..core.exec.bind import symbol_methods
from ..core.exec.bind.executor import Executor
from ..core.exec.bind.simple_bind import Sharing, simple_bind
from ..core.graph.symbol import Symbol
from ..core.nd.array import NDArray
from ..core.runtime.context import Context
from .arguments import found, maybe_found, numbers, text, texts
from .entry_points import call_back, extern
from .enums import context_at, dtype_at, request_at, stype_at
from .inference import shapes_of
from .interface import NULL
from .ndarray import with_memory
from .returns import return_handles, return_text, return_texts, text_memory

__all__: list[str] = []

# Bound to given arrays ----------------------------------------------------------------------------


def _groups(count: int, keys: Any, types: Any, ids: Any) -> dict[str, Context] | None:
    """Contexts of groups of nodes, by name."""
    places = zip(numbers(count, types), numbers(count, ids), strict=True)
    contexts = [context_at(*place) for place in places]
    return dict(zip(texts(count, keys), contexts, strict=True)) or None


def _is_given(gradient: NDArray, request: str) -> bool:
    """Whether it has memory; where no gradient is wanted, programs give arrays without."""
    return request != "null" or hasattr(gradient, "_raw")


@extern
def MXExecutorBindEX(
    symbol_handle: int,
    dev_type: int,
    dev_id: int,
    num_map_keys: int,
    map_keys: Any,
    map_dev_types: Any,
    map_dev_ids: Any,
    len: int,
    in_args: Any,
    arg_grad_store: Any,
    grad_req_type: Any,
    aux_states_len: int,
    aux_states: Any,
    shared_exec: int,
    out: Any,
) -> None:
    symbol = find(symbol_handle, Symbol)
    names = symbol.list_arguments()
    requests = [request_at(number) for number in numbers(len, grad_req_type)]
    arrays = maybe_found(len, arg_grad_store, NDArray)
    wanted = zip(names, arrays, requests, strict=False)
    out[0] = give(
        symbol_methods.bind(
            symbol,
            context_at(dev_type, dev_id),
            found(len, in_args, NDArray),
            {n: with_memory(a) for n, a, req in wanted if a is not None and _is_given(a, req)},
            requests,
            found(aux_states_len, aux_states, NDArray),
            _groups(num_map_keys, map_keys, map_dev_types, map_dev_ids),
            find(shared_exec, Executor) if shared_exec else None,
        )
    )


@extern
def MXExecutorBindX(*arguments: Any) -> None:
    *given, out = arguments
    MXExecutorBindEX(*given, 0, out)


@extern
def MXExecutorBind(symbol_handle: int, dev_type: int, dev_id: int, *arguments: Any) -> None:
    MXExecutorBindX(symbol_handle, dev_type, dev_id, 0, NULL, NULL, NULL, *arguments)


# Bound to arrays that are made --------------------------------------------------------------------


def _requests(count: int, names: Any, types: Any) -> Any:
    """What to do with gradients: one word for all, a list, or words by name."""
    if types == NULL:
        return "write"
    if not count:
        return text(types[0])
    words = texts(count, types)
    return words if names == NULL else dict(zip(texts(count, names), words, strict=True))


def _buffer(length: Any, names: Any, handles: Any) -> dict[str, NDArray] | None:
    """Arrays whose memory is to be used; None for a negative number of them."""
    count = length[0] if length != NULL else -1
    if count < 0:
        return None
    return dict(zip(texts(count, names), found(count, handles, NDArray), strict=True))


@extern
def MXExecutorSimpleBindEx(
    symbol_handle: int,
    dev_type: int,
    dev_id: int,
    num_g2c_keys: int,
    g2c_keys: Any,
    g2c_dev_types: Any,
    g2c_dev_ids: Any,
    provided_grad_req_list_len: int,
    provided_grad_req_names: Any,
    provided_grad_req_types: Any,
    num_provided_arg_shapes: int,
    provided_arg_shape_names: Any,
    provided_arg_shape_data: Any,
    provided_arg_shape_idx: Any,
    num_provided_arg_dtypes: int,
    provided_arg_dtype_names: Any,
    provided_arg_dtypes: Any,
    num_provided_arg_stypes: int,
    provided_arg_stype_names: Any,
    provided_arg_stypes: Any,
    num_shared_arg_names: int,
    shared_arg_name_list: Any,
    shared_buffer_len: Any,
    shared_buffer_name_list: Any,
    shared_buffer_handle_list: Any,
    updated_shared_buffer_name_list: Any,
    updated_shared_buffer_handle_list: Any,
    num_in_args: Any,
    in_args: Any,
    arg_grads: Any,
    num_aux_states: Any,
    aux_states: Any,
    shared_exec_handle: int,
    out: Any,
) -> None:
    buffer = _buffer(shared_buffer_len, shared_buffer_name_list, shared_buffer_handle_list)
    executor = simple_bind(
        find(symbol_handle, Symbol),
        context_at(dev_type, dev_id),
        _requests(provided_grad_req_list_len, provided_grad_req_names, provided_grad_req_types),
        _by_name(num_provided_arg_dtypes, provided_arg_dtype_names, provided_arg_dtypes, dtype_at),
        _by_name(num_provided_arg_stypes, provided_arg_stype_names, provided_arg_stypes, stype_at),
        _groups(num_g2c_keys, g2c_keys, g2c_dev_types, g2c_dev_ids),
        Sharing(
            find(shared_exec_handle, Executor) if shared_exec_handle else None,
            frozenset(texts(num_shared_arg_names, shared_arg_name_list)),
            buffer,
        ),
        _shapes(
            num_provided_arg_shapes,
            provided_arg_shape_names,
            provided_arg_shape_data,
            provided_arg_shape_idx,
        ),
    )
    if buffer is not None:
        names, kept = updated_shared_buffer_name_list, updated_shared_buffer_handle_list
        return_texts(shared_buffer_len, names, list(buffer), "shared names")
        return_handles(None, kept, list(buffer.values()), "shared arrays")
    _return_arrays(executor, num_in_args, in_args, arg_grads, num_aux_states, aux_states)
    out[0] = give(executor)


extern(MXExecutorSimpleBindEx, "MXExecutorSimpleBind")
extern(MXExecutorSimpleBindEx, "MXExecutorSimpleBindEx64")


def _by_name(count: int, names: Any, values: Any, meant: Callable[[int], Any]) -> dict[str, Any]:
    """What the numbers of an array mean, by name; -1 says nothing."""
    pairs = zip(texts(count, names), numbers(count, values), strict=True)
    return {name: meant(value) for name, value in pairs if value != -1}


def _shapes(count: int, names: Any, data: Any, starts: Any) -> dict[str, tuple[int, ...]]:
    return dict(zip(texts(count, names), shapes_of(count, starts, data), strict=True))


def _return_arrays(
    executor: Executor,
    num_in_args: Any,
    in_args: Any,
    arg_grads: Any,
    num_aux_states: Any,
    aux_states: Any,
) -> None:
    return_handles(num_in_args, in_args, executor.arg_arrays, "bound arguments")
    gradients = [a if executor._is_tracked(n) else None for n, a in executor.grad_dict.items()]
    return_handles(None, arg_grads, gradients, "bound gradients")
    return_handles(num_aux_states, aux_states, executor.aux_arrays, "bound states")


@extern
def MXExecutorReshapeEx(
    partial_shaping: int,
    allow_up_sizing: int,
    dev_type: int,
    dev_id: int,
    num_map_keys: int,
    map_keys: Any,
    map_dev_types: Any,
    map_dev_ids: Any,
    num_provided_arg_shapes: int,
    provided_arg_shape_names: Any,
    provided_arg_shape_data: Any,
    provided_arg_shape_idx: Any,
    num_in_args: Any,
    in_args: Any,
    arg_grads: Any,
    num_aux_states: Any,
    aux_states: Any,
    shared_exec: int,
    out: Any,
) -> None:
    shapes = _shapes(
        num_provided_arg_shapes,
        provided_arg_shape_names,
        provided_arg_shape_data,
        provided_arg_shape_idx,
    )
    old = find(shared_exec, Executor)
    executor = old.reshape(bool(partial_shaping), bool(allow_up_sizing), **shapes)
    _return_arrays(executor, num_in_args, in_args, arg_grads, num_aux_states, aux_states)
    out[0] = give(executor)


extern(MXExecutorReshapeEx, "MXExecutorReshape")

# Run ----------------------------------------------------------------------------------------------


@extern
def MXExecutorForward(handle: int, is_train: int) -> None:
    find(handle, Executor).forward(bool(is_train))


@extern
def MXExecutorBackward(handle: int, len: int, head_grads: Any) -> None:
    MXExecutorBackwardEx(handle, len, head_grads, 1)


@extern
def MXExecutorBackwardEx(handle: int, len: int, head_grads: Any, is_train: int) -> None:
    heads = maybe_found(len, head_grads, NDArray)
    given = None if all(head is None for head in heads) else heads
    find(handle, Executor).backward(given, bool(is_train))


@extern
def MXExecutorOutputs(handle: int, out_size: Any, out: Any) -> None:
    return_handles(out_size, out, find(handle, Executor).outputs, "executor outputs")


@extern
def MXExecutorFree(handle: int) -> None:
    if handle:
        free(handle, Executor)


# Looked into --------------------------------------------------------------------------------------


@extern
def MXExecutorPrint(handle: int, out_str: Any) -> None:
    return_text(out_str, find(handle, Executor).debug_str())


@extern
def MXExecutorGetOptimizedSymbol(handle: int, out: Any) -> None:
    out[0] = give(find(handle, Executor).get_optimized_symbol())


@extern
def MXExecutorSetMonitorCallbackEX(
    handle: int, callback: Any, callback_handle: Any, monitor_all: bool
) -> None:
    def tell(name: str, array: NDArray) -> None:
        call_back(callback, text_memory(name), give(array), callback_handle)

    find(handle, Executor).set_monitor_callback(None if callback == NULL else tell, monitor_all)


@extern
def MXExecutorSetMonitorCallback(handle: int, callback: Any, callback_handle: Any) -> None:
    MXExecutorSetMonitorCallbackEX(handle, callback, callback_handle, False)
