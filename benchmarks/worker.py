# SPDX-License-Identifier: Apache-2.0
"""The process of one peer: ``python -m benchmarks.worker SUBJECT PEER OPTIONS``.

It reads requests from stdin and answers on stdout, a line of JSON each. What libraries print goes
to stderr.
"""

from __future__ import annotations

import json
import os
import sys
import time
import timeit
from collections.abc import Sequence
from dataclasses import asdict
from importlib import metadata
from typing import Any

import numpy as np

from benchmarks import gpu
from benchmarks.group import led
from benchmarks.memory import peak_memory, reset_peak
from benchmarks.subject import Case, Options, Skip, find, runtime_of

SHORTEST_SAMPLE = 0.002  # seconds; far above the resolution of the clock
LONG_SAMPLE = 0.1
REFUSALS = (RuntimeError, ValueError, TypeError, AttributeError, LookupError, ImportError)


class Stopwatch:
    """Times one case."""

    def __init__(self, case: Case) -> None:
        self._case = case
        self._timer = timeit.Timer(case.statement, globals=dict(case.names))
        self._number = case.number or 1
        for _ in range(3):  # lazy set-up, caches, and executors that rewrite themselves when warm
            self._usual = self._sample()
        while case.number is None and self._usual < SHORTEST_SAMPLE:
            self._number *= 2
            self._usual = self._sample()

    def _sample(self) -> float:
        """Seconds of one sample."""
        seconds = self._timer.timeit(self._number)
        if self._case.finish is not None:
            start = time.perf_counter()
            self._case.finish()
            seconds += time.perf_counter() - start
        return seconds

    def turn(self, seconds: float) -> list[float]:
        """Times of one item, from as many samples as `seconds` allow."""
        if self._usual < LONG_SAMPLE:  # in shorter ones it shows that another peer had the caches
            self._sample()
        times: list[float] = []
        end = time.perf_counter() + seconds
        while not times or time.perf_counter() < end:
            times.append(self._sample() / (self._number * self._case.items))
        return times


class Worker:
    """Answers the requests: prepare a case, then take turns at it."""

    def __init__(self, subject: str, peer: str, options: Options) -> None:
        found = find(subject)
        self._makers = found.cases(peer, options)
        if found.processes is not None:
            arguments = (subject, peer, json.dumps(asdict(options)))
            self._makers = led(self._makers, found.processes(peer), arguments)
        self._directory = options.directory
        self._peer = peer
        self._stopwatch: Stopwatch | None = None

    def hello(self) -> dict[str, Any]:
        """Which cases there are, and the versions of what runs them."""
        runtime = runtime_of(self._peer)
        try:
            version = metadata.version(runtime)
        except metadata.PackageNotFoundError:
            version = "in place"
        versions = {"version": version, "numpy": np.__version__, **gpu.name()}
        return {"cases": list(self._makers), **versions}

    def prepare(self, case: str) -> dict[str, Any]:
        """Makes `case` ready; answers with the file of its outputs, or why it cannot run."""
        self._stopwatch = None  # frees the case before
        reset_peak()
        try:
            made = self._makers[case]()
            outputs = self._saved(made.output()) if made.output is not None else None
            self._stopwatch = Stopwatch(made)
        except Skip as reason:
            return {"skipped": str(reason)}
        except REFUSALS as error:
            lines = [line for line in str(error).splitlines() if "Error" in line] or [str(error)]
            return {"skipped": f"{type(error).__name__}: {lines[-1]}"}
        return {"outputs": outputs}

    def _saved(self, outputs: Sequence[Any]) -> str:
        path = os.path.join(self._directory, f"outputs-{self._peer}.npz")
        np.savez(path, *outputs)
        return path

    def measure(self, seconds: float) -> dict[str, Any]:
        """One turn at the prepared case."""
        if self._stopwatch is None:
            raise RuntimeError("measure: no case is prepared")
        return {"times": self._stopwatch.turn(seconds), "peak": peak_memory()}


def main() -> None:
    channel = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    subject, peer, options = sys.argv[1:]
    worker = Worker(subject, peer, Options(**json.loads(options)))
    answer = worker.hello()
    while True:
        print(json.dumps(answer), file=channel, flush=True)
        line = sys.stdin.readline()
        if not line:
            return
        request = json.loads(line)
        answer = getattr(worker, request.pop("do"))(**request)


if __name__ == "__main__":
    main()
