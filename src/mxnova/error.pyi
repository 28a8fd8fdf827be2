# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")

from mxnova.ndarray.ndarray import MXNetError as MXNetError

class ArgumentError(MXNetError, ValueError):
    ...
class ArgumentTypeError(MXNetError, TypeError):
    ...
class FileError(MXNetError, OSError):
    def __init__(self, *_args: Any) -> None: ...
    @staticmethod
    def of(error: OSError, path: object) -> FileError: ...
class FormatError(MXNetError, ValueError):
    ...
class InternalError(MXNetError):
    def __init__(self, msg: str) -> None: ...
from mxnova.ndarray.ndarray import MXNetError as MXNetError
class OutOfRangeError(MXNetError, IndexError):
    ...
class UnknownNameError(MXNetError, KeyError):
    ...
from mxnova.base import register_error as _register_error
register = _register_error
from mxnova.base import register_error as register_error
