# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")


from mxnova.gluon.contrib.rnn import Conv1DGRUCell as Conv1DGRUCell
from mxnova.gluon.contrib.rnn import Conv1DLSTMCell as Conv1DLSTMCell
from mxnova.gluon.contrib.rnn import Conv1DRNNCell as Conv1DRNNCell
from mxnova.gluon.contrib.rnn import Conv2DGRUCell as Conv2DGRUCell
from mxnova.gluon.contrib.rnn import Conv2DLSTMCell as Conv2DLSTMCell
from mxnova.gluon.contrib.rnn import Conv2DRNNCell as Conv2DRNNCell
from mxnova.gluon.contrib.rnn import Conv3DGRUCell as Conv3DGRUCell
from mxnova.gluon.contrib.rnn import Conv3DLSTMCell as Conv3DLSTMCell
from mxnova.gluon.contrib.rnn import Conv3DRNNCell as Conv3DRNNCell
