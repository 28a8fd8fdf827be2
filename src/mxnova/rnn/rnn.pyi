# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")


from mxnova.rnn import do_rnn_checkpoint as do_rnn_checkpoint
from mxnova.rnn import load_rnn_checkpoint as load_rnn_checkpoint
from mxnova.rnn import rnn_unroll as rnn_unroll
from mxnova.rnn import save_rnn_checkpoint as save_rnn_checkpoint
