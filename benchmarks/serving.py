# SPDX-License-Identifier: Apache-2.0
"""``python -m benchmarks.serving``: `mxnova serve` against a loop that calls the Predictor.

Throughput: clients that ask without a pause, in turns with the bare loop; the best turn of each
counts, as other programs only slow them down, and so does the least processor time of a request.
Latency: requests at a constant rate of 80 % of that throughput, each timed from when it was due.
Clients use the same cores, so they send bytes made once, by bare sockets: 30 µs a request, where
http.client takes 500.
"""

from __future__ import annotations

import json
import math
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from benchmarks.inputs import normal
from benchmarks.models.networks import INPUT_SHAPES, convolutional, resnet50
from benchmarks.models.symbol_net import SymbolNet, array_parameters

CLIENTS = 8
LOAD = 0.8


def main(
    prefix: Annotated[
        str | None, typer.Argument(help="Checkpoint with the input data; default: ResNet-50.")
    ] = None,
    shape: Annotated[str, typer.Option(help="Of a picture of the checkpoint.")] = "3,48,48",
    epoch: Annotated[int, typer.Option(help="Of the checkpoint.")] = 1,
    rows: Annotated[int, typer.Option(min=1, help="Pictures of a request, and of a run.")] = 1,
    seconds: Annotated[float, typer.Option(min=0.1, help="Of a turn.")] = 10,
    turns: Annotated[int, typer.Option(min=1, help="Of each.")] = 3,
    options: Annotated[str, typer.Option(help="More options of mxnova serve.")] = "",
    smoke: Annotated[bool, typer.Option(help="A tiny network: shows only that it runs.")] = False,
) -> None:
    """Compare the throughput of a server with that of the Predictor, and show its latencies."""
    with tempfile.TemporaryDirectory() as folder:
        if prefix is None:
            network = convolutional if smoke else resnet50
            sizes = tuple(INPUT_SHAPES[network])
            prefix, epoch = str(Path(folder) / network.__name__), 1
            save(prefix, network)
        else:
            sizes = tuple(map(int, shape.split(",")))
        found = measure(prefix, epoch, (rows, *sizes), seconds, turns, options.split())
    print(json.dumps(found, indent=2))


def save(prefix: str, network: Any) -> None:
    import mxnova as mx

    symbol = network(SymbolNet(mx), mx.sym.Variable("data"))
    mx.model.save_checkpoint(prefix, 1, symbol, *array_parameters(mx, network))


def measure(
    prefix: str, epoch: int, shape: tuple[int, ...], seconds: float, turns: int, options: list[str]
) -> dict[str, float]:
    """Rates in requests a second, latencies in milliseconds."""
    import mxnova as mx

    picture = normal("picture", shape)
    predictor = mx.Predictor.from_checkpoint(prefix, epoch, {"data": picture.shape})
    (wanted, *_) = predictor.predict(data=picture)
    with Server(prefix, epoch, shape[1:], options) as server:
        request = request_of(picture, server.port)
        found = output_of(server.ask(request))
        np.testing.assert_allclose(found, wanted.ravel(), rtol=1e-3, atol=1e-5)
        bare, served, own, others = [], [], [], []
        for _ in range(turns):
            before = time.process_time()
            bare.append(rate_of_loop(lambda: predictor.predict(data=picture), seconds))
            own.append((time.process_time() - before) / (bare[-1] * seconds))
            before = server.processor_seconds()
            served.append(rate_of_clients(server, request, seconds))
            others.append((server.processor_seconds() - before) / (served[-1] * seconds))
        latencies = latencies_at(server, request, LOAD * max(served), seconds * turns)
    median, p99 = (float(np.percentile(latencies, q)) * 1000 for q in (50, 99))
    return {
        "bare loop": max(bare),
        "served": max(served),
        "ratio": max(served) / max(bare),
        "ratio of processor time": min(own) / min(others) if min(others) else math.nan,
        "requests": len(latencies),
        "median": median,
        "p99": p99,
        "p99 / median": p99 / median,
    }


def request_of(picture: np.ndarray, port: int) -> bytes:
    """A request of the Open Inference Protocol, with binary tensors."""
    content = picture.tobytes()
    parameters = {"binary_data_size": len(content)}
    told = {"name": "data", "shape": picture.shape, "datatype": "FP32", "parameters": parameters}
    text = json.dumps({"inputs": [told], "parameters": {"binary_data_output": True}}).encode()
    lines = [
        "POST /v2/models/net/infer HTTP/1.1",
        f"Host: 127.0.0.1:{port}",
        f"Content-Length: {len(text) + len(content)}",
        f"Inference-Header-Content-Length: {len(text)}",
    ]
    return "\r\n".join([*lines, "\r\n"]).encode() + text + content


def output_of(response: bytes) -> np.ndarray:
    """The first output, flat."""
    head, _, body = response.partition(b"\r\n\r\n")
    size = _number(b"inference-header-content-length", head)
    length = json.loads(body[:size])["outputs"][0]["parameters"]["binary_data_size"]
    return np.frombuffer(body[size : size + length], np.float32)


def _number(header: bytes, head: bytes) -> int:
    found = re.search(rb"\n%s: (\d+)" % header, head)
    return int(found[1]) if found else 0


class Server:
    """``mxnova serve`` of one model, in a process."""

    def __init__(self, prefix: str, epoch: int, sizes: tuple[int, ...], options: list[str]) -> None:
        shape = "data=N," + ",".join(map(str, sizes))
        command = [sys.executable, "-m", "mxnova", "serve", f"net={prefix}", "-s", shape]
        command += ["--epoch", str(epoch), "--port", "0", *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline() if self.process.stdout else ""
        self.port = int(re.findall(r"\d+", line)[-1])
        self.local = threading.local()
        self.connections: list[socket.socket] = []

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_error: object) -> None:
        for connection in self.connections:
            connection.close()
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate()

    def processor_seconds(self) -> float:
        """What the server's processes have used; 0 where Linux is not."""
        pid = self.process.pid
        try:
            workers = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
            return sum(map(_processor_seconds, [pid, *workers]))
        except OSError:
            return 0.0

    def ask(self, request: bytes) -> bytes:
        """The response, over a connection of this thread's."""
        if not hasattr(self.local, "connection"):
            self.local.connection = socket.create_connection(("127.0.0.1", self.port))
            self.connections.append(self.local.connection)
        connection = self.local.connection
        connection.sendall(request)
        response: bytes = connection.recv(1 << 16)
        while (end := response.find(b"\r\n\r\n")) < 0:
            response += connection.recv(1 << 16)
        size = end + 4 + _number(b"content-length", response[:end])
        while len(response) < size:
            response += connection.recv(1 << 16)
        if not response.startswith(b"HTTP/1.1 200"):
            raise RuntimeError(response)
        return response


def _processor_seconds(pid: int | str) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def rate_of_loop(run: Any, seconds: float) -> float:
    start, count = time.perf_counter(), 0
    while (now := time.perf_counter()) - start < seconds:
        run()
        count += 1
    return count / (now - start)


def rate_of_clients(server: Server, request: bytes, seconds: float) -> float:
    def ask(_client: int) -> float:
        return rate_of_loop(lambda: server.ask(request), seconds)

    with ThreadPoolExecutor(CLIENTS) as pool:
        return sum(pool.map(ask, range(CLIENTS)))


def latencies_at(server: Server, request: bytes, rate: float, seconds: float) -> list[float]:
    """Seconds from when each request was due until it was answered."""
    start = time.perf_counter() + 0.1

    def ask(number: int) -> float:
        due = start + number / rate
        time.sleep(max(0.0, due - time.perf_counter()))
        server.ask(request)
        return time.perf_counter() - due

    with ThreadPoolExecutor(2 * CLIENTS) as pool:
        return list(pool.map(ask, range(max(1, int(rate * seconds)))))


if __name__ == "__main__":
    os.environ.setdefault("MXNOVA_TUNE_PROCESS", "1")  # as the server's
    typer.run(main)
