# SPDX-License-Identifier: Apache-2.0
"""Where operations on a GPU run: kernels on its default stream, copies beside them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import torch

from ...base.errors import from_foreign
from ..forks import after_fork_in_child
from .operation import FnProperty

__all__ = ["on_gpu", "wait_for_gpu", "whole_gpus"]

_turn = threading.RLock()


def whole_gpus() -> AbstractContextManager[Any]:
    """A block of one thread at a time: that waits for all work of a GPU, or records kernels.

    CUDA refuses to wait for a GPU while kernels are recorded, in any thread.
    """
    return _turn


def wait_for_gpu(number: int) -> None:
    """Returns when all that was queued on a GPU is done.

    Raises:
        MXNetError: some of it failed.
    """
    try:
        with whole_gpus():
            torch.cuda.synchronize(number)
    except RuntimeError as error:
        raise from_foreign(error, f"gpu({number})") from error


def _forget_turn() -> None:
    global _turn
    _turn = threading.RLock()


after_fork_in_child(_forget_turn)

_COPIES = (FnProperty.COPY_FROM_GPU, FnProperty.COPY_TO_GPU)


def on_gpu(kind: FnProperty, device: int) -> AbstractContextManager[Any]:
    """The block in which an operation of this kind runs on GPU number `device`."""
    return _copying(device) if kind in _COPIES else torch.cuda.device(device)


@contextmanager
def _copying(device: int) -> Iterator[None]:
    """A stream of its own, which begins after what the kernels before it wrote."""
    new_stream: Any = torch.cuda.Stream
    stream = new_stream(device)
    stream.wait_stream(torch.cuda.default_stream(device))
    with torch.cuda.stream(stream):
        yield
    stream.synchronize()
