# SPDX-License-Identifier: Apache-2.0
"""What was read of a remote file, in spans: the bytes that one request brought."""

from __future__ import annotations

from collections import OrderedDict
from concurrent.futures import Future

__all__ = ["GRAIN", "Span", "Spans"]

GRAIN = 1 << 16  # bytes; spans are found by the grains that they touch
_OVERHEAD = 2 << 10  # bytes of memory for a span, beside its content


class Span:
    """Bytes `start` to `end` of a file, which are there or under way.

    Attributes:
        is_used: whether they were read, or nobody needs them any more.
    """

    __slots__ = ("content", "end", "is_used", "start")

    def __init__(self, start: int, end: int, content: Future[bytes]) -> None:
        self.start, self.end, self.content, self.is_used = start, end, content, False

    def __len__(self) -> int:
        return self.end - self.start

    @property
    def memory(self) -> int:
        """Bytes of memory that it takes."""
        return len(self) + _OVERHEAD


class Spans:
    """The spans of a file, which do not overlap.

    Attributes:
        kept: bytes of memory that all of them take.
        unused: bytes of those that nobody has read so far.
    """

    def __init__(self) -> None:
        self.kept = self.unused = 0
        self._spans: OrderedDict[int, Span] = OrderedDict()  # by start, the oldest first
        self._grains: dict[int, tuple[Span, ...]] = {}  # replaced as wholes: `at` needs no lock

    def at(self, place: int) -> Span | None:
        """The span that has the byte at `place`."""
        for span in self._grains.get(place // GRAIN, ()):
            if span.start <= place < span.end:
                return span
        return None

    def add(self, span: Span) -> None:
        """Adds a span, where there is none."""
        self._spans[span.start] = span
        for grain in _grains_of(span):
            self._grains[grain] = (*self._grains.get(grain, ()), span)
        self.kept += span.memory
        self.unused += len(span)

    def use(self, span: Span) -> None:
        """Notes that a span is read."""
        if not span.is_used:
            span.is_used = True
            self.unused -= len(span)
        if self._spans.get(span.start) is span:
            self._spans.move_to_end(span.start)

    def forget(self, span: Span) -> None:
        """Gives up a span, if it is still there."""
        if self._spans.get(span.start) is span:
            self.use(span)
            self.kept -= self._spans.pop(span.start).memory
            for grain in _grains_of(span):
                rest = tuple(other for other in self._grains.pop(grain) if other is not span)
                if rest:
                    self._grains[grain] = rest

    def oldest(self) -> Span | None:
        """The span that was read or asked for before all others, None if there is none."""
        return next(iter(self._spans.values()), None)

    def missing(self, start: int, end: int) -> int:
        """The first byte from `start` on that no span has, or one from `end` on."""
        while start < end and (span := self.at(start)) is not None:
            start = span.end
        return start

    def gap(self, low: int, place: int, high: int) -> tuple[int, int]:
        """Begin and end of what no span has around the byte at `place`, from `low` to `high`."""
        for grain in range(low // GRAIN, -(-high // GRAIN)):
            for span in self._grains.get(grain, ()):
                if span.end <= place:
                    low = max(low, span.end)
                elif span.start > place:
                    high = min(high, span.start)
        return low, high


def _grains_of(span: Span) -> range:
    return range(span.start // GRAIN, -(-span.end // GRAIN))
