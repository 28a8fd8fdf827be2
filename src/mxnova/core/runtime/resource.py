# SPDX-License-Identifier: Apache-2.0
"""Random streams, one a context."""

from __future__ import annotations

import threading

import torch

from .context import Context

__all__ = ["random_stream", "seed"]

_lock = threading.Lock()
_streams: dict[Context, torch.Generator] = {}


def random_stream(context: Context) -> torch.Generator:
    """The generator that operators running on `context` draw from."""
    stream = _streams.get(context)
    if stream is None:
        with _lock:
            stream = _streams.setdefault(context, _made(context, torch.initial_seed()))
    return stream


def _made(context: Context, number: int) -> torch.Generator:
    stream = torch.Generator(device=context.device)
    # Distinct streams for distinct contexts, whatever the seed.
    return stream.manual_seed((number + 0x9E3779B97F4A7C15 * context.device_id) % 2**63)


def seed(number: int, context: Context | None = None) -> None:
    """Restarts the stream of `context`, or of every context."""
    with _lock:
        if context is not None:
            _streams[context] = _made(context, number)
            return
        torch.manual_seed(number)
        for known in list(_streams):
            _streams[known] = _made(known, number)
