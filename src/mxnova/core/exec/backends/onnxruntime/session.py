# SPDX-License-Identifier: Apache-2.0
"""A group of nodes as a session of ONNX Runtime's, and running it on tensors."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import onnxruntime
import torch
from torch import Tensor

from ....base.inference_runtimes import DISABLED_PASSES, onnxruntime_options
from ....runtime.threads import map_single_threaded
from ..conversion.graph import Part
from .opset import RuntimeOpset

__all__ = ["ItemsApart", "Session"]


class Session:
    """A session for inputs of known shapes; any number of threads may run it.

    Args:
        part: what it computes.
        threads: how many take part in a run.
    """

    def __init__(self, part: Part, threads: int) -> None:
        ops = RuntimeOpset(part.has_integers())
        self._outputs = [ops.output(head) for head in part.said_in(ops)]
        self._heads = [*zip(part.head_shapes(), part.head_dtypes(), strict=True)]
        self._inputs = ops.inputs
        options = onnxruntime_options(threads)
        model = ops.model(dict(zip(self._outputs, part.head_dtypes(), strict=True)))
        self._constants = ops.constants  # which the session reads where they are
        options.add_external_initializers([*ops.constants], [*ops.constants.values()])
        self._session = onnxruntime.InferenceSession(
            model,
            options,
            providers=["CPUExecutionProvider"],
            disabled_optimizers=[*DISABLED_PASSES],
        )
        self._local = threading.local()

    def __call__(self, data: Sequence[Tensor]) -> list[Tensor]:
        """The outputs, as tensors of their own."""
        results = [torch.empty(shape, dtype=dtype) for shape, dtype in self._heads]
        self.run(data, results)
        return results

    def run(self, data: Sequence[Tensor], results: Sequence[Tensor]) -> None:
        """Computes the outputs, in rows each, into `results`."""
        binding = getattr(self._local, "binding", None)
        if binding is None:
            binding = self._local.binding = self._session.io_binding()
        given = [t.detach().contiguous() for t in data]
        for name, tensor in zip(self._inputs, given, strict=True):
            binding.bind_input(name, *_memory(tensor))
        for name, tensor in zip(self._outputs, results, strict=True):
            binding.bind_output(name, *_memory(tensor))
        self._session.run_with_iobinding(binding)


class ItemsApart:
    """A session of one thread, which each thread of a pool runs on some items of a batch.

    So threads meet once a run instead of at the end of each operator: a Transformer encoder takes
    0.97 of the time on two cores, and 0.6 where another program wants one of them.

    Args:
        part: what it computes.
        items: how many a thread takes.
    """

    def __init__(self, part: Part, items: int) -> None:
        self._heads = [*zip(part.head_shapes(), part.head_dtypes(), strict=True)]
        self._count = self._heads[0][0][0] // items
        self._session = Session(part.of_items(items), 1)

    def __call__(self, data: Sequence[Tensor]) -> list[Tensor]:
        """The outputs, as tensors of their own."""
        results = [torch.empty(shape, dtype=dtype) for shape, dtype in self._heads]
        inputs = zip(*[t.chunk(self._count) for t in data], strict=True)
        outputs = zip(*[t.chunk(self._count) for t in results], strict=True)
        map_single_threaded(
            lambda part: self._session.run(*part), zip(inputs, outputs, strict=True)
        )
        return results


def _memory(tensor: Tensor) -> Any:
    return "cpu", 0, tensor.numpy().dtype.type, tuple(tensor.shape), tensor.data_ptr()
