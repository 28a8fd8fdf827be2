# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")

from mxnova.artefacts import OpenedModel as OpenedModel

class Quantization:
    def __eq__(self, other: Any) -> Any: ...  # type: ignore[override]
    def __init__(self, kind: str, files: Sequence[str], options: Any, measure: str | None, before: float | None, after: float | None, trials: Sequence[Any], in_float: tuple[str, ...], n_layers: int, excluded: Sequence[str], float_bytes: int, bytes: int, samples: int, measured: int, failures: Mapping[str, str], n_failed: int, proof: Any) -> None: ...
    after: float | None
    before: float | None
    bytes: int
    @property
    def document(self) -> dict[str, Any]: ...
    @property
    def drop(self) -> float | None: ...
    excluded: Sequence[str]
    @property
    def facts(self) -> list[tuple[str, str]]: ...
    failures: Mapping[str, str]
    files: Sequence[str]
    float_bytes: int
    in_float: tuple[str, ...]
    kind: str
    @property
    def line(self) -> str: ...
    measure: str | None
    measured: int
    n_failed: int
    n_layers: int
    options: Any
    proof: Any
    samples: int
    @property
    def seconds(self) -> Sequence[tuple[str, float, float]]: ...
    trials: Sequence[Any]
def quantize(model: str | Any | OpenedModel, data: str | Any | _np.ndarray[Any, Any] | tuple[_np.ndarray[Any, Any], _np.ndarray[Any, Any]], output: str | Any | None = None, *, method: str | None = None, calibration: str | None = None, per_channel: bool | None = None, asymmetric: bool | None = None, exclude: str | Sequence[str] = (), max_drop: float | None = None, metric: str | None = None, samples: int = 320, measured: int = 2000, batch: int | None = None, epoch: int | None = None, shapes: Mapping[str, Sequence[int | str]] | None = None, types: Mapping[str, str] | None = None, preprocessing: Mapping[str, Any] | None = None, labels: Sequence[str] | None = None, seed: int = 0, force: bool = False, tell: Callable[..., Any] = ...) -> Quantization: ...
