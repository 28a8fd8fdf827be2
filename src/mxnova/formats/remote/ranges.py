# SPDX-License-Identifier: Apache-2.0
"""The bytes of a remote file, read in ranges, ahead of what is needed, and kept in bounded memory.

`expect` says what will be read; without it, a reader that goes forward is read ahead of.
"""

from __future__ import annotations

import errno
import os
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any

from mxnova.core.base.credentials import without_credentials
from mxnova.core.base.errors import FileError
from mxnova.core.base.printable import printable
from mxnova.core.base.user_warnings import warn_user

from .checksums import verify
from .failures import file_error, retried
from .objects import RemoteObject, opened
from .pools import submitted
from .requests import requests_of_process
from .settings import Settings
from .spans import GRAIN, Span, Spans
from .stores import located

__all__ = ["RemoteFile", "content_of"]

_PARTS = 3  # of the cache: what is expected, what was read since that was asked for, and room
_FORWARD = 6  # reads, one behind the other, after which those to come are read ahead


class RemoteFile:
    """A file in a store, of which slices are bytes, as of a memoryview.

    It may be read by several threads; a process that inherits it through a fork opens it anew.

    Args:
        url: of the file.

    Attributes:
        spans: what is there of it.
        used_at: when it was read last.

    Raises:
        FileError: it cannot be opened.
    """

    def __init__(self, url: str) -> None:
        self.url, self._pid = url, -1
        place = located(url)
        found = opened(place, GRAIN)
        _warn_of_changes(url, found)
        self._size, self._version = found.size, found.version
        self._take(place.settings, found)

    def _take(self, settings: Settings, found: RemoteObject) -> None:
        """Reads from an object that was opened, unless another thread has opened it before."""
        requests = requests_of_process()
        with requests.lock:
            if self._pid == os.getpid():
                return
            self._settings, self._object, self._requests = settings, found, requests
            self.spans, self.used_at = Spans(), requests.now()
            self._waiting: deque[tuple[int, int]] = deque()  # ranges that are expected
            self._last_end = self._n_forward = self._ahead_to = 0
            requests.add(self)
            self._pid = os.getpid()

    def __len__(self) -> int:
        return self._size

    def __getstate__(self) -> dict[str, Any]:
        return {"url": self.url, "_size": self._size, "_version": self._version}

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
        span = self.spans.at(start)
        if span is None or end > span.end or not span.is_used or not span.content.done():
            return b"".join(self._pieces(start, end))
        self._note(start, end)
        content = self._content_of(span)
        return content[start - span.start : end - span.start]

    def _require_own(self) -> None:
        """Opens the file where it is not open in this process; the lock is not held then."""
        if self._pid != os.getpid():
            place = located(self.url)
            found = opened(place, GRAIN)
            if (found.size, found.version) != (self._size, self._version):
                raise FileError(errno.EIO, "the file has changed since it was opened", self.url)
            self._take(place.settings, found)

    def _pieces(self, start: int, end: int) -> Iterator[bytes]:
        with self._requests.lock:
            self._note(start, end)
            spans = self._spans_of(start, end)
        for span in spans:
            content = self._content_of(span)
            yield content[max(start - span.start, 0) : end - span.start]

    def _content_of(self, span: Span) -> bytes:
        try:
            return span.content.result()
        except BaseException:
            with self._requests.lock:
                self.spans.forget(span)  # who asks again asks the store again
            raise

    def close(self) -> None:
        """Lets go of memory; reading opens the file again."""
        if self._pid == os.getpid():
            with self._requests.lock:
                self._pid = -1
                self._waiting.clear()
                self.spans = Spans()

    # Reading ahead --------------------------------------------------------------------------------

    @property
    def ahead(self) -> int:
        """Bytes of which it is good to be expected before they are read."""
        self._require_own()
        return self._ahead

    @property
    def _ahead(self) -> int:
        return min(self._settings.read_ahead, self._settings.cache // _PARTS)

    @property
    def kept(self) -> int:
        """How many bytes of what was read stay in memory, of all files together."""
        return self._settings.cache

    @property
    def piece(self) -> int:
        """How many bytes a request asks for at most."""
        return self._settings.request_size

    def ask(self, start: int, end: int) -> None:
        """Asks for bytes that are read next, with one request at most."""
        self._require_own()
        with self._requests.lock:
            stop = min(end, start + self._settings.request_size, self._size)
            self._spans_of(max(start, 0), stop)

    def expect(self, start: int, end: int) -> None:
        """Has bytes read before they are needed, after those that are expected already."""
        self._require_own()
        self._expect(max(start, 0), min(end, self._size))

    def _expect(self, start: int, end: int) -> None:
        if self._settings.read_ahead and self.spans.missing(start, end) < end:
            with self._requests.lock:
                self._waiting.append((start, end))
                self.send_waiting()

    def send_waiting(self) -> None:
        """Sends as many requests for what is expected as may be under way, and fit in."""
        n, room = self._settings.requests, self._settings.cache // _PARTS
        while self._waiting and self._requests.under_way < n and self._requests.unused < room:
            start, end = self._next_waiting()
            if start < end:
                span = self._ask(start, end)
                if span.end < end:
                    self._waiting.appendleft((span.end, end))

    def _next_waiting(self) -> tuple[int, int]:
        """The next range that is not there, with neighbors that fit into one request."""
        start, end = self._waiting.popleft()
        start = self.spans.missing(start, end)
        most = start + self._settings.request_size
        while self._waiting and start < end < most:
            first, last = self._waiting[0]
            if not start <= first <= end + GRAIN // 2:
                break
            self._waiting.popleft()
            end = max(end, last)
        return start, end

    def _note(self, start: int, end: int) -> None:
        """Sees whether a reader goes forward, and reads ahead of it."""
        size, is_near = self._settings.request_size, start - self._last_end
        self._last_end = end
        if not 0 <= is_near <= size:
            self._n_forward = self._ahead_to = 0
            return
        self._n_forward += 1
        if self._n_forward < _FORWARD or self._waiting or not self._settings.read_ahead:
            return
        goal = min(end + self._ahead, self._size)
        if goal - self._ahead_to >= size or goal == self._size > self._ahead_to:
            begin, self._ahead_to = max(self._ahead_to, end), goal
            self._expect(begin, goal)

    # Requests -------------------------------------------------------------------------------------

    def _spans_of(self, start: int, end: int) -> list[Span]:
        """The spans of a range; what nobody has asked for so far is asked for."""
        spans: list[Span] = []
        self.used_at = self._requests.now()
        while start < end:
            span = self.spans.at(start)
            if span is None:
                is_forward = self._n_forward >= _FORWARD
                stop = start + self._settings.request_size if is_forward else end
                span = self._ask(start, stop, is_needed=True)
            self.spans.use(span)
            spans.append(span)
            start = span.end
        self.send_waiting()
        return spans

    def _ask(self, start: int, end: int, is_needed: bool = False) -> Span:
        """Sends a request for a range, or for the grains of a small one, where nothing is there."""
        settings, low, high = self._settings, start, end
        if end - start < GRAIN // 2:
            low, high = start - start % GRAIN, end + -end % GRAIN
        high = min(high, low + settings.request_size, self._size)
        begin, end = self.spans.gap(low, start, high)
        run = partial(self._requests.run, n=settings.requests, is_needed=is_needed)
        span = Span(begin, end, self._object.begin(begin, end, run))
        self.spans.add(span)
        self._requests.begin(span)
        self._requests.make_room(settings.cache, span)
        return span


_warned: set[str] = set()


def _warn_of_changes(url: str, found: RemoteObject) -> None:
    """Warn, once in a process for each URL, where changes of a file cannot be detected."""
    if found.is_versioned or url in _warned:
        return
    _warned.add(url)
    warn_user(
        f"{printable(without_credentials(url))}: the store sends neither an ETag nor a "
        "modification time. If the file changes while it is read, old and new bytes are mixed "
        "without an error; copy the file to a local disk, or raise MXNOVA_REMOTE_READ_AHEAD above "
        "its size"
    )


def content_of(url: str) -> bytearray:
    """All bytes of a file, compared with the checksum that its store has of it.

    Raises:
        FileError: it cannot be read, is larger than MXNOVA_REMOTE_MAX_SIZE, or has other bytes
            than its store says.
    """
    place = located(url)
    settings = place.settings
    found = opened(place, settings.request_size)
    if found.size > settings.max_size:
        text = f"{found.size} bytes, MXNOVA_REMOTE_MAX_SIZE allows {settings.max_size}"
        raise FileError(errno.EFBIG, text, url)
    _warn_of_changes(url, found)
    content = bytearray()
    n = min(settings.read_ahead // settings.request_size + 1, settings.requests)
    with ThreadPoolExecutor(n, "mxnova-remote") as pool:
        under_way: deque[Future[bytes]] = deque()
        for start in range(0, found.size, settings.request_size):
            end = min(start + settings.request_size, found.size)
            under_way.append(found.begin(start, end, partial(submitted, pool)))
            if len(under_way) >= n:
                content += under_way.popleft().result()
        while under_way:
            content += under_way.popleft().result()
    try:
        verify(content, retried(lambda: found.checksum, url, settings))
    except OSError as error:
        raise file_error(error, url) from None
    return content
