# SPDX-License-Identifier: Apache-2.0
"""The constants of this machine, measured by one process and by two.

One measures what it computes alone, two what the other's computing and sending makes of it.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from typing import Any

import torch
import torch.distributed as dist

from benchmarks.simulator.constants import Constants
from benchmarks.simulator.processes import answer_of, quickest

__all__ = ["UNIT", "constants_here", "unit_of_work"]

_SIZE = 256
UNIT = 2.0 * _SIZE**3  # operations of a unit of work
_LARGE = 8 << 20  # bytes
_SMALL = 64  # bytes
_MANY = 64  # messages, units of work


def constants_here(turns: int = 20) -> Constants:
    """Measured now, `turns` times each; takes half a minute."""
    alone, pair = answer_of("measure", 1, turns), answer_of("measure", 2, turns)
    return Constants(
        name=f"{_cores()} cores of this machine (measured)",
        rate=UNIT / pair["unit"],
        cores=_cores(),
        crowding=max(1.0, pair["unit_of_both"] / pair["unit"]) if _cores() > 1 else 1.0,
        handling=alone["handling"],
        **{name: pair[name] for name in _OF_PAIRS},
    )


_OF_PAIRS = ("latency", "message", "one_way", "both_ways", "reduction", "overlap")


def _cores() -> int:
    return len(os.sched_getaffinity(0))


def unit_of_work() -> Any:
    """What every computation here is made of, as a callable."""
    a, b, out = torch.rand(_SIZE, _SIZE), torch.rand(_SIZE, _SIZE), torch.empty(_SIZE, _SIZE)
    return lambda: torch.mm(a, b, out=out)


def _alone(turns: int) -> dict[str, float]:
    import mxnova as mx

    store = mx.kv.create("dist_sync")
    gradient = mx.nd.ones(_LARGE // 4)
    store.init("w", gradient)

    def pushpull() -> None:
        store.pushpull("w", gradient, out=gradient)
        gradient.wait_to_read()

    return {"handling": quickest(pushpull, turns) / _LARGE}


def _units(turns: int, meet: Any) -> tuple[float, float]:
    """Seconds of a unit of work, the first process working alone and both; in turns.

    Of units among many, as steps have them: single ones are never interrupted.
    """
    work = unit_of_work()

    def many() -> None:
        for _ in range(_MANY):
            work()

    alone, both = [], []
    for _ in range(turns):
        meet()
        if dist.get_rank() == 0:
            alone.append(quickest(many, 1) / _MANY)
        both.append(quickest(many, 1, meet) / _MANY)
    return min(alone, default=0.0), min(both)


def _pair(turns: int) -> dict[str, float]:
    dist.init_process_group("gloo")
    peer = 1 - dist.get_rank()
    small, large, other = (torch.ones(n // 4) for n in (_SMALL, _LARGE, _LARGE))

    def meet() -> None:
        dist.barrier()

    def to_and_fro() -> None:
        for sender in (0, 1):
            _one_way(small, sender)

    def many() -> None:
        begun = [dist.isend(small, peer) for _ in range(_MANY)]
        begun += [dist.irecv(torch.empty_like(small), peer) for _ in range(_MANY)]
        for message in begun:
            message.wait()

    def both() -> None:
        begun = [dist.isend(large, peer), dist.irecv(other, peer)]
        for message in begun:
            message.wait()

    unit, unit_of_both = _units(turns, meet)
    found = {
        "unit": unit,
        "unit_of_both": unit_of_both,
        "latency": quickest(to_and_fro, 10 * turns, meet) / 2,
        "message": quickest(many, turns, meet) / _MANY,
        "one_way": quickest(lambda: _one_way(large, 0), turns, meet) / _LARGE,
        "both_ways": quickest(both, turns, meet) / _LARGE,
        "reduction": quickest(lambda: large.add_(other, alpha=0.0), turns, meet) / _LARGE,
    }
    found["overlap"] = _overlap(both, meet, turns, unit_of_both)
    return found


def _one_way(tensor: torch.Tensor, sender: int) -> None:
    if dist.get_rank() == sender:
        dist.send(tensor, 1 - sender)
        dist.recv(tensor[:1], 1 - sender)  # it has arrived
    else:
        dist.recv(tensor, sender)
        dist.send(tensor[:1], sender)


def _overlap(both: Any, meet: Any, turns: int, unit: float) -> float:
    """How much of an exchange is done for nothing while as long a computation goes on."""

    def exchange() -> None:
        for _ in range(4):
            both()

    work = unit_of_work()
    alone = quickest(exchange, turns, meet)
    units = max(1, round(alone / unit))

    def compute() -> None:
        for _ in range(units):
            work()

    computed = quickest(compute, turns, meet)

    def together() -> None:
        sending = threading.Thread(target=exchange)
        sending.start()
        compute()
        sending.join()

    taken = quickest(together, turns, meet)
    return min(1.0, max(0.0, (alone + computed - taken) / min(alone, computed)))


if __name__ == "__main__":
    torch.set_num_threads(1)
    time.sleep(0.1)
    measured = _alone if os.environ["WORLD_SIZE"] == "1" else _pair
    json.dump(measured(int(sys.argv[1])), sys.stdout)
