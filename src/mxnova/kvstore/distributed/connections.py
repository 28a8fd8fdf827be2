# SPDX-License-Identifier: Apache-2.0
"""Connections: messages over TCP between each two ranks.

A message is a JSON object and the bytes of some tensors, whose sizes the receiver decides. Nothing
that comes is executed or unpickled.
"""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from heapq import heappop, heappush
from itertools import count
from typing import Any, NamedTuple

import torch
from torch import Tensor

from ...core.base.errors import MXNetError
from .faults import Faults

__all__ = ["Buffers", "Connections", "Handler", "Meta", "no_buffers"]

Meta = dict[str, Any]
Buffers = Callable[[int, Meta], Sequence[Tensor]]

_HEADER = struct.Struct("<IQ")  # bytes of the JSON text, bytes of the tensors
_MAX_TEXT = 1 << 24  # bytes
_AT_ONCE = 1 << 16  # bytes: a message up to this size is sent by the caller's thread
_MOMENT = 2.0  # seconds
_NOTHING = memoryview(b"")
_FIRST, _LAST = float("inf"), -float("inf")  # priorities
_DONT_WAIT = getattr(socket, "MSG_DONTWAIT", 0)  # 0 on Windows


def no_buffers(_rank: int, _message: Meta) -> Sequence[Tensor]:
    """The tensors of a message that has none."""
    return ()


class Handler(NamedTuple):
    """What is done with messages of one kind.

    Attributes:
        handle: takes (rank, message, tensors that came with it).
        buffers: takes (rank, message), gives the tensors that its bytes are received into.
    """

    handle: Callable[[int, Meta, Sequence[Tensor]], None]
    buffers: Buffers = no_buffers


class Connections:
    """One TCP connection to each other rank, with a thread that reads and one that sends.

    Args:
        sockets: connected, to each other rank.
        faults: what has failed.

    Attributes:
        peers: the other ranks.
        sent: bytes that were sent, by kind of message.
    """

    def __init__(self, sockets: Mapping[int, socket.socket], faults: Faults) -> None:
        self.faults, self.rank, self.size = faults, faults.rank, faults.size
        self.peers = sorted(sockets)
        self.sent: Counter[str] = Counter()
        self._handlers: dict[str, Handler] = {}
        self._readers: list[threading.Thread] = []
        self._left = threading.Condition()
        self._peers = {rank: _Peer(rank, sock, faults) for rank, sock in sockets.items()}
        faults.then(self._tell_fault)

    def start(self, handlers: Mapping[str, Handler]) -> None:
        """Reads messages from now on; `handlers` by ``op``, which every message has."""
        self._handlers = {
            "beat": Handler(lambda *_: None),
            "leave": Handler(lambda *_: None),
            "fault": Handler(lambda _rank, message, _tensors: self.faults.hear(message)),
            **handlers,
        }
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
        self._send(peer, message, tensors, priority)

    def _send(
        self, peer: int, message: Meta, tensors: Sequence[Tensor] = (), priority: float = 0
    ) -> None:
        text = json.dumps(message).encode()
        parts = [_bytes_of(tensor) for tensor in tensors]
        n_bytes = sum(map(len, parts))
        self.sent[message["op"]] += n_bytes + len(text)
        header = _HEADER.pack(len(text), n_bytes) + text
        self._peers[peer].send([header, *parts], len(header) + n_bytes, priority)

    def beat(self, forgive: bool) -> None:
        """Shows all ranks that this one lives, and ends the store where one does not.

        Args:
            forgive: count the silence of others from now on.
        """
        now = time.monotonic()
        for rank, peer in self._peers.items():
            self.send(rank, {"op": "beat"}, priority=_FIRST)
            if forgive:
                peer.heard = max(now, peer.heard)
            elif now - peer.heard > self.faults.timeout and rank not in self.faults.left:
                raise self.faults.of(rank, TimeoutError())

    def leave(self) -> None:
        """Tells all ranks that this one sends nothing any more but answers."""
        for peer in self.peers:
            with suppress(MXNetError):
                self.send(peer, {"op": "leave"}, priority=_LAST)

    def _tell_fault(self) -> None:
        """Tells all ranks what has failed, instead of what waits to be sent."""
        for rank, peer in self._peers.items():
            peer.drop()
            self._send(rank, self.faults.message, priority=_FIRST)
        with self._left:
            self._left.notify_all()

    def close(self, patience: float | None) -> None:
        """Closes the connections when all ranks have left, or after `patience` seconds."""
        with self._left:
            self._left.wait_for(self._all_left, patience)
        limit = self.faults.timeout if self.faults.text is None else _MOMENT
        for peer in self._peers.values():
            peer.finish(limit)
        for peer in self._peers.values():
            peer.close()
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
        try:
            handler = self._handlers[op]
            buffers = handler.buffers(peer.rank, message)
        except (MXNetError, LookupError, ValueError, TypeError, OverflowError) as error:
            raise ValueError(f"it sent {error}") from None
        if sum(buffer.nbytes for buffer in buffers) != n_bytes:
            raise ValueError(f"it sent {n_bytes} bytes with {op!r}")
        for buffer in buffers:
            peer.read(_bytes_of(buffer))
        peer.heard = float("inf")  # it may say much while this is handled
        handler.handle(peer.rank, message, buffers)
        peer.heard = time.monotonic()


class _Peer:
    """The connection to one rank, and what waits to be sent there.

    Attributes:
        heard: when the last byte came, in seconds of `time.monotonic`.
    """

    def __init__(self, rank: int, sock: socket.socket, faults: Faults) -> None:
        self.rank, self._socket, self._faults = rank, sock, faults
        self.heard = time.monotonic()
        self._file: Any = sock.makefile("rb", 1 << 16)
        self._queue: list[tuple[float, int, list[Any]]] = []  # a heap
        self._numbers = count()
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
            n = self._file.readinto1(view[at:])
            if not n:
                raise ConnectionError("connection closed")
            at += n
            self.heard = time.monotonic()
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
                parts, place = [parts[0][n_sent:]], -_FIRST
            heappush(self._queue, (place, next(self._numbers), parts))
            self._changed.notify()

    def drop(self) -> None:
        """Sends nothing that waits, but the rest of a message that has begun."""
        with self._changed:
            self._queue = [each for each in self._queue if each[0] == -_FIRST]

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

    def finish(self, patience: float) -> None:
        """Returns when everything is sent, or that has become impossible."""
        with self._changed:
            self._changed.wait_for(
                lambda: self._is_closed or not (self._queue or self._is_sending), patience
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
