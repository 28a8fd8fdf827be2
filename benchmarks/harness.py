# SPDX-License-Identifier: Apache-2.0
"""Runs a subject: all peers at once, each in its process, taking turns case by case."""

from __future__ import annotations

import contextlib
import statistics
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.load import watch_others
from benchmarks.peers import PeerError, PeerProcess, interpreter_of
from benchmarks.subject import Options, Subject, find

__all__ = ["NoSuchCase", "Outcome", "Result", "Stats", "run"]


class NoSuchCase(ValueError):  # noqa: N818 - a sentence
    """No case has a name that contains a text."""


@dataclass(frozen=True)
class Stats:
    """Seconds of one item, over all samples of all turns."""

    median: float
    minimum: float
    p90: float
    samples: int

    @classmethod
    def of(cls, times: Sequence[float]) -> Stats:
        """The statistics of `times`."""
        ordered = sorted(times)
        p90 = ordered[min(len(ordered) - 1, round(0.9 * len(ordered)))]
        return cls(statistics.median(ordered), ordered[0], p90, len(ordered))


@dataclass
class Result:
    """One case: what was found of each peer, and why others are absent.

    Attributes:
        stats: times.
        differences: largest difference of outputs from those of the first.
        peaks: bytes of the largest resident set of the process, from before the case was made.
        skipped: why it did not run.
    """

    case: str
    stats: dict[str, Stats] = field(default_factory=dict)
    differences: dict[str, float] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)
    peaks: dict[str, int] = field(default_factory=dict)

    def ratio(self, first: str, other: str) -> float | None:
        """How many times as long as `other` the peer `first` takes."""
        if first not in self.stats or other not in self.stats:
            return None
        return self.stats[first].median / self.stats[other].median


@dataclass
class Outcome:
    """What a subject gave.

    Attributes:
        only: texts that the names of cases contain; all cases where there are none.
        versions: of the peers that took part; `absent`: why others did not.
        others: cores that other processes used meanwhile.
    """

    name: str
    subject: Subject
    options: Options
    only: Sequence[str] = ()
    results: list[Result] = field(default_factory=list)
    versions: dict[str, dict[str, str]] = field(default_factory=dict)
    absent: dict[str, str] = field(default_factory=dict)
    others: float | None = None


Progress = Callable[[int, int, str], None]


def run(
    name: str,
    options: Options,
    *,
    mxnet_python: str | None = None,
    peers: Sequence[str] = (),
    rounds: int | None = None,
    only: Sequence[str] = (),
    scratch: Path | None = None,
    progress: Progress = lambda done, total, what: None,
    keep: Callable[[Outcome], object] = lambda outcome: None,
) -> Outcome:
    """Measures the subject `name`.

    Args:
        name: of `SUBJECTS`.
        options: threads and sizes.
        mxnet_python: interpreter that can import MXNet.
        peers: only these.
        rounds: instead of the subject's number.
        only: cases whose names contain one of these; all where there are none.
        scratch: folder for temporary files; their file system is what file subjects measure.
        progress: called with (cases done, all cases, what comes next).
        keep: called with what is known after each case.

    Raises:
        NoSuchCase: one of `only` is in no name.
    """
    subject = find(name)
    if options.smoke:
        subject = replace(subject, rounds=1, turn=0)
    if rounds is not None:
        subject = replace(subject, rounds=rounds)
    others = watch_others()
    wanted = [p for p in subject.peers if not peers or p in peers]
    with tempfile.TemporaryDirectory(dir=scratch) as directory:
        outcome = Outcome(name, subject, replace(options, directory=directory), only)
        with _started(outcome, wanted, mxnet_python) as processes:
            cases = _chosen(name, _in_order(p.cases for p in processes), only)
            for i, case in enumerate(cases):
                progress(i, len(cases), case)
                outcome.results.append(_measure(subject, case, processes))
                keep(outcome)
            progress(len(cases), len(cases), "")
    outcome.others = others()
    return outcome


@contextlib.contextmanager
def _started(
    outcome: Outcome, peers: Sequence[str], mxnet_python: str | None
) -> Iterator[list[PeerProcess]]:
    """The peers that are there; their processes start side by side."""
    processes: list[PeerProcess] = []
    try:
        for peer in peers:
            with _told(outcome, peer):
                python = interpreter_of(peer, mxnet_python)
                processes.append(PeerProcess(python, outcome.name, peer, outcome.options))
        for process in processes:
            with _told(outcome, process.peer):
                outcome.versions[process.peer] = process.greet()
        yield [p for p in processes if p.peer in outcome.versions]
    finally:
        for process in processes:
            process.close()


@contextlib.contextmanager
def _told(outcome: Outcome, peer: str) -> Iterator[None]:
    """A block in which `peer` may turn out to be absent."""
    try:
        yield
    except PeerError as reason:
        outcome.absent[peer] = str(reason)


def _chosen(name: str, cases: Sequence[str], only: Sequence[str]) -> list[str]:
    """The cases whose names contain one of `only`."""
    for text in only if cases else ():  # there are none where all peers are absent
        if not any(text in case for case in cases):
            some = "; ".join(cases[:20]) + "; …" * (len(cases) > 20)
            raise NoSuchCase(f"{name} has no case {text!r}; it has: {some}")
    return [c for c in cases if not only or any(text in c for text in only)]


def _in_order(lists: Any) -> list[str]:
    return list(dict.fromkeys(case for cases in lists for case in cases))


def _measure(subject: Subject, case: str, processes: Sequence[PeerProcess]) -> Result:
    result = Result(case)
    ready, outputs = [], {}
    for process in processes:
        if case not in process.cases:
            continue
        answer = _asked(process, "prepare", case=case)
        if "skipped" in answer:
            result.skipped[process.peer] = answer["skipped"]
            continue
        ready.append(process)
        if answer["outputs"]:
            outputs[process.peer] = _loaded(answer["outputs"])
    result.differences = _differences(outputs)
    times: dict[str, list[float]] = {p.peer: [] for p in ready}
    for _ in range(subject.rounds):
        for process in ready:
            answer = _asked(process, "measure", seconds=subject.turn)
            times[process.peer] += answer.get("times", [])
            if answer.get("peak"):
                result.peaks[process.peer] = answer["peak"]
    result.stats = {peer: Stats.of(t) for peer, t in times.items() if t}
    return result


def _asked(process: PeerProcess, do: str, **arguments: Any) -> dict[str, Any]:
    try:
        return process.ask(do, **arguments)
    except PeerError as reason:
        return {"skipped": str(reason)}


def _loaded(path: str) -> list[Any]:
    with np.load(path) as file:
        return [file[name] for name in file.files]


def _differences(outputs: Mapping[str, list[Any]]) -> dict[str, float]:
    """Largest difference from the first peer's outputs, as a fraction of their largest value."""
    if not outputs:
        return {}
    first = next(iter(outputs.values()))
    scale = max(float(np.max(np.abs(a), initial=0)) for a in first) or 1.0
    return {peer: _distance(first, arrays) / scale for peer, arrays in outputs.items()}


def _distance(first: Sequence[Any], second: Sequence[Any]) -> float:
    if [a.shape for a in first] != [a.shape for a in second]:
        return float("inf")
    pairs = zip(first, second, strict=True)
    return max(float(np.max(np.abs(a.astype(float) - b), initial=0)) for a, b in pairs)
