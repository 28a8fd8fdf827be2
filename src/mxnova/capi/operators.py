# SPDX-License-Identifier: Apache-2.0
"""Operators: their names, what they take, and running them on arrays."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cache
from typing import Any

import torch

from ..core.base.errors import ArgumentTypeError, told_as
from ..core.base.handles import GIVEN, find, give
from ..core.exec.calls import control_flow, custom  # noqa: F401 - these register operators
from ..core.exec.fused import mkldnn_layers  # noqa: F401 - these register operators
from ..core.nd.array import NDArray
from ..core.nd.calls.dispatch import invoke
from ..core.nd.calls.fast_calls import call_several
from ..core.nd.calls.validation import settled
from ..core.nd.memory import adopt_memory
from ..core.nd.recording import STATE
from ..core.op import library  # noqa: F401 - registers operators
from ..core.op.dtypes import mx_dtype
from ..core.op.schema import REGISTRY, Op, OpType
from .arguments import numbers, pairs, text
from .creators import Creator
from .entry_points import extern, status
from .enums import stype_number
from .interface import NULL, ffi
from .ndarray import with_memory
from .returns import keep, text_memory, texts_memory

__all__ = ["become", "creator_of", "run_into"]


@cache
def _added() -> dict[str, Creator]:
    """Operators that only C knows, by name."""
    from .legacy_operators import CREATORS  # needs `Custom`, which few programs in C have

    return CREATORS


def creator_of(name: str) -> int:
    """The handle of the operator registered as `name`."""
    type_ = REGISTRY.get(name)
    if type_ is None and name in _added():
        return _lasting(_added()[name])
    return _creator(REGISTRY[name])


@cache
def _creator(type_: OpType) -> int:
    return give(Creator(type_))


@cache
def _lasting(creator: Creator) -> int:
    return give(creator)


# Names --------------------------------------------------------------------------------------------


@cache
def _all_names() -> tuple[int, Any, Any]:
    names = sorted([*REGISTRY, *_added()])
    return len(names), *texts_memory(names)


@cache
def _all_creators() -> tuple[int, Any]:
    handles = [_creator(type_) for type_ in dict.fromkeys(REGISTRY.values())]
    handles += map(_lasting, _added().values())
    return len(handles), ffi.new("uintptr_t[]", handles)


@extern
def MXListAllOpNames(out_size: Any, out_array: Any) -> None:
    out_size[0], out_array[0], _ = _all_names()


@extern
def NNListAllOpNames(out_size: Any, out_array: Any) -> None:
    out_size[0], out_array[0], _ = _all_names()


@extern
def MXSymbolListAtomicSymbolCreators(out_size: Any, out_array: Any) -> None:
    out_size[0], out_array[0] = _all_creators()


@extern
def NNListUniqueOps(out_size: Any, out_array: Any) -> None:
    out_size[0], out_array[0] = _all_creators()


@extern
def NNGetOpHandle(op_name: Any, op_out: Any) -> None:
    op_out[0] = creator_of(text(op_name))


@extern
def MXSymbolGetAtomicSymbolName(creator: int, name: Any) -> None:
    name[0] = _description(creator).name


# What they take -----------------------------------------------------------------------------------


class _Description:
    """What is told of an operator, in C's memory."""

    def __init__(self, creator: Creator) -> None:
        type_ = creator.type
        docs, arguments = type_.argument_docs, creator.arguments
        self.name = text_memory(creator.name)
        self.text = text_memory(type_.doc)
        self.count = len(arguments)
        self.names, *self._kept_names = texts_memory(arguments)
        self.kinds, *self._kept_kinds = texts_memory(arguments.values())
        self.docs, *self._kept_docs = texts_memory([docs.get(name, "") for name in arguments])
        self.counted = text_memory("num_args" if type_.counts_inputs else "")


@cache
def _description(creator: int) -> _Description:
    return _Description(find(creator, Creator))


@extern
def MXSymbolGetAtomicSymbolInfo(
    creator: int,
    name: Any,
    description: Any,
    num_args: Any,
    arg_names: Any,
    arg_type_infos: Any,
    arg_descriptions: Any,
    key_var_num_args: Any,
    return_type: Any,
) -> None:
    told = _description(creator)
    name[0], description[0], num_args[0] = told.name, told.text, told.count
    arg_names[0], arg_type_infos[0], arg_descriptions[0] = told.names, told.kinds, told.docs
    key_var_num_args[0] = told.counted
    if return_type != NULL:
        return_type[0] = NULL  # MXNet says it of no operator


@extern
def NNGetOpInfo(
    op: int,
    real_name: Any,
    description: Any,
    num_doc_args: Any,
    arg_names: Any,
    arg_type_infos: Any,
    arg_descriptions: Any,
    return_type: Any,
) -> None:
    told = _description(op)
    real_name[0], description[0], num_doc_args[0] = told.name, told.text, told.count
    arg_names[0], arg_type_infos[0], arg_descriptions[0] = told.names, told.kinds, told.docs
    if return_type != NULL:
        return_type[0] = NULL  # MXNet says it of no operator


# Running ------------------------------------------------------------------------------------------

_MOST_KEPT = 64


class _Outputs(threading.local):
    """The thread's memory for the handles of outputs."""

    def __init__(self) -> None:
        self.handles = ffi.new("uintptr_t[]", _MOST_KEPT)


_outputs = _Outputs()


@status
def MXImperativeInvoke(
    creator: int,
    num_inputs: int,
    inputs: Any,
    num_outputs: Any,
    outputs: Any,
    num_params: int,
    param_keys: Any,
    param_vals: Any,
) -> int:
    operator = GIVEN.get(creator)
    if type(operator) is not Creator:
        operator = find(creator, Creator)
    fast_call = operator.fast_call
    if fast_call is not None and num_inputs == 2 and not num_params:
        a, b = GIVEN.get(inputs[0]), GIVEN.get(inputs[1])
        if type(a) is NDArray and type(b) is NDArray and _match(a, b):
            given = outputs[0]
            if not given:
                memory = _outputs.handles
                memory[0] = give(fast_call(a, b))
                outputs[0], num_outputs[0] = memory, 1
                return 0
            out = GIVEN.get(given[0]) if num_outputs[0] == 1 and not STATE.recording else None
            if type(out) is NDArray and _match(a, out):
                adopt_memory(out, fast_call(a, b)._raw, operator.name)
                return 0
    arrays = [with_memory(array) for array in _arrays(num_inputs, inputs)]
    attrs = pairs(num_params, param_keys, param_vals) if num_params else {}
    if outputs[0]:
        run_into(operator.type, arrays, attrs, _arrays(num_outputs[0], outputs[0]))
    else:
        results = _run(operator.type, arrays, attrs)
        handles = [give(result) for result in results]
        if len(handles) > _MOST_KEPT:
            memory = keep("outputs", ffi.new("uintptr_t[]", handles))
        else:
            memory = _outputs.handles
            memory[0 : len(handles)] = handles
        outputs[0], num_outputs[0] = memory, len(handles)
    return 0


@status
def MXImperativeInvokeEx(
    creator: int,
    num_inputs: int,
    inputs: Any,
    num_outputs: Any,
    outputs: Any,
    num_params: int,
    param_keys: Any,
    param_vals: Any,
    out_stypes: Any,
) -> int:
    MXImperativeInvoke(
        creator, num_inputs, inputs, num_outputs, outputs, num_params, param_keys, param_vals
    )
    arrays = _arrays(num_outputs[0], outputs[0])
    stypes = [stype_number(array) for array in arrays]
    out_stypes[0] = keep("stypes", ffi.new("int[]", stypes or 1))
    return 0


def _match(array: NDArray, other: NDArray) -> bool:
    """Whether both have memory, and the same shape."""
    try:
        return bool(array._raw.shape == other._raw.shape)
    except AttributeError:
        return False


def _arrays(count: int, handles: Any) -> list[NDArray]:
    return [find(handle, NDArray) for handle in numbers(count, handles)]


def _run(type_: OpType, arrays: Sequence[NDArray], attrs: dict[str, str]) -> list[NDArray]:
    op = _operator(type_, arrays, attrs)
    results = call_several(op, arrays) if arrays else invoke(op, arrays)
    return results if isinstance(results, list) else [results]


def _operator(type_: OpType, arrays: Sequence[NDArray], attrs: dict[str, str]) -> Op:
    if type_.counts_inputs and "num_args" not in attrs:
        attrs["num_args"] = str(len(arrays))
    return type_.of(attrs)


# Operators that MXNet lets write to no other type than theirs.
_ANSWERS = frozenset(
    f"_npi_{name}" for name in ("isfinite", "isinf", "isnan", "isneginf", "isposinf", "logical_not")
)


def run_into(
    type_: OpType, arrays: Sequence[NDArray], attrs: dict[str, str], outs: Sequence[NDArray]
) -> None:
    """Runs an operator and puts the results into arrays, with memory or without."""
    if all(hasattr(out, "_raw") for out in outs):
        if type_.name in _ANSWERS:
            _refuse_numbers(type_, outs)
        op = _operator(type_, arrays, attrs)
        invoke(op if arrays else settled(op, outs[0]), arrays, outs)
        return
    for out, result in zip(outs, _run(type_, arrays, attrs), strict=True):
        become(out, result)


def _refuse_numbers(type_: OpType, outs: Sequence[NDArray]) -> None:
    for out in outs:
        if out._raw.dtype != torch.bool:
            dtype = mx_dtype(out._raw.dtype).name
            error = ArgumentTypeError(f"{type_.name}: out has type {dtype}, and must be bool")
            raise told_as("TypeError", error)


def become(array: NDArray, other: NDArray) -> None:
    """Makes an array without memory the other one."""
    array.__class__ = type(other)
    for name in ("_raw", "_chunk", "_tracked", "_node", "_grad"):
        setattr(array, name, getattr(other, name))
