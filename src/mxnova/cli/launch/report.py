# SPDX-License-Identifier: Apache-2.0
"""The straggler report of a job: times of steps, which workers leave in the rendezvous store."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import Any

from rich.table import Table

from ...core.base.console import open_console
from ...core.base.errors import FormatError
from ...formats import bounded_json
from ...formats.atomic import replacing

__all__ = ["Report"]

_TIMES = ("own_median", "own_p95", "step_median", "step_p95")  # seconds
_MAX_BYTES = 1000  # of what a worker tells


class Report:
    """Shows a table for each attempt of a job, and writes all of them to a file.

    Args:
        is_wanted: whether to show tables.
        path: of a JSON file; None: there is none.

    Raises:
        FileError: it cannot be written.
    """

    def __init__(self, is_wanted: bool, path: Path | None) -> None:
        self._path = path
        self._attempts: list[dict[str, Any]] = []
        self.is_wanted = is_wanted or path is not None
        self.variables = {"MXNOVA_STEP_TIMES": "1"} if self.is_wanted else {}
        self._write()  # what cannot be written is told before the job begins

    def add(self, attempt: int, told: Mapping[int, bytes]) -> None:
        """Takes what the workers of an attempt have told, by rank."""
        rows = {rank: row for rank, text in sorted(told.items()) if (row := _row(text)) is not None}
        if not self.is_wanted or not rows:
            return
        usual = median(row["own_median"] for row in rows.values())
        slowest = max(rows, key=lambda rank: rows[rank]["own_median"])
        behind = rows[slowest]["own_median"] - usual
        workers = [{"rank": rank, **row} for rank, row in rows.items()]
        self._attempts.append(
            {"attempt": attempt, "slowest": slowest, "behind": behind, "workers": workers}
        )
        _show(attempt, rows, slowest, usual)
        self._write()

    def _write(self) -> None:
        if self._path is not None:
            with replacing(self._path) as file:
                file.write(json.dumps({"attempts": self._attempts}, indent=1).encode() + b"\n")


def _row(text: bytes) -> dict[str, float] | None:
    """Checked, as whoever reaches the store can write into it; None: it is no report."""
    if len(text) > _MAX_BYTES:
        return None
    try:
        told = bounded_json.loads(text.decode(), max_depth=2, unique=True, finite=True)
        steps, *times = (told[name] for name in ("steps", *_TIMES))
    except (FormatError, UnicodeDecodeError, KeyError, TypeError):
        return None
    is_right = type(steps) is int and 0 < steps < 1 << 53
    if not is_right or not all(type(t) in (int, float) and 0 <= t < 1e9 for t in times):
        return None
    return {"steps": steps, **dict(zip(_TIMES, map(float, times), strict=True))}


def _show(attempt: int, rows: Mapping[int, dict[str, float]], slowest: int, usual: float) -> None:
    title = "Time of a step, ms" + (f", attempt {attempt}" if attempt else "")
    table = Table(title=title, title_justify="left")
    heads = ("worker", "steps", "own, median", "own, 95 %", "behind", "step, median", "step, 95 %")
    for head in heads:
        table.add_column(head, justify="right")
    for rank, row in rows.items():
        own, own_p95, step, step_p95 = (f"{1000 * row[name]:.2f}" for name in _TIMES)
        late = f"{1000 * (row['own_median'] - usual):+.2f}"
        style = "bold yellow" if rank == slowest and len(rows) > 1 else None
        cells = (str(rank), f"{row['steps']:.0f}", own, own_p95, late, step, step_p95)
        table.add_row(*cells, style=style)
    console = open_console(stderr=True, highlight=False)
    console.print(table)
    console.print(
        f"launch: the slowest is worker {slowest}, "
        f"{1000 * (rows[slowest]['own_median'] - usual):.2f} ms a step behind the median of all",
        soft_wrap=True,
    )
