# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")


from mxnova.ndarray.ndarray import add as add
from mxnova.ndarray.ndarray import divide as divide
from mxnova.ndarray.ndarray import equal as equal
from mxnova.ndarray.ndarray import greater as greater
from mxnova.ndarray.ndarray import greater_equal as greater_equal
from mxnova.ndarray.ndarray import lesser as lesser
from mxnova.ndarray.ndarray import lesser_equal as lesser_equal
from mxnova.ndarray.ndarray import logical_and as logical_and
from mxnova.ndarray.ndarray import logical_or as logical_or
from mxnova.ndarray.ndarray import logical_xor as logical_xor
from mxnova.ndarray.ndarray import maximum as maximum
from mxnova.ndarray.ndarray import minimum as minimum
from mxnova.ndarray.ndarray import modulo as modulo
from mxnova.ndarray.ndarray import multiply as multiply
from mxnova.ndarray.ndarray import not_equal as not_equal
from mxnova.ndarray.ndarray import power as power
from mxnova.ndarray.ndarray import split_v2 as split_v2
from mxnova.ndarray.ndarray import subtract as subtract
from mxnova.ndarray.ndarray import true_divide as true_divide
