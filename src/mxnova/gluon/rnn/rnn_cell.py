# SPDX-License-Identifier: Apache-2.0
"""All recurrent cells, under the name of MXNet's module."""

from ...core.base.doors import facade
from .containers import (
    BidirectionalCell,
    HybridSequentialRNNCell,
    SequentialRNNCell,
    _cells_begin_state,
    _cells_state_info,
)
from .dense_cells import GRUCell, LSTMCell, RNNCell
from .modifiers import DropoutCell, ModifierCell, ResidualCell, ZoneoutCell
from .recurrent_cell import HybridRecurrentCell, RecurrentCell
from .sequence import (
    _format_sequence,
    _get_begin_state,
    _mask_sequence_variable_length,
    _reverse_sequences,
)

__all__ = [
    "BidirectionalCell",
    "DropoutCell",
    "GRUCell",
    "HybridRecurrentCell",
    "HybridSequentialRNNCell",
    "LSTMCell",
    "ModifierCell",
    "RNNCell",
    "RecurrentCell",
    "ResidualCell",
    "SequentialRNNCell",
    "ZoneoutCell",
    "_cells_begin_state",
    "_cells_state_info",
    "_format_sequence",
    "_get_begin_state",
    "_mask_sequence_variable_length",
    "_reverse_sequences",
]


facade(__name__)
