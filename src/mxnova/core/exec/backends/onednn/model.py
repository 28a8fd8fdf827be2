# SPDX-License-Identifier: Apache-2.0
"""A group of nodes as a traced function, whose parts oneDNN has compiled."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from ....runtime import torch_script
from ..conversion.graph import Part
from .opset import TorchOpset

__all__ = ["Model"]

_IN_ROWS = torch.contiguous_format


class Model:
    """A function of inputs of known shapes; any number of threads may run it.

    Args:
        part: what it computes.
    """

    def __init__(self, part: Part) -> None:
        def heads(*data: Tensor) -> tuple[Tensor, ...]:
            found = part.said_in(TorchOpset(data))
            return tuple(_with_own_memory(found, [*data, *part.constants.values()]))

        examples = tuple(torch.zeros(shape) for shape in part.shapes.values())
        # Results that depend on no input are made once, and must not be given away.
        self._run, self._fixed = torch_script.compiled_by_onednn(heads, examples)

    @torch.no_grad()
    def __call__(self, data: Sequence[Tensor]) -> Sequence[Tensor]:
        """The outputs, as tensors of their own."""
        results: Sequence[Tensor] = self._run(*[t.detach().contiguous() for t in data])
        if self._fixed:
            results = [t.clone() if i in self._fixed else t for i, t in enumerate(results)]
        return results


def _with_own_memory(heads: Sequence[Tensor], others: Sequence[Tensor]) -> Iterator[Tensor]:
    """Heads that share no memory with each other or with `others`: their readers may write."""
    taken = {t.untyped_storage().data_ptr() for t in others}
    for head in heads:
        is_shared = head.untyped_storage().data_ptr() in taken
        taken.add(head.untyped_storage().data_ptr())
        yield head.clone(memory_format=_IN_ROWS) if is_shared else head.contiguous()
