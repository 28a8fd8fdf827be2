# SPDX-License-Identifier: Apache-2.0
"""Random programs of pushes and pulls over several contexts give what a serial model gives."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import mxnova as mx
from mxnova.kvstore import devices

SHAPE = (5, 2)
N_DEVICES = 4
N_STEPS = 60


class Model:
    """What a store is to do, with NumPy and one step after another."""

    def __init__(self, adds: bool) -> None:
        self.values: dict[int, Any] = {}
        self.adds = adds

    def push(self, key: int, values: list[Any]) -> None:
        total = np.sum(values, axis=0)
        self.values[key] = self.values[key] + total if self.adds else total


class Program:
    """A store and its model, and arrays on every device with what they must hold."""

    def __init__(self, seed: int) -> None:
        self.rng = rng = random.Random(seed)
        adds = rng.random() < 0.5
        self.store = mx.kv.create(rng.choice(["local", "device"]))
        if adds:
            self.store._set_updater(self.add)
        self.model = Model(adds)
        self.keys = list(range(rng.randint(1, 4)))
        self.arrays = {
            (key, d): mx.nd.zeros(SHAPE, mx.cpu(d)) for key in self.keys for d in range(N_DEVICES)
        }
        self.expected = {place: np.zeros(SHAPE, np.float32) for place in self.arrays}
        for key in self.keys:
            self.model.values[key] = self.fresh()
            self.store.init(key, mx.nd.array(self.model.values[key]))

    @staticmethod
    def add(key: int, total: Any, value: Any) -> None:
        value += total

    def fresh(self) -> Any:
        """Whole numbers, of which sums are exact in any order."""
        return np.array(
            [[self.rng.randint(-9, 9) for _ in range(SHAPE[1])] for _ in range(SHAPE[0])],
            np.float32,
        )

    def chosen(self) -> tuple[list[int], list[list[int]]]:
        """Some keys, and some devices for each."""
        keys = self.rng.sample(self.keys, self.rng.randint(1, len(self.keys)))
        return keys, [
            self.rng.sample(range(N_DEVICES), self.rng.randint(1, N_DEVICES)) for _ in keys
        ]

    def called(self, call: Any, keys: list[int], of_keys: list[list[int]], *more: Any) -> None:
        """One call for all keys, or one for each."""
        arrays = [[self.arrays[k, d] for d in ds] for k, ds in zip(keys, of_keys, strict=True)]
        if self.rng.random() < 0.5:
            call(keys, arrays, *more)
            return
        for key, of_key in zip(keys, arrays, strict=True):
            call(key, of_key[0] if len(of_key) == 1 else of_key, *more)

    def write(self) -> None:
        """Writes to arrays, at once or by the engine."""
        for place, array in self.arrays.items():
            if self.rng.random() < 0.4:
                value = self.expected[place] = self.fresh()
                if self.rng.random() < 0.5:
                    array[:] = value
                else:
                    mx.engine.push(lambda a=array, v=value: a.__setitem__(slice(None), v),
                                   write=[array])  # fmt: skip

    def push(self) -> None:
        keys, of_keys = self.chosen()
        self.called(self.store.push, keys, of_keys)
        self.modelled_push(keys, of_keys)

    def pull(self) -> None:
        keys, of_keys = self.chosen()
        self.called(self.store.pull, keys, of_keys)
        self.modelled_pull(keys, of_keys)

    def pushpull(self) -> None:
        keys, of_keys = self.chosen()
        self.called(self.store.pushpull, keys, of_keys)
        self.modelled_push(keys, of_keys)
        self.modelled_pull(keys, of_keys)

    def modelled_push(self, keys: list[int], of_keys: list[list[int]]) -> None:
        for key, of_key in zip(keys, of_keys, strict=True):
            self.model.push(key, [self.expected[key, d] for d in of_key])

    def modelled_pull(self, keys: list[int], of_keys: list[list[int]]) -> None:
        for key, of_key in zip(keys, of_keys, strict=True):
            for d in of_key:
                self.expected[key, d] = self.model.values[key]

    def compare(self) -> None:
        for place, array in self.arrays.items():
            np.testing.assert_array_equal(array.asnumpy(), self.expected[place], str(place))

    def run(self) -> None:
        for _ in range(N_STEPS):
            self.rng.choice([self.write, self.push, self.pull, self.pushpull])()
            if self.rng.random() < 0.05:
                self.compare()
        self.compare()


@pytest.mark.parametrize("big", [1, 10**9], ids=["by the engine", "at once"])
@pytest.mark.parametrize("seed", range(15))
def test_random_programs(seed, big, monkeypatch):
    monkeypatch.setattr(devices, "BIG", big)
    Program(seed).run()
