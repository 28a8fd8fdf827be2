# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")


class CosineScheduler(LRScheduler):
    def __call__(self, num_update: int) -> float: ...
    def __init__(self, max_update: int, base_lr: float = 0.01, final_lr: float = 0, warmup_steps: int = 0, warmup_begin_lr: float = 0, warmup_mode: str = 'linear') -> None: ...
    base_lr: Any
    base_lr_orig: Any
    final_lr: Any
    max_steps: Any
    max_update: Any
class FactorScheduler(LRScheduler):
    def __call__(self, num_update: int) -> float: ...
    def __init__(self, step: int, factor: float = 1, stop_factor_lr: float = 1e-08, base_lr: float = 0.01, warmup_steps: int = 0, warmup_begin_lr: float = 0, warmup_mode: str = 'linear') -> None: ...
    base_lr: Any
    count: Any
    factor: Any
    step: Any
    stop_factor_lr: Any
class LRScheduler:
    def __call__(self, num_update: int) -> float: ...
    def __init__(self, base_lr: float = 0.01, warmup_steps: int = 0, warmup_begin_lr: float = 0, warmup_mode: str = 'linear') -> None: ...
    base_lr: Any
    def get_warmup_lr(self, num_update: int) -> float: ...
    warmup_begin_lr: Any
    warmup_final_lr: Any
    warmup_mode: Any
    warmup_steps: Any
class MultiFactorScheduler(LRScheduler):
    def __call__(self, num_update: int) -> float: ...
    def __init__(self, step: Sequence[int], factor: float = 1, base_lr: float = 0.01, warmup_steps: int = 0, warmup_begin_lr: float = 0, warmup_mode: str = 'linear') -> None: ...
    count: Any
    cur_step_ind: Any
    factor: Any
    step: Any
class PolyScheduler(LRScheduler):
    def __call__(self, num_update: int) -> float: ...
    def __init__(self, max_update: int, base_lr: float = 0.01, pwr: float = 2, final_lr: float = 0, warmup_steps: int = 0, warmup_begin_lr: float = 0, warmup_mode: str = 'linear') -> None: ...
    base_lr: Any
    base_lr_orig: Any
    final_lr: Any
    max_steps: Any
    max_update: Any
    power: Any
