# SPDX-License-Identifier: Apache-2.0
"""Connections: messages over TCP between each two ranks.

A message is a JSON object and the bytes of some tensors, whose sizes the receiver decides. Nothing
that comes is executed or unpickled.
"""

from __future__ import annotations

import hmac
import itertools
import json
import secrets
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from heapq import heappop, heappush
from typing import Any, NamedTuple

import torch
from torch import Tensor

from ...core.base.errors import MXNetError
from .faults import Faults
from .rendezvous import listen

__all__ = ["Connections", "Handler"]

Meta = dict[str, Any]

_HEADER = struct.Struct("<IQ")  # bytes of the JSON text, bytes of the tensors
_MAX_TEXT = 1 << 24  # bytes
_AT_ONCE = 1 << 16  # bytes: a message up to this size is sent by the caller's thread
_HELLO = struct.Struct("<I32s")  # rank, token of the store
_HELLO_TIMEOUT = 2.0  # seconds for a visitor to say who it is
_MOMENT = 2.0  # seconds
_NOTHING = memoryview(b"")
_FIRST, _LAST = -float("inf"), float("inf")  # places in the send queue
_DONT_WAIT = getattr(socket, "MSG_DONTWAIT", 0)  # 0 on Windows


class Handler(NamedTuple):
    """What is done with messages of one kind.

    Attributes:
        buffers: takes (rank, message), gives the tensors that its bytes are received into.
        handle: takes (rank, message, these tensors).
    """

    buffers: Callable[[int, Meta], Sequence[Tensor]]
    handle: Callable[[int, Meta, Sequence[Tensor]], None]


class Connections:
    """One TCP connection to each other rank, with a thread that reads and one that sends.

    Args:
        store: where ranks tell their addresses.
        faults: what has failed.
        address: of this machine, where it listens for ranks above its own.

    Attributes:
        peers: the other ranks.
        sent: bytes that were sent, by kind of message.

    Raises:
        MXNetError: not all ranks came within the timeout.
    """

    def __init__(self, store: Any, faults: Faults, address: str) -> None:
        self.faults, self.rank, self.size = faults, faults.rank, faults.size
        self.peers = [other for other in range(self.size) if other != self.rank]
        self.sent: Counter[str] = Counter()
        self._handlers: Mapping[str, Handler] = {}
        self._peers: dict[int, _Peer] = {}
        self._readers: list[threading.Thread] = []
        self._left = threading.Condition()
        if self.peers:
            sockets = _connected(store, faults, address)
            self._peers = {r: _Peer(r, sock, faults) for r, sock in sockets.items()}
            faults.then(self.hang_up)

    def start(self, handlers: Mapping[str, Handler]) -> None:
        """Reads messages from now on; `handlers` by ``op``, which every message has."""
        self._handlers = handlers
        for rank, peer in self._peers.items():
            reader = threading.Thread(
                target=self._read_all, args=(peer,), daemon=True, name=f"mxnova from {rank}"
            )
            self._readers.append(reader)
            reader.start()

    def send(
        self, peer: int, message: Meta, tensors: Sequence[Tensor] = (), priority: float = 0
    ) -> None:
        """Sends a message; never waits for the receiver.

        Args:
            peer: the receiver.
            message: of plain data, with ``op``.
            tensors: contiguous, on the CPU; unchanged until they are received, or copied where they
                are small.
            priority: of what waits to be sent, the highest goes first.

        Raises:
            MXNetError: something has failed, or that rank has ended.
        """
        self.faults.check()
        text = json.dumps(message).encode()
        parts = [_bytes_of(tensor) for tensor in tensors]
        n_bytes = sum(map(len, parts))
        self.sent[message["op"]] += n_bytes + len(text)
        header = _HEADER.pack(len(text), n_bytes) + text
        self._peers[peer].send([header, *parts], len(header) + n_bytes, priority)

    def leave(self) -> None:
        """Tells all ranks that this one sends nothing any more but answers."""
        for peer in self.peers:
            with suppress(MXNetError):
                self.send(peer, {"op": "leave"}, priority=-_LAST)

    def hang_up(self) -> None:
        """Closes all connections at once, so that nobody waits for this rank."""
        for peer in self._peers.values():
            peer.close()
        with self._left:
            self._left.notify_all()

    def close(self, patience: float | None) -> None:
        """Closes the connections when all ranks have left, or after `patience` seconds."""
        with self._left:
            self._left.wait_for(self._all_left, patience)
        for peer in self._peers.values():
            peer.finish()
        self.hang_up()
        for reader in self._readers:  # one that reads when the interpreter ends would abort it
            reader.join(_MOMENT)
        for peer in self._peers.values():
            peer.discard()

    def _all_left(self) -> bool:
        return self.faults.text is not None or self.faults.left.issuperset(self.peers)

    # Reading -------------------------------------------------------------------------------------

    def _read_all(self, peer: _Peer) -> None:
        """Handles the messages of a rank until it closes its connection or something has failed."""
        try:
            while True:
                self._read_one(peer)
        except MXNetError:
            return  # whoever waits is told
        except (OSError, ValueError) as error:
            if isinstance(error, ValueError) or peer.rank not in self.faults.left:
                self.faults.of(peer.rank, error)

    def _read_one(self, peer: _Peer) -> None:
        n_text, n_bytes = _HEADER.unpack(peer.read(bytearray(_HEADER.size)))
        if not 0 < n_text <= _MAX_TEXT:
            raise ValueError("it sent what is no message")
        try:
            message = json.loads(peer.read(bytearray(n_text)))
            op = message["op"]
        except (ValueError, RecursionError, TypeError, KeyError):
            raise ValueError("it sent what is no message") from None
        if op == "leave":  # it still answers
            with self._left:
                self.faults.left.add(peer.rank)
                self._left.notify_all()
        handler, buffers = self._buffers_for(peer.rank, op, message)
        if sum(buffer.nbytes for buffer in buffers) != n_bytes:
            raise ValueError(f"it sent {n_bytes} bytes with {op!r}")
        for buffer in buffers:
            peer.read(_bytes_of(buffer))
        handler.handle(peer.rank, message, buffers)

    def _buffers_for(self, rank: int, op: str, message: Meta) -> tuple[Handler, Sequence[Tensor]]:
        try:
            handler = self._handlers[op]
            return handler, handler.buffers(rank, message)
        except (MXNetError, LookupError, ValueError, TypeError, OverflowError) as error:
            raise ValueError(f"it sent {error}") from None


class _Peer:
    """The connection to one rank, and what waits to be sent there."""

    def __init__(self, rank: int, sock: socket.socket, faults: Faults) -> None:
        self.rank, self._socket, self._faults = rank, sock, faults
        self._file: Any = sock.makefile("rb", 1 << 16)
        self._queue: list[tuple[float, int, list[Any]]] = []  # a heap
        self._numbers = itertools.count()
        self._changed = threading.Condition(threading.Lock())
        self._is_sending = self._is_closed = False
        self._sender = threading.Thread(
            target=self._send_all, daemon=True, name=f"mxnova to {rank}"
        )
        self._sender.start()

    def read(self, buffer: Any) -> Any:
        """Fills a buffer; raises ConnectionError at the end of the connection."""
        view = memoryview(buffer)
        at = 0
        while at < len(view):
            n = self._file.readinto(view[at:])
            if not n:
                raise ConnectionError("connection closed")
            at += n
        return buffer

    def send(self, parts: list[Any], n_bytes: int, priority: float) -> None:
        place = -priority
        if n_bytes <= _AT_ONCE:
            parts = [b"".join(parts)]
        with self._changed:
            if n_bytes <= _AT_ONCE and _DONT_WAIT and not (self._is_sending or self._queue):
                try:
                    n_sent = self._socket.send(parts[0], _DONT_WAIT)
                except BlockingIOError:
                    n_sent = 0
                except OSError:  # told by whoever reads
                    return
                if n_sent == n_bytes:
                    return
                parts, place = [parts[0][n_sent:]], _FIRST
            heappush(self._queue, (place, next(self._numbers), parts))
            self._changed.notify()

    def _send_all(self) -> None:
        try:
            while (parts := self._next()) is not None:
                for part in parts:
                    self._socket.sendall(part)
        except OSError as error:
            with self._changed:
                self._is_closed = True
            if self.rank not in self._faults.left:
                self._faults.of(self.rank, error)

    def _next(self) -> list[Any] | None:
        with self._changed:
            self._is_sending = False
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._queue or self._is_closed)
            if self._is_closed:
                return None
            self._is_sending = True
            return heappop(self._queue)[2]

    def finish(self) -> None:
        """Returns when everything is sent, or that has become impossible."""
        with self._changed:
            self._changed.wait_for(
                lambda: self._is_closed or not (self._queue or self._is_sending),
                self._faults.timeout,
            )

    def close(self) -> None:
        """Has everybody who reads or sends stop."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
        with suppress(OSError):  # it may be closed already
            self._socket.shutdown(socket.SHUT_RDWR)

    def discard(self) -> None:
        """Frees what nobody uses any more."""
        self._file.close()
        self._socket.close()


def _bytes_of(tensor: Tensor) -> memoryview:
    """The memory of a contiguous tensor."""
    if tensor.dtype is torch.bfloat16:  # which NumPy lacks
        tensor = tensor.view(torch.int16)
    array: Any = tensor.detach().numpy()
    return memoryview(array).cast("B") if tensor.numel() else _NOTHING


# Connecting ---------------------------------------------------------------------------------------


def _connected(store: Any, faults: Faults, address: str) -> dict[int, socket.socket]:
    """A socket for each other rank: ranks below are called, those above call."""
    try:
        with listen(address) as listener:
            host, port = listener.getsockname()[:2]
            if faults.rank == 0:
                store.set("token", secrets.token_hex(16))
            store.set(f"address/{faults.rank}", json.dumps([host, port]))
            token = bytes(store.get("token"))
            below = {r: _called(store, r, faults, token) for r in range(faults.rank)}
            return below | _accepted(listener, faults, token)
    except MXNetError:
        raise
    except (OSError, RuntimeError, ValueError, TypeError, struct.error) as error:
        reason = str(error).partition("\n")[0]  # an address may have been overwritten
        raise MXNetError(
            f"KVStore: worker {faults.rank} could not reach all of the {faults.size} workers "
            f"within {faults.timeout:g} s (MXNOVA_DIST_TIMEOUT): {reason}"
        ) from None


def _called(store: Any, rank: int, faults: Faults, token: bytes) -> socket.socket:
    host, port = json.loads(store.get(f"address/{rank}"))
    sock = socket.create_connection((str(host), int(port)), timeout=faults.timeout)
    sock.sendall(_HELLO.pack(faults.rank, token))
    return _prepared(sock)


def _accepted(listener: socket.socket, faults: Faults, token: bytes) -> dict[int, socket.socket]:
    wanted = set(range(faults.rank + 1, faults.size))
    found: dict[int, socket.socket] = {}
    deadline = time.monotonic() + faults.timeout
    while wanted - found.keys():
        listener.settimeout(max(deadline - time.monotonic(), 0.001))
        sock, _ = listener.accept()
        rank = _greeting(sock, token)
        if rank in wanted - found.keys():
            found[rank] = _prepared(sock)
        else:  # a stranger
            sock.close()
    return found


def _greeting(sock: socket.socket, token: bytes) -> int:
    """The rank that a visitor says it is; -1: it does not know the token."""
    sock.settimeout(_HELLO_TIMEOUT)
    said = bytearray()
    try:
        while len(said) < _HELLO.size and (got := sock.recv(_HELLO.size - len(said))):
            said += got
        rank, theirs = _HELLO.unpack(said)
    except (OSError, struct.error):
        return -1
    return int(rank) if hmac.compare_digest(theirs, token) else -1


def _prepared(sock: socket.socket) -> socket.socket:
    sock.settimeout(None)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return sock
