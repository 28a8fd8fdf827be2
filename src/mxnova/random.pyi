# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")

from mxnova.ndarray.ndarray import Context as Context

from mxnova.ndarray.random import exponential as exponential
from mxnova.ndarray.random import gamma as gamma
from mxnova.ndarray.random import generalized_negative_binomial as generalized_negative_binomial
from mxnova.ndarray.random import multinomial as multinomial
from mxnova.ndarray.random import negative_binomial as negative_binomial
from mxnova.ndarray.random import normal as normal
from mxnova.ndarray.random import poisson as poisson
from mxnova.ndarray.random import randint as randint
from mxnova.ndarray.random import randn as randn
def seed(seed_state: int, ctx: Context | str = 'all', *, exact: bool | None = None) -> None: ...
from mxnova.ndarray.random import shuffle as shuffle
from mxnova.ndarray.contrib import uniform as uniform
