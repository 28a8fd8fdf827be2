# SPDX-License-Identifier: Apache-2.0
"""A stand-in for CUDA graphs on the CPU: calls of ATen's operators, recorded and made again.

As on a GPU, a replay reads and writes the very memory that the recording read and wrote.
"""

import functools
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from mxnova.core.exec.backends import graph_capture

__all__ = ["REPLAYS", "Stream", "stand_in"]

REPLAYS: list[int] = []  # calls made again, one number a replay


class _Calls:
    """In the place of torch.cuda.CUDAGraph."""

    def __init__(self):
        self.made = []

    def replay(self):
        with torch.no_grad():
            for function, args, options, results in self.made:
                again = function(*args, **options)
                for old, new in zip(tree_leaves(results), tree_leaves(again), strict=True):
                    if isinstance(old, torch.Tensor) and old.data_ptr() != new.data_ptr():
                        old.copy_(new)
        REPLAYS.append(len(self.made))


class _Recorder(TorchDispatchMode):
    def __init__(self, calls):
        super().__init__()
        self._calls = calls

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        options = kwargs or {}
        results = function(*args, **options)
        self._calls.made.append((function, args, options, results))
        return results


@contextmanager
def _recording(calls, **_options) -> Iterator[None]:
    with _Recorder(calls):
        yield


class Stream:
    """In the place of torch.cuda.Stream."""

    made = 0

    def __init__(self, *_):
        Stream.made += 1


def stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets torch record and replay on the CPU."""
    REPLAYS.clear()
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "CUDAGraph", _Calls)
    monkeypatch.setattr(torch.cuda, "graph", _recording)
    monkeypatch.setattr(torch.cuda, "graph_pool_handle", lambda: None)
    for name in ("device", "stream"):
        monkeypatch.setattr(torch.cuda, name, nullcontext)
    monkeypatch.setattr(torch.cuda, "synchronize", lambda *_: None)
    monkeypatch.setattr(torch.cuda, "Stream", Stream)
    of_tests = functools.cache(graph_capture._streams.__wrapped__)
    monkeypatch.setattr(graph_capture, "_streams", of_tests)
