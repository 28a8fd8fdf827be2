# SPDX-License-Identifier: Apache-2.0
"""Processes that serve: uvicorn, its supervisor of workers, and bounds on slow clients."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import select
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import uvicorn
from uvicorn.config import STARTUP_FAILURE
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.supervisors import Multiprocess

from ..core.base.errors import MXNetError
from ..core.base.printable import printable
from .app import Application, create_app
from .pools import ABANDON
from .settings import Settings
from .shared_state import Entry, SharedState

if TYPE_CHECKING:
    from .connections import Shares

__all__ = ["Configuration", "configuration", "listening", "serve"]

_log = logging.getLogger("mxnova")

_TURNS = 3  # of the event loop, in which the protocol of a connection begins
_GRACE = 0.5  # seconds that idle connections are kept while the server stops
_HEADER_BYTES = 32 << 10
_MOST_CONNECTIONS = 4096
_MOST_HEADERS = 128
_MOST_WAITING = 8  # The parser of a connection stops at so many waiting requests.
_MOST_PIPELINED = 128  # Requests that may follow a body before the parser can stop.
_SLICE = 1 << 10  # Bytes that are parsed at once outside of bodies: at most 60 requests.
_MOST_CHUNKS = 1 << 10  # The number of chunks that may be small.
_SMALLEST_CHUNK = 64  # The average size of a chunk, in bytes.
_LONGEST_DELAY = 60  # seconds, after which a worker tries again to start
_HEALTH_SECONDS = 60  # that a worker may take to answer its supervisor while models are loaded


class Configuration(uvicorn.Config):
    """The configuration of uvicorn, with how workers share out connections.

    Attributes:
        shares: Numbers of connections of all workers; None: there is one process.
        send_timeout: Seconds that a client has to receive a response.
    """

    shares: Shares | None = None
    send_timeout: float = 60.0

    def get_loop_factory(self) -> Callable[[], asyncio.AbstractEventLoop] | None:
        """What makes the loop of a process."""
        if self.shares is None:
            return super().get_loop_factory()
        from .connections import Loop

        return partial(Loop, self.shares)


class _Joined:
    """A transport that sends the head of a response with its body: a system call, and a packet.

    Args:
        transport: What sends.
        loop: Of the server.
        seconds: That a client has to receive what is left when the connection is closed.
    """

    def __init__(
        self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop, seconds: float = 60.0
    ) -> None:
        self._transport, self._loop, self._seconds = transport, loop, seconds
        self._head = b""
        self._is_held = self._is_paused = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Sends `data`; what ends with an empty line waits for what follows, or the loop's turn."""
        if not self._head and data.endswith(b"\r\n\r\n"):
            self._head = data
            self._loop.call_soon(self._flush)
        else:
            self._transport.writelines((self._head, data))
            self._head = b""

    def _flush(self) -> None:
        head, self._head = self._head, b""
        if head and not self._transport.is_closing():
            self._transport.write(head)

    def close(self) -> None:
        """Send what waits, and close; abort if the client does not receive it in time."""
        self._flush()
        self._transport.close()
        self._loop.call_soon(self._bound_close)

    def pause_reading(self) -> None:
        """Stop reading until `resume_reading` is called."""
        self._is_paused = True
        if not self._is_held:
            self._transport.pause_reading()

    def resume_reading(self) -> None:
        """Read on, unless reading is held."""
        self._is_paused = False
        if not self._is_held:
            self._transport.resume_reading()

    def hold_reading(self) -> None:
        """Stop reading until `release_reading` is called; uvicorn resumes it for each request."""
        self._is_held = True
        if not self._is_paused:
            self._transport.pause_reading()

    def release_reading(self) -> None:
        """Read on, unless reading is paused."""
        self._is_held = False
        if not self._is_paused:
            self._transport.resume_reading()

    def _bound_close(self) -> None:
        if self._transport.get_write_buffer_size():
            self._loop.call_later(self._seconds, self._transport.abort)


class Protocol(HttpToolsProtocol):
    """HTTP/1.1 with bounds on what clients send and receive, and a shutdown that loses no request.

    Bounded are the time and size of headers, their number, the number of requests that wait on one
    connection, the number of tiny chunks, and the time that a client takes to receive a response.

    uvicorn closes idle connections at once when it stops; a request that is on its way would be
    lost. Here they are kept for a moment, and every response says that the connection ends.
    """

    config: Configuration
    transport: _Joined  # type: ignore[assignment]
    _timer: asyncio.TimerHandle | None = None
    _sending: asyncio.TimerHandle | None = None  # Deadline of a response that fills the buffer.
    _is_written = False  # Whether the buffer contains the rest of the response.
    _in_headers = False  # of a request, or trailers, which follow its last chunk
    _is_first = False  # whether they began in what is being received, after other bytes perhaps
    _header_bytes = 0  # of them, in what came later and did not complete them
    _n_chunks = _n_bytes = 0  # Counts of the current body.
    _unparsed = b""  # Bytes behind the waiting requests.
    _has_ended = False  # True after invalid HTTP: further bytes are ignored.

    def connection_made(self, transport: Any) -> None:
        """Start the time of the first headers."""
        super().connection_made(_Joined(transport, self.loop, self.config.send_timeout))  # type: ignore[arg-type]
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Parse what has come; stop the parser while many requests wait for their responses."""
        if self._unparsed:
            self._unparsed += data
            return
        start, size = 0, _SLICE
        while start < len(data) and not self._has_ended and not self.transport.is_closing():
            if len(self.pipeline) >= _MOST_WAITING:
                self._unparsed = data[start:]
                self.transport.hold_reading()
                break
            is_body = not self._in_headers and self.cycle is not None and self.cycle.more_body
            # Small requests may follow a small body.
            size = max(8 * _SLICE, 2 * size) if is_body and not self.pipeline else _SLICE
            end = min(start + size, len(data))
            super().data_received(data[start:end])
            if self._in_headers and not self._is_first:
                self._header_bytes += end - start
            start = end
        self._is_first = False
        if self._header_bytes > _HEADER_BYTES and not self.transport.is_closing():
            self.send_400_response("The headers are too long.")
        self._watch()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP, or close the connection after the responses that it waits for."""
        cycle = self.cycle
        if cycle is None or cycle.response_complete or cycle.more_body:
            super().send_400_response(msg)
        else:
            self._has_ended, self._unparsed = True, b""
            cycle.keep_alive = False  # The connection closes after the last response.

    def on_response_complete(self) -> None:
        """Begin the next response; parse more requests when few wait."""
        super().on_response_complete()
        self._is_written = True
        self._end_sending()
        if self._unparsed and not self.pipeline and not self.transport.is_closing():
            data, self._unparsed = self._unparsed, b""
            self.transport.release_reading()
            self.data_received(data)

    def pause_writing(self) -> None:
        """Start the deadline for receiving a response."""
        super().pause_writing()
        if self._sending is None:
            self._is_written = False
            self._sending = self.loop.call_later(self.config.send_timeout, self.transport.abort)

    def resume_writing(self) -> None:
        """Stop the deadline when nearly all of the response has been sent."""
        super().resume_writing()
        self._end_sending()

    def _end_sending(self) -> None:
        if self._sending is not None and self._is_written and not self.flow.write_paused:
            self._sending.cancel()
            self._sending = None

    def on_message_begin(self) -> None:
        """Start counting header bytes. An error stops the parser."""
        if len(self.pipeline) >= _MOST_PIPELINED:
            raise OverflowError("too many requests wait")
        super().on_message_begin()
        self._n_chunks = self._n_bytes = 0
        self._count()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header."""
        if len(self.headers) >= _MOST_HEADERS:
            raise OverflowError("too many headers")
        super().on_header(name, value)

    def on_chunk_header(self) -> None:
        """Start counting header bytes: trailers follow the last chunk."""
        self._n_chunks += 1
        if self._n_chunks > _MOST_CHUNKS and self._n_bytes < _SMALLEST_CHUNK * self._n_chunks:
            raise OverflowError("the chunks are too small")
        self._count()

    def _count(self) -> None:
        self._header_bytes, self._in_headers, self._is_first = 0, True, True

    def on_headers_complete(self) -> None:
        """Stop counting header bytes."""
        self._in_headers = False
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Stop counting header bytes: the chunk was not the last one."""
        self._in_headers = False
        self._n_bytes += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Stop counting header bytes."""
        self._in_headers = False
        super().on_message_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop all timers, and work that nobody waits for."""
        self._stop()
        if self._sending is not None:
            self._sending.cancel()
        self._unparsed = b""
        scope: dict[str, Any] = {} if self.cycle is None else cast("Any", self.cycle.scope)
        if ABANDON in scope:
            scope.pop(ABANDON)()
        super().connection_lost(exc)
        if self.config.shares is not None:
            self.config.shares.count(-1)

    def eof_received(self) -> bool:  # type: ignore[override]
        """A client that sends no more, and waits for its answer, gets it before the end."""
        waits = self.cycle is not None and not self.cycle.response_complete
        if waits and not self.cycle.more_body:
            self.cycle.keep_alive = False
            return True
        return False

    def shutdown(self) -> None:
        """Called when the server stops."""
        closing = (b"connection", b"close")
        if closing not in self.server_state.default_headers:
            self.server_state.default_headers.append(closing)
        self.loop.call_later(_GRACE, self._close_if_idle)

    def _close_if_idle(self) -> None:
        if not self.transport.is_closing():
            super().shutdown()

    def _watch(self) -> None:
        is_busy = self.cycle is not None and not self.cycle.response_complete
        if is_busy:
            self._stop()
        elif self._timer is None:
            self._timer = self.loop.call_later(self.timeout_keep_alive, self._too_slow)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _too_slow(self) -> None:
        self._timer = None
        if self.cycle is None or self.cycle.response_complete:
            self.transport.close()


class Server(uvicorn.Server):
    """uvicorn's, which accepts the connections that wait before it stops."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stops accepting, and waits for requests."""
        loop = asyncio.get_running_loop()
        end = loop.time() + _GRACE
        while select.select(sockets or (), (), (), 0)[0] and loop.time() < end:
            await asyncio.sleep(0)  # uvloop accepts one in a turn
        for _ in range(_TURNS):
            await asyncio.sleep(0)
        await super().shutdown(sockets)


class _Supervisor(Multiprocess):
    """uvicorn's, which learns at once of a worker that dies while it is asked for its health.

    The supervisor holds the worker's end of their pipe open, and would wait for an answer.
    """

    def keep_subprocess_alive(self) -> None:
        """Replaces workers that have died."""
        for process in self.processes:
            process.child_conn.close()
        super().keep_subprocess_alive()


def configuration(settings: Settings, app: Any) -> Configuration:
    """What uvicorn is told.

    Args:
        settings: of the server.
        app: the application, or a function that makes it.
    """
    config = Configuration(
        app,
        http=Protocol,
        ws="none",
        interface="asgi3",
        lifespan="on",
        log_config=None,
        log_level="error",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=_MOST_CONNECTIONS,
        timeout_keep_alive=settings.idle_timeout,
        timeout_graceful_shutdown=int(settings.timeout) + 1,
        timeout_worker_healthcheck=_HEALTH_SECONDS,
        workers=settings.workers,
        factory=not isinstance(app, Application),
    )
    config.send_timeout = settings.timeout
    return config


def listening(settings: Settings) -> socket.socket:
    """The socket of the server.

    Raises:
        OSError: the address cannot be bound.
    """
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    # asyncio switches Nagle's algorithm off, which delays responses by 40 ms, where it sees TCP.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":  # elsewhere it would let two servers have one address
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((settings.host, settings.port))
        listener.listen(_MOST_CONNECTIONS)
        return listener
    except OSError as error:
        listener.close()
        address = f"{settings.host}:{settings.port}"
        raise MXNetError(f"serve: cannot listen on {address}: {error.strerror or error}") from None


def serve(settings: Settings) -> None:
    """Serves until SIGTERM or SIGINT, and then answers the requests that it has.

    Raises:
        MXNetError: a model cannot be loaded, or the address cannot be bound.
    """
    os.environ.setdefault("OMP_NUM_THREADS", str(settings.cores_of_run))
    if settings.workers == 1:
        app = create_app(settings)
        with listening(settings) as listener:
            _say(listener, settings)
            _run(Server(configuration(settings, app)), listener)
        return
    with listening(settings) as listener, contextlib.ExitStack() as stack:
        try:
            folder = stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
            state = Path(folder) / "models.json"
            settings = replace(settings, state=state)
            SharedState(state, {}).change(partial(_first_entries, settings))
            shares = _allocate_shares(state)
        except OSError as error:
            text = f"{error.strerror or error}; set TMPDIR to another folder"
            raise MXNetError(f"serve: {tempfile.gettempdir()}: {text}") from None
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = folder
        _say(listener, settings)
        _supervise(settings, state, listener, shares)


def _run(server: uvicorn.Server, listener: socket.socket) -> None:
    """Runs a server; SIGTERM, after which it stops by itself, is no failure."""
    before = signal.signal(signal.SIGTERM, lambda *_: None)  # uvicorn raises it again at its end
    try:
        server.run(sockets=[listener])
    finally:
        signal.signal(signal.SIGTERM, before)


def _allocate_shares(state: Path) -> Shares:
    from .connections import Shares  # not on Windows, where a server has one process

    shares = Shares(state.with_name("connections"))
    os.close(shares.open())  # Workers would race to create the file.
    return shares


def _supervise(settings: Settings, state: Path, listener: socket.socket, shares: Shares) -> None:
    """Run workers that share the socket; one that dies is replaced."""
    config = configuration(settings, partial(_app_of_worker, settings, state))
    config.shares = shares
    supervisor = _Supervisor(config, sockets=[listener])
    supervisor.run()
    if any(process.exitcode == STARTUP_FAILURE for process in supervisor.processes):
        raise MXNetError("serve: the workers cannot start")


def _app_of_worker(settings: Settings, state: Path) -> Application:
    """The application of a worker.

    If no worker has ever loaded the models, the server ends. Later, such as when a worker has died
    while files are exchanged, the others serve on, and this one tries again.
    """
    loaded = state.with_name("loaded")  # a file for each worker that has loaded the models
    delay = 1
    with _ending_when_told():
        while True:
            try:
                app = create_app(settings)
            except (MXNetError, OSError) as error:
                if not loaded.exists():
                    sys.stderr.write(f"error: {printable(str(error))}\n")
                    sys.exit(STARTUP_FAILURE)  # the supervisor does not try again
                text = "a worker cannot start, and tries again in %d seconds: %s"
                _log.warning(text, delay, printable(str(error)))
                time.sleep(delay)
                delay = min(2 * delay, _LONGEST_DELAY)
            else:
                try:
                    loaded.mkdir(exist_ok=True)
                    (loaded / str(os.getpid())).touch()
                except OSError as error:  # The marks matter only to workers that cannot load.
                    _log.warning("a worker cannot mark its start: %s", error)
                return app


@contextlib.contextmanager
def _ending_when_told() -> Iterator[None]:
    """Has SIGTERM and SIGINT end the process, which uvicorn looks at only when it serves."""
    before = {s: signal.signal(s, lambda *_: sys.exit(0)) for s in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _first_entries(settings: Settings, entries: dict[str, Entry]) -> None:
    entries.update((name, Entry(source)) for name, source in settings.models.items())


def _say(listener: socket.socket, settings: Settings) -> None:
    host, port = listener.getsockname()[:2]
    address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    names = ", ".join(settings.models) or "no models yet"
    sys.stdout.write(printable(f"serving {names} on http://{address}") + "\n")
    sys.stdout.flush()
