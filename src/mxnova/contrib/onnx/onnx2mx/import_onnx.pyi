# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")

from mxnova.gluon import SymbolBlock as SymbolBlock
from mxnova.ndarray.ndarray import Context as Context
from mxnova.ndarray.ndarray import NDArray as NDArray
from mxnova.symbol.symbol import Symbol as Symbol

class GraphProto:
    def __init__(self) -> None: ...
    def from_onnx(self, graph: Any, opset_version: int) -> tuple[Symbol, dict[str, NDArray], dict[str, NDArray]]: ...
    def get_graph_metadata(self, graph: Any) -> dict[str, list[tuple[Any, ...]]]: ...
    def graph_to_gluon(self, graph: Any, ctx: Context | Sequence[Context] | None, opset_version: int) -> SymbolBlock: ...
    model_metadata: dict[str, list[tuple[Any, ...]]]
def block_of(symbol: Symbol, inputs: Sequence[str], parameters: Mapping[str, NDArray], ctx: Context | Sequence[Context] | None) -> SymbolBlock: ...
