# SPDX-License-Identifier: Apache-2.0
"""Results as tables and as JSON."""

from __future__ import annotations

import dataclasses
import json
import os
import platform
import re
import statistics
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.harness import Outcome, Result
from mxnova.formats.atomic import replacing

__all__ = ["save", "show", "time_text"]

LONG = 25  # cases; what has more is summarized
WORST = 10
DISTURBED = 0.1  # cores
DIFFERENT = 1e-3  # of the largest value: more is no rounding


def show(outcome: Outcome, console: Console) -> None:
    """Prints the results, long ones as a summary."""
    if len(outcome.results) > LONG:
        _show_summary(outcome, console)
    else:
        console.print(_table(outcome))
    for card in dict.fromkeys(v["gpu"] for v in outcome.versions.values() if "gpu" in v):
        console.print(card, highlight=False)
    for peer, reason in outcome.absent.items():
        console.print(f"[yellow]{peer}[/] {reason}", highlight=False)
    _show_skipped(outcome, console)
    _show_different(outcome, console)
    if outcome.others is not None and outcome.others > DISTURBED:
        console.print(
            f"[red]Other processes used {outcome.others:.1f} cores meanwhile: measure again[/]",
            highlight=False,
        )


def _table(outcome: Outcome) -> Table:
    first, *_ = outcome.subject.peers
    table = Table(title=outcome.subject.title, title_justify="left")
    table.add_column("case", no_wrap=True)
    table.add_column("peer", no_wrap=True)
    also = outcome.subject.also
    second = () if also is None else (f"{also} takes",)
    headings = ("median", "min", "p90", f"{first} takes", *second, "outputs differ", "peak MB")
    for heading in headings:
        table.add_column(heading, justify="right")
    for result in outcome.results:
        for i, (peer, stats) in enumerate(result.stats.items()):
            ratio = "" if peer == first else _ratio_text(outcome, result, first, peer)
            difference = result.differences.get(peer) if peer != first else None
            table.add_row(
                "" if i else result.case,
                peer,
                *map(time_text, (stats.median, stats.minimum, stats.p90)),
                ratio,
                *(_plain_ratio(result, also, peer) for _ in second),
                "" if difference is None else f"{difference:.1e}",
                f"{result.peaks[peer] / 1e6:.0f}" if peer in result.peaks else "",
                end_section=i == len(result.stats) - 1,
            )
    return table


def _plain_ratio(result: Result, first: str | None, peer: str) -> str:
    ratio = None if first is None or first == peer else result.ratio(first, peer)
    return "" if ratio is None else f"{ratio:.2f} x"


def _ratio_text(outcome: Outcome, result: Result, first: str, peer: str) -> str:
    ratio = result.ratio(first, peer)
    if ratio is None:
        return ""
    target = outcome.subject.targets.get((result.case, peer))
    if target is None:
        return f"{ratio:.2f} x"
    color = "green" if ratio <= target else "red"
    return f"[{color}]{ratio:.2f} x (≤ {target:g})[/]"


def _show_summary(outcome: Outcome, console: Console) -> None:
    first, *others = outcome.subject.peers
    console.print(f"[bold]{outcome.subject.title}[/]: {len(outcome.results)} cases")
    for other in others:
        pairs = ((r.ratio(first, other), r) for r in outcome.results)
        known = [(ratio, r) for ratio, r in pairs if ratio is not None]
        if not known:
            continue
        ranked = sorted(known, key=lambda pair: pair[0], reverse=True)
        for group in sorted({_group(r) for _, r in ranked}):
            ratios = [ratio for ratio, r in ranked if _group(r) == group]
            console.print(
                f"{first} takes {statistics.median(ratios):.2f} x the time of {other} "
                f"(median of {len(ratios)} {group} cases)"
            )
        table = Table("slowest", first, other, "ratio", title=f"{first} against {other}")
        late = sum(_is_late(outcome, r, other, ratio) for ratio, r in ranked)
        for _, r in ranked[: max(WORST, late)]:
            times = (time_text(r.stats[peer].median) for peer in (first, other))
            table.add_row(r.case, *times, _ratio_text(outcome, r, first, other))
        console.print(table)


def _is_late(outcome: Outcome, result: Result, peer: str, ratio: float) -> bool:
    return ratio > outcome.subject.targets.get((result.case, peer), float("inf"))


def _group(result: Result) -> str:
    return result.case.rpartition(", ")[2]


def _show_skipped(outcome: Outcome, console: Console) -> None:
    for peer in outcome.versions:
        skipped = {r.case: r.skipped[peer] for r in outcome.results if peer in r.skipped}
        if skipped:
            console.print(f"{peer} skipped {len(skipped)} of {len(outcome.results)} cases:")
        for case, reason in skipped.items():
            console.print(f"  {case}: {reason}", markup=False, highlight=False)


def _show_different(outcome: Outcome, console: Console) -> None:
    for result in outcome.results:
        for peer, difference in result.differences.items():
            if not difference <= DIFFERENT:
                console.print(f"[red]{result.case}: outputs of {peer} differ by {difference:.1e}")


def time_text(seconds: float) -> str:
    """`seconds` in the unit that suits them."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def save(outcome: Outcome, folder: Path) -> Path:
    """Writes ``<subject>.json`` into `folder`, as a whole; its name has the chosen cases."""
    folder.mkdir(parents=True, exist_ok=True)
    chosen = (re.sub(r"\W+", "_", text) for text in outcome.only)
    path = folder / f"{'-'.join((outcome.name, *chosen))}.json"
    with replacing(path) as file:
        file.write(json.dumps(_plain(outcome), indent=1).encode())
    return path


def _plain(outcome: Outcome) -> dict[str, Any]:
    first, *others = outcome.subject.peers
    return {
        "subject": outcome.name,
        "title": outcome.subject.title,
        "machine": {"processor": _processor(), "cores": os.cpu_count()},
        "python": platform.python_version(),
        "threads": outcome.options.threads,
        "rounds": outcome.subject.rounds,
        "only": list(outcome.only),
        "versions": outcome.versions,
        "absent": outcome.absent,
        "others": outcome.others,
        "results": [
            {
                **dataclasses.asdict(result),
                "ratios": {o: result.ratio(first, o) for o in others if o in result.stats},
                **_second_ratios(outcome, result),
            }
            for result in outcome.results
        ],
    }


def _second_ratios(outcome: Outcome, result: Result) -> dict[str, Any]:
    also = outcome.subject.also
    if also is None:
        return {}
    return {f"ratios of {also}": {peer: result.ratio(also, peer) for peer in result.stats}}


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor()
