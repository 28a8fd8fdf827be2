# SPDX-License-Identifier: Apache-2.0
"""Steps of training as events: a worker computes layer by layer, and gradients travel meanwhile.

Gradients go when the backward is done, as the store has them, or each when its own is. Small ones
go together, the first layers' first, and the next forward of a layer waits until its parameters are
back. While the worker computes, communication is slower (`Constants.overlap`).
"""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.simulator.constants import Constants
from benchmarks.simulator.exchange import seconds
from benchmarks.simulator.workloads import Workload

__all__ = ["step_seconds"]

BUCKET = 4 << 20  # bytes of gradients that go together, as the store has them
_STEPS = 4  # until one is as long as the one before
_BYTES = 4  # of a number


@dataclass
class _Bucket:
    """Neighboring layers whose gradients go together.

    Attributes:
        first: the lowest of them: its backward is the last, its forward the first.
        left: seconds of communication still to be done.
    """

    first: int
    left: float


class _Worker:
    """The clock of one worker; all others do the same at the same time."""

    def __init__(self, buckets: list[tuple[int, float]], overlap: float) -> None:
        self.now = 0.0
        self._costs, self._overlap = buckets, overlap
        self._waiting: list[_Bucket] = []

    def send(self, number: int) -> None:
        """The gradients of bucket `number` are there."""
        first, cost = self._costs[number]
        self._waiting.append(_Bucket(first, cost))
        self._waiting.sort(key=lambda bucket: bucket.first)

    def compute(self, duration: float) -> None:
        """Computes that long; communication goes on at its lower speed."""
        self.now += duration
        self._communicate(duration * self._overlap)

    def wait_for(self, layer: int) -> None:
        """Until no bucket with layers up to `layer` is on its way."""
        while any(bucket.first <= layer for bucket in self._waiting):
            left = self._waiting[0].left
            self.now += left
            self._communicate(left)

    def _communicate(self, budget: float) -> None:
        while self._waiting and budget >= self._waiting[0].left:
            budget -= self._waiting.pop(0).left
        if self._waiting:
            self._waiting[0].left -= budget


def step_seconds(
    workload: Workload, kind: str, n: int, constants: Constants, *, early: bool = False
) -> float:
    """Of a step of `n` workers, once steps follow each other evenly.

    Args:
        workload: what they train.
        kind: of the exchange.
        n: workers.
        constants: of their machines.
        early: whether a layer's gradients go during the backward of those before it.
    """
    stretch = _stretch(n, constants)
    forward = [
        layer.operations * workload.samples / constants.rate * stretch for layer in workload.layers
    ]
    buckets = [
        (layers[0], seconds(kind, n, n_bytes, constants)) for layers, n_bytes in _buckets(workload)
    ]
    starts = {first: number for number, (first, _) in enumerate(buckets)}
    worker = _Worker(buckets, _overlap(n, constants))
    began = 0.0
    for _ in range(_STEPS):
        began = worker.now
        for layer, duration in enumerate(forward):
            worker.wait_for(layer)
            worker.compute(duration)
        for layer in reversed(range(len(forward))):
            worker.compute(2 * forward[layer])
            if early and layer in starts:
                worker.send(starts[layer])
        for number in () if early else range(len(buckets)):
            worker.send(number)
    return worker.now - began


def _stretch(n: int, constants: Constants) -> float:
    """How many times as long a computation takes among `n` workers."""
    if constants.cores is None or n == 1:
        return 1.0
    return max(1.0, n / constants.cores) * constants.crowding


def _overlap(n: int, constants: Constants) -> float:
    """What communication gets while all compute: nothing of cores that are all busy."""
    return constants.overlap if constants.cores is None or n <= constants.cores else 0.0


def _buckets(workload: Workload) -> list[tuple[list[int], int]]:
    """Layers and bytes of each bucket, from the last layer to the first."""
    buckets: list[tuple[list[int], int]] = []
    layers: list[int] = []
    n_bytes = 0
    for number in reversed(range(len(workload.layers))):
        layers.insert(0, number)
        n_bytes += workload.layers[number].parameters * _BYTES
        if n_bytes >= BUCKET or number == 0:
            buckets.append((layers, n_bytes))
            layers, n_bytes = [], 0
    return buckets
