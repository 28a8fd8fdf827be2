# SPDX-License-Identifier: Apache-2.0
"""Which worker this one is, among how many."""

from __future__ import annotations

from typing import Any

from ..core.base.errors import ArgumentError, argument_error
from .content import Learner

__all__ = ["workers_of"]


def workers_of(
    call: str, learner: Any, store: Any, rank: int | None, world: int | None
) -> tuple[int, int]:
    """(rank, number of workers): as given, or as the store says; without a store there is one.

    Raises:
        ArgumentError: only one of them is given, or the rank is not below the number.
    """
    if (rank is None) != (world is None):
        raise ArgumentError(f"{call}: rank={rank}, world={world}: must be given both, or neither")
    if rank is None or world is None:
        found = store
        if store is None and isinstance(learner, Learner):
            found = learner._checkpoint_store()
        return (int(found.rank), int(found.num_workers)) if found is not None else (0, 1)
    if type(world) is not int or world < 1:
        raise argument_error(call, "world", world, "must be a number of workers")
    if type(rank) is not int or not 0 <= rank < world:
        raise argument_error(call, "rank", rank, f"must be from 0 on, below {world}")
    return rank, world
