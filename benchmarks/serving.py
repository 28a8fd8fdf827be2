# SPDX-License-Identifier: Apache-2.0
"""``python -m benchmarks.serving``: `mxnova serve` against a loop that calls the Predictor.

Throughput: clients that ask without a pause, in turns with the bare loop; the best turn of each
counts, as other programs only slow them down, and so does the least processor time of a request.
Latency: requests at 80 % of that throughput. Clients use the same cores, so they send bytes made
once: by bare sockets, 30 µs a request, where http.client takes 500; or by the program `wrk`, for
networks that answer more requests a second than Python can send. Sockets send at constant
intervals; connections of `wrk` wait for their answers, and latencies of the two do not compare.
"""

from __future__ import annotations

import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from benchmarks.clients import Clients, SocketClients, WrkClients, header_of, rate_of_loop
from benchmarks.inputs import normal
from benchmarks.models.networks import INPUT_SHAPES, convolutional, resnet50
from benchmarks.models.symbol_net import SymbolNet, array_parameters

LOAD = 0.8


def main(
    prefix: Annotated[
        str | None, typer.Argument(help="Checkpoint with the input data; default: ResNet-50.")
    ] = None,
    shape: Annotated[str, typer.Option(help="Of a picture of the checkpoint.")] = "3,48,48",
    epoch: Annotated[int, typer.Option(help="Of the checkpoint.")] = 1,
    rows: Annotated[int, typer.Option(min=1, help="Pictures of a request, and of a run.")] = 1,
    seconds: Annotated[float, typer.Option(min=0.1, help="Of a turn; with wrk whole ones.")] = 10,
    turns: Annotated[int, typer.Option(min=1, help="Of each.")] = 3,
    clients: Annotated[int, typer.Option(min=1, help="That ask at the same time.")] = 8,
    wrk: Annotated[bool, typer.Option(help="Clients by the program wrk.")] = False,
    options: Annotated[str, typer.Option(help="More options of mxnova serve.")] = "",
    smoke: Annotated[bool, typer.Option(help="A tiny network: shows only that it runs.")] = False,
) -> None:
    """Compare the throughput of a server with that of the Predictor, and show its latencies."""
    if wrk and shutil.which("wrk") is None:
        raise typer.BadParameter("wrk is not installed", param_hint="--wrk")
    if wrk:
        seconds = max(1, round(seconds))
    with tempfile.TemporaryDirectory() as folder:
        if prefix is None:
            network = convolutional if smoke else resnet50
            sizes = tuple(INPUT_SHAPES[network])
            prefix, epoch = str(Path(folder) / network.__name__), 1
            save(prefix, network)
        else:
            sizes = tuple(map(int, shape.split(",")))
        kind = WrkClients if wrk else SocketClients
        found = measure(
            prefix, epoch, (rows, *sizes), seconds, turns, options.split(),
            lambda port, request: kind(port, request, clients),
        )  # fmt: skip
    print(json.dumps(found, indent=2))


def save(prefix: str, network: Any) -> None:
    import mxnova as mx

    symbol = network(SymbolNet(mx), mx.sym.Variable("data"))
    mx.model.save_checkpoint(prefix, 1, symbol, *array_parameters(mx, network))


def measure(
    prefix: str, epoch: int, shape: tuple[int, ...], seconds: float, turns: int, options: list[str],
    clients_of: Callable[[int, bytes], Clients],
) -> dict[str, float]:  # fmt: skip
    """Rates in requests a second, latencies in milliseconds."""
    import mxnova as mx

    picture = normal("picture", shape)
    predictor = mx.Predictor.from_checkpoint(prefix, epoch, {"data": picture.shape})
    (wanted, *_) = predictor.predict(data=picture)
    with Server(prefix, epoch, shape[1:], options) as server:
        request = request_of(picture, server.port)
        with SocketClients(server.port, request, 1) as client:
            found = output_of(client.ask())
        np.testing.assert_allclose(found, wanted.ravel(), rtol=1e-3, atol=1e-5)
        with clients_of(server.port, request) as clients:
            bare, served, own, others = [], [], [], []
            for _ in range(turns):
                before = time.process_time()
                bare.append(rate_of_loop(lambda: predictor.predict(data=picture), seconds))
                own.append((time.process_time() - before) / (bare[-1] * seconds))
                before = server.processor_seconds()
                served.append(clients.rate(seconds))
                others.append((server.processor_seconds() - before) / (served[-1] * seconds))
            latencies = clients.latencies(LOAD * max(served), seconds * turns)
    return {
        "bare loop": max(bare),
        "served": max(served),
        "ratio": max(served) / max(bare),
        "ratio of processor time": min(own) / min(others) if min(others) else math.nan,
        "requests": latencies.count,
        "of the throughput": latencies.rate / max(served),
        "median": latencies.median * 1000,
        "p99": latencies.p99 * 1000,
        "p99 / median": latencies.p99 / latencies.median,
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
    size = header_of(b"inference-header-content-length", head)
    length = json.loads(body[:size])["outputs"][0]["parameters"]["binary_data_size"]
    return np.frombuffer(body[size : size + length], np.float32)


class Server:
    """``mxnova serve`` of one model, in a process."""

    def __init__(self, prefix: str, epoch: int, sizes: tuple[int, ...], options: list[str]) -> None:
        shape = "data=N," + ",".join(map(str, sizes))
        command = [sys.executable, "-m", "mxnova", "serve", f"net={prefix}", "-s", shape]
        command += ["--epoch", str(epoch), "--port", "0", *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline() if self.process.stdout else ""
        self.port = int(re.findall(r"\d+", line)[-1])

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_error: object) -> None:
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


def _processor_seconds(pid: int | str) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    os.environ.setdefault("MXNOVA_TUNE_PROCESS", "1")  # as the server's
    typer.run(main)
