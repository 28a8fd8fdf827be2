# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")


class Feature(NamedTuple):
    name: Any
    enabled: Any
class Features(dict[Any, Any]):
    __eq__: Any
    __ge__: Any
    __gt__: Any
    def __init__(self) -> None: ...
    __iter__: Any
    __le__: Any
    __lt__: Any
    __ne__: Any
    __reversed__: Any
    __setitem__: Any
    clear: Any
    copy: Any
    fromkeys: Any
    instance: Features | None
    def is_enabled(self, feature_name: str) -> bool: ...
    items: Any
    keys: Any
    move_to_end: Any
    pop: Any
    popitem: Any
    setdefault: Any
    update: Any
    values: Any
def feature_list() -> list[Feature]: ...
