# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")


from mxnova.gluon.rnn import BidirectionalCell as BidirectionalCell
from mxnova.gluon.rnn import DropoutCell as DropoutCell
from mxnova.gluon.rnn import GRUCell as GRUCell
from mxnova.gluon.rnn import HybridRecurrentCell as HybridRecurrentCell
from mxnova.gluon.rnn import HybridSequentialRNNCell as HybridSequentialRNNCell
from mxnova.gluon.rnn import LSTMCell as LSTMCell
from mxnova.gluon.rnn import ModifierCell as ModifierCell
from mxnova.gluon.rnn import RNNCell as RNNCell
from mxnova.gluon.rnn import RecurrentCell as RecurrentCell
from mxnova.gluon.rnn import ResidualCell as ResidualCell
from mxnova.gluon.rnn import SequentialRNNCell as SequentialRNNCell
from mxnova.gluon.rnn import ZoneoutCell as ZoneoutCell
def _cells_begin_state(cells: Iterable[Any], **kwargs: Any) -> list[Any]: ...
def _cells_state_info(cells: Iterable[Any], batch_size: int) -> list[dict[str, Any]]: ...
def _format_sequence(length: int | None, inputs: Any, layout: str, merge: bool | None, in_layout: str | None = None) -> tuple[Any, int, Any, int]: ...
def _get_begin_state(cell: Any, F: Any, begin_state: Any, inputs: Any, batch_size: int) -> Any: ...
def _mask_sequence_variable_length(F: Any, data: Any, length: int, valid_length: Any, time_axis: int, merge: bool) -> Any: ...
def _reverse_sequences(sequences: Any, unroll_step: int, valid_length: Any = None) -> Any: ...
