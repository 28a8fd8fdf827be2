# SPDX-License-Identifier: Apache-2.0
"""``python -m benchmarks.simulator``: measures, checks, predicts."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks.load import watch_others
from benchmarks.simulator import real
from benchmarks.simulator.constants import ASSUMED, Constants
from benchmarks.simulator.exchange import EXCHANGES
from benchmarks.simulator.measure import constants_here
from benchmarks.simulator.timeline import step_seconds
from benchmarks.simulator.workloads import WORKLOADS, Workload

REAL = (1, 2, 4, 8)
WORKERS = (8, 16, 64, 256, 1024, 4096)
TOLERANCE = 0.25


def main(
    check: Annotated[bool, typer.Option(help="Measure, and compare with real runs.")] = True,
    constants: Annotated[
        list[Path] | None, typer.Option(exists=True, help="JSON of other machines; repeatable.")
    ] = None,
    save: Annotated[Path | None, typer.Option(help="Write the measured constants there.")] = None,
) -> None:
    """Predict how long a step of training takes on 8 to 4,096 workers."""
    console = Console(width=None if sys.stdout.isatty() else 110)
    good = True
    if check:
        here = constants_here()
        if save is not None:
            here.save(save)
        good = _check(here, console)
    for machines in [*ASSUMED, *map(Constants.load, constants or ())]:
        for workload in WORKLOADS:
            console.print(_prediction(workload, machines), "")
    raise typer.Exit(0 if good else 1)


def _check(here: Constants, console: Console) -> bool:
    """Real runs beside predictions; whether all are within `TOLERANCE`."""
    console.print(_listed(here), "")
    table = Table("exchange", title=f"A step of {real.WORKLOAD.parameters:,} parameters: ms, real "
                  "(predicted, off by)", box=None)  # fmt: skip
    for n in REAL:
        table.add_column(f"{n} processes", justify="right")
    others, off = watch_others(), []
    for kind in track(list(EXCHANGES), "real runs", console=console, transient=True):
        cells = []
        for n in REAL:
            taken = real.step_seconds(kind, n)
            predicted = step_seconds(real.WORKLOAD, kind, n, here)
            off.append(predicted / taken - 1)
            cells.append(f"{1e3 * taken:.1f} ({1e3 * predicted:.1f}, {off[-1]:+.0%})")
        table.add_row(kind, *cells)
    console.print(table, "")
    busy = others()
    if busy is not None and busy > 0.2:
        console.print(f"[yellow]other processes used {busy:.1f} cores meanwhile[/]\n")
    return all(abs(one) <= TOLERANCE for one in off)


def _listed(here: Constants) -> Table:
    table = Table("constant", "", title=here.name, box=None)
    rows = {
        "computation": f"{here.rate / 1e9:.1f} GFLOP/s a worker",
        "… with all cores busy": f"{here.crowding:.2f} of the time",
        "latency, small message": f"{1e6 * here.latency:.0f} µs",
        "work of a message": f"{1e6 * here.message:.1f} µs",
        "one way, both ways": f"{_rate(here.one_way)}, {_rate(here.both_ways)}",
        "adding": _rate(here.reduction),
        "copies and updates of the store": _rate(here.handling),
        "communication while computing": f"{here.overlap:.0%} of its speed",
    }
    for name, value in rows.items():
        table.add_row(name, value)
    return table


def _rate(seconds_a_byte: float) -> str:
    return f"{1e-9 / seconds_a_byte:.2f} GB/s"


def _prediction(workload: Workload, machines: Constants) -> Table:
    one = step_seconds(workload, "owners", 1, machines)
    table = Table(
        "workers",
        title=f"{workload.name}, {workload.samples} samples a worker: ms a step (efficiency)\n"
        f"{machines.name}",
        box=None,
    )
    columns: Sequence[tuple[str, str, bool]] = (
        *((kind, kind, False) for kind in EXCHANGES),
        ("owners, during the backward", "owners", True),
    )
    for title, _, _ in columns:
        table.add_column(title, justify="right")
    for n in WORKERS:
        cells = []
        for _, kind, early in columns:
            step = step_seconds(workload, kind, n, machines, early=early)
            cells.append(f"{1e3 * step:,.1f} ({one / step:.0%})")
        table.add_row(f"{n:,}", *cells)
    return table


if __name__ == "__main__":
    typer.run(main)
