# SPDX-License-Identifier: Apache-2.0
"""States of optimizers that are well formed and hostile: every field may hold what it should not.

What is read must be usable: updates end at once, and work or raise MXNetError.
"""

from __future__ import annotations

import random
import warnings
from typing import Any

import numpy as np

import mxnova as mx
from mxnova.core.base.dtypes import dtype_of
from mxnova.formats import states
from mxnova.formats.params import ArrayRecord
from mxnova.formats.states import ObjectRecord
from mxnova.lr_scheduler import (
    CosineScheduler,
    FactorScheduler,
    MultiFactorScheduler,
    PolyScheduler,
)
from mxnova.optimizer import Optimizer, Updater
from mxnova.optimizer.states import dumps_updater

__all__ = ["attack", "make", "seeds"]


_SCHEDULERS = (
    lambda: FactorScheduler(2, 0.5, warmup_steps=3),
    lambda: MultiFactorScheduler([2, 4], 0.5),
    lambda: PolyScheduler(10),
    lambda: CosineScheduler(10, 0.1, warmup_steps=2, warmup_begin_lr=0.01),
)
_NAMES = sorted(
    name
    for name, kind in Optimizer.opt_registry.items()
    if kind.__module__.startswith("mxnova.optimizer.") and name != "test"
)
_METHODS = ("update", "__class__", "__dict__", "_get_lr", "learning_rate", "create_state", "__call__",
            "_check", "_skip", "_update_count", "", "a b", "param_dict", "opt_registry")  # fmt: skip
_NUMBERS = (0, -1, 1, 2, 1e308, -1e308, 5e-324, float("nan"), float("inf"), -(10**12), 10**12,
            (1 << 53) - 1, 1 << 62, 1 << 70, 1 << 2000, 0.5, -0.5, 1 - 1e-16, True)  # fmt: skip
_SHAPES = ((2, 3), (2, 3), (2, 1), (3,), (1,), (4, 4), (2, 3, 4))


def seeds() -> list[bytes]:
    """States as they are written."""
    return [_written(name, scheduler()) for name in _NAMES for scheduler in _SCHEDULERS[:1]]


def _written(name: str, scheduler: Any) -> bytes:
    optimizer = _created(name, scheduler)
    updater = Updater(optimizer)
    weight, grad = mx.nd.ones((2, 3)), mx.nd.ones((2, 3))
    updater(0, grad, weight)
    return dumps_updater(updater.states, optimizer)


def _created(name: str, scheduler: Any) -> Any:
    return mx.optimizer.create(name, lr_scheduler=scheduler)


def make(rng: random.Random) -> bytes:
    """The states of an optimizer, with a few fields that something else is put into."""
    file = states.read_states(_written(rng.choice(_NAMES), rng.choice(_SCHEDULERS)()))
    assert file.optimizer is not None
    scheduler = file.optimizer.state["lr_scheduler"]
    assert isinstance(scheduler, ObjectRecord)
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        target = rng.choice((file.optimizer.state, scheduler.state, scheduler.state, file.states))
        _damage(target, rng)
    if rng.random() < 0.2:  # as a Module writes them: the progress alone
        progress = {str(name): value for name, value in file.optimizer.state.items()}
        return states.dumps_states(file.states, progress=progress)
    return states.dumps_states(file.states, file.optimizer)


def _damage(target: dict[Any, Any], rng: random.Random) -> None:
    kind = rng.random()
    keys = list(target)
    if kind < 0.7 and keys:
        key = rng.choice(keys)
        target[key] = _value(rng, target[key])
    elif kind < 0.8 and keys:
        del target[rng.choice(keys)]
    elif kind < 0.9:
        target[rng.choice(_METHODS)] = _value(rng, None)
    elif len(keys) > 1:
        one, other = rng.sample(keys, 2)
        target[one] = target[other]


def _value(rng: random.Random, before: Any, depth: int = 0) -> Any:
    """Something that may be where `before` was."""
    kind = rng.randrange(8)
    if kind < 3 or depth == 3:
        return rng.choice(_NUMBERS)
    if kind == 3:
        return rng.choice((None, "", "update", "linear", b"x", (), [], {}, {0: 0}, [1, 2, 3]))
    if kind == 4:
        return _array(rng)
    if kind == 5:
        values = [_value(rng, None, depth + 1) for _ in range(rng.choice((1, 2, 3)))]
        return rng.choice((tuple, list))(values)
    if isinstance(before, dict) and before:
        return {**before, rng.choice(list(before)): _value(rng, None, depth + 1)}
    if isinstance(before, (tuple, list)) and before:
        parts = list(before)
        parts[rng.randrange(len(parts))] = _value(rng, None, depth + 1)
        return type(before)(parts)
    keys = (0, "0", 1 << 40, "x_weight", -1)
    return {rng.choice(keys): _value(rng, None, depth + 1) for _ in range(2)}


def _array(rng: random.Random) -> ArrayRecord:
    kind = dtype_of(rng.choice(("float32", "float32", "float16", "float64", "int32", "int8")))
    shape = rng.choice(_SHAPES)
    if rng.random() < 0.1:
        aux = (np.array([0, 1, 2]), np.array([0, 1]))
        data = np.ones(2, kind.numpy)
        return ArrayRecord("csr", (2, 3), kind, data, aux)
    if rng.random() < 0.2 and len(shape) > 1:
        rows = (np.array([1]),)
        return ArrayRecord("row_sparse", shape, kind, np.ones((1, *shape[1:]), kind.numpy), rows)
    return ArrayRecord("default", shape, kind, np.full(shape, -1, kind.numpy))


def attack(data: bytes) -> None:
    """Loads states, updates weights of several kinds with them, and writes them down again."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of float16
        _use(data)


def _use(data: bytes) -> None:
    updater = Updater(mx.optimizer.Nadam())  # whose progress has a number beside the counts
    updater.set_states(data)
    weights = {0: "float32", 1: "float32", "0": "float16"}
    for index, dtype in weights.items():
        weight = mx.nd.ones((2, 3), dtype=dtype)
        for _ in range(2):
            try:
                updater(index, mx.nd.ones((2, 3), dtype=dtype), weight)
                weight.asnumpy()
            except mx.MXNetError:
                break
    for dump_optimizer in (True, False):
        Updater(mx.optimizer.SGD()).set_states(updater.get_states(dump_optimizer))
