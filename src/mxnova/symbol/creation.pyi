# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")


from mxnova.symbol.symbol import arange as arange
from mxnova.symbol.symbol import eye as eye
from mxnova.symbol.symbol import full as full
from mxnova.symbol.symbol import histogram as histogram
from mxnova.symbol.symbol import hypot as hypot
from mxnova.symbol.symbol import linspace as linspace
from mxnova.symbol.symbol import maximum as maximum
from mxnova.symbol.symbol import minimum as minimum
from mxnova.symbol.symbol import ones as ones
from mxnova.symbol.symbol import pow as pow
from mxnova.symbol.symbol import power as power
from mxnova.symbol.symbol import split_v2 as split_v2
from mxnova.symbol.symbol import zeros as zeros
