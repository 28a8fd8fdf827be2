# SPDX-License-Identifier: Apache-2.0
"""Totals of what was recorded, as MXNet's table or JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from ...base.printable import printable
from .events import COUNTER, MARK, MEMORY, Event

__all__ = ["ORDERS", "Totals"]

_HEADING = "\nProfile Statistics:\n\tNote the difference in units for different entries.\n"
_NS_IN_MS, _B_IN_KB = 1_000_000, 1000


class _Entry:
    """What is known of one name: durations in ms, of counters thousands of what they count."""

    __slots__ = ("_divisor", "_is_counter", "_last", "_sum", "count", "maximum", "minimum")

    def __init__(self, is_counter: bool) -> None:
        self._is_counter = is_counter
        self._divisor = _B_IN_KB if is_counter else _NS_IN_MS
        self._sum = self._last = self.count = 0
        self.minimum, self.maximum = float("inf"), 0.0

    def add(self, value: int) -> None:
        self.count += 1
        self._sum += value
        self._last = value
        scaled = value / self._divisor
        self.minimum = min(self.minimum, scaled)
        self.maximum = scaled if self.count == 1 else max(self.maximum, scaled)

    @property
    def total(self) -> float:
        return (self._last if self._is_counter else self._sum) / self._divisor

    @property
    def average(self) -> float:
        """The mean; of a counter, MXNet shows half its range, in whole steps, instead."""
        if self._is_counter:
            return round((self.maximum - self.minimum) * self._divisor) // 2 / self._divisor
        return self.total / self.count


ORDERS = {
    "total": lambda entry: entry.total,
    "avg": lambda entry: entry.average,
    "min": lambda entry: entry.minimum,
    "max": lambda entry: entry.maximum,
    "count": lambda entry: entry.count,
}


class Totals:
    """Count, total, smallest, largest and average, by category and name."""

    def __init__(self) -> None:
        self._categories: dict[str, dict[str, _Entry]] = {}

    def add(self, events: Iterable[Event]) -> None:
        """Counts these events in."""
        for phase, _, category, name, _, _, payload, _ in events:
            entries = self._categories.setdefault(category, {})
            if phase == MARK:
                continue
            if name not in entries:
                entries[name] = _Entry(phase == COUNTER)
            entries[name].add(payload)

    def clear(self) -> None:
        """Forgets everything."""
        self._categories.clear()

    def _sorted(self, category: str, sort_by: str, ascending: bool) -> list[tuple[str, _Entry]]:
        entries = self._categories[category].items()
        return sorted(entries, key=lambda item: ORDERS[sort_by](item[1]), reverse=not ascending)

    def table(self, sort_by: str = "total", ascending: bool = False) -> str:
        """The printable table."""
        parts = [_HEADING]
        for category in sorted(self._categories):
            rows = self._sorted(category, sort_by, ascending)
            parts.append(_section(category, rows))
        return "".join(parts)

    def json(self, sort_by: str = "total", ascending: bool = False) -> str:
        """The same as JSON: Time and Memory by category and name."""
        time: dict[str, Any] = {}
        memory: dict[str, Any] = {}
        for category in sorted(self._categories):
            kind = memory if category == MEMORY else time
            kind[category] = {
                name: _record(entry, with_total=category != MEMORY)
                for name, entry in self._sorted(category, sort_by, ascending)
            }
        units = {"Time": "ms", "Memory": "kB"}
        return json.dumps({"Time": time, "Memory": memory, "Unit": units}, indent=4)


def _section(category: str, rows: list[tuple[str, _Entry]]) -> str:
    if category == MEMORY:
        titles = ["Min Use  (kB)", "Max Use  (kB)", "Avg Use  (kB)"]
    else:
        titles = ["Time (ms)", "Min Time (ms)", "Max Time (ms)", "Avg Time (ms)"]
    lines = [category, "================="]
    lines.append(_line("Name", "Total Count", titles))
    lines.append(_line("----", "-----------", ["-" * len(t) for t in titles]))
    for name, entry in rows:
        numbers = [entry.minimum, entry.maximum, entry.average]
        if category != MEMORY:
            numbers.insert(0, entry.total)
        lines.append(_line(name, str(entry.count), [f"{n:.4f}" for n in numbers]))
    return "\n".join(lines) + "\n\n"


def _line(name: str, count: str, cells: list[str]) -> str:
    return f"{printable(name):<25}{count:>16}" + "".join(f" {cell:>16}" for cell in cells)


def _record(entry: _Entry, with_total: bool) -> dict[str, Any]:
    shown = {"Min": entry.minimum, "Max": entry.maximum, "Avg": entry.average}
    if with_total:
        shown = {"Total": entry.total, **shown}
    return {"Count": entry.count, **{k: float(f"{v:.4g}") for k, v in shown.items()}}
