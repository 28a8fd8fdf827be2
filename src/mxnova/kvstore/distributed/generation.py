# SPDX-License-Identifier: Apache-2.0
"""A name for those who meet now, at a place where others have met before.

torchrun's agents keep one store while workers come and go, and tell them no number of the round. So
that nobody takes what those before have left there, each worker leaves a number that it has drawn,
and rank 0 answers each of them by its own number.
"""

from __future__ import annotations

import secrets
import time
from typing import Any

from .world import World

__all__ = ["agreed_name"]

_PAUSE = 0.02  # seconds between looks into the store


def agreed_name(store: Any, world: World, deadline: float) -> str:
    """The name of this generation of workers; whoever waits for it in vain goes on with its own.

    Args:
        store: of the place.
        world: whose ranks are known.
        deadline: of `time.monotonic`.
    """
    mine = secrets.token_hex(16)
    if world.rank == 0:
        _name(store, mine, range(1, world.num_workers), deadline)
        return mine
    asked, answered = f"asked/{world.rank}", f"answered/{world.rank}"
    store.set(asked, mine)
    while time.monotonic() < deadline:
        if store.check([answered]):
            text: str = store.get(answered).decode(errors="replace")
            own, _, name = text.partition(" ")
            if own == mine:
                store.set(f"{name}/{world.rank}", "")
                return name
        time.sleep(_PAUSE)
    return mine


def _name(store: Any, name: str, ranks: range, deadline: float) -> None:
    """Answers by a name until all know it; a number that is there may be one from before."""
    waiting, answers = set(ranks), dict[int, str]()
    while waiting and time.monotonic() < deadline:
        for rank in sorted(waiting):
            if store.check([f"{name}/{rank}"]):
                waiting.remove(rank)
            elif store.check([f"asked/{rank}"]):
                answer = f"{store.get(f'asked/{rank}').decode(errors='replace')} {name}"
                if answers.get(rank) != answer:
                    answers[rank] = answer
                    store.set(f"answered/{rank}", answer)
        time.sleep(_PAUSE)
