# SPDX-License-Identifier: Apache-2.0
"""What a prediction starts from: constants of machines and of the network between them."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

__all__ = ["ASSUMED", "Constants"]


@dataclass(frozen=True)
class Constants:
    """Of machines that are all alike.

    Attributes:
        name: what they are.
        rate: multiplications and additions a second of one worker.
        latency: seconds from the begin of a message's sending to the end of its arrival, if small.
        message: seconds of work that a message costs, without its bytes.
        one_way: seconds a byte, one worker sending and one receiving.
        both_ways: seconds a byte, two workers sending to each other the same number.
        reduction: seconds a byte of adding what was received.
        handling: seconds a byte of a gradient that the store copies and updates.
        overlap: speed of communication while the worker computes, as a fraction.
        cores: of a machine, which its workers share; None: each worker has its own.
        crowding: how many times as long a computation takes when all cores compute.
    """

    name: str
    rate: float
    latency: float
    message: float
    one_way: float
    both_ways: float
    reduction: float
    handling: float
    overlap: float
    cores: int | None = None
    crowding: float = 1.0

    def save(self, path: Path) -> None:
        """Writes them as JSON."""
        path.write_text(json.dumps(asdict(self), indent=1) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: Path) -> Constants:
        """Reads what `save` has written."""
        return cls(**json.loads(path.read_text(encoding="utf-8")))


def _gigabits(number: float) -> float:
    return 8e-9 / number


# Not measured here: a GPU that sustains 100 TFLOP/s in each machine, and two usual networks.
_gpu = {"rate": 1e14, "reduction": 1e-11, "handling": 2e-11, "overlap": 0.9, "message": 2e-6}
ASSUMED = (
    Constants(
        "GPUs, 25 Gbit/s, 30 µs (assumed)",
        latency=30e-6,
        one_way=_gigabits(25),
        both_ways=_gigabits(25),
        **_gpu,
    ),
    Constants(
        "GPUs, 200 Gbit/s, 5 µs (assumed)",
        latency=5e-6,
        one_way=_gigabits(200),
        both_ways=_gigabits(200),
        **_gpu,
    ),
)
