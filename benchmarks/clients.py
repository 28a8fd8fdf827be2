# SPDX-License-Identifier: Apache-2.0
"""Clients of a server over HTTP, which send one request again and again."""

from __future__ import annotations

import contextlib
import os
import re
import select
import socket
import subprocess
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from itertools import repeat
from pathlib import Path
from typing import NamedTuple

import numpy as np

__all__ = ["Answers", "Clients", "WrkClients", "header_of", "rate_of_loop"]


class Answers(NamedTuple):
    """What clients saw.

    Attributes:
        rate: answers a second.
        latencies: seconds from when each request was due to its answer; empty where nobody notes.
        processor: seconds of processor time that the clients took for a request.
    """

    rate: float
    latencies: Sequence[float]
    processor: float


def rate_of_loop(run: Callable[[], object], seconds: float) -> float:
    start, done = time.perf_counter(), 0
    while (now := time.perf_counter()) - start < seconds:
        run()
        done += 1
    return done / (now - start)


def header_of(name: bytes, head: bytes) -> int:
    """The number that a header has; 0 where there is none."""
    found = re.search(rb"\n%s: (\d+)" % name, head)
    return int(found[1]) if found else 0


class Clients:
    """Connections that are kept, in one thread.

    Args:
        port: of the server.
        request: that they send.
        connections: how many.
    """

    def __init__(self, port: int, request: bytes, connections: int) -> None:
        self._address, self._request, self._n = ("127.0.0.1", port), request, connections

    def ask(self) -> bytes:
        """A response."""
        with self._connected() as connection:
            connection.sendall(self._request)
            return _response(connection)

    def _connected(self) -> socket.socket:
        connection = socket.create_connection(self._address)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection

    def rate(self, seconds: float) -> Answers:
        """A closed loop: each connection asks again when it has its answer."""
        end = time.perf_counter() + seconds
        return self._asked(repeat(0.0), lambda: time.perf_counter() < end)

    def at_rate(self, rate: float, seconds: float, gaps: Iterator[float]) -> Answers:
        """An open loop: requests are due at intervals, however late the answers before are.

        A request is sent by the connection that has been idle longest, when there is one; its
        latency counts from when it was due.

        Args:
            rate: requests a second.
            seconds: how long.
            gaps: intervals between requests, in units of their mean.
        """
        due = np.cumsum([next(gaps) / rate for _ in range(max(1, round(rate * seconds)))])
        start = time.perf_counter() + 0.01
        return self._asked(iter(start + due), lambda: True)

    def _asked(self, due: Iterator[float], goes_on: Callable[[], bool]) -> Answers:
        """Sends a request at each of the times; those that are 0 are due when they are sent."""
        latencies: list[float] = []
        with contextlib.ExitStack() as stack:
            connections = [stack.enter_context(self._connected()) for _ in range(self._n)]
            start, used = time.perf_counter(), time.process_time()
            self._ask_over(connections, due, goes_on, latencies)
            seconds = time.perf_counter() - start
        n = len(latencies)
        return Answers(n / seconds, latencies, (time.process_time() - used) / n)

    def _ask_over(
        self, connections: Sequence[socket.socket], due: Iterator[float],
        goes_on: Callable[[], bool], latencies: list[float],
    ) -> None:  # fmt: skip
        idle, busy = deque(connections), {}
        upcoming = next(due, None)
        while True:
            now = time.perf_counter()
            while upcoming is not None and upcoming <= now and idle and goes_on():
                connection = idle.popleft()
                connection.sendall(self._request)
                busy[connection] = upcoming or now
                upcoming = next(due, None)
            can_send = upcoming is not None and bool(idle) and goes_on()
            if not busy and not can_send:
                break
            patience = max(0.0, upcoming - time.perf_counter()) if can_send else None
            for connection in select.select(busy, (), (), patience)[0]:
                _response(connection)
                latencies.append(time.perf_counter() - busy.pop(connection))
                idle.append(connection)


def _response(connection: socket.socket) -> bytes:
    response = _received(connection)
    while (end := response.find(b"\r\n\r\n")) < 0:
        response += _received(connection)
    size = end + 4 + header_of(b"content-length", response[:end])
    while len(response) < size:
        response += _received(connection)
    if not response.startswith(b"HTTP/1.1 200"):
        raise RuntimeError(response)
    return response


def _received(connection: socket.socket) -> bytes:
    content = connection.recv(1 << 16)
    if not content:
        raise ConnectionError("the server closed the connection before the end of its response")
    return content


class WrkClients(Clients):
    """Those, and the program `wrk` for closed loops; it runs for whole seconds."""

    _SCRIPT = """
    wrk.method, wrk.headers = "POST", {{["Inference-Header-Content-Length"] = "{size}"}}
    local file = io.open("{body}", "rb")
    wrk.body = file:read("*a")
    file:close()
    function done(summary)
        local e = summary.errors
        io.write(string.format("\\nFOUND %d %d %d\\n", summary.requests, summary.duration,
            e.connect + e.read + e.write + e.status + e.timeout))
    end
    """

    def rate(self, seconds: float) -> Answers:
        """A closed loop: each of other connections asks again when it has its answer."""
        head, _, body = self._request.partition(b"\r\n\r\n")
        url = "http://{}:{}".format(*self._address) + head.split(b" ", 2)[1].decode()
        size = header_of(b"Inference-Header-Content-Length", head)
        used = _seconds_of_children()
        with tempfile.TemporaryDirectory() as folder:
            file, script = (Path(folder) / name for name in ("body", "script.lua"))
            file.write_bytes(body)
            script.write_text(self._SCRIPT.format(size=size, body=file))
            options = ["-t1", f"-c{self._n}", f"-d{seconds:.0f}s", "-s", str(script)]
            done = subprocess.run(
                ["wrk", *options, url], capture_output=True, text=True, check=True
            )
        line = next(ln for ln in done.stdout.splitlines() if ln.startswith("FOUND"))
        requests, microseconds, failed = map(int, line.split()[1:])
        if failed:
            raise RuntimeError(done.stdout)
        used = _seconds_of_children() - used
        return Answers(requests / microseconds * 1e6, (), used / requests)


def _seconds_of_children() -> float:
    times = os.times()
    return times.children_user + times.children_system
