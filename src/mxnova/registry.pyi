# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")


def get_alias_func(base_class: type, nickname: str) -> Callable[..., Any]: ...
def get_create_func(base_class: type, nickname: str) -> Callable[..., Any]: ...
def get_register_func(base_class: type, nickname: str) -> Callable[..., type]: ...
def get_registry(base_class: type) -> dict[str, type]: ...
