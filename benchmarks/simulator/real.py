# SPDX-License-Identifier: Apache-2.0
"""Steps of training for real, by processes on this machine, to check predictions against.

Layers are units of work, of equal size. After the backward the gradients of all layers are handed
over, those of the first layers first; the next forward of a layer waits until its own are back.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import torch
import torch.distributed as dist

from benchmarks.simulator.measure import UNIT, unit_of_work
from benchmarks.simulator.processes import answer_of, quickest
from benchmarks.simulator.workloads import Workload, even

__all__ = ["WORKLOAD", "step_seconds"]

_LAYERS, _PARAMETERS, _UNITS = 8, 1 << 20, 8
_STEPS = 4  # that follow each other
WORKLOAD: Workload = even(_LAYERS, _PARAMETERS, _UNITS * UNIT)

Exchange = Callable[[], Callable[[int], Any]]  # begins one; the result waits for a layer's


def step_seconds(kind: str, n: int, turns: int = 5) -> float:
    """Of a step of `n` processes with `WORKLOAD`, at its best.

    Args:
        kind: ``ring``, ``tree``: gloo's; ``owners``: the store's.
        n: processes of one thread each.
        turns: times that some steps are taken.
    """
    return float(answer_of("real", n, kind, turns))


def _owners() -> tuple[Exchange, Callable[[], Any]]:
    import mxnova as mx

    store = mx.kv.create("dist_sync")
    keys = list(range(_LAYERS))
    arrays = [mx.nd.ones(_PARAMETERS) for _ in keys]
    outs = [mx.nd.zeros(_PARAMETERS) for _ in keys]
    store.init(keys, arrays)

    def begin() -> Callable[[int], Any]:
        store.pushpull(keys, arrays, out=outs)
        return lambda layer: outs[layer].wait_to_read()

    return begin, store._barrier


def _by_gloo(kind: str) -> tuple[Exchange, Callable[[], Any]]:
    dist.init_process_group("gloo")
    tensors = [torch.ones(_PARAMETERS) for _ in range(_LAYERS)]
    thread = ThreadPoolExecutor(1)

    def exchange(tensor: torch.Tensor) -> None:
        if kind == "ring":
            dist.all_reduce(tensor)
        else:
            dist.reduce(tensor, 0)
            dist.broadcast(tensor, 0)

    def begin() -> Callable[[int], Any]:
        begun: list[Future[None]] = [thread.submit(exchange, tensor) for tensor in tensors]
        return lambda layer: begun[layer].result()

    return begin, dist.barrier


def _run(kind: str, turns: int) -> float:
    begin, meet = _owners() if kind == "owners" else _by_gloo(kind)
    work = unit_of_work()
    wait_for: Callable[[int], Any] = lambda layer: None  # noqa: E731 - the first step's

    def step() -> None:
        nonlocal wait_for
        for layer in range(_LAYERS):
            wait_for(layer)
            for _ in range(_UNITS):
                work()
        for _ in range(2 * _LAYERS * _UNITS):
            work()
        wait_for = begin()

    def settle() -> None:
        for layer in range(_LAYERS):
            wait_for(layer)
        meet()

    def steps() -> None:  # one of them may be short, as the one before was long
        for _ in range(_STEPS):
            step()

    step()
    settle()
    taken = quickest(steps, turns) / _STEPS
    settle()
    return taken


if __name__ == "__main__":
    torch.set_num_threads(1)
    seconds = _run(sys.argv[1], int(sys.argv[2]))
    if os.environ["RANK"] == "0":
        json.dump(seconds, sys.stdout)
