# SPDX-License-Identifier: Apache-2.0
"""``python -m benchmarks.simulator.jobs``: checkpoints, reading, restarts of 4,096 workers.

Counts of operations are those of the code: a checkpoint has 6 operations for each worker, which the
first one makes one after the other in a folder, 64 at a time in a store (reads its receipt and its
header, removes the receipt and the old file); making a store has a connection to each rank below.
Runs of 1, 2, 4 and 8 processes check both, with a latency for each operation. Jobs of as many, of
which workers are killed, check the time of a restart, and which part of time counts.
"""

from __future__ import annotations

import heapq
import math
import random
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from benchmarks.simulator import interrupted
from benchmarks.simulator.processes import answer_of
from benchmarks.simulator.slow_reading import server
from mxnova.core.base.cores import usable_cores

__all__ = [
    "Cluster",
    "checkpoint_seconds",
    "done_by",
    "goodput",
    "interrupted_run",
    "meeting_seconds",
    "reading_rate",
    "start_seconds",
]

REAL = (1, 2, 4, 8)
WORKERS = (8, 64, 256, 1024, 4096)
TOLERANCE = 0.25
HOUR = 3600.0

ALONE = 22  # operations on the store of a checkpoint of one worker
TOGETHER, EACH = 32, 6  # of several: those that do not depend on their number, and for each of them


@dataclass(frozen=True)
class Cluster:
    """What takes time.

    Attributes:
        latency: seconds of an operation on the store.
        link: bytes a second between a worker and the store.
        connection: seconds to connect two workers, with the proofs of both.
        start: seconds from a failure until workers have begun again and imported all.
        state: bytes of a checkpoint.
        step: seconds of a step.
        lifetime: seconds until a worker fails, on average.
        parallel: operations that the first worker makes at a time: 1 in a folder, 64 in a store.
        fan: workers that a worker is connected to; 0: all others, as today.
    """

    latency: float = 0.05
    link: float = 10e9 / 8
    connection: float = 0.001
    start: float = 60.0
    state: float = 12e9
    step: float = 1.0
    lifetime: float = 50_000 * HOUR
    parallel: int = 1
    fan: int = 0


def checkpoint_seconds(n: int, cluster: Cluster) -> float:
    """From the snapshot to the commit; training goes on meanwhile."""
    if n == 1:
        return ALONE * cluster.latency + cluster.state / cluster.link
    operations = TOGETHER + EACH * n / cluster.parallel
    return operations * cluster.latency + cluster.state / n / cluster.link


def meeting_seconds(n: int, cluster: Cluster) -> float:
    """Until a store is made: each rank calls those below, one after the other."""
    return (min(n, cluster.fan) if cluster.fan else n) * cluster.connection


def reading_rate(block: int, at_a_time: int, cluster: Cluster) -> float:
    """Bytes a second of a worker that has so many requests for blocks under way."""
    return min(cluster.link, at_a_time * block / (cluster.latency + block / cluster.link))


# Failures -----------------------------------------------------------------------------------------


def restart_seconds(n: int, cluster: Cluster) -> float:
    """From a failure to the next step: all start, meet, and read all of the last checkpoint."""
    loading = 3 * cluster.latency + cluster.state / cluster.link
    return cluster.start + meeting_seconds(n, cluster) + loading


def interval_of(n: int, cluster: Cluster) -> float:
    """Seconds from checkpoint to checkpoint: as many as one takes to be written, or a minute."""
    return max(checkpoint_seconds(n, cluster), 60.0)


def goodput(n: int, cluster: Cluster, hours: float = 500.0, seed: int = 0) -> float:
    """The share of time in which steps are done that count, by a timeline of events.

    A worker that has failed is back for the next restart; failures meanwhile restart the restart.
    """
    draw, end = random.Random(seed), hours * HOUR
    return done_by(end, _failures(n, cluster, draw), n, cluster, interval_of(n, cluster)) / end


def _failures(n: int, cluster: Cluster, draw: random.Random) -> Iterator[float]:
    """When workers fail, one after the other, for ever."""
    following = [draw.expovariate(1 / cluster.lifetime) for _ in range(n)]
    heapq.heapify(following)
    while True:
        after = following[0] + draw.expovariate(1 / cluster.lifetime)
        yield heapq.heapreplace(following, after)


def done_by(
    end: float, failures: Iterator[float], n: int, cluster: Cluster, interval: float
) -> float:
    """Seconds of training that count, of a job that has trained and restarted until `end`."""
    writing = checkpoint_seconds(n, cluster)
    now = done = 0.0
    while now < end:
        failure = next(failures, math.inf)
        if failure < now:  # during a restart, which begins anew
            now = max(now, failure + restart_seconds(n, cluster))
            continue
        trained = min(failure, end) - now
        # The last checkpoint that is whole began an interval's multiple after the begin.
        saved = math.floor(max(trained - writing, 0.0) / interval) * interval
        done += saved if failure < end else trained
        now = min(failure, end) + restart_seconds(n, cluster)
    return done


# What is shown ------------------------------------------------------------------------------------


def check(console: Console) -> bool:
    """Real processes beside predictions; whether all are within `TOLERANCE`."""
    table = Table("", title="Real (predicted, off by)", box=None)
    for n in REAL:
        table.add_column(f"{n} processes", justify="right")
    here, off = Cluster(link=math.inf, connection=0.05), list[float]()

    def row(name: str, unit: float, pairs: list[tuple[float, float]]) -> None:
        off.extend(predicted / real - 1 for real, predicted in pairs)
        table.add_row(
            name, *(f"{r / unit:.2f} ({p / unit:.2f}, {p / r - 1:+.0%})" for r, p in pairs)
        )

    row(
        "checkpoint, 50 ms an operation: s",
        1,
        [(_saved(n), checkpoint_seconds(n, here)) for n in REAL],
    )
    met = [(answer_of("slow_meeting", n, 0.05), meeting_seconds(n, here)) for n in REAL]
    row("a store, 50 ms a connection: s", 1, met)
    block, at_a_time = 1 << 16, 2
    with server(0.05, block) as store:
        port = store.server_address[1]
        read = [answer_of("slow_reading", n, port, at_a_time) for n in REAL]
        store.shutdown()
    rate = reading_rate(block, at_a_time, here)
    row("reading, 2 requests of 64 KiB, 50 ms: MB/s a worker", 1e6, [(real, rate) for real in read])
    start = start_seconds()
    runs = [interrupted_run(n, start) for n in REAL]
    row("a restart: s", 1, [run.restart for run in runs])
    row("time whose steps count, two failures: %", 0.01, [run.goodput for run in runs])
    console.print(table, "")
    return all(abs(one) <= TOLERANCE for one in off)


_GAPS = (2.3, 2.7, 3.0)  # seconds of training before each failure, and at the end


class Interrupted(NamedTuple):
    """Real and predicted, of a job of which workers were killed."""

    restart: tuple[float, float]
    goodput: tuple[float, float]


def interrupted_run(n: int, start: float) -> Interrupted:
    """A job of which two workers are killed, beside its prediction.

    That of the time that counts takes the restarts as they were, which are predicted apart.

    Args:
        n: workers, which share the cores of this machine.
        start: seconds from a failure to the begin of a single worker's first step.
    """
    here = Cluster(latency=0.0, link=math.inf, start=start * max(1.0, n / usable_cores()))
    real = interrupted.run(n, [here.start / 2 + gap for gap in _GAPS])
    restart = sum(real.restarts) / len(real.restarts)
    as_it_was = replace(here, start=restart - meeting_seconds(n, here))
    interval = interrupted.EVERY * real.step
    done = done_by(real.end, iter(real.failures), n, as_it_was, interval)
    return Interrupted((restart, restart_seconds(n, here)), (real.goodput, done / real.end))


def start_seconds() -> float:
    """From the failure of a job's only worker to the begin of its next step."""
    return min(interrupted.run(1, [0.5] * 3).restarts)


def _saved(n: int) -> float:
    with tempfile.TemporaryDirectory() as folder:
        seconds: float = answer_of("slow_store", n, folder, 0.05, 1 << 16)[0]
    return seconds


def predict(console: Console) -> None:
    """Tables of what 8 to 4,096 workers take."""
    today = Cluster()
    near = replace(today, latency=0.001)
    changed = replace(today, parallel=64, fan=64)
    columns: dict[str, Callable[[int], str]] = {
        "checkpoint, 50 ms": lambda n: f"{checkpoint_seconds(n, today):,.1f} s",
        "… 1 ms": lambda n: f"{checkpoint_seconds(n, near):,.1f} s",
        "… 50 ms, 64 at a time": lambda n: f"{checkpoint_seconds(n, changed):,.1f} s",
        "store, 1 ms": lambda n: f"{meeting_seconds(n, today):,.2f} s",
        "failures a day": lambda n: f"{24 * HOUR * n / today.lifetime:,.2f}",
        "goodput, 50 ms": lambda n: f"{goodput(n, today):.1%}",
        "goodput, 1 ms": lambda n: f"{goodput(n, near):.1%}",
        "goodput, 64 at a time": lambda n: f"{goodput(n, changed):.1%}",
    }
    table = Table("workers", title="12 GB of state, 10 Gbit/s a worker", box=None)
    for name in columns:
        table.add_column(name, justify="right")
    for n in WORKERS:
        table.add_row(f"{n:,}", *(cell(n) for cell in columns.values()))
    console.print(table, "")
    table = Table("link", title="Reading with 50 ms, MB/s a worker: requests at a time", box=None)
    sizes = ((1 << 20, 1), (1 << 20, 16), (8 << 20, 4), (8 << 20, 16))
    for block, at_a_time in sizes:
        table.add_column(f"{at_a_time} of {block >> 20} MiB", justify="right")
    for gigabits in (1, 10, 25):
        linked = replace(today, link=gigabits * 1e9 / 8)
        rates = (reading_rate(*size, linked) for size in sizes)
        table.add_row(f"{gigabits} Gbit/s", *(f"{rate / 1e6:,.0f}" for rate in rates))
    console.print(table)


if __name__ == "__main__":
    shown = Console(width=150)
    is_good = check(shown)
    predict(shown)
    raise SystemExit(not is_good)
