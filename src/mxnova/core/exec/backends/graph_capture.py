# SPDX-License-Identifier: Apache-2.0
"""Functions on a GPU whose kernels are recorded once and then started as one (CUDA graphs)."""

from __future__ import annotations

import functools
import logging
import threading
import weakref
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from ...runtime.engine.gpu import wait_for_gpu, whole_gpus
from ...runtime.torch_optimizers import foreach
from ..fused.training_group import Function

__all__ = ["KernelRecording"]

_log = logging.getLogger("mxnova")


class KernelRecording:
    """A function as recordings of its kernels and of those of its gradient.

    There is one for each set of inputs that gradients flow to. What cannot be recorded runs as it
    is, after a warning.

    Args:
        function: tensors to a tuple of tensors; no side effects, no random numbers.
        device: the GPU.
    """

    def __init__(self, function: Function, device: torch.device) -> None:
        self._function = function
        self._device = device
        self._lock = threading.Lock()
        self._recordings: dict[tuple[bool, ...], _Recording] = {}
        self._is_refused = False

    def __call__(self, *values: Tensor) -> Sequence[Tensor]:
        """What the function gives, in memory of its own."""
        if not self._is_refused:
            records = torch.is_grad_enabled()
            flows = tuple([records and t.requires_grad for t in values])
            with self._lock:
                recording = self._recordings.get(flows)
                if recording is None:
                    recording = self._recordings[flows] = _Recording(self._function, self._device)
                if not recording.is_waiting and self._fits(recording, values, flows):
                    return recording.replay(values, any(flows))
        results: Sequence[Tensor] = self._function(*values)
        return results

    def _fits(self, recording: _Recording, values: Sequence[Tensor], flows: Sequence[bool]) -> bool:
        """Whether `recording` can be replayed with these inputs; it is made anew where need be."""
        try:
            recording.fit(values, flows)
        except RuntimeError as error:  # CUDA's, memory's, an operator's
            reason = str(error).partition("\n")[0]
            _log.warning("backend 'cudagraph' records nothing: %s; ATen runs it", reason)
            self._is_refused = True
            self._recordings.clear()
            return False
        return True


class _Recording:
    """Kernels, with the memory that they read and write.

    Inputs that lie where they lay at the last recording, as parameters do, are read in their place.
    Others are copied, from the first time on that they lie elsewhere.
    """

    def __init__(self, function: Function, device: torch.device) -> None:
        self._function = function
        self._device = device
        self._inputs: list[Tensor] = []
        self._copied: set[int] = set()
        self._kernels: Any = None
        self._waiting: weakref.ref[Any] | None = None

    @property
    def is_waiting(self) -> bool:
        """Whether a backward pass may still come, which reads what the last replay has written."""
        return self._waiting is not None and self._waiting() is not None

    def fit(self, values: Sequence[Tensor], flows: Sequence[bool]) -> None:
        """Records the kernels, unless that has been done for inputs that lie where these lie."""
        pairs = zip(self._inputs, values, strict=False)  # no inputs before the first time
        moved = [i for i, (mine, given) in enumerate(pairs) if not _is_same(mine, given)]
        if self._kernels is not None and self._copied.issuperset(moved):
            return
        self._copied.update(moved)
        self._kernels = None  # its memory serves the next one
        self._inputs = [
            (t.detach().clone() if i in self._copied else t.detach()).requires_grad_(flow)
            for i, (t, flow) in enumerate(zip(values, flows, strict=True))
        ]
        with torch.cuda.device(self._device), whole_gpus(), torch.set_grad_enabled(any(flows)):
            self._kernels = _Kernels(self._function, self._inputs, self._device)

    def replay(self, values: Sequence[Tensor], flows: bool) -> Sequence[Tensor]:
        """What the function gives, as copies."""
        results = self._kernels(*(_OwnGradients.apply(*values) if flows else values))  # type: ignore[no-untyped-call]
        step = next((t.grad_fn for t in results if t.grad_fn is not None), None)
        self._waiting = None if step is None else weakref.ref(step)
        return tuple([t.clone() for t in results])


_WARM_UPS = 3


class _Kernels:
    """The kernels of a function of fixed inputs, and those of its gradient, as two graphs.

    Other threads may use the GPU while they are recorded, unlike with
    `torch.cuda.make_graphed_callables`, and a call without gradients is one of CUDA's.

    Attributes:
        inputs: what the kernels read.
        outputs: what they write.
        heads: gradients of outputs, which the kernels of the gradient read; None where none flows.
        gradients: of all inputs, which these write; none where none flows.
    """

    def __init__(self, function: Function, inputs: Sequence[Tensor], device: torch.device) -> None:
        self.inputs = inputs
        for_trials, for_records = _streams(device)
        _warm_up(function, inputs, device, for_trials)
        options: dict[str, Any] = {
            "pool": torch.cuda.graph_pool_handle(),
            "stream": for_records,
            "capture_error_mode": "thread_local",
        }
        self.forward, self.backward = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.forward, **options):
            self.outputs = tuple(function(*inputs))
        self.heads = _heads(self.outputs)
        self.gradients: list[Tensor | None] = []
        if any(h is not None for h in self.heads):
            with torch.cuda.graph(self.backward, **options):
                self.gradients = _gradients(inputs, self.outputs, self.heads)

    def __call__(self, *values: Tensor) -> Sequence[Tensor]:
        """The results, in memory that the next call writes over."""
        if self.gradients:
            results: Sequence[Tensor] = _Replay.apply(self, *values)  # type: ignore[no-untyped-call]
            return results
        with torch.no_grad():
            _feed(self.inputs, values)
        self.forward.replay()
        return self.outputs


@functools.cache
def _streams(device: torch.device) -> tuple[Any, Any]:
    """Two streams, for all trials and for all records: cuBLAS keeps 32 MB for each that it sees.

    They are two, since a replay of one function must not share that with the trial of another.
    """
    make: Any = torch.cuda.Stream
    return make(device), make(device)


def _warm_up(
    function: Function, inputs: Sequence[Tensor], device: torch.device, stream: Any
) -> None:
    """Lets libraries choose kernels and take their workspaces."""
    wait_for_gpu(device.index)
    with torch.cuda.stream(stream):
        for _ in range(_WARM_UPS):
            outputs = tuple(function(*inputs))
            _gradients(inputs, outputs, _heads(outputs))
    wait_for_gpu(device.index)


def _heads(outputs: Sequence[Tensor]) -> list[Tensor | None]:
    """Room for the gradients of outputs; None where none flows."""
    return [torch.empty_like(t) if t.requires_grad else None for t in outputs]


def _gradients(
    inputs: Sequence[Tensor], outputs: Sequence[Tensor], heads: Sequence[Tensor | None]
) -> list[Tensor | None]:
    """Gradients of all inputs; None where none flows."""
    pairs = [(t, h) for t, h in zip(outputs, heads, strict=True) if h is not None]
    if not pairs:
        return []
    ends, starts = zip(*pairs, strict=True)
    leaves = [t for t in inputs if t.requires_grad]
    found = iter(torch.autograd.grad(ends, leaves, starts, allow_unused=True))
    return [next(found) if t.requires_grad else None for t in inputs]


class _Replay(torch.autograd.Function):
    """Starts the kernels of a function and, in a backward pass, those of its gradient."""

    @staticmethod
    def forward(ctx: Any, kernels: _Kernels, *values: Tensor) -> tuple[Tensor, ...]:
        ctx.kernels = kernels
        _feed(kernels.inputs, values)
        kernels.forward.replay()
        return tuple([t.detach() for t in kernels.outputs])

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *heads: Tensor) -> Any:
        kernels: _Kernels = ctx.kernels
        _feed(kernels.heads, heads)
        kernels.backward.replay()
        return None, *[g if g is None else g.detach() for g in kernels.gradients]


def _feed(places: Sequence[Tensor | None], values: Sequence[Tensor]) -> None:
    for place, value in zip(places, values, strict=True):
        if place is not None and place.data_ptr() != value.data_ptr():
            place.copy_(value)


def _is_same(mine: Tensor, given: Tensor) -> bool:
    return mine.data_ptr() == given.data_ptr() and mine.stride() == given.stride()


class _OwnGradients(torch.autograd.Function):
    """Hands values through; gradients get memory of their own."""

    @staticmethod
    def forward(ctx: Any, *values: Tensor) -> tuple[Tensor, ...]:
        ctx.set_materialize_grads(False)
        return tuple([t.view_as(t) for t in values])

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor | None) -> Any:
        given = [g for g in gradients if g is not None]
        owned = [torch.empty_like(g) for g in given]
        foreach.copy_(owned, given)  # a few kernels for all of them
        found = iter(owned)
        return tuple([None if g is None else next(found) for g in gradients])
