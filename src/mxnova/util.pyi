# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np


from mxnova.ndarray.ndarray import is_np_array as is_np_array
from mxnova.symbol.symbol import is_np_shape as is_np_shape
def np_shape(active: bool = True) -> Iterator[None]: ...
def set_np_shape(active: bool) -> bool: ...
def use_np_shape(func: Any) -> Any: ...
