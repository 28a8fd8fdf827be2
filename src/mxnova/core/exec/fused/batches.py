# SPDX-License-Identifier: Apache-2.0
"""Groups of nodes that run on some items of a batch at a time, each thread on some."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from ...graph.symbol import Symbol
from ...runtime.context import Context
from ...runtime.threads import map_single_threaded, thread_count
from .group import Group, function_of

__all__ = ["BatchGroup"]


class BatchGroup(Group):
    """A group that runs on some images at a time."""

    images: int

    def of_body(self, body: Symbol) -> BatchGroup:
        """The same group of other nodes on the same variables."""
        return type(self)(**{**self.values, "body": body})

    def _make(self, data: Sequence[Tensor]) -> Any:
        function = function_of(self, data, Context("cpu", 0), watched=True)
        run = torch.no_grad()(function)  # each thread says so for itself
        return functools.partial(_shared_out, run, self.images)


def _shared_out(
    run: Callable[[Sequence[Tensor]], Sequence[Tensor]], images: int, data: Sequence[Tensor]
) -> Sequence[Tensor]:
    batch = len(data[0]) if data else 0  # all that it reads may stay
    if thread_count() < 2 or batch <= images or any(len(t) != batch for t in data):
        return run(data)
    parts = [[t[i : i + images] for t in data] for i in range(0, batch, images)]
    results = map_single_threaded(run, parts)
    return [torch.cat(columns) for columns in zip(*results, strict=True)]
