# SPDX-License-Identifier: Apache-2.0
"""What a checkpoint holds: arrays by name, and what says what they are."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, runtime_checkable

from ..core.base.errors import ArgumentError, ArgumentTypeError, shown
from ..core.base.scopes import is_np_shape
from ..core.nd.base_array import BaseArray
from ..core.nd.files import record_of_array
from ..formats.params import ArrayRecord, ParamsFile
from ..formats.safetensors_params import NAMES, from_params
from ..formats.shards.plain import Encoder
from ..formats.states import StatesFile
from ..ndarray import NDArray
from .random_state import random_state

__all__ = ["Content", "Learner", "Network", "WorkerContent"]


@runtime_checkable
class Network(Protocol):
    """What has parameters: Block and Module are such."""

    def _checkpoint_parameters(self) -> tuple[dict[str, NDArray], set[str]]:
        """By the names that they have in files; and which of them are not learned."""

    def _load_checkpoint_parameters(self, arrays: dict[str, NDArray], source: str) -> None:
        """Takes what the first gave, or what others wrote."""


@runtime_checkable
class Learner(Protocol):
    """What has an optimizer with states: Trainer and Module are such.

    Attributes:
        _files_hold_optimizer: whether the optimizer is part of its files of states.
    """

    _files_hold_optimizer: bool

    def _checkpoint_store(self) -> Any:
        """The store that tells workers apart; None without."""

    def _checkpoint_states(self) -> StatesFile:
        """The states, and the optimizer."""

    def _load_checkpoint_states(self, states: bytes) -> None:
        """Takes those of a file of states, with the optimizer."""


@dataclass
class Content:
    """What all workers have.

    Attributes:
        arrays: dense arrays by name; not copied.
        of_first: names of those that may differ between workers.
        notes: what the index says of them, as JSON has it.
    """

    arrays: dict[str, ArrayRecord] = field(default_factory=dict)
    of_first: set[str] = field(default_factory=set)
    notes: dict[str, Any] = field(default_factory=dict)

    def add_parameters(self, net: Any) -> None:
        """Adds those of a network, or a dictionary of arrays."""
        if isinstance(net, Network):
            arrays, not_learned = net._checkpoint_parameters()
        elif isinstance(net, Mapping) and all(isinstance(a, BaseArray) for a in net.values()):
            arrays, not_learned = dict(net), set[str]()
        else:
            text = f"net={shown(net)}: must be a Block, a Module or arrays by name"
            raise ArgumentTypeError(f"checkpoint.save: {text}")
        records = {name: record_of_array(array) for name, array in arrays.items()}
        texts = self._add(records, np_shape=is_np_shape())
        self.notes["parameters"] = texts
        names = json.loads(texts[NAMES])
        self.of_first |= {key for key, name in names.items() if name in not_learned}

    def add_states(self, learner: Any) -> None:
        """Adds the optimizer and its states."""
        if not isinstance(learner, Learner):
            text = f"trainer={shown(learner)}: must be a Trainer or a Module"
            raise ArgumentTypeError(f"checkpoint.save: {text}")
        file = learner._checkpoint_states()
        encoder = Encoder("optimizer")
        states = encoder.encode(file.states)
        optimizer = encoder.encode(file.optimizer, ".object")
        self.notes["optimizer"] = {
            "states": states,
            "object": optimizer,
            "in_files": learner._files_hold_optimizer,
            "arrays": self._add(encoder.arrays),
        }

    def add_extra(self, extra: Any) -> None:
        """Adds plain data of the program's own, which the first worker writes."""
        encoder = LiveEncoder("extra")
        self.notes["extra"] = encoder.encode(extra)
        self.notes["extra_arrays"] = self._add(encoder.arrays)
        self.of_first |= set(encoder.arrays)

    def _add(self, records: Mapping[str, ArrayRecord], np_shape: bool = False) -> dict[str, str]:
        file = ParamsFile(list(records.values()), list(records))
        found = from_params(file, np_shape)
        both = next((name for name in found.arrays if name in self.arrays), None)
        if both is not None:
            raise ArgumentError(f"checkpoint.save: two arrays are called {shown(both)}")
        self.arrays |= found.arrays
        return found.metadata


class LiveEncoder(Encoder):
    """Takes NDArrays, too."""

    def encode(self, value: Any, path: str = "", depth: int = 0) -> Any:
        """`value` as JSON has it."""
        if isinstance(value, BaseArray):
            value = record_of_array(value)
        return super().encode(value, path, depth)


@dataclass
class WorkerContent:
    """What one worker has for itself: arrays by name, and what says what they are."""

    arrays: dict[str, ArrayRecord]
    notes: dict[str, Any]

    @classmethod
    def of(cls, rank: int, iterator: Any, with_random: bool) -> WorkerContent:
        """The state of an iterator, if it has one, and of random numbers."""
        encoder = LiveEncoder(f"worker.{rank}")
        notes: dict[str, Any] = {}
        if with_random:
            notes["random"] = encoder.encode(random_state(), ".random")
        if iterator is not None and hasattr(iterator, "state_dict"):
            notes["iterator"] = encoder.encode(iterator.state_dict(), ".iterator")
        found = from_params(ParamsFile(list(encoder.arrays.values()), list(encoder.arrays)))
        notes["arrays"] = found.metadata
        copies = {n: replace(r, data=r.data.copy()) for n, r in found.arrays.items()}
        return cls(copies, notes)
