# SPDX-License-Identifier: Apache-2.0
"""Forward passes of an executor that are recorded, and the way back through them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor

from ...base.errors import MXNetError, from_foreign
from ...nd.autograd import run_backward
from ...op.gradient import zeros_for
from ...op.sparse.storage import Value
from ...runtime.context import Context
from ...runtime.profiler import PROFILER, recorded_backward
from ...runtime.resource import random_stream
from ...runtime.threads import single_threaded
from ..compilation.specialization import Inference
from ..program.interpreter import Observer
from ..program.leaf_kernels import LeafKernels
from ..program.losses import Loss
from ..program.program import Mode
from ..program.sparse_execution import leaf_of, tracked_of

__all__ = ["RecordedPass"]


class RecordedPass:
    """What the last forward pass left for a backward pass.

    Args:
        inference: how the program runs.
        tracked: which inputs have a gradient, by number.
        context: where the profiler shows backward passes.

    Attributes:
        results: what gradients flow from, one for each output; None where nothing was recorded.
    """

    def __init__(self, inference: Inference, tracked: Sequence[int], context: Context) -> None:
        self._inference, self._program = inference, inference.program
        self._tracked = tracked
        self._context = context
        differentiate = RecordedPass._run_backward
        is_small = self._program.is_small
        self._differentiate = single_threaded(differentiate) if is_small else differentiate
        self._known: dict[int, tuple[Value, Any, Tensor]] = {}  # value, edge, leaf; by input
        self._kernels = LeafKernels(context)
        self._leaves: list[Tensor] = []
        self._edges: Sequence[Any] = ()  # what left the program
        self._starts: list[Tensor] = []  # where zeros start gradients
        self._drawn_from: list[tuple[torch.Generator, Tensor]] = []
        self._are_taken = True  # the gradients of the last backward pass
        self.results: list[Tensor] | None = None

    # Forwards ------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Begins a forward pass, recorded or not, dropping what the last one left."""
        self.results = None
        self._edges, self._starts = (), []
        self._kernels.begin()

    def run(
        self, train: bool, inputs: list[Any], observers: Sequence[Observer] = ()
    ) -> Sequence[Any]:
        """Runs the program in a pass that has begun, keeping what the backward pass needs.

        Leaves alias the arrays' memory but not their version counter: an update between forward
        and backward is seen, as in MXNet, instead of refused.

        Args:
            train: run operators as in training.
            inputs: values of the program's variables; leaves take the places of some.
            observers: who watches.
        """
        self._leaves = [self._leaf(i, inputs) for i in self._tracked]
        is_recorded = bool(self._tracked)
        if torch.is_grad_enabled() is is_recorded:
            results = self._run(train, inputs, observers)
        else:
            with torch.set_grad_enabled(is_recorded):
                results = self._run(train, inputs, observers)
        n = len(self._program.symbol.entries)
        self._edges = results[:n]
        self.results = list(map(tracked_of, self._edges))
        self._starts = list(map(tracked_of, results[n:]))
        return self._edges

    def _run(self, train: bool, inputs: list[Any], observers: Sequence[Observer]) -> Sequence[Any]:
        if train and self._tracked:
            return self._inference.training.run(inputs, observers, not PROFILER.running)
        return self._program.run(inputs, Mode(train, bool(self._tracked)), observers)

    def remember_draws(self) -> None:
        """Makes `run_again` possible after a pass that is not recorded, which comes next."""
        self._drawn_from = self._random_states()

    def run_again(self, inputs: list[Any]) -> None:
        """Records the last forward pass outside training, with the same random numbers."""
        self.begin()
        with self._drawing_again():
            self.run(False, inputs)

    def _leaf(self, i: int, inputs: list[Any]) -> Tensor:
        """The leaf of input `i`, in whose place goes what gradients flow through."""
        value = inputs[i]
        known = self._known.get(i)
        if known is None or known[0] is not value:
            known = self._known[i] = value, *leaf_of(value, self._kernels)
        _, inputs[i], leaf = known
        return leaf

    def _random_states(self) -> list[tuple[torch.Generator, Tensor]]:
        """The random streams that the program draws from, as they are now."""
        streams = [random_stream(c) for c in self._program.drawing_contexts]
        return [(stream, stream.get_state()) for stream in streams]

    @contextmanager
    def _drawing_again(self) -> Iterator[None]:
        """A block in which random streams give what they gave to the last forward."""
        now = self._random_states()
        for stream, state in self._drawn_from:
            stream.set_state(state)
        try:
            yield
        finally:
            for stream, state in now:
                stream.set_state(state)

    # Backwards -----------------------------------------------------------------------------------

    def differentiate(self, heads: Sequence[Tensor] | None) -> None:
        """Computes gradients of the tracked inputs.

        Args:
            heads: those of the results; None: ones.

        Raises:
            MXNetError: an operator refuses.
        """
        if not self._are_taken:  # Ctrl-C came in between: they would be added to
            self._forget_gradients()
        self._are_taken = False
        try:
            self._differentiate(self, heads)
        except Exception as error:
            self._forget_gradients()
            if isinstance(error, MXNetError):
                raise
            raise from_foreign(error, "backward") from error

    def _run_backward(self, heads: Sequence[Tensor] | None) -> None:
        """Losses, then autograd's pass, then that of the kernels behind it."""
        pairs = [
            (s, zeros_for(s.shape, s.dtype, s.device)) for s in self._starts if s.requires_grad
        ]
        for i, (edge, result) in enumerate(zip(self._edges, self.results or (), strict=True)):
            if isinstance(edge, Loss):
                pairs += edge.gradients()
            elif result.requires_grad:
                pairs.append((result, torch.ones_like(result) if heads is None else heads[i]))
        wanted = (*[leaf for leaf in self._leaves if leaf.requires_grad], *self._kernels.links)
        if not pairs or not wanted:
            return
        roots, gradients = zip(*pairs, strict=True)
        # Into the leaves: there each gradient is nobody else's, so it can change hands.
        if PROFILER.running:
            with recorded_backward(roots, self._context):
                run_backward(roots, gradients, True, False, wanted, True, True)
        else:
            run_backward(roots, gradients, True, False, wanted, True, True)
        self._kernels.differentiate()

    def _forget_gradients(self) -> None:
        for leaf in self._leaves:
            leaf.grad = None
        self._kernels.forget()

    def take_gradients(self) -> Iterator[Value | None]:
        """The gradients of the tracked inputs; None where none flows. They belong to the caller."""
        for leaf in self._leaves:
            yield self._kernels.take(leaf)
        self._are_taken = True
