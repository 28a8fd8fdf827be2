# SPDX-License-Identifier: Apache-2.0
"""KVStoreBase: what a Trainer asks of a store, and the registry of other packages' stores."""

from __future__ import annotations

from typing import Any, ClassVar, TypeVar

from ..core.base.errors import AssertedError, shown
from ..core.base.user_warnings import warn_user

__all__ = ["KVStoreBase"]

K = TypeVar("K", bound=type)


class KVStoreBase:
    """A store of arrays by key, on one machine or on many.

    Subclasses define its methods, and are found by `create` once they are registered.

    Attributes:
        OPTIMIZER: the capability of updating weights in the store.
        kv_registry: name in lower case -> class.

    Example:
        >>> isinstance(mx.kv.create("local"), mx.kv.KVStoreBase)
        True
    """

    OPTIMIZER: ClassVar[str] = "optimizer"
    kv_registry: ClassVar[dict[str, type]] = {}

    def broadcast(self, key: Any, value: Any, out: Any, priority: int = 0) -> None:
        """Makes `value` of the first worker the value of `key`, and copies it to `out`."""
        raise self._missing("broadcast")

    def pushpull(self, key: Any, value: Any, out: Any = None, priority: int = 0) -> None:
        """Sums up `value` of all devices and workers; `out`, default `value`, gets the sum."""
        raise self._missing("pushpull")

    def set_optimizer(self, optimizer: Any) -> None:
        """Has the store update its values with `optimizer`."""
        raise self._missing("set_optimizer")

    def is_capable(self, capability: str) -> bool:
        """Whether the store can do what `capability` names."""
        raise self._missing("is_capable")

    def save_optimizer_states(self, fname: str, dump_optimizer: bool = False) -> None:
        """Writes the states of the optimizer to a file."""
        raise self._missing("save_optimizer_states")

    def load_optimizer_states(self, fname: str) -> None:
        """Reads the states of the optimizer from a file."""
        raise self._missing("load_optimizer_states")

    @property
    def type(self) -> str:
        """The name of the kind of store."""
        raise self._missing("type")

    @property
    def rank(self) -> int:
        """The number of this worker, from 0."""
        raise self._missing("rank")

    @property
    def num_workers(self) -> int:
        """How many workers share the store."""
        raise self._missing("num_workers")

    def _missing(self, name: str) -> NotImplementedError:
        return NotImplementedError(f"{type(self).__name__} defines no {name}")

    @staticmethod
    def register(klass: K) -> K:
        """Registers a class under its name in lower case; for use as a decorator."""
        if not isinstance(klass, type):
            raise AssertedError(f"register: klass={shown(klass)}: must be a class")
        name = klass.__name__.lower()
        old = KVStoreBase.kv_registry.get(name)
        if old is not None:
            warn_user(
                f"store {name!r} was {old.__module__}.{old.__qualname__}, and is now "
                f"{klass.__module__}.{klass.__qualname__}",
                UserWarning,
            )
        KVStoreBase.kv_registry[name] = klass
        return klass
