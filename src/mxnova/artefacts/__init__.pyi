# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as _np


class OpenedModel:
    def __init__(self, contents: Any, found: Any) -> None: ...
    @property
    def arrays(self) -> dict[str, Any]: ...
    epoch: int
    files: dict[str, int]
    graph: Any
    handlers: list[str]
    @property
    def input_names(self) -> list[str]: ...
    input_shapes: dict[str, tuple[int | str, ...]] | None
    labels: list[str] | None
    layout: str
    notes: list[str]
    @property
    def params(self) -> Any: ...
    path: str
    def predictor(self, input_shapes: Any = None, **options: Any) -> Any: ...
    prefix: str
    preprocessing: Any
    def save(self, folder: Any, prefix: str | None = None, force: bool = False) -> list[str]: ...
    @property
    def source_files(self) -> tuple[str, ...]: ...
    @property
    def symbol(self) -> Any: ...
def is_artefact(path: Any) -> bool: ...
def open_model(path: Any, epoch: int | None = None) -> OpenedModel: ...
