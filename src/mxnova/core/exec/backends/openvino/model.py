# SPDX-License-Identifier: Apache-2.0
"""A group of nodes as a compiled model of OpenVINO's, and running it on tensors."""

from __future__ import annotations

import functools
import threading
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

import openvino
import torch
from openvino import opset13 as ov
from torch import Tensor

from ....base.inference_runtimes import openvino_settings
from ....base.interrupts import deferred_interrupts
from ....runtime.threads import thread_count
from ..conversion.graph import Part
from .opset import OpenVINOOpset

__all__ = ["Model", "has_bfloat16"]

_DEVICE = "CPU"


@functools.cache
def _core() -> Any:
    return openvino.Core()


def has_bfloat16() -> bool:
    """Whether the processor has instructions for it."""
    return "BF16" in _core().get_property(_DEVICE, "OPTIMIZATION_CAPABILITIES")


class Model:
    """A compiled model for inputs of known shapes; any number of threads may run it.

    Args:
        part: what it computes.
        items: how many items of a batch a thread takes at once, which do not meet; 0: threads take
            part in one run of them all.
    """

    def __init__(self, part: Part, items: int = 0) -> None:
        ops = OpenVINOOpset()
        run = part.of_items(items) if items else part
        heads = run.said_in(ops)
        # Heads that are inputs are copied: OpenVINO would leave its own memory in their place.
        self._copied = {
            i: position
            for i, head in enumerate(heads)
            for position, parameter in enumerate(ops.parameters)
            if head == parameter.output(0)
        }
        results = [ov.result(h) for i, h in enumerate(heads) if i not in self._copied]
        model = openvino.Model(results, ops.parameters, "mxnova")
        threads = thread_count()
        settings = openvino_settings(
            threads, part.precision, part.has_integers(), threads if items else 1
        )
        self._compiled = _core().compile_model(model, _DEVICE, settings)
        made = [*zip(part.head_shapes(), part.head_dtypes(), strict=True)]
        self._n_runs = made[0][0][0] // items if items else 1
        self._heads = [head for i, head in enumerate(made) if i not in self._copied]
        self._local = threading.local()

    def __call__(self, data: Sequence[Tensor]) -> list[Tensor]:
        """The outputs, as tensors of their own."""
        results = [torch.empty(shape, dtype=dtype) for shape, dtype in self._heads]
        given = [t.detach().contiguous() for t in data]
        requests = self._requests()
        for i, request in enumerate(requests):
            for position, tensor in enumerate(given):
                request.set_input_tensor(position, self._memory(tensor, i))
            for position, tensor in enumerate(results):
                request.set_output_tensor(position, self._memory(tensor, i))
        try:
            _run(requests)
        except Exception:
            del self._local.requests  # nobody knows what state they are in
            raise
        for i, source in self._copied.items():  # ascending
            results.insert(i, data[source].clone())
        return results

    def _requests(self) -> list[Any]:
        """Those of the calling thread, one for each run."""
        found: list[Any] | None = getattr(self._local, "requests", None)
        if found is None:
            made = [self._compiled.create_infer_request() for _ in range(self._n_runs)]
            found = self._local.requests = made
        return found

    def _memory(self, tensor: Tensor, run: int) -> Any:
        """What a run reads or writes of a tensor."""
        if self._n_runs > 1:
            items = len(tensor) // self._n_runs
            tensor = tensor[run * items : (run + 1) * items]
        return openvino.Tensor(tensor.numpy(), shared_memory=True)


def _run(requests: Sequence[Any]) -> None:
    """Runs them at the same time; however it ends, none of them runs on.

    Requests do not keep the memory that they write. Ctrl-C comes at the end, as from a single run.
    """
    with deferred_interrupts(), ExitStack() as running:
        for request in requests:
            request.start_async()  # infer() would make a dictionary of copies
            running.callback(request.wait)
