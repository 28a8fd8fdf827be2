# SPDX-License-Identifier: Apache-2.0
"""Gradients that leave for a store while the backward pass goes on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from ..core.nd.array import NDArray
from ..core.nd.creation import zeros
from ..core.nd.tape import Leaf
from ..core.nd.wrapping import wrap
from ..core.runtime.context import Context
from ..kvstore import KVStore
from .parameter import Parameter

__all__ = ["Overlap"]

_BUCKET_BYTES = 1 << 20  # of gradients that leave together; several are on their way at a time

Learning = Sequence[tuple[int, Parameter, list[NDArray], list[NDArray]]]


class Overlap:
    """Hooks of the parameters of a Trainer, each of which is on one device.

    A gradient is taken when the backward pass has made it, and pushed with its neighbors. What
    had no hook yet, as in the first pass, is pushed by `finish`.

    Args:
        store: sums up.
    """

    def __init__(self, store: KVStore) -> None:
        self._store = store
        self._hooked: dict[int, tuple[Leaf, Any]] = {}
        self._sums: dict[int, NDArray] = {}
        self._waiting: dict[int, NDArray] = {}  # gradients of the next bucket, by key
        self._n_bytes = 0
        self._sent: set[int] = set()

    def finish(self, learning: Learning) -> None:
        """Sends what is left, and puts all sums into the arrays of the gradients."""
        self._flush()
        rest = [(key, grads) for key, _, _, grads in learning if key not in self._sent]
        if rest:
            keys, grads = zip(*rest, strict=True)
            self._store.pushpull(list(keys), list(grads), out=list(grads))
        for key, _, _, (grad,) in learning:
            if key in self._sent:
                self._sums[key].copyto(grad)
        self._sent.clear()
        self._hook(learning)

    def _hook(self, learning: Learning) -> None:
        """Watches the parameters, also those that have got other arrays since."""
        for key, _, (array,), (grad,) in learning:
            node: Any = array._node
            known, handle = self._hooked.get(key, (None, None))
            if known is node:
                continue
            if handle is not None:
                handle.remove()
                del self._hooked[key]
            is_whole = type(node) is Leaf and node.grad_req == "write" and grad.stype == "default"
            if is_whole and node.tensor.requires_grad:
                self._sums[key] = zeros(grad.shape, ctx=grad.context, dtype=grad.dtype)
                self._hooked[key] = node, node.tensor.register_hook(self._taking(key, grad.context))

    def _taking(self, key: int, context: Context) -> Any:
        def take(gradient: Tensor) -> None:
            if key in self._waiting:  # of a pass before, which this one overwrites
                self._flush()
            taken = gradient.detach().clone(memory_format=torch.contiguous_format)
            self._waiting[key] = wrap(taken, context)
            self._n_bytes += gradient.nbytes
            if self._n_bytes >= _BUCKET_BYTES:
                self._flush()

        return take

    def _flush(self) -> None:
        if not self._waiting:
            return
        waiting, self._waiting, self._n_bytes = self._waiting, {}, 0
        self._sent |= waiting.keys()
        sums = [self._sums[key] for key in waiting]
        self._store.pushpull(list(waiting), list(waiting.values()), out=sums)
