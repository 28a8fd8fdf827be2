# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")


from mxnova.numpy import set_printoptions as set_printoptions
