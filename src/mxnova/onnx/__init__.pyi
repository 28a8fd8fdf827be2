# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")

from mxnova.ndarray.ndarray import NDArray as NDArray
from mxnova.symbol.symbol import Symbol as Symbol

def export_model(sym: Symbol | str, params: str | Mapping[str, NDArray] | Sequence[Mapping[str, NDArray]], in_shapes: Sequence[Sequence[int]] | None = None, in_types: Any = ..., onnx_file_path: str = 'model.onnx', verbose: bool = False, dynamic: bool = False, dynamic_input_shapes: Sequence[Sequence[Any]] | None = None, run_shape_inference: bool = False, input_type: Any = None, input_shape: Sequence[Sequence[int]] | None = None, metadata: Mapping[str, str] | None = None, opset_version: int | None = None) -> str: ...
def get_model_metadata(model_file: str | Any) -> dict[str, list[tuple[Any, ...]]]: ...
def get_operator_support(opset_version: int | None = None) -> list[str]: ...
def import_model(model_file: str | Any, input_shapes: Mapping[str, Sequence[Any]] | None = None) -> tuple[Symbol, dict[str, NDArray], dict[str, NDArray]]: ...
from mxnova.onnx import mx2onnx as mx2onnx
