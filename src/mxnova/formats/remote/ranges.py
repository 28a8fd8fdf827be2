# SPDX-License-Identifier: Apache-2.0
"""The bytes of a remote file, read in ranges, ahead of what is needed, and kept in bounded memory.

The unit is a grain of 64 KiB: a request is for some that lie side by side, and what it brought is
kept as one span until memory is needed for others. `expect` says what will be read; without it, a
reader that goes forward is read ahead of.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections import OrderedDict, deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from mxnova.core.base.errors import FileError

from .checksums import verify
from .failures import file_error, retried
from .objects import RemoteObject, opened
from .stores import located

__all__ = ["RemoteFile", "content_of"]

_GRAIN = 1 << 16
_FORWARD = 3  # reads, one behind the other, after which those to come are read ahead


class _Span:
    """Grains that one request brings."""

    __slots__ = ("content", "end", "is_used", "start")

    def __init__(self, start: int, end: int, content: Future[bytes]) -> None:
        self.start, self.end, self.content, self.is_used = start, end, content, False


class RemoteFile:
    """A file in a store, of which slices are bytes, as of a memoryview.

    It may be read by several threads; a process that inherits it through a fork opens it anew.

    Args:
        url: of the file.

    Raises:
        FileError: it cannot be opened.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self._open()
        self._size = self._object.size

    def _open(self) -> None:
        place = located(self.url)
        self._settings = place.settings
        self._object: RemoteObject = opened(place)
        self._pid = os.getpid()
        self._lock = threading.RLock()
        self._pool: ThreadPoolExecutor | None = None
        self._spans: OrderedDict[int, _Span] = OrderedDict()  # by start, the oldest first
        self._grains: dict[int, _Span] = {}
        self._kept = 0  # bytes of all spans
        self._waiting: deque[tuple[int, int]] = deque()  # ranges that are expected
        self._under_way = 0
        self._unused = 0  # bytes of spans that nobody has read so far
        self._last_end = self._n_forward = self._ahead_to = 0

    def __len__(self) -> int:
        return self._size

    def __getstate__(self) -> dict[str, Any]:
        return {"url": self.url, "_size": self._size}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._pid = -1

    def __getitem__(self, part: slice) -> bytes:
        start, end, step = part.indices(self._size)
        if step != 1:
            raise ValueError("a remote file has slices of step 1 only")
        if start >= end:
            return b""
        self._require_own()
        span = self._grains.get(start // _GRAIN)
        if span is None or end > span.end or not span.is_used or not span.content.done():
            return b"".join(self._pieces(start, end))
        self._note(start, end)
        content = span.content.result()
        return content[start - span.start : end - span.start]

    def _require_own(self) -> None:
        if self._pid != os.getpid():
            self._open()
            if self._object.size != self._size:
                raise FileError(5, "the file has changed since it was opened", self.url)

    def _pieces(self, start: int, end: int) -> Iterator[bytes]:
        with self._lock:
            self._note(start, end)
            spans = self._spans_of(start, end)
        for span in spans:
            try:
                content = span.content.result()
            except BaseException:
                with self._lock:
                    self._forget(span)  # who asks again asks the store again
                raise
            yield content[max(start - span.start, 0) : end - span.start]

    # Reading ahead --------------------------------------------------------------------------------

    @property
    def ahead(self) -> int:
        """Bytes of which it is good to be expected before they are read."""
        return min(self._settings.read_ahead, self._settings.cache // 2)

    def ask(self, start: int, end: int) -> None:
        """Asks for bytes that are read next, with as few requests as they need."""
        self._require_own()
        with self._lock:
            self._spans_of(max(start, 0), min(end, self._size))

    def expect(self, start: int, end: int) -> None:
        """Has bytes read before they are needed, after those that are expected already."""
        self._require_own()
        if self._settings.read_ahead:
            with self._lock:
                self._waiting.append((max(start, 0), min(end, self._size)))
                self._start_waiting()

    def _start_waiting(self) -> None:
        """Sends as many requests for what is expected as may be under way, and fit in."""
        n, room = self._settings.requests, self._settings.cache // 2
        while self._waiting and self._under_way < n and self._unused < room:
            start, end = self._waiting.popleft()
            start = self._missing(start, end)
            if start >= end:
                continue
            end_of_first = min(start + self._settings.request_size, end)
            while self._waiting and self._waiting[0][0] <= end_of_first + _GRAIN // 2:
                if self._waiting[0][0] < start or end_of_first < end:
                    break
                end = max(end, self._waiting.popleft()[1])  # neighbours, with one request
                end_of_first = min(start + self._settings.request_size, end)
            span = self._ask(start, end_of_first)
            if span.end < end:
                self._waiting.appendleft((span.end, end))

    def _missing(self, start: int, end: int) -> int:
        """The first byte of a range that is not there, or under way."""
        while start < end and (span := self._grains.get(start // _GRAIN)) is not None:
            start = span.end
        return start

    def _note(self, start: int, end: int) -> None:
        """Sees whether a reader goes forward, and reads ahead of it."""
        settings = self._settings
        forward = 0 <= start - self._last_end <= settings.request_size
        self._last_end = end
        if not forward:
            self._n_forward = self._ahead_to = 0
            return
        self._n_forward += 1
        if self._n_forward >= _FORWARD and not self._waiting and settings.read_ahead:
            goal = min(end + self.ahead, self._size)
            if (
                goal - self._ahead_to >= settings.request_size
                or goal == self._size > self._ahead_to
            ):
                first = max(self._ahead_to, end)
                self._ahead_to = goal
                self.expect(first, goal)

    # Requests -------------------------------------------------------------------------------------

    def _spans_of(self, start: int, end: int) -> list[_Span]:
        spans: list[_Span] = []
        at = start
        while at < end:
            span = self._grains.get(at // _GRAIN)
            if span is None:
                is_forward = self._n_forward >= _FORWARD
                span = self._ask(at, at + self._settings.request_size if is_forward else end)
            elif self._spans.get(span.start) is span:
                self._spans.move_to_end(span.start)
            self._use(span)
            spans.append(span)
            at = span.end
        self._start_waiting()
        return spans

    def _use(self, span: _Span) -> None:
        if not span.is_used:
            span.is_used = True
            self._unused -= span.end - span.start

    def _ask(self, start: int, end: int) -> _Span:
        """Sends a request for the grains of a range, as far as they are not there."""
        first, last = start // _GRAIN, -(-min(end, self._size) // _GRAIN)
        last = min(last, first + self._settings.request_size // _GRAIN)
        n = next((i for i in range(1, last - first) if first + i in self._grains), last - first)
        start, end = first * _GRAIN, min((first + n) * _GRAIN, self._size)
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self._settings.requests, "mxnova-remote")
        span = _Span(start, end, self._pool.submit(self._fetch, start, end))
        for grain in range(first, first + n):
            self._grains[grain] = span
        self._spans[start] = span
        self._kept += end - start
        self._unused += end - start
        self._under_way += 1
        span.content.add_done_callback(self._done)
        self._make_room()
        return span

    def _fetch(self, start: int, end: int) -> bytes:
        return retried(lambda: self._object.fetch(start, end), self.url, self._settings)

    def _done(self, _content: Future[bytes]) -> None:
        with (
            self._lock,
            contextlib.suppress(RuntimeError),
        ):  # the process ends, or the file is closed
            self._under_way -= 1
            self._start_waiting()

    def _make_room(self) -> None:
        while self._kept > self._settings.cache and len(self._spans) > 1:
            self._forget(next(iter(self._spans.values())))

    def _forget(self, span: _Span) -> None:
        if self._spans.get(span.start) is span:
            del self._spans[span.start]
            self._use(span)
            self._kept -= span.end - span.start
            for grain in range(span.start // _GRAIN, -(-span.end // _GRAIN)):
                del self._grains[grain]

    def close(self) -> None:
        """Lets go of threads and memory; reading opens it again."""
        if self._pid == os.getpid():
            with self._lock:
                self._waiting.clear()
                if self._pool is not None:
                    self._pool.shutdown(wait=False, cancel_futures=True)
                    self._pool = None
        self._pid = -1


def content_of(url: str) -> bytearray:
    """All bytes of a file, compared with the checksum that its store has of it.

    Raises:
        FileError: it cannot be read, is larger than MXNOVA_REMOTE_MAX_SIZE, or has other bytes
            than its store says.
    """
    place = located(url)
    settings = place.settings
    found = opened(place)
    if found.size > settings.max_size:
        text = f"{found.size} bytes, MXNOVA_REMOTE_MAX_SIZE allows {settings.max_size}"
        raise FileError(27, text, url)

    def fetch(start: int) -> bytes:
        end = min(start + settings.request_size, found.size)
        return retried(lambda: found.fetch(start, end), url, settings)

    content = bytearray()
    starts = iter(range(0, found.size, settings.request_size))
    n = min(settings.read_ahead // settings.request_size + 1, settings.requests)
    with ThreadPoolExecutor(n, "mxnova-remote") as pool:
        under_way: deque[Future[bytes]] = deque()
        for start in starts:
            under_way.append(pool.submit(fetch, start))
            if len(under_way) >= n:
                content += under_way.popleft().result()
        while under_way:
            content += under_way.popleft().result()
    try:
        verify(content, retried(lambda: found.checksum, url, settings))
    except OSError as error:
        raise file_error(error, url) from None
    return content
