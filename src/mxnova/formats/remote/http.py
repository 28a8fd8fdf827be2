# SPDX-License-Identifier: Apache-2.0
"""Objects of HTTP servers, which need not keep to their own words.

fsspec's reader would take any length of a body for a part, and does not see that parts belong to
different objects. So parts are asked for here, by its session: answers are bounded, and compared
with the first one.
"""

from __future__ import annotations

import asyncio
import errno
import functools
import re
from concurrent.futures import Future
from typing import Any

from .checksums import Checksum, of_headers
from .failures import AnswerError, Attempts, TruncatedError
from .pools import Run
from .stores import Place

__all__ = ["HttpObject"]

_RANGE = re.compile(r"bytes (\d{1,18})-(\d{1,18})/(\d{1,18})", re.ASCII)
_NONE = re.compile(r"bytes \*/(\d{1,18})", re.ASCII)
_BUFFER = 1 << 20


class HttpObject:
    """What a server has at a URL. The first bytes are read when it is opened.

    A server that knows no ranges sends all of it then.

    Args:
        place: where it is.
        n: how many bytes are read and kept.

    Attributes:
        size: in bytes.
        checksum: of all bytes, where the server says it.
        version: headers that tell one version of the file from another; None of a server that has
            sent the whole file.
        is_versioned: whether a change of the file would be noticed, or all of its bytes are here.
    """

    size: int
    version: tuple[str | None, ...] | None
    is_versioned: bool
    checksum: Checksum | None = None

    def __init__(self, place: Place, n: int) -> None:
        self._place = place
        self.version = None
        loop = place.files.loop
        self._start = asyncio.run_coroutine_threadsafe(self._retried(0, n), loop).result()

    def begin(self, start: int, end: int, run: Run) -> Future[bytes]:
        """Asks for bytes, in fsspec's loop of events: no thread waits for them."""
        if end <= len(self._start):
            return run(lambda: self._start[start:end])
        return asyncio.run_coroutine_threadsafe(self._retried(start, end), self._place.files.loop)

    async def _retried(self, start: int, end: int) -> bytes:
        attempts = Attempts(self._place.url, self._place.settings)
        while True:
            try:
                async with _room(asyncio.get_running_loop(), self._place.settings.requests):
                    return await self._answer(start, end)
            except Exception as error:  # noqa: BLE001 - aiohttp's, too
                pause = attempts.pause_after(error)
            await asyncio.sleep(pause)

    async def _answer(self, start: int, end: int) -> bytes:
        import aiohttp

        place = self._place
        options: dict[str, Any] = dict(place.files.kwargs)
        given = options.pop("headers", {})
        ranged = {"Range": f"bytes={start}-{end - 1}", "Accept-Encoding": "identity"}
        options["timeout"] = aiohttp.ClientTimeout(total=place.settings.timeout)
        options["read_bufsize"] = _BUFFER
        session = await place.files.set_session()
        url = place.files.encode_url(place.path)
        async with session.get(url, headers={**given, **ranged}, **options) as answer:
            if answer.status == 416 and self._is_empty(answer, start):
                return b""
            answer.raise_for_status()
            return await _body(answer, *self._expected(answer, start, end))

    def _is_empty(self, answer: Any, start: int) -> bool:
        said = _NONE.fullmatch(answer.headers.get("Content-Range", ""))
        if self.version is not None or start or said is None or int(said[1]):
            return False
        self.size = 0
        return True

    def _expected(self, answer: Any, start: int, end: int) -> tuple[int | None, int]:
        """How many bytes the body has, None if that is not said, and how many it may have.

        Raises:
            AnswerError: it is not what was asked for.
        """
        is_whole = answer.status == 200
        if is_whole:
            size = answer.content_length
            if self.version is not None:
                raise AnswerError("the server has stopped to answer with parts of the file")
            if size is not None and "Content-Encoding" in answer.headers:
                size = None
            if size is not None and size > self._place.settings.cache:
                text = f"sends all of its {size} bytes, not a part as asked for"
                raise AnswerError(f"{text}; MXNOVA_REMOTE_CACHE has {self._place.settings.cache}")
            self.checksum = of_headers(answer.headers, is_whole)
            self.size = -1 if size is None else size
            return size, self._place.settings.cache
        said = _RANGE.fullmatch(answer.headers.get("Content-Range", ""))
        if answer.status != 206 or said is None or "Content-Encoding" in answer.headers:
            raise AnswerError(f"HTTP status {answer.status}, and no part of a file as asked for")
        first, last, total = map(int, said.groups())
        if first != start or last + 1 != min(end, total):
            raise AnswerError(f"answers with the part {said[0]!r} for {start}-{end - 1}")
        self._check_version(answer, total)
        return last + 1 - first, last + 1 - first

    def _check_version(self, answer: Any, total: int) -> None:
        headers = answer.headers
        checksum = of_headers(headers, is_whole=False)
        digest = None if checksum is None else str(checksum)
        version = (str(total), headers.get("ETag"), headers.get("Last-Modified"), digest)
        if self.version is None:
            self.version, self.size, self.checksum = version, total, checksum
        elif version != self.version:
            raise AnswerError("the file has changed since it was opened")

    def settle(self) -> None:
        """Complete what the first response did not contain.

        The length of the file is that of the body, where no header states it. A file without a
        validator is read again by one request, so that all of its bytes are of one version.
        """
        if self.size < 0:
            self.size = len(self._start)
        has_validator = self.version is None or any(self.version[1:])
        if not has_validator and len(self._start) < self.size <= self._place.settings.read_ahead:
            request = self._retried(0, self.size)
            loop = self._place.files.loop
            self._start = asyncio.run_coroutine_threadsafe(request, loop).result()
        self.is_versioned = has_validator or len(self._start) == self.size


@functools.lru_cache(maxsize=4)
def _room(_loop: asyncio.AbstractEventLoop, n: int) -> asyncio.Semaphore:
    """Lets so many requests be under way at a time in a loop, of which a process has one."""
    return asyncio.Semaphore(n)


async def _body(answer: Any, size: int | None, limit: int) -> bytes:
    pieces, n = [], 0
    async for piece in answer.content.iter_any():
        n += len(piece)
        if n > limit:
            raise AnswerError(f"sends more than {limit} bytes, where a part was asked for")
        pieces.append(piece)
    if size is not None and n != size:
        raise TruncatedError(errno.EIO, f"sent {n} bytes of {size}")
    return b"".join(pieces)
