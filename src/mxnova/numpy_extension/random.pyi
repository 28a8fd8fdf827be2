# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")


from mxnova.ndarray.numpy_extension.random import bernoulli as bernoulli
from mxnova.ndarray.numpy_extension.random import normal_n as normal_n
from mxnova.numpy_extension import seed as seed
from mxnova.ndarray.numpy_extension.random import uniform_n as uniform_n
