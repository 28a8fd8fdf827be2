# SPDX-License-Identifier: Apache-2.0
"""Recording what operators do, and gradients of it."""

from __future__ import annotations

from typing import Any

from ..core.base.handles import find, give
from ..core.exec.bind.recorded_graph import get_symbol
from ..core.nd.array import NDArray
from ..core.nd.autograd import backward, grad, mark_variables
from ..core.nd.recording import STATE
from .arguments import found, maybe_found, numbers
from .entry_points import extern
from .enums import request_at, stype_number
from .interface import NULL, ffi
from .returns import keep, return_handles

__all__: list[str] = []


@extern
def MXAutogradSetIsRecording(is_recording: int, prev: Any) -> None:
    before, STATE.recording = STATE.recording, bool(is_recording)
    if prev != NULL:
        prev[0] = before


@extern
def MXAutogradSetIsTraining(is_training: int, prev: Any) -> None:
    before, STATE.training = STATE.training, bool(is_training)
    if prev != NULL:
        prev[0] = before


@extern
def MXAutogradIsRecording(curr: Any) -> None:
    curr[0] = STATE.recording


@extern
def MXAutogradIsTraining(curr: Any) -> None:
    curr[0] = STATE.training


@extern
def MXAutogradMarkVariables(
    num_var: int, var_handles: Any, reqs_array: Any, grad_handles: Any
) -> None:
    requests = [request_at(number) for number in numbers(num_var, reqs_array)]
    gradients = found(num_var, grad_handles, NDArray)
    mark_variables(found(num_var, var_handles, NDArray), gradients, requests)


@extern
def MXAutogradComputeGradient(num_output: int, output_handles: Any) -> None:
    backward(found(num_output, output_handles, NDArray))


@extern
def MXAutogradBackward(
    num_output: int, output_handles: Any, ograd_handles: Any, retain_graph: int
) -> None:
    heads = found(num_output, output_handles, NDArray)
    backward(heads, maybe_found(num_output, ograd_handles, NDArray), bool(retain_graph))


@extern
def MXAutogradBackwardEx(
    num_output: int,
    output_handles: Any,
    ograd_handles: Any,
    num_variables: int,
    var_handles: Any,
    retain_graph: int,
    create_graph: int,
    is_train: int,
    grad_handles: Any,
    grad_stypes: Any,
) -> None:
    heads = found(num_output, output_handles, NDArray)
    given = maybe_found(num_output, ograd_handles, NDArray)
    if not num_variables:
        backward(heads, given, bool(retain_graph), bool(is_train))
        return
    variables = found(num_variables, var_handles, NDArray)
    made = grad(heads, variables, given, bool(retain_graph), bool(create_graph), bool(is_train))
    return_handles(None, grad_handles, made, "gradients")
    stypes = [stype_number(array) for array in made]
    grad_stypes[0] = keep("gradient stypes", ffi.new("int[]", stypes))


@extern
def MXAutogradGetSymbol(handle: int, out: Any) -> None:
    out[0] = give(get_symbol(find(handle, NDArray)))
