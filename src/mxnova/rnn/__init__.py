# SPDX-License-Identifier: Apache-2.0
"""Recurrent cells of the symbolic interface, their checkpoints, and batches of sentences."""

from .. import initializer as init
from .. import ndarray, symbol
from ..core.base.doors import facade
from ..model import load_checkpoint, save_checkpoint
from . import io, rnn, rnn_cell
from .io import BucketSentenceIter, encode_sentences
from .rnn import do_rnn_checkpoint, load_rnn_checkpoint, rnn_unroll, save_rnn_checkpoint
from .rnn_cell import (
    BaseConvRNNCell,
    BaseRNNCell,
    BidirectionalCell,
    ConvGRUCell,
    ConvLSTMCell,
    ConvRNNCell,
    DropoutCell,
    FusedRNNCell,
    GRUCell,
    LSTMCell,
    ModifierCell,
    ResidualCell,
    RNNCell,
    RNNParams,
    SequentialRNNCell,
    ZoneoutCell,
)

__all__ = [
    "BaseConvRNNCell",
    "BaseRNNCell",
    "BidirectionalCell",
    "BucketSentenceIter",
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
    "do_rnn_checkpoint",
    "encode_sentences",
    "init",
    "io",
    "load_checkpoint",
    "load_rnn_checkpoint",
    "ndarray",
    "rnn",
    "rnn_cell",
    "rnn_unroll",
    "save_checkpoint",
    "save_rnn_checkpoint",
    "symbol",
]


facade(__name__)
