# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from mxnova.ndarray.ndarray import NDArray as NDArray
from mxnova.symbol.symbol import Symbol as Symbol

def load_checkpoint(prefix: str, epoch: int) -> tuple[Symbol, dict[str, NDArray], dict[str, NDArray]]: ...
def load_params(prefix: str, epoch: int) -> tuple[dict[str, NDArray], dict[str, NDArray]]: ...
def save_checkpoint(prefix: str, epoch: int, symbol: Symbol | None, arg_params: Mapping[str, NDArray], aux_params: Mapping[str, NDArray], remove_amp_cast: bool = True) -> None: ...
def split_params(loaded: object, source: str) -> tuple[dict[str, NDArray], dict[str, NDArray]]: ...
