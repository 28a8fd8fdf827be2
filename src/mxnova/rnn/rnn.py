# SPDX-License-Identifier: Apache-2.0
"""Checkpoints of models with cells: files hold the weights of each gate on their own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .. import symbol
from ..core.base.user_warnings import warn_user
from ..model import load_checkpoint, save_checkpoint
from ..ndarray import NDArray
from ..symbol import Symbol
from .base_cell import BaseRNNCell, Weights

__all__ = ["do_rnn_checkpoint", "load_rnn_checkpoint", "rnn_unroll", "save_rnn_checkpoint"]

Cells = BaseRNNCell | Sequence[BaseRNNCell]


def _listed(cells: Cells) -> Sequence[BaseRNNCell]:
    return [cells] if isinstance(cells, BaseRNNCell) else cells


def rnn_unroll(
    cell: BaseRNNCell,
    length: int,
    inputs: Any = None,
    begin_state: Any = None,
    input_prefix: str = "",
    layout: str = "NTC",
) -> tuple[Any, Any]:
    """The old form of `BaseRNNCell.unroll`, which can make the variables of its inputs.

    Args:
        cell: the cell.
        length: number of steps.
        inputs: as `unroll` has them; None: variables ``<input_prefix>t0_data``, ….
        begin_state: the states to start with.
        input_prefix: start of the names of the variables.
        layout: layout of inputs.
    """
    warn_user("rnn_unroll is deprecated: call cell.unroll", category=DeprecationWarning)
    if inputs is None:
        inputs = [symbol.Variable(f"{input_prefix}t{i}_data") for i in range(length)]
    return cell.unroll(length, inputs, begin_state, layout)


def save_rnn_checkpoint(
    cells: Cells,
    prefix: str,
    epoch: int,
    symbol: Symbol | None,
    arg_params: Mapping[str, NDArray],
    aux_params: Mapping[str, NDArray],
) -> None:
    """`mx.model.save_checkpoint` of a model with cells.

    Args:
        cells: the cell, or all cells, of the model.
        prefix: what the names of the files begin with.
        epoch: number in the name of the file of parameters.
        symbol: the model.
        arg_params: its parameters, by name.
        aux_params: its auxiliary states, by name.
    """
    weights: Mapping[str, NDArray] = arg_params
    for cell in _listed(cells):
        weights = cell.unpack_weights(weights)
    save_checkpoint(prefix, epoch, symbol, weights, aux_params)


def load_rnn_checkpoint(cells: Cells, prefix: str, epoch: int) -> tuple[Symbol, Weights, Weights]:
    """`mx.model.load_checkpoint` of a model with cells: symbol, parameters, auxiliary states.

    Args:
        cells: the cell, or all cells, of the model; not necessarily of the kind that was saved.
        prefix: what the names of the files begin with.
        epoch: number in the name of the file of parameters.
    """
    symbol, weights, aux_params = load_checkpoint(prefix, epoch)
    for cell in _listed(cells):
        weights = cell.pack_weights(weights)
    return symbol, weights, aux_params


def do_rnn_checkpoint(cells: Cells, prefix: str, period: int = 1) -> Callable[..., None]:
    """A callback for the end of epochs that calls `save_rnn_checkpoint`, every `period` epochs."""
    period = max(1, int(period))

    def save(
        epoch: int,
        symbol: Symbol | None = None,
        arg_params: Mapping[str, NDArray] | None = None,
        aux_params: Mapping[str, NDArray] | None = None,
    ) -> None:
        if (epoch + 1) % period == 0:
            arrays = arg_params or {}, aux_params or {}
            save_rnn_checkpoint(cells, prefix, epoch + 1, symbol, *arrays)

    return save
