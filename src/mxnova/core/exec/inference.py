# SPDX-License-Identifier: Apache-2.0
"""Running a bound graph for inference.

Parameters that stay as they are let the graph be rewritten around them: BatchNorm folded into the
convolution before it, activations and sums done by the convolution, weights laid out for the
kernels. An executor cannot know that they stay, so it looks at their version counters, which every
write increments: the second run with the same parameters runs the rewritten graph, and the first
run after a change the plain one.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, fx

from ..base import env
from ..graph.infer import StypeTable
from ..graph.symbol import Symbol
from .backends import onednn
from .lower import lower
from .profiled import run

__all__ = ["InferencePlan"]


class InferencePlan:
    """How one bound graph computes its outputs outside training; many threads may run it."""

    def __init__(
        self,
        symbol: Symbol,
        rng: Callable[[], torch.Generator],
        device: torch.device,
        stypes: StypeTable | None = None,
    ) -> None:
        self._symbol = symbol
        self._stypes = stypes
        self._rng = rng
        self._device = device
        self._lock = threading.Lock()
        self._constant: frozenset[int] | None = None
        self._seen: Any = None
        self._held: list[Tensor] = []
        self._frozen: tuple[Any, Callable[..., Sequence[Tensor]]] | None = None

    @functools.cached_property
    def plain(self) -> fx.GraphModule:
        """The graph as the symbol says it."""
        return lower(
            self._symbol,
            train=False,
            recording=False,
            rng=self._rng,
            device=self._device,
            stypes=self._stypes,
        )

    @functools.cached_property
    def _watched(self) -> list[int]:
        """Inputs whose values a rewrite would use, by number."""
        if self._stypes is not None or not env.get("MXNOVA_FUSE"):
            return []
        return onednn.parameters(self.plain)

    def freeze(self, constant: set[int]) -> None:
        """Says that these inputs, by number, never change."""
        if self._constant != frozenset(constant):
            self._constant, self._frozen = frozenset(constant), None

    def run(self, inputs: Sequence[Tensor], shared: bool = False) -> Sequence[Tensor]:
        """The outputs for these arguments and auxiliary states.

        Args:
            inputs: their tensors.
            shared: others may write to the memory of some, which no counter shows.
        """
        watched = self._watched
        if shared or not watched or inputs[watched[0]].is_cuda:
            return self._run_plain(inputs)
        if self._constant is not None:
            key: Any = True
        else:
            key = [(id(inputs[i]), inputs[i]._version) for i in watched]
        if self._frozen is not None and self._frozen[0] == key:
            return run(self._frozen[1], inputs, self._device)
        if key is not True and key != self._seen:
            self._seen, self._frozen = key, None
            self._held = [inputs[i] for i in watched]  # so that no other tensor gets their ids
            return self._run_plain(inputs)
        return run(self._freeze(key, inputs), inputs, self._device)

    def _run_plain(self, inputs: Sequence[Tensor]) -> Sequence[Tensor]:
        return run(self.plain, inputs, self._device)

    def _freeze(self, key: Any, inputs: Sequence[Tensor]) -> Callable[..., Sequence[Tensor]]:
        with self._lock:
            if self._frozen is None or self._frozen[0] != key:
                constant = self._constant
                usable = [i for i in self._watched if constant is None or i in constant]
                rewritten = onednn.rewrite(self.plain, {i: inputs[i] for i in usable})
                self._frozen = (key, rewritten)
            return self._frozen[1]
