# SPDX-License-Identifier: Apache-2.0
"""All recurrent cells of the symbolic interface, under the name of MXNet's module."""

from .base_cell import BaseRNNCell, RNNParams
from .base_cell import normalized as _normalize_sequence  # noqa: F401 - a name that cells use
from .base_cell import states_of as _cells_state_info  # noqa: F401 - another
from .containers import BidirectionalCell, SequentialRNNCell
from .conv_cells import BaseConvRNNCell, ConvGRUCell, ConvLSTMCell, ConvRNNCell
from .dense_cells import GRUCell, LSTMCell, RNNCell
from .fused_cell import FusedRNNCell
from .modifiers import DropoutCell, ModifierCell, ResidualCell, ZoneoutCell

__all__ = [
    "BaseConvRNNCell",
    "BaseRNNCell",
    "BidirectionalCell",
    "ConvGRUCell",
    "ConvLSTMCell",
    "ConvRNNCell",
    "DropoutCell",
    "FusedRNNCell",
    "GRUCell",
    "LSTMCell",
    "ModifierCell",
    "RNNCell",
    "RNNParams",
    "ResidualCell",
    "SequentialRNNCell",
    "ZoneoutCell",
]
