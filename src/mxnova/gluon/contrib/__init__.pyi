# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")


from mxnova.gluon.contrib import cnn as cnn
from mxnova.gluon.contrib import data as data
from mxnova.gluon.contrib import estimator as estimator
from mxnova.gluon.contrib import nn as nn
from mxnova.gluon.contrib import rnn as rnn
