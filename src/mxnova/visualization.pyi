# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")

from mxnova.symbol.symbol import Symbol as Symbol

def plot_network(symbol: Symbol, title: str = 'plot', save_format: str = 'pdf', shape: Mapping[str, Any] | None = None, dtype: Mapping[str, Any] | None = None, node_attrs: Mapping[str, str] = ..., hide_weights: bool = True) -> Any: ...
def print_summary(symbol: Symbol, shape: Mapping[str, Any] | None = None, line_length: int = 120, positions: Sequence[float] = ...) -> None: ...
