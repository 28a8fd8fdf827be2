# SPDX-License-Identifier: Apache-2.0
"""What Prometheus reads: requests, latencies, batch sizes, failures."""

from __future__ import annotations

import asyncio
import json
import logging
import os
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import prometheus_client as prometheus
from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

__all__ = ["Metrics"]

_log = logging.getLogger("mxnova")

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_ROWS = (1, 2, 4, 8, 16, 32, 64, 128)
_MOST_MODELS = 256  # Further models share one label.
_FLUSH_SECONDS = 1.0  # The interval at which a process writes its counts.


class _Kind(NamedTuple):
    """A metric.

    Attributes:
        text: Its description.
        labels: Names of its labels.
        buckets: Upper bounds of a histogram; empty for a counter.
    """

    text: str
    labels: tuple[str, ...]
    buckets: Sequence[float] = ()


_KINDS = {
    "mxnova_requests": _Kind(
        "Responses, by route, model and status.", ("route", "model", "status")
    ),
    "mxnova_request_seconds": _Kind(
        "From the first line of a request to its response.", ("route", "model"), _SECONDS
    ),
    "mxnova_run_seconds": _Kind("Of a run of a model.", ("model",), _SECONDS),
    "mxnova_batch_rows": _Kind("Rows of a run.", ("model",), _ROWS),
    "mxnova_batch_requests": _Kind("Requests that shared a run.", ("model",), _ROWS),
    "mxnova_failures": _Kind(
        "Requests that failed although they were good, by model and kind.", ("model", "kind")
    ),
}
_Key = tuple[str, ...]  # The name and the labels of a metric.
_Values = dict[_Key, list[float]]  # A counter has one, a histogram its buckets and the sum.


class Metrics:
    """The metrics of a server, which are counted in its event loop.

    With the environment variable ``PROMETHEUS_MULTIPROC_DIR``, processes add up their numbers
    through files in that folder. The files of prometheus_client are mapped, so that a full disk
    would stop the process. Where these cannot be written, older numbers are shown.
    """

    def __init__(self) -> None:
        self._values: _Values = {}
        self._models: set[str] = set()
        folder = os.environ.get("PROMETHEUS_MULTIPROC_DIR")
        self._file = None if folder is None else Path(folder) / f"{os.getpid()}.metrics"
        self._timer: asyncio.TimerHandle | None = None
        self._can_write = True

    def responded(self, route: str, model: str, status: int, seconds: float) -> None:
        """Count a response."""
        model = model if model in self._models else self._choose_label(model)
        self._count("mxnova_requests", route, model, str(status))
        self._observe("mxnova_request_seconds", seconds, route, model)
        if status >= 500:
            kind = {503: "overloaded", 504: "timeout"}.get(status, "error")
            self._count("mxnova_failures", model, kind)
        if self._file is not None and self._timer is None:
            self._schedule()

    def ran(self, model: str, requests: int, rows: int, seconds: float) -> None:
        """Count a run of a model."""
        model = model if model in self._models else self._choose_label(model)
        self._observe("mxnova_run_seconds", seconds, model)
        self._observe("mxnova_batch_rows", rows, model)
        self._observe("mxnova_batch_requests", requests, model)

    def _choose_label(self, model: str) -> str:
        """Return the label of a model: clients choose names, so that their number has a bound."""
        if len(self._models) >= _MOST_MODELS:
            return ""
        self._models.add(model)
        return model

    def _count(self, *key: str) -> None:
        values = self._values.get(key)
        if values is None:
            values = self._values[key] = [0.0]
        values[0] += 1

    def _observe(self, name: str, value: float, *labels: str) -> None:
        key = (name, *labels)
        buckets = _KINDS[name].buckets
        values = self._values.get(key)
        if values is None:
            values = self._values[key] = [0.0] * (len(buckets) + 2)
        values[bisect_left(buckets, value)] += 1
        values[-1] += value

    def _schedule(self) -> None:
        try:
            self._timer = asyncio.get_running_loop().call_later(_FLUSH_SECONDS, self.flush)
        except RuntimeError:  # No event loop is running.
            self.flush()

    def flush(self) -> None:
        """Write the numbers of this process for the others."""
        self._timer = None
        if self._file is None:
            return
        text = json.dumps([[key, values] for key, values in self._values.items()])
        temporary = self._file.with_suffix(".new")
        try:
            temporary.write_text(text, encoding="utf-8")
            temporary.replace(self._file)
            self._can_write = True
        except OSError as error:
            if self._can_write:
                _log.warning("metrics cannot be written: %s", error)
            self._can_write = False

    def text(self) -> tuple[str, bytes]:
        """Return the content type and text of the metrics of all processes."""
        registry = prometheus.CollectorRegistry()
        registry.register(_Sum([self._values, *self._of_others()]))
        return prometheus.CONTENT_TYPE_LATEST, prometheus.generate_latest(registry)

    def _of_others(self) -> Iterator[_Values]:
        if self._file is None:
            return
        for file in sorted(self._file.parent.glob("*.metrics")):
            if file != self._file:
                rows = json.loads(file.read_text(encoding="utf-8"))
                yield {tuple(key): values for key, values in rows}


class _Sum(Collector):
    """The sums of the numbers of some processes."""

    def __init__(self, processes: Iterable[_Values]) -> None:
        self._values: _Values = {}
        for values in processes:
            for key, numbers in values.items():
                old = self._values.get(key, [0.0] * len(numbers))
                self._values[key] = [a + b for a, b in zip(old, numbers, strict=True)]

    def collect(self) -> Iterator[Metric]:
        """Yield all metrics."""
        for name, (text, labels, buckets) in _KINDS.items():
            rows = [(key[1:], values) for key, values in self._values.items() if key[0] == name]
            if not buckets:
                counter = CounterMetricFamily(name, text, labels=labels)
                for row, (count,) in rows:
                    counter.add_metric(row, count)
                yield counter
                continue
            histogram = HistogramMetricFamily(name, text, labels=labels)
            bounds = [*map(str, map(float, buckets)), "+Inf"]
            for row, (*counts, total) in rows:
                sums = [sum(counts[: i + 1]) for i in range(len(counts))]
                histogram.add_metric(row, list(zip(bounds, sums, strict=True)), total)
            yield histogram
