# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")


from mxnova.gluon import Constant as Constant
from mxnova.gluon import DeferredInitializationError as DeferredInitializationError
from mxnova.gluon import Parameter as Parameter
from mxnova.gluon import ParameterDict as ParameterDict
def shape_is_known(shape: Sequence[int] | None) -> bool: ...
tensor_types: tuple[Any, ...]
