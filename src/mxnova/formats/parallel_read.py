# SPDX-License-Identifier: Apache-2.0
"""Reads large files by several threads.

What takes time is not the disk but the memory: new pages are zeroed, and those that the host of a
virtual machine has taken back come one by one. 100 MB took 200 ms there by one thread and 120 by
two; where pages are at hand both take 12.
"""

from __future__ import annotations

import io
import itertools
import os
from typing import BinaryIO

from mxnova.core.base.cores import usable_cores

__all__ = ["read_into"]

_SHARE = 8 << 20  # bytes of one thread at least


def read_into(file: BinaryIO, memory: memoryview) -> int:
    """Fills bytes with the next ones of an open file; gives how many there were.

    Raises:
        OSError: they cannot be read.
    """
    n_parts = min(usable_cores(), len(memory) // _SHARE)
    if n_parts > 1 and _has_places(file):
        try:
            return _read_by_threads(file, memory, n_parts)
        except RuntimeError:  # no thread begins: there are too many, or Python ends
            pass
    n_read: int = file.readinto(memory)  # type: ignore[attr-defined]
    return n_read


def _read_by_threads(file: BinaryIO, memory: memoryview, n_parts: int) -> int:
    from concurrent.futures import ThreadPoolExecutor  # 3 ms of imports

    start, length = file.tell(), len(memory)
    edges = [length * i // n_parts for i in range(n_parts + 1)]
    with ThreadPoolExecutor(n_parts, thread_name_prefix="mxnova-read") as pool:
        parts = [
            pool.submit(_fill, file.fileno(), memory[first:end], start + first)
            for first, end in itertools.pairwise(edges)
        ]
    n_read = 0
    for part, end in zip(parts, edges[1:], strict=True):
        n_read += part.result()
        if n_read < end:  # the file ends there
            break
    file.seek(start + n_read)
    return n_read


def _has_places(file: BinaryIO) -> bool:
    """Whether it can be read from any place, by the system."""
    return isinstance(file, io.BufferedReader) and hasattr(os, "preadv")


def _fill(descriptor: int, memory: memoryview, start: int) -> int:
    """Reads from byte `start` on; how many bytes there were."""
    n_read = 0
    while n_read < len(memory):
        count = os.preadv(descriptor, [memory[n_read:]], start + n_read)
        if not count:
            break
        n_read += count
    return n_read
