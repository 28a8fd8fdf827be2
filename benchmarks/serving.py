# SPDX-License-Identifier: Apache-2.0
"""``python -m benchmarks.serving``: `mxnova serve` against loops that call the Predictor.

Throughput: connections that ask without a pause, in turns with bare loops: one that has all cores,
and as many as the server has workers, in processes that share the cores. The best turn of each
counts, as other programs only slow them down, and so does the least processor time of a request.
Clients use the same cores unless `--server-cores` and `--load-cores` part them: the server and the
loops have the former; clients with cores of their own have real-time priority where the system
permits it, as a kernel thread that takes their core for 3 ms would make eight requests late at
2,500 a second. What clients take of a request is shown. They send bytes made once by bare sockets,
in one thread, or by the program `wrk`.

Latency: after each turn, requests that are due at constant intervals, 80 % of its throughput; how
late a request is sent counts. The turn is shown whose p99 is in the middle of all, in medians,
and the load that was reached: less than 80 % where the server could not do what it had done.
`--random` has them come at random, as those of many people do: then some wait for others in any
server.
"""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import repeat
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from benchmarks.clients import Answers, Clients, WrkClients, header_of, rate_of_loop
from benchmarks.cores import cores_of, on_cores, real_time
from benchmarks.inputs import normal
from benchmarks.models.networks import INPUT_SHAPES, convolutional, resnet50
from benchmarks.models.symbol_net import SymbolNet, array_parameters
from mxnova.core.base.cores import share_of_cores

WARM_UP = 2.0  # seconds
LOAD = 0.8
Model = tuple[str, int, tuple[int, ...]]  # prefix and epoch of a checkpoint, shape of a request

_run: Any = None  # calls the Predictor, in a process of `BareLoops`


def main(
    prefix: Annotated[
        str | None, typer.Argument(help="Checkpoint with the input data; default: ResNet-50.")
    ] = None,
    shape: Annotated[str, typer.Option(help="Of a picture of the checkpoint.")] = "3,48,48",
    epoch: Annotated[int, typer.Option(help="Of the checkpoint.")] = 1,
    rows: Annotated[int, typer.Option(min=1, help="Pictures of a request, and of a run.")] = 1,
    seconds: Annotated[float, typer.Option(min=0.1, help="Of a turn; with wrk whole ones.")] = 10,
    turns: Annotated[int, typer.Option(min=1, help="Of each.")] = 3,
    clients: Annotated[int, typer.Option(min=1, help="Connections.")] = 8,
    workers: Annotated[int, typer.Option(min=1, help="Processes of the server.")] = 1,
    wrk: Annotated[bool, typer.Option(help="Throughput by the program wrk.")] = False,
    random: Annotated[bool, typer.Option(help="Latency of requests at random times.")] = False,
    server_cores: Annotated[
        str, typer.Option(help="Of the server and of the loops, such as 0,1; default: all.")
    ] = "",
    load_cores: Annotated[str, typer.Option(help="Of the clients, such as 2-15.")] = "",
    options: Annotated[str, typer.Option(help="More options of mxnova serve.")] = "",
    smoke: Annotated[bool, typer.Option(help="A tiny network: shows only that it runs.")] = False,
) -> None:
    """Compare the throughput of a server with that of the Predictor, and show its latencies."""
    if wrk and shutil.which("wrk") is None:
        raise typer.BadParameter("wrk is not installed", param_hint="--wrk")
    if wrk:
        seconds = max(1, round(seconds))
    try:
        of_server, of_load = cores_of(server_cores), cores_of(load_cores)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    with tempfile.TemporaryDirectory() as folder:
        if prefix is None:
            network = convolutional if smoke else resnet50
            sizes = tuple(INPUT_SHAPES[network])
            prefix, epoch = str(Path(folder) / network.__name__), 1
            save(prefix, network)
        else:
            sizes = tuple(map(int, shape.split(",")))
        model = prefix, epoch, (rows, *sizes)
        told = [*options.split(), "--workers", str(workers)]
        with contextlib.ExitStack() as stack:
            with on_cores(of_server):
                bare = {n: stack.enter_context(BareLoops(n, model)) for n in {1, workers}}
                server = stack.enter_context(Server(prefix, epoch, sizes, told))
            stack.enter_context(on_cores(of_load))
            kind = WrkClients if wrk else Clients
            asking = kind(server.port, request_of(picture_of(model), server.port), clients)
            is_first = bool(of_load) and stack.enter_context(real_time())
            found = measure(bare, server, asking, seconds, turns, random)
    print(json.dumps(found | {"clients have real-time priority": is_first}, indent=2))


def save(prefix: str, network: Any) -> None:
    import mxnova as mx

    symbol = network(SymbolNet(mx), mx.sym.Variable("data"))
    mx.model.save_checkpoint(prefix, 1, symbol, *array_parameters(mx, network))


def measure(
    bare: dict[int, BareLoops],
    server: Server,
    clients: Clients,
    seconds: float,
    turns: int,
    random: bool,
) -> dict[str, Any]:
    """Rates in requests a second, latencies and processor time in milliseconds."""
    np.testing.assert_allclose(output_of(clients.ask()), bare[1].output(), rtol=1e-3, atol=1e-5)
    Clients.rate(clients, WARM_UP)  # by sockets: wrk gives up where a batch is compiled for 2 s
    looped: dict[int, list[Answers]] = {n: [] for n in bare}
    asked, used, late = [], [], []
    gaps = intervals(random)
    for _ in range(turns):
        for n, loops in bare.items():
            looped[n].append(loops.run(seconds))
        before = server.processor_seconds()
        asked.append(clients.rate(seconds))
        used.append((server.processor_seconds() - before) / (asked[-1].rate * seconds))
        late.append(clients.at_rate(LOAD * asked[-1].rate, seconds, gaps))
    served = max(asked, key=lambda answers: answers.rate)
    shown = [*map(latencies, asked, late)]
    found: dict[str, Any] = {"served": served.rate}
    for n, answers in looped.items():
        rate, name = max(a.rate for a in answers), f"{n} bare loop{'s' * (n > 1)}"
        found |= {name: rate, f"ratio to {name}": served.rate / rate}
        found[f"processor time, {name}"] = min(a.processor for a in answers) * 1000
    return found | {
        "processor time, server": min(used) * 1000,
        "processor time, clients": served.processor * 1000,
        "processor time, clients at this load": min(a.processor for a in late) * 1000,
        **middle(shown),
        "p99 / median of all turns": sorted(round(turn["p99 / median"], 2) for turn in shown),
    }


def latencies(asked: Answers, late: Answers) -> dict[str, float]:
    """What is shown of a turn: its load, as a part of its throughput, and its latencies."""
    parts = np.percentile(late.latencies, (50, 90, 99, 99.9)) * 1000
    return {
        "load": late.rate / asked.rate,
        "requests": len(late.latencies),
        **dict(zip(("median", "p90", "p99", "p99.9"), map(float, parts), strict=True)),
        "p99 / median": parts[2] / parts[0],
    }


def middle(turns: Iterable[dict[str, float]]) -> dict[str, float]:
    """The turn whose p99 is in the middle, in medians; the worse of two."""
    ordered = sorted(turns, key=lambda turn: turn["p99 / median"])
    return ordered[len(ordered) // 2]


def intervals(random: bool) -> Iterator[float]:
    """Times between requests, in units of their mean."""
    return iter(np.random.default_rng(0).exponential, None) if random else repeat(1.0)


class BareLoops:
    """Processes with equal shares of the cores, which call a Predictor each without a pause."""

    def __init__(self, processes: int, model: Model) -> None:
        self._n, self._model = processes, model
        context = multiprocessing.get_context("spawn")
        self._pool = ProcessPoolExecutor(
            processes, context, _open, (processes, model, context.Barrier(processes))
        )

    def __enter__(self) -> BareLoops:
        self.run(0.1)
        return self

    def __exit__(self, *_error: object) -> None:
        self._pool.shutdown()

    def output(self) -> np.ndarray:
        """The first output, flat."""
        return self._pool.submit(_output).result()

    def run(self, seconds: float) -> Answers:
        """Runs a second of all of them."""
        start = time.time() + 0.1
        found = list(self._pool.map(_loop, repeat(start, self._n), repeat(seconds, self._n)))
        rates, times = zip(*found, strict=True)
        return Answers(sum(rates), (), sum(times) / (sum(rates) * seconds))


def _open(processes: int, model: Model, all_have: Any) -> None:
    global _run
    if processes > 1:  # as the server's workers
        os.environ.setdefault("OMP_NUM_THREADS", str(share_of_cores(processes)))
    import mxnova as mx

    prefix, epoch, shape = model
    predictor = mx.Predictor.from_checkpoint(prefix, epoch, {"data": shape})
    _run = partial(predictor.predict, data=picture_of(model))
    all_have.wait()


def _output() -> np.ndarray:
    return _run()[0].ravel()


def _loop(start: float, seconds: float) -> tuple[float, float]:
    """Runs a second, and processor time in seconds."""
    time.sleep(max(0.0, start - time.time()))
    before = time.process_time()
    return rate_of_loop(_run, seconds), time.process_time() - before


def picture_of(model: Model) -> np.ndarray:
    return normal("picture", model[2])


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
