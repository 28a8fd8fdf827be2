# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as _np


def find_conf_path(prefix: str = 'tvmop') -> str: ...
def find_include_path() -> str: ...
def find_lib_path(prefix: str = 'libmxnet') -> list[str]: ...
