# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")


from mxnova.rnn import BaseConvRNNCell as BaseConvRNNCell
from mxnova.rnn import BaseRNNCell as BaseRNNCell
from mxnova.rnn import BidirectionalCell as BidirectionalCell
from mxnova.rnn import ConvGRUCell as ConvGRUCell
from mxnova.rnn import ConvLSTMCell as ConvLSTMCell
from mxnova.rnn import ConvRNNCell as ConvRNNCell
from mxnova.rnn import DropoutCell as DropoutCell
from mxnova.rnn import FusedRNNCell as FusedRNNCell
from mxnova.rnn import GRUCell as GRUCell
from mxnova.rnn import LSTMCell as LSTMCell
from mxnova.rnn import ModifierCell as ModifierCell
from mxnova.rnn import RNNCell as RNNCell
from mxnova.rnn import RNNParams as RNNParams
from mxnova.rnn import ResidualCell as ResidualCell
from mxnova.rnn import SequentialRNNCell as SequentialRNNCell
from mxnova.rnn import ZoneoutCell as ZoneoutCell
