# SPDX-License-Identifier: Apache-2.0
"""What Prometheus reads: requests, latencies, batch sizes, failures."""

from __future__ import annotations

import os
from typing import Any

import prometheus_client as prometheus
from prometheus_client.multiprocess import MultiProcessCollector

__all__ = ["Metrics"]

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_ROWS = (1, 2, 4, 8, 16, 32, 64, 128)


class Metrics:
    """The metrics of a server.

    With the environment variable ``PROMETHEUS_MULTIPROC_DIR``, processes share them by files there,
    as the library does it.
    """

    def __init__(self) -> None:
        self._registry = registry = prometheus.CollectorRegistry()
        self._children: dict[Any, Any] = {}
        self._requests = prometheus.Counter(
            "mxnova_requests",
            "Responses, by route, model and status.",
            ["route", "model", "status"],
            registry=registry,
        )
        self._latency = prometheus.Histogram(
            "mxnova_request_seconds",
            "From the first line of a request to its response.",
            ["route", "model"],
            registry=registry,
            buckets=_SECONDS,
        )
        self._run_seconds = prometheus.Histogram(
            "mxnova_run_seconds",
            "Of a run of a model.",
            ["model"],
            registry=registry,
            buckets=_SECONDS,
        )
        self._rows = prometheus.Histogram(
            "mxnova_batch_rows", "Rows of a run.", ["model"], registry=registry, buckets=_ROWS
        )
        self._shared = prometheus.Histogram(
            "mxnova_batch_requests",
            "Requests that shared a run.",
            ["model"],
            registry=registry,
            buckets=_ROWS,
        )
        self._failures = prometheus.Counter(
            "mxnova_failures",
            "Requests that failed although they were good, by model and kind.",
            ["model", "kind"],
            registry=registry,
        )

    def responded(self, route: str, model: str, status: int, seconds: float) -> None:
        """Notes a response."""
        self._child(self._requests, route, model, str(status)).inc()
        self._child(self._latency, route, model).observe(seconds)
        if status >= 500:
            kind = {503: "overloaded", 504: "timeout"}.get(status, "error")
            self._child(self._failures, model, kind).inc()

    def ran(self, model: str, requests: int, rows: int, seconds: float) -> None:
        """Notes a run of a model."""
        self._child(self._run_seconds, model).observe(seconds)
        self._child(self._rows, model).observe(rows)
        self._child(self._shared, model).observe(requests)

    def _child(self, metric: Any, *labels: str) -> Any:
        """The metric with some labels; finding it takes the library 2.5 µs."""
        key = (metric, labels)
        child = self._children.get(key)
        if child is None:
            child = self._children[key] = metric.labels(*labels)
        return child

    def text(self) -> tuple[str, bytes]:
        """Content type and text of all metrics, of all processes."""
        registry = self._registry
        if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
            registry = prometheus.CollectorRegistry()
            MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        return prometheus.CONTENT_TYPE_LATEST, prometheus.generate_latest(registry)
