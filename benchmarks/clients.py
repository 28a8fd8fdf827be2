# SPDX-License-Identifier: Apache-2.0
"""Clients of a server over HTTP, which send one request again and again."""

from __future__ import annotations

import re
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

__all__ = ["Clients", "Latencies", "SocketClients", "WrkClients", "header_of", "rate_of_loop"]


class Latencies(NamedTuple):
    """How long answers took, in seconds, at a rate of requests a second."""

    count: int
    rate: float
    median: float
    p99: float


class Clients(Protocol):
    """Clients of a server, which are there for the time of a `with` block."""

    def __enter__(self) -> Clients: ...

    def __exit__(self, *_error: object) -> None: ...

    def rate(self, seconds: float) -> float:
        """Requests a second of clients that ask without a pause."""

    def latencies(self, rate: float, seconds: float) -> Latencies:
        """Latencies at about `rate` requests a second; the clients say when requests are sent."""


def rate_of_loop(run: Callable[[], object], seconds: float) -> float:
    start, count = time.perf_counter(), 0
    while (now := time.perf_counter()) - start < seconds:
        run()
        count += 1
    return count / (now - start)


def header_of(name: bytes, head: bytes) -> int:
    """The number that a header has; 0 where there is none."""
    found = re.search(rb"\n%s: (\d+)" % name, head)
    return int(found[1]) if found else 0


class SocketClients:
    """Threads with a connection each."""

    def __init__(self, port: int, request: bytes, clients: int) -> None:
        self._port, self._request, self._clients = port, request, clients
        self._local = threading.local()
        self._connections: list[socket.socket] = []

    def __enter__(self) -> SocketClients:
        return self

    def __exit__(self, *_error: object) -> None:
        for connection in self._connections:
            connection.close()

    def ask(self) -> bytes:
        """The response, over this thread's connection."""
        if not hasattr(self._local, "connection"):
            self._local.connection = socket.create_connection(("127.0.0.1", self._port))
            self._connections.append(self._local.connection)
        connection = self._local.connection
        connection.sendall(self._request)
        response = _received(connection)
        while (end := response.find(b"\r\n\r\n")) < 0:
            response += _received(connection)
        size = end + 4 + header_of(b"content-length", response[:end])
        while len(response) < size:
            response += _received(connection)
        if not response.startswith(b"HTTP/1.1 200"):
            raise RuntimeError(response)
        return response

    def rate(self, seconds: float) -> float:
        """Requests a second of threads that wait for an answer each."""
        with ThreadPoolExecutor(self._clients) as pool:
            rates = pool.map(lambda _: rate_of_loop(self.ask, seconds), range(self._clients))
            return sum(rates)

    def latencies(self, rate: float, seconds: float) -> Latencies:
        """Of requests that are due at constant intervals, however late those before are."""
        start = time.perf_counter() + 0.1

        def ask(number: int) -> float:
            due = start + number / rate
            time.sleep(max(0.0, due - time.perf_counter()))
            self.ask()
            return time.perf_counter() - due

        with ThreadPoolExecutor(2 * self._clients) as pool:
            found = list(pool.map(ask, range(max(1, int(rate * seconds)))))
        median, p99 = np.percentile(found, (50, 99))
        return Latencies(len(found), rate, float(median), float(p99))


def _received(connection: socket.socket) -> bytes:
    content = connection.recv(1 << 16)
    if not content:
        raise ConnectionError("the server closed the connection before the end of its response")
    return content


class WrkClients:
    """Connections of the program `wrk`, which runs for whole seconds."""

    _SCRIPT = """
    wrk.method, wrk.headers = "POST", {{["Inference-Header-Content-Length"] = "{size}"}}
    local file = io.open("{body}", "rb")
    wrk.body = file:read("*a")
    file:close()
    {delay}
    function done(summary, latency)
        local e = summary.errors
        io.write(string.format("\\nFOUND %d %d %f %f %d\\n", summary.requests, summary.duration,
            latency:percentile(50), latency:percentile(99),
            e.connect + e.read + e.write + e.status + e.timeout))
    end
    """
    _DELAYED = 64  # connections, so that what one waits for does not keep the others

    def __init__(self, port: int, request: bytes, clients: int) -> None:
        self._clients = clients
        self._url = f"http://127.0.0.1:{port}{request.split(b' ', 2)[1].decode()}"
        head, _, self._body = request.partition(b"\r\n\r\n")
        self._size = header_of(b"Inference-Header-Content-Length", head)
        self._folder: Any = tempfile.TemporaryDirectory()

    def __enter__(self) -> WrkClients:
        return self

    def __exit__(self, *_error: object) -> None:
        self._folder.cleanup()

    def rate(self, seconds: float) -> float:
        """Requests a second of connections that wait for an answer each."""
        return self._run(self._clients, seconds, "").rate

    def latencies(self, rate: float, seconds: float) -> Latencies:
        """Of connections that pause at random, so long that `rate` comes out.

        It is a closed loop: a late answer delays its connection's next request, and the latencies
        do not count how late that one is, as those of `SocketClients` do.
        """
        pause = self._DELAYED / rate
        found = self._run(self._DELAYED, 2, _delay(pause))
        answers = max(0.0, self._DELAYED / found.rate - pause)
        return self._run(self._DELAYED, seconds, _delay(max(0.0, pause - answers)))

    def _run(self, connections: int, seconds: float, delay: str) -> Latencies:
        body, script = (Path(self._folder.name) / name for name in ("body", "script.lua"))
        body.write_bytes(self._body)
        script.write_text(self._SCRIPT.format(size=self._size, body=body, delay=delay))
        options = ["-t1", f"-c{connections}", f"-d{seconds:.0f}s", "-s", str(script)]
        done = subprocess.run(
            ["wrk", *options, self._url], capture_output=True, text=True, check=True
        )
        line = next(ln for ln in done.stdout.splitlines() if ln.startswith("FOUND"))
        count, microseconds, median, p99, failed = map(float, line.split()[1:])
        if failed:
            raise RuntimeError(done.stdout)
        return Latencies(int(count), count / microseconds * 1e6, median / 1e6, p99 / 1e6)


def _delay(seconds: float) -> str:
    return f"function delay() return math.random(0, {round(2000 * seconds)}) end"
