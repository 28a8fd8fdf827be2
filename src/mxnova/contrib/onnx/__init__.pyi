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

from mxnova.onnx import export_model as export_model
from mxnova.onnx import get_model_metadata as get_model_metadata
from mxnova.onnx import import_model as import_model
def import_to_gluon(model_file: str | Any, ctx: Context | Sequence[Context] | None) -> SymbolBlock: ...
from mxnova.onnx import mx2onnx as mx2onnx
from mxnova.contrib.onnx import onnx2mx as onnx2mx
