# SPDX-License-Identifier: Apache-2.0
"""A group of nodes as a compiled model of OpenVINO's, and running it on tensors."""

from __future__ import annotations

import functools
import threading
from collections.abc import Sequence
from typing import Any

import openvino
import torch
from openvino import opset13 as ov
from torch import Tensor

from ....base.inference_runtimes import openvino_settings
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
    """

    def __init__(self, part: Part) -> None:
        ops = OpenVINOOpset()
        heads = part.said_in(ops)
        # Heads that are inputs are copied: OpenVINO would leave its own memory in their place.
        self._copied = {
            i: position
            for i, head in enumerate(heads)
            for position, parameter in enumerate(ops.parameters)
            if head == parameter.output(0)
        }
        results = [ov.result(h) for i, h in enumerate(heads) if i not in self._copied]
        model = openvino.Model(results, ops.parameters, "mxnova")
        settings = openvino_settings(thread_count(), part.precision, part.has_integers())
        self._compiled = _core().compile_model(model, _DEVICE, settings)
        made = zip(part.head_shapes(), part.head_dtypes(), strict=True)
        self._heads = [head for i, head in enumerate(made) if i not in self._copied]
        self._local = threading.local()

    def __call__(self, data: Sequence[Tensor]) -> list[Tensor]:
        """The outputs, as tensors of their own."""
        request = getattr(self._local, "request", None)
        if request is None:
            request = self._local.request = self._compiled.create_infer_request()
        given = [t.detach().contiguous() for t in data]
        results = [torch.empty(shape, dtype=dtype) for shape, dtype in self._heads]
        for i, tensor in enumerate(given):
            request.set_input_tensor(i, openvino.Tensor(tensor.numpy(), shared_memory=True))
        for i, tensor in enumerate(results):
            request.set_output_tensor(i, openvino.Tensor(tensor.numpy(), shared_memory=True))
        request.start_async()  # infer() would make a dictionary of copies
        request.wait()
        for i, source in self._copied.items():  # ascending
            results.insert(i, data[source].clone())
        return results
