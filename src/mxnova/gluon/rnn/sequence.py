# SPDX-License-Identifier: Apache-2.0
"""Sequences of steps: one tensor or a list of tensors, of arrays or of symbols."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any, cast

import numpy as np

from ... import ndarray, symbol
from ...core.base.errors import ArgumentTypeError, AssertedError, argument_error, shown
from ...ndarray import NDArray
from ...symbol import Symbol

TENSORS = (NDArray, Symbol)
_PRECISIONS = (np.float16, np.float64)  # those of states that are not the default


def api_of(tensor: Any) -> ModuleType:
    """The module whose operators take `tensor`: `mxnova.ndarray` or `mxnova.symbol`."""
    if isinstance(tensor, NDArray):
        return ndarray
    if isinstance(tensor, Symbol):
        return symbol
    raise ArgumentTypeError(f"a sequence holds arrays or symbols, not {shown(tensor)}")


def split_steps(F: ModuleType, data: Any, length: int, axis: int, squeeze: Any = 1) -> list[Any]:
    """The `length` steps of `data` along `axis`."""
    steps = F.split(data, axis=axis, num_outputs=length, squeeze_axis=squeeze)
    return [steps] if isinstance(steps, NDArray) else list(steps)


def _format_sequence(
    length: int | None, inputs: Any, layout: str, merge: bool | None, in_layout: str | None = None
) -> tuple[Any, int, ModuleType, int]:
    """Brings a sequence into the form that is wanted.

    Args:
        length: number of steps; None: any.
        inputs: one tensor with a time axis, or a sequence of tensors without.
        layout: letters of the axes, such as ``"NTC"``.
        merge: True: one tensor is wanted; False: a list of steps; None: whatever is there.
        in_layout: layout of `inputs`, `layout` where it is not given.

    Returns:
        The sequence; its time axis; the module of its operators; the batch size, 0 for symbols.

    Raises:
        MXNetError: the sequence has another length, or the layout no time axis.
    """
    axis, in_axis = layout.find("T"), (in_layout or layout).find("T")
    if axis < 0 or in_axis < 0:
        raise argument_error("unroll", "layout", layout, "has no time axis T", AssertedError)
    if isinstance(inputs, TENSORS):
        F, batch_size = _checked_tensor(length, inputs, in_layout or layout)
        if merge is False:
            steps = length or cast(NDArray, inputs).shape[in_axis]
            return split_steps(F, inputs, steps, in_axis), axis, F, batch_size
    else:
        F, batch_size = _checked_list(length, inputs, layout)
        if merge is not True:
            return inputs, axis, F, batch_size
        inputs, in_axis = F.stack(*inputs, axis=axis), axis
    if axis != in_axis:
        inputs = F.swapaxes(inputs, dim1=axis, dim2=in_axis)
    return inputs, axis, F, batch_size


def _checked_tensor(length: int | None, inputs: Any, layout: str) -> tuple[ModuleType, int]:
    if isinstance(inputs, Symbol):
        if len(inputs.list_outputs()) != 1:
            raise AssertedError(
                "unroll: inputs is a group of symbols: give list(inputs), or one symbol that "
                "unroll may split"
            )
        return symbol, 0
    axis, batch_axis, shape = layout.find("T"), layout.find("N"), inputs.shape
    if len(shape) <= max(axis, batch_axis):
        raise argument_error("unroll", "inputs", shape, f"a shape of layout {layout} is expected")
    if length is not None and shape[axis] != length:
        raise AssertedError(
            f"unroll: inputs of shape {shape} and layout {layout} are {shape[axis]} steps, "
            f"length={length}"
        )
    return ndarray, shape[batch_axis]


def _checked_list(length: int | None, inputs: Any, layout: str) -> tuple[ModuleType, int]:
    if not isinstance(inputs, Sequence) or isinstance(inputs, str):
        raise ArgumentTypeError(
            f"unroll: inputs={shown(inputs)}: an array, a symbol or a list of them is expected"
        )
    if not inputs or (length is not None and len(inputs) != length):
        raise AssertedError(f"unroll: inputs are {len(inputs)} steps, length={length}")
    F = api_of(inputs[0])
    if F is symbol:
        return F, 0
    return F, inputs[0].shape[layout.replace("T", "").find("N")]


def _get_begin_state(
    cell: Any, F: ModuleType, begin_state: Any, inputs: Any, batch_size: int
) -> Any:
    """`begin_state`, or zeros where it is None: where `inputs` are, of their precision."""
    if begin_state is not None:
        return begin_state
    if F is symbol:
        return cell.begin_state(func=F.zeros, batch_size=batch_size)
    first = inputs if isinstance(inputs, NDArray) else inputs[0]
    kwargs = {"dtype": first.dtype} if first.dtype in _PRECISIONS else {}
    with first.context:
        return cell.begin_state(func=F.zeros, batch_size=batch_size, **kwargs)


def _mask_sequence_variable_length(
    F: ModuleType,
    data: Any,
    length: int,
    valid_length: Any,
    time_axis: int,
    merge: bool,
) -> Any:
    """`data` with zeros beyond the length of each sequence; steps where `merge` is False."""
    if not isinstance(data, TENSORS):
        data = F.stack(*data, axis=time_axis)
    masked = F.SequenceMask(
        data, sequence_length=valid_length, use_sequence_length=True, axis=time_axis
    )
    return masked if merge else split_steps(F, masked, length, time_axis, True)


def _reverse_sequences(sequences: Any, unroll_step: int, valid_length: Any = None) -> Any:
    """Steps backwards in time; with `valid_length` each sequence by itself, its padding staying."""
    if valid_length is None:
        return list(reversed(sequences))
    F = api_of(sequences[0])
    turned = F.SequenceReverse(
        F.stack(*sequences, axis=0), sequence_length=valid_length, use_sequence_length=True
    )
    return split_steps(F, turned, unroll_step, 0, True)
