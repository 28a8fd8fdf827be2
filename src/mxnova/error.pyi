# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from mxnova.base import MXNetError as MXNetError

class ArgumentError(MXNetError, ValueError):
    ...
class ArgumentTypeError(MXNetError, TypeError):
    ...
class FormatError(MXNetError, ValueError):
    ...
from mxnova.base import MXNetError as MXNetError
class OutOfRangeError(MXNetError, IndexError):
    ...
class UnknownNameError(MXNetError, KeyError):
    ...
