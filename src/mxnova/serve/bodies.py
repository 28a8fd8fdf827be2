# SPDX-License-Identifier: Apache-2.0
"""Bodies of requests: bounded in bytes and time, decompressed."""

from __future__ import annotations

import sys
import zlib
from types import TracebackType

from starlette.requests import ClientDisconnect, Request

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


__all__ = ["Intake"]

_WINDOWS = {"gzip": 31, "x-gzip": 31, "deflate": 47}  # of zlib: with gzip's header, or either
_SHARE = 8  # requests of the largest size that are held at once


class Intake:
    """Reads bodies.

    Args:
        limit: bytes of a body, before and after decompression; bodies that are held at once have
            at most eight times that many.
        timeout: seconds until a body is there.
    """

    def __init__(self, limit: int, timeout: float) -> None:
        self._limit, self._timeout = limit, timeout
        self._held = 0

    def body(self, request: Request) -> Body:
        """Reads the body, which counts as held inside of the block."""
        return Body(self, request)

    async def received(self, body: Body) -> bytes:
        """All of a body.

        Raises:
            Refused: it is too large, too slow, or not what its headers say.
        """
        self._check_announced(body.request)
        try:
            async with timeout(self._timeout):
                encoded = await self._read(body)
        except TimeoutError:
            raise Refused(408, f"the body was not there after {self._timeout:g} seconds") from None
        except ClientDisconnect:
            raise Refused(400, "the client went away before the body was there") from None
        return self._decoded(body.request, encoded)

    def release(self, body: Body) -> None:
        """Counts a body as held no more."""
        self._held -= body.held

    def _check_announced(self, request: Request) -> None:
        length = request.headers.get("content-length", "0")
        if length.isdecimal() and (len(length) > 18 or int(length) > self._limit):
            raise self._too_large()

    def _too_large(self) -> Refused:
        return Refused(413, f"the body has more than {self._limit:,} bytes")

    async def _read(self, body: Body) -> bytes:
        chunks = []
        async for chunk in body.request.stream():
            body.held += len(chunk)
            self._held += len(chunk)
            if body.held > self._limit:
                raise self._too_large()
            if self._held > _SHARE * self._limit:
                raise overloaded("the requests that are being answered take too much memory")
            chunks.append(chunk)
        return b"".join(chunks)

    def _decoded(self, request: Request, encoded: bytes) -> bytes:
        coding = request.headers.get("content-encoding", "identity").strip().lower()
        if coding in ("", "identity"):
            return encoded
        if coding not in _WINDOWS:
            raise Refused(415, f"Content-Encoding {coding[:80]!r}: must be gzip or deflate")
        decoder = zlib.decompressobj(_WINDOWS[coding])
        try:
            body = decoder.decompress(encoded, self._limit + 1)
        except zlib.error as error:
            raise Refused(400, f"the body is not {coding}: {error}") from None
        if len(body) > self._limit:
            raise self._too_large()
        if not decoder.eof or decoder.unused_data:
            raise Refused(
                400, f"the body is not {coding}: it is cut off, or goes on behind the end"
            )
        return body


class Body:
    """A block that has the body of a request.

    Attributes:
        request: whose it is.
        held: bytes that have come.
    """

    def __init__(self, intake: Intake, request: Request) -> None:
        self._intake, self.request, self.held = intake, request, 0

    async def __aenter__(self) -> bytes:
        try:
            return await self._intake.received(self)
        except BaseException:
            self._intake.release(self)
            raise

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._intake.release(self)
