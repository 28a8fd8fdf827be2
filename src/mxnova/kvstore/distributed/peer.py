# SPDX-License-Identifier: Apache-2.0
"""Peer: the TCP connection to one rank, with a thread that reads and one that sends.

A message is a JSON object and the bytes of some tensors, whose sizes the receiver decides. Nothing
that comes is executed or unpickled.
"""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from heapq import heappop, heappush
from itertools import count
from typing import Any

import torch
from torch import Tensor

from ...core.base.errors import MXNetError

__all__ = ["FIRST", "LAST", "Meta", "Peer"]

Meta = dict[str, Any]

FIRST, LAST = float("inf"), float("-inf")  # priorities
_HEADER = struct.Struct("<IQ")  # bytes of the JSON text, bytes of the tensors
_MAX_TEXT = 1 << 24  # bytes
_AT_ONCE = 1 << 16  # bytes: a message up to this size is sent by the caller's thread
_PATIENCE = 60.0  # seconds that one who handles a message may take at the end
_DONT_WAIT = getattr(socket, "MSG_DONTWAIT", 0)  # 0 on Windows


class Peer:
    """The connection to a rank.

    Args:
        rank: who is there.
        sock: connected.
        failed: is told, in one of the threads, why the connection is of no use any more.

    Attributes:
        heard: when the last byte came, in seconds of `time.monotonic`.
    """

    def __init__(self, rank: int, sock: socket.socket, failed: Callable[[Exception], None]) -> None:
        self.rank, self._socket, self._failed = rank, sock, failed
        self.heard = time.monotonic()
        self._file: Any = sock.makefile("rb", 1 << 16)
        self._queue: list[tuple[float, int, list[Any]]] = []  # a heap
        self._numbers = count()
        self._changed = threading.Condition(threading.Lock())
        self._is_sending = self._is_closed = False
        self._reader: threading.Thread | None = None
        self._sender = threading.Thread(
            target=self._send_all, name=f"mxnova to {rank}", daemon=True
        )
        self._sender.start()

    def close(self, patience: float) -> None:
        """Closes the connection when everything is sent, or after `patience` seconds."""
        with self._changed:
            self._changed.wait_for(
                lambda: self._is_closed or not (self._queue or self._is_sending), patience
            )
            self._is_closed = True
            self._changed.notify_all()
        with suppress(OSError):  # it may be closed already
            self._socket.shutdown(socket.SHUT_RDWR)
        for thread in filter(None, (self._reader, self._sender)):
            thread.join(_PATIENCE)  # one inside of PyTorch when Python ends would abort it
        self._file.close()
        self._socket.close()

    # Reading -------------------------------------------------------------------------------------

    def start(self, receive: Callable[[int, Meta], tuple[Sequence[Tensor], Any]]) -> None:
        """Reads messages from now on, until the connection is closed or something has failed.

        Args:
            receive: takes (rank, message), gives the tensors that its bytes are received into, and
                what is called then.
        """
        name = f"mxnova from {self.rank}"
        self._reader = threading.Thread(
            target=self._read_all, args=(receive,), name=name, daemon=True
        )
        self._reader.start()

    def _read_all(self, receive: Callable[[int, Meta], tuple[Sequence[Tensor], Any]]) -> None:
        try:
            while True:
                message, n_bytes = self._read_text()
                buffers, handle = receive(self.rank, message)
                if sum(buffer.nbytes for buffer in buffers) != n_bytes:
                    raise ValueError(f"it sent {n_bytes} bytes with {message['op']!r}")
                for buffer in buffers:
                    self._read(_bytes_of(buffer))
                self.heard = FIRST  # it may say much while this is handled
                handle()
                self.heard = time.monotonic()
        except MXNetError:
            return  # whoever waits is told
        except Exception as error:  # noqa: BLE001 - nobody must wait for a thread that has ended
            if not self._is_closed:
                self._failed(error)

    def _read_text(self) -> tuple[Meta, int]:
        """A message, and how many bytes of tensors follow."""
        n_text, n_bytes = _HEADER.unpack(self._read(bytearray(_HEADER.size)))
        if not 0 < n_text <= _MAX_TEXT:
            raise ValueError("it sent what is no message")
        try:
            message = json.loads(self._read(bytearray(n_text)))
        except (ValueError, RecursionError):
            raise ValueError("it sent what is no message") from None
        return message, n_bytes

    def _read(self, buffer: Any) -> Any:
        """Fills a buffer; raises ConnectionError at the end of the connection."""
        view = memoryview(buffer)
        while len(view):
            n = self._file.readinto1(view)
            if not n:
                raise ConnectionError("connection closed")
            self.heard, view = time.monotonic(), view[n:]
        return buffer

    # Sending -------------------------------------------------------------------------------------

    def send(self, message: Meta, tensors: Sequence[Tensor], priority: float) -> int:
        """Sends a message, without waiting for the receiver; returns its number of bytes."""
        text = json.dumps(message).encode()
        parts: list[Any] = [b"", *map(_bytes_of, tensors)]
        n_bytes = sum(map(len, parts))
        parts[0] = _HEADER.pack(len(text), n_bytes) + text
        is_short = len(parts[0]) + n_bytes <= _AT_ONCE
        if is_short:
            parts = [b"".join(parts)]
        with self._changed:
            if is_short and _DONT_WAIT and not (self._is_sending or self._queue):
                try:
                    n_sent = self._socket.send(parts[0], _DONT_WAIT)
                except BlockingIOError:
                    n_sent = 0
                except OSError:  # told by whoever reads
                    n_sent = len(parts[0])
                parts, priority = [parts[0][n_sent:]], FIRST
            if parts[0]:
                heappush(self._queue, (-priority, next(self._numbers), parts))
                self._changed.notify()
        return n_bytes + len(text)

    def drop(self) -> None:
        """Sends nothing that waits, but the rest of a message that has begun."""
        with self._changed:
            self._queue = [each for each in self._queue if each[0] == -FIRST]

    def _send_all(self) -> None:
        try:
            while (parts := self._next()) is not None:
                for part in parts:
                    self._socket.sendall(part)
        except OSError as error:
            with self._changed:
                self._is_closed = True
            self._failed(error)

    def _next(self) -> list[Any] | None:
        with self._changed:
            self._is_sending = False
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._queue or self._is_closed)
            if self._is_closed:
                return None
            self._is_sending = True
            return heappop(self._queue)[2]


def _bytes_of(tensor: Tensor) -> memoryview:
    """The memory of a contiguous tensor."""
    if tensor.dtype is torch.bfloat16:  # which NumPy lacks
        tensor = tensor.view(torch.int16)
    array: Any = tensor.detach().numpy()
    return memoryview(array).cast("B") if tensor.numel() else memoryview(b"")
