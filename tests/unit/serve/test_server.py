# SPDX-License-Identifier: Apache-2.0
"""Servers as processes: they stop, die and reload while requests go on; and slow clients."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import threading
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import mxnova as mx
from tests.waiting import wait_until

from .conftest import running

pytest.importorskip("uvicorn")

X = [[1.0, 2.0, 3.0, 4.0]]
BODY = json.dumps(X)
PATIENCE = 120  # seconds beside other busy processes


@pytest.fixture(scope="module")
def compiled(models, tmp_path_factory):
    """Two compiled models of the same shape, and what each answers."""
    pytest.importorskip("onnxruntime")
    pytest.importorskip("onnx")
    from mxnova.predictor.building import write_compiled

    folder = tmp_path_factory.mktemp("served")
    symbol, arrays, _ = mx.model.load_checkpoint(str(models / "dense"), 1)
    found = []
    for number, scale in enumerate((1, -1)):
        weights = {name: array * scale for name, array in arrays.items()}
        file, path = str(folder / f"{number}.onnx"), folder / f"{number}.mxnova"
        mx.onnx.export_model(
            symbol, weights, [(1, 4)], np.float32, file, dynamic=True,
            dynamic_input_shapes=[("N", 4)],
        )  # fmt: skip
        write_compiled(file, path, "onnxruntime", symbol.list_outputs())
        found.append((path, mx.Predictor.load(path).predict(data=np.float32(X))[0]))
    return found


class Process:
    """``mxnova serve`` with options."""

    def __init__(self, *options):
        path = os.pathsep.join(p for p in sys.path if p)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "mxnova", "serve", "--port", "0", *map(str, options)],
            env={**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        line = self.process.stdout.readline()
        self.port = int(re.search(r"http://127\.0\.0\.1:(\d+)", line)[1])
        wait_until(lambda: self.call("GET", "/v2/health/ready")[0] == 200)

    def call(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request(method, path, body)
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()

    def answers(self):
        """Whether a request is answered by a worker that lives."""
        with contextlib.suppress(OSError, http.client.HTTPException):
            return self.call("POST", "/invocations", BODY)[0] == 200
        return False

    def workers(self):
        """Processes that were started to serve."""
        pid = self.process.pid
        pids = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return [int(p) for p in pids if b"spawn_main" in told(p, "cmdline")]

    def loaded(self):
        """Those of them that have loaded the models."""
        return [p for p in self.workers() if str(p) in names_in(told(p, "environ"))]

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        _, errors = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, errors


def told(pid, name):
    """A file about a process, nothing where that has ended."""
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""


def names_in(environment):
    """Of workers that have loaded the models, as the environment of one of them says."""
    folder = re.search(rb"(?:^|\0)PROMETHEUS_MULTIPROC_DIR=([^\0]*)", environment)
    loaded = folder and Path(os.fsdecode(folder[1])) / "loaded"
    return os.listdir(loaded) if loaded and loaded.exists() else []


class Load:
    """Clients that ask without a pause, each over a connection that it keeps."""

    def __init__(self, port, clients=4):
        self.port, self.ends = port, threading.Event()
        self.answers, self.lost, self.unconnected = [], 0, 0
        self.threads = [threading.Thread(target=self.run) for _ in range(clients)]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_error):
        self.ends.set()
        for thread in self.threads:
            thread.join()

    def run(self):
        while not self.ends.is_set():
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
            with contextlib.closing(connection):
                try:
                    connection.connect()
                except OSError:
                    return  # nobody listens any more
                self.ask(connection)

    def ask(self, connection):
        """Asks until the server closes the connection."""
        answered = 0
        try:
            while not self.ends.is_set():
                connection.request("POST", "/invocations", BODY)
                response = connection.getresponse()
                self.answers.append((response.status, response.read()))
                answered += 1
                if response.will_close:
                    return
        except (OSError, http.client.HTTPException):
            if answered:
                self.lost += 1
            else:  # was never accepted
                self.unconnected += 1

    def wait_for_more(self, count=20):
        """Until so many requests more were answered."""
        wanted = len(self.answers) + count
        wait_until(lambda: len(self.answers) >= wanted)

    def values(self):
        assert [answer for answer in self.answers if answer[0] != 200] == []
        return np.array([json.loads(body) for _, body in self.answers])


def test_a_server_that_stops_takes_what_waits_for_it(sources):
    from mxnova.serve import Settings
    from mxnova.serve.app import create_app
    from mxnova.serve.server import Server, configuration, listening

    settings = Settings({"dense": sources["dense"]}, port=0)

    async def test(server, listener):
        serving = asyncio.ensure_future(server.serve([listener]))
        while not server.started:
            await asyncio.sleep(0.001)
        with contextlib.ExitStack() as stack:
            clients = [
                stack.enter_context(socket.create_connection(listener.getsockname()))
                for _ in range(5)  # while the loop is busy
            ]
            for client in clients:
                client.sendall(b"GET /v2/health/live HTTP/1.1\r\nHost: localhost\r\n\r\n")
            server.main_loop_ends()
            await serving
            for client in clients:
                assert client.recv(1 << 16).startswith(b"HTTP/1.1 200")

    class Stopped(Server):
        """Stops in the turn of the loop in which it is told to."""

        async def main_loop(self):
            self._ends = asyncio.get_running_loop().create_future()
            await self._ends

        def main_loop_ends(self):
            self._ends.set_result(None)

    with listening(settings) as listener:
        config = configuration(settings, create_app(settings))
        loop = config.get_loop_factory()()
        with contextlib.closing(loop):
            loop.run_until_complete(test(Stopped(config), listener))


@pytest.mark.slow
def test_a_server_that_is_told_to_stop_answers_what_it_has(compiled):
    path, wanted = compiled[0]
    server = Process(path)
    with Load(server.port) as load:
        load.wait_for_more()
        if sys.platform == "linux":
            assert "libtorch" not in Path(f"/proc/{server.process.pid}/maps").read_text()
        status, errors = server.stop()
    assert (status, errors, load.lost) == (0, "", 0)
    np.testing.assert_allclose(
        load.values(), np.broadcast_to(wanted, load.values().shape), rtol=1e-5
    )


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="children are looked up in /proc")
def test_workers_reload_die_and_stop_while_requests_go_on(compiled, tmp_path):
    (old, before), (new, after) = compiled
    path = tmp_path / "net.mxnova"
    os.link(old, path)
    server = Process(path, "--workers", "2")
    wait_until(lambda: len(server.workers()) == 2)
    with Load(server.port) as load:
        load.wait_for_more()
        os.link(new, tmp_path / "next")
        os.replace(tmp_path / "next", path)
        assert server.call("POST", "/v2/repository/models/net/load")[0] == 200
        asked = [server.call("POST", "/invocations", BODY)[1] for _ in range(10)]
        np.testing.assert_allclose([json.loads(a)[0] for a in asked], [after[0]] * 10, rtol=1e-5)
        load.wait_for_more()
        assert load.lost + load.unconnected == 0

        killed = server.workers()[0]
        os.kill(killed, signal.SIGKILL)
        wait_until(lambda: len(set(server.workers()) - {killed}) == 2)
        load.wait_for_more()
        assert load.lost + load.unconnected <= len(load.threads)  # one of each client

        lost = load.lost
        assert b"mxnova_requests_total" in server.call("GET", "/metrics")[1]
        status, _errors = server.stop()
    assert (status, load.lost) == (0, lost)
    values = load.values()
    is_old, is_new = (np.isclose(values, v, rtol=1e-4).all((1, 2)) for v in (before, after))
    assert (is_old | is_new).all()
    assert is_old.any()
    assert is_new.any()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="children are looked up in /proc")
def test_a_worker_that_cannot_start_tries_again_while_others_serve(compiled, tmp_path):
    path = tmp_path / "net.mxnova"
    os.link(compiled[0][0], path)
    server = Process(path, "--workers", "2")
    wait_until(lambda: len(server.loaded()) == 2)
    kept, killed = server.workers()
    os.rename(path, tmp_path / "gone")
    os.kill(killed, signal.SIGKILL)
    for text in ("in 1 seconds", "in 2 seconds"):
        line = server.process.stderr.readline()
        assert "a worker cannot start, and tries again" in line
        assert text in line
        assert "net.mxnova" in line
    assert all(server.call("POST", "/invocations", BODY)[0] == 200 for _ in range(10))
    os.rename(tmp_path / "gone", path)
    os.kill(kept, signal.SIGKILL)
    wait_until(server.answers)
    assert server.stop()[0] == 0


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_models_that_cannot_be_loaded_end_it_with_one_line(tmp_path, workers):
    done = subprocess.run(
        [sys.executable, "-m", "mxnova", "serve", tmp_path / "no.mxnova", "--port", "0", "--workers", str(workers)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
        capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "no.mxnova" in done.stderr


def serving(sources, **changed):
    from mxnova.serve import Settings

    return running(Settings({"dense": sources["dense"]}, port=0, **changed))


def test_addresses_that_are_taken_are_named(sources):
    from mxnova.core.base.errors import MXNetError
    from mxnova.serve import Settings
    from mxnova.serve.server import listening

    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(MXNetError, match=f"cannot listen on 127.0.0.1:{port}"):
            listening(Settings(sources, port=port))


def test_responses_are_sent_at_once(sources):
    from mxnova.serve import Settings
    from mxnova.serve.server import listening

    with listening(Settings(sources, port=0)) as listener:  # asyncio sets TCP_NODELAY for these
        assert listener.proto == socket.IPPROTO_TCP


@pytest.mark.parametrize("sent", [b"", b"GET /pi", b"GET /ping HTTP/1.1\r\nHost: local", b"GET /ping HTTP/1.1\r\nHost: localhost\r\n\r\nGET"])  # fmt: skip
def test_connections_that_send_no_headers_are_closed(sources, sent):
    with serving(sources, idle_timeout=1) as client:
        with socket.create_connection(("127.0.0.1", client.port), timeout=PATIENCE) as connection:
            connection.sendall(sent)
            answer = b""
            while part := connection.recv(1 << 16):
                answer += part
        assert answer.startswith(b"HTTP/1.1 200") == sent.endswith(b"GET")


def test_bodies_that_do_not_come_are_refused(sources):
    with serving(sources, timeout=0.2) as client:
        sentence = client.refused(408, "POST", "/invocations", b"[", Content_Length="100")
        assert "after 0.2 seconds" in sentence


def test_headers_are_bounded(sources):
    with serving(sources) as client:
        assert "headers" in client.refused(431, "GET", "/ping", X_Large="x" * 100_000)
        with contextlib.suppress(ConnectionError):  # while it sends
            status, _, body = client("GET", "/ping", X_Large="x" * 10_000_000)
            assert (status, body) == (400, b"Invalid HTTP request received.")
        assert client("GET", "/ping")[0] == 200


def said(client, sent, ends=False):
    """What the server sends until it closes the connection, or the client does."""
    with socket.create_connection(("127.0.0.1", client.port), timeout=PATIENCE) as connection:
        connection.sendall(sent)
        if ends:
            connection.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: connection.recv(1 << 16), b""))


def test_clients_that_send_no_more_get_their_answers(sources):
    head = f"POST /invocations HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(BODY)}\r\n\r\n"
    asked = (head + BODY).encode()
    with serving(sources) as client:
        for count in (1, 3):
            answer = said(client, asked * count, ends=True)
            assert answer.count(b"HTTP/1.1 200 OK") == count
            assert answer.count(b"connection: close") == 1
        assert said(client, asked[:-1], ends=True) == b""


def test_heads_are_sent_with_what_follows_or_in_the_next_turn():
    from mxnova.serve.server import _Joined

    class Sent(Transport):
        def __init__(self):
            super().__init__()
            self.writes = []

        def write(self, data):
            self.writes.append(bytes(data))

    async def test():
        sent = Sent()
        joined = _Joined(sent, asyncio.get_running_loop())
        joined.write(b"head\r\n\r\n")
        joined.write(b"body\r\n\r\n")
        assert sent.writes == [b"head\r\n\r\nbody\r\n\r\n"]
        joined.write(b"alone\r\n\r\n")
        assert len(sent.writes) == 1
        await asyncio.sleep(0)
        assert sent.writes[1:] == [b"alone\r\n\r\n"]
        joined.write(b"last\r\n\r\n")
        joined.close()
        assert sent.writes[2:] == [b"last\r\n\r\n"] and sent.is_closed
        await asyncio.sleep(0)
        assert len(sent.writes) == 3

    asyncio.run(test())


@pytest.mark.parametrize(
    "version, hosts, status",
    [("1.1", 0, 400), ("1.1", 1, 200), ("1.1", 2, 400), ("1.0", 0, 200), ("1.0", 2, 400)],
)
def test_requests_name_one_host(sources, version, hosts, status):
    asked = f"GET /ping HTTP/{version}\r\n" + "Host: localhost\r\n" * hosts
    with serving(sources) as client:
        answer = said(client, (asked + "Connection: close\r\n\r\n").encode())
    assert answer.startswith(b"HTTP/1.1 %d " % status)


class Transport(asyncio.Transport):
    """Keeps what a protocol answers."""

    def __init__(self):
        super().__init__()
        self.answers, self.is_closed, self.is_paused = b"", False, False

    def write(self, data):
        self.answers += data

    def close(self):
        self.is_closed = True

    def is_closing(self):
        return self.is_closed

    def get_write_buffer_size(self):
        return 0

    def pause_reading(self):
        self.is_paused = True

    def resume_reading(self):
        self.is_paused = False


async def answered(parts):
    """What a server answers that receives these bytes, and whether it has closed the connection."""
    from uvicorn.server import ServerState

    from mxnova.serve.server import Configuration, Protocol

    async def app(scope, receive, send):
        while (await receive()).get("more_body"):
            pass
        await send(
            {"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"0")]}
        )
        await send({"type": "http.response.body"})

    config = Configuration(app, log_config=None)
    protocol, transport = Protocol(config, ServerState(), {}), Transport()
    protocol.connection_made(transport)
    for part in parts:
        if not transport.is_closed:
            protocol.data_received(part)
            await asyncio.sleep(0)
    for _ in range(10):
        await asyncio.sleep(0)
    is_closed = transport.is_closed
    protocol.connection_lost(OSError())
    return transport.answers, is_closed


_CHUNKED = b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
_LONG = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n"


def test_trailers_are_bounded():
    trailers = [b"X-%d: %s\r\n" % (i, b"x" * 1000) for i in range(100)]
    answers, is_closed = asyncio.run(answered([_CHUNKED, b"1\r\n", b"a\r\n0\r\n", *trailers]))
    assert is_closed and b"The headers are too long." in answers


@pytest.mark.parametrize(
    "parts",
    [
        [_LONG, b"x" * 60_000 + b"GET / HTTP/1.1\r\n", b"Host: a\r\n\r\n"],
        [_CHUNKED, b"9c40\r\n", *[b"x" * 10_000] * 4, b"\r\n9c40\r\n", b"x" * 40_000 + b"\r\n0\r\n",
         b"X: a\r\n\r\nGET / HTTP/1.1\r\n", b"Host: a\r\n\r\n"],
    ],
)  # fmt: skip
def test_bodies_before_headers_do_not_count_as_headers(parts):
    answers, is_closed = asyncio.run(answered(parts))
    assert (answers.count(b"HTTP/1.1 200 OK"), is_closed) == (2, False)


def test_more_requests_than_may_wait_are_told_to_come_again(sources, monkeypatch):
    runs, may_run = threading.Event(), threading.Event()

    def slow(self, **inputs):
        runs.set()
        assert may_run.wait(PATIENCE)
        return [np.zeros((1, 3), np.float32)]

    with serving(sources, threads=1, max_batch=1, max_queue=1) as client:
        monkeypatch.setattr("mxnova.predictor.Predictor.predict", slow)
        with ThreadPoolExecutor(8) as pool:
            asked = [pool.submit(client, "POST", "/invocations", BODY)]
            assert runs.wait(PATIENCE)
            asked += [pool.submit(client, "POST", "/invocations", BODY) for _ in range(7)]
            wait_until(lambda: sum(a.done() for a in asked) >= 6)
            may_run.set()
        answers = [a.result() for a in asked]
    refused = [headers for status, headers, _ in answers if status == 503]
    assert len(refused) == 6
    assert all(int(headers["Retry-After"]) >= 1 for headers in refused)
    assert [status for status, _, _ in answers].count(200) == 2


def test_models_that_take_too_long_are_not_waited_for(sources, monkeypatch):
    may_run = threading.Event()
    with serving(sources, timeout=0.2, threads=1) as client:
        monkeypatch.setattr(
            "mxnova.predictor.Predictor.predict", lambda self, **_: may_run.wait(PATIENCE)
        )
        sentence = client.refused(504, "POST", "/invocations", BODY)
        assert "0.2 seconds" in sentence
        may_run.set()


PING = b"GET /ping HTTP/1.1\r\nHost: localhost\r\n\r\n"


@pytest.mark.parametrize("request_", [PING, b"GET / HTTP/1.1\r\n\r\n"])
def test_pipelined_requests_are_answered_however_many_they_are(sources, request_):
    with serving(sources) as client:
        answer = said(client, request_ * 2000, ends=True)
    assert answer.count(b"HTTP/1.1 ") == 2000


def test_pipelined_requests_are_not_read_while_many_wait():
    async def test():
        protocol, transport = held_protocol()
        for _ in range(100):
            protocol.data_received(PING * 100)
        assert len(protocol.pipeline) <= 128
        assert transport.is_paused
        protocol.connection_lost(OSError())

    asyncio.run(test())


def test_requests_behind_small_bodies_are_bounded():
    async def test():
        protocol, _ = held_protocol()
        body = b"POST / HTTP/1.1\r\nContent-Length: 2000\r\n\r\n" + bytes(2000)
        protocol.data_received(body + b"GET / HTTP/1.1\r\n\r\n" * 5000)
        assert len(protocol.pipeline) <= 128
        protocol.connection_lost(OSError())

    asyncio.run(test())


def held_protocol():
    """A protocol whose requests are not answered, and its transport."""
    from uvicorn.server import ServerState

    from mxnova.serve.server import Configuration, Protocol

    async def app(_scope, _receive, _send):
        await asyncio.sleep(60)

    protocol, transport = (
        Protocol(Configuration(app, log_config=None), ServerState(), {}),
        Transport(),
    )
    protocol.connection_made(transport)
    return protocol, transport


@pytest.mark.parametrize(
    "parts",
    [
        [b"GET / HTTP/1.1\r\nHost: a\r\n" + b"a: b\r\n" * 500 + b"\r\n"],
        [_CHUNKED + b"1\r\na\r\n" * 3000 + b"0\r\n\r\n"],
        [_CHUNKED, *[b"1\r\na\r\n" * 300] * 10],
        [_CHUNKED + b"1\r\na\r\n0\r\n" + b"a: b\r\n" * 500 + b"\r\n"],
    ],
)
def test_many_small_parts_are_refused(parts):
    answers, is_closed = asyncio.run(answered(parts))
    assert is_closed
    assert answers.startswith(b"HTTP/1.1 400")


@pytest.mark.parametrize(
    "parts",
    [
        [b"GET / HTTP/1.1\r\nHost: a\r\n" + b"a: b\r\n" * 100 + b"\r\n"],
        [_CHUNKED + b"1\r\na\r\n" * 900 + b"0\r\n\r\n"],
        [_CHUNKED + (b"64\r\n" + b"a" * 100 + b"\r\n") * 3000 + b"0\r\n\r\n"],
    ],
)
def test_some_small_parts_are_answered(parts):
    answers, is_closed = asyncio.run(answered(parts))
    assert answers.startswith(b"HTTP/1.1 200")
    assert not is_closed


def test_what_is_no_http_does_not_take_the_answers_before_it(sources):
    with serving(sources) as client:
        head = (
            f"POST /invocations HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(BODY)}\r\n\r\n"
        )
        answer = said(client, (head + BODY).encode() + b"\0\0")
    assert answer.startswith(b"HTTP/1.1 200")


def big_outputs(self, **_inputs):
    return [np.zeros((1, 4 << 20), np.float32)]


@pytest.mark.parametrize("ending", [b"", b"Connection: close\r\n"])
def test_clients_that_do_not_receive_are_dropped(sources, monkeypatch, ending):
    text = b'{"parameters":{"binary_data_output":true},"inputs":[{"name":"data","shape":[1,4],'
    text += b'"datatype":"FP32","data":[1,2,3,4]}]}'
    head = b"POST /v2/models/dense/infer HTTP/1.1\r\nHost: localhost\r\n" + ending
    asked = head + b"Content-Length: %d\r\n\r\n" % len(text) + text
    with serving(sources, timeout=0.3, idle_timeout=1) as client:
        monkeypatch.setattr("mxnova.predictor.Predictor.predict", big_outputs)
        with socket.socket() as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.settimeout(PATIENCE)
            connection.connect(("127.0.0.1", client.port))
            connection.sendall(asked)
            wait_until(lambda: client.endpoint.memory.held > 1 << 20)
            wait_until(lambda: client.endpoint.memory.held == 0)
            received = 0
            with contextlib.suppress(ConnectionResetError):
                while part := connection.recv(1 << 16):
                    received += len(part)
        assert received < 16 << 20
        connection = http.client.HTTPConnection("127.0.0.1", client.port, timeout=PATIENCE)
        with contextlib.closing(connection):  # who receives gets all
            connection.request("POST", "/v2/models/dense/infer", text)
            assert len(connection.getresponse().read()) > 16 << 20


def test_responses_that_would_hold_too_much_are_refused(sources, monkeypatch):
    with serving(sources, max_request_bytes=1 << 20) as client:
        monkeypatch.setattr("mxnova.predictor.Predictor.predict", big_outputs)
        assert "too much memory" in client.refused(503, "POST", "/invocations", BODY)
        assert client.endpoint.memory.held == 0


def test_connections_that_close_with_unread_bytes_are_aborted():
    from mxnova.serve.server import _Joined

    class Full(Transport):
        is_aborted = False

        def get_write_buffer_size(self):
            return 1

        def abort(self):
            self.is_aborted = True

    async def test():
        full = Full()
        _Joined(full, asyncio.get_running_loop(), 0.01).close()
        assert full.is_closed
        while not full.is_aborted:
            await asyncio.sleep(0.001)

    asyncio.run(test())


def test_a_model_does_not_run_for_a_client_that_was_reset(sources, monkeypatch):
    may_run, ran = threading.Event(), []

    def slow(self, **inputs):
        ran.append(inputs)
        assert may_run.wait(PATIENCE)
        return [np.zeros((1, 3), np.float32)]

    head = f"POST /invocations HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(BODY)}\r\n\r\n"
    with serving(sources, threads=1, max_batch=1) as client:
        monkeypatch.setattr("mxnova.predictor.Predictor.predict", slow)
        with ThreadPoolExecutor(1) as pool:
            first = pool.submit(client, "POST", "/invocations", BODY)
            wait_until(lambda: ran)
            with socket.create_connection(("127.0.0.1", client.port)) as connection:
                connection.sendall((head + BODY).encode())
                queue = client.endpoint.repository._served["dense"].batcher
                wait_until(lambda: queue.waiting == 1)
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            wait_until(lambda: queue._queue[0].future.done())
            may_run.set()
            assert first.result()[0] == 200
    assert len(ran) == 1


LARGE = 1 << 20
TEXTS = [
    ("/v2/models/dense/infer", "application/json", b"[" + b"1," * LARGE + b"1]"),
    ("/invocations", "application/json", b"[" + b"1," * LARGE + b"1]"),
    ("/invocations", "text/csv", b"1," * LARGE + b"1"),
    ("/models/dense/invoke", "application/json", b"[" + b"[]," * LARGE + b"1]"),
]


@pytest.mark.parametrize("coding", ["", "deflate"])
@pytest.mark.parametrize("path, kind, body", TEXTS)
def test_texts_have_a_limit_of_their_own(sources, path, kind, body, coding):
    headers = {"Content_Type": kind, **({"Content_Encoding": coding} if coding else {})}
    body = zlib.compress(body) if coding else body
    with serving(sources, max_text_bytes=LARGE) as client:
        assert "more than 1,048,576 bytes" in client.refused(413, "POST", path, body, **headers)


def test_json_beside_binary_data_has_the_limit_of_texts(sources):
    with serving(sources, max_text_bytes=100) as client:
        headers = {"Inference_Header_Content_Length": "101"}
        sentence = client.refused(413, "POST", "/v2/models/dense/infer", b" " * 2000, **headers)
        assert "JSON part" in sentence
