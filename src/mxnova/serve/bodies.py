# SPDX-License-Identifier: Apache-2.0
"""Bodies of requests: bounded in bytes and time, decompressed; and the bytes that requests hold."""

from __future__ import annotations

import sys
import threading
import zlib
from collections.abc import Iterator

from starlette.requests import ClientDisconnect, Request
from starlette.types import Receive, Scope

from .errors import Refused, overloaded

if sys.version_info >= (3, 11):
    from asyncio import timeout
else:
    from collections.abc import AsyncIterator
    from contextlib import asynccontextmanager

    import anyio

    @asynccontextmanager
    async def timeout(delay: float) -> AsyncIterator[None]:
        """`asyncio.timeout`, which takes a third of the time."""
        with anyio.fail_after(delay):
            yield


__all__ = ["Call", "Intake", "Memory"]

_WINDOWS = {"gzip": 31, "x-gzip": 31, "deflate": 47}  # of zlib: with gzip's header, or either
_SMALL = 64 << 10  # A request of at most so many bytes is always accepted.
_PIECE = 256 << 10  # Bytes that are decompressed at once, and then counted.


class Memory:
    """The bytes that all requests and responses in progress hold.

    Args:
        limit: How many there may be before further large requests are refused.

    Attributes:
        limit: The same.
        held: How many there are.
        lock: Protects `held`.
    """

    def __init__(self, limit: int) -> None:
        self.limit, self.held = limit, 0
        self.lock = threading.Lock()


class Call(Request):
    """A request with the number of bytes that it holds.

    Args:
        scope: Of ASGI.
        receive: Of ASGI.
        memory: Counts the bytes of all requests.

    Attributes:
        coding: The Content-Encoding of the body, known when the body has been read.
    """

    def __init__(self, scope: Scope, receive: Receive, memory: Memory) -> None:
        super().__init__(scope, receive)
        self._memory, self._held, self._has_ended = memory, 0, False
        self.coding = ""

    def hold(self, n_bytes: int) -> None:
        """Count bytes that this request holds from now on; callable from any thread.

        Raises:
            Refused: All requests hold too many, or this one has been answered meanwhile. Small
                requests are never refused, so that a few large ones do not keep out the others.
        """
        memory = self._memory
        with memory.lock:
            if self._has_ended:
                raise Refused(499, "the request has been answered already")
            self._held += n_bytes
            memory.held += n_bytes
            fits = memory.held <= memory.limit or self._held <= _SMALL
        if not fits:
            raise overloaded("the requests that are being answered take too much memory")

    def release(self, has_ended: bool = False) -> None:
        """Stop counting the bytes of this request, for good if it has ended."""
        with self._memory.lock:
            self._memory.held -= self._held
            self._held, self._has_ended = 0, has_ended

    def coding_of_body(self) -> str:
        """Return the Content-Encoding in lower case, empty if the body is not compressed.

        Raises:
            Refused: It is unknown.
        """
        coding = self.headers.get("content-encoding", "").strip().lower()
        if coding not in ("", "identity", *_WINDOWS):
            raise Refused(415, f"Content-Encoding {coding[:80]!r}: must be gzip or deflate")
        return "" if coding == "identity" else coding


class Intake:
    """Reads bodies.

    Args:
        timeout: Seconds until a body is there.
    """

    def __init__(self, timeout: float) -> None:
        self._timeout = timeout

    async def read(self, call: Call, limit: int) -> bytes:
        """Return the body of a request as it was sent.

        Raises:
            Refused: It has more than `limit` bytes, is too slow, or its encoding is unknown.
        """
        length = call.headers.get("content-length", "0")
        if length.isdecimal() and (len(length) > 18 or int(length) > limit):
            raise _too_large(limit)
        call.coding = call.coding_of_body()  # An unknown one is refused before the body is read.
        try:
            async with timeout(self._timeout):
                return await _read(call, limit)
        except TimeoutError:
            raise Refused(408, f"the body was not there after {self._timeout:g} seconds") from None
        except ClientDisconnect:
            raise Refused(400, "the client went away before the body was there") from None

    @staticmethod
    def decompress(call: Call, body: bytes, limit: int) -> bytes:
        """Return a body without its Content-Encoding, whose bytes are counted as they appear.

        Raises:
            Refused: It has more than `limit` bytes, all requests hold too many, or it is damaged.
        """
        if not call.coding:
            return body
        try:
            return b"".join(_decompress_pieces(call, body, limit))
        except zlib.error as error:
            raise Refused(400, f"the body is not {call.coding}: {error}") from None


def _too_large(limit: int) -> Refused:
    return Refused(413, f"the body has more than {limit:,} bytes")


async def _read(call: Call, limit: int) -> bytes:
    chunks, size = [], 0
    async for chunk in call.stream():
        size += len(chunk)
        if size > limit:
            raise _too_large(limit)
        call.hold(len(chunk))
        chunks.append(chunk)
    return b"".join(chunks)


def _decompress_pieces(call: Call, body: bytes, limit: int) -> Iterator[bytes]:
    decoder = zlib.decompressobj(_WINDOWS[call.coding])
    size = start = 0
    rest = b""
    while start < len(body) and not decoder.eof:
        rest, start = body[start : start + _PIECE], start + _PIECE
        part = rest
        while (rest or len(part) == _PIECE) and not decoder.eof:
            part = decoder.decompress(rest, _PIECE)
            rest = decoder.unconsumed_tail
            size += len(part)
            if size > limit:
                raise _too_large(limit)
            call.hold(len(part))
            yield part
    if not decoder.eof or decoder.unused_data or start < len(body):
        raise Refused(
            400, f"the body is not {call.coding}: it is cut off, or goes on behind the end"
        )
