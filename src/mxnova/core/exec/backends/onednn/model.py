# SPDX-License-Identifier: Apache-2.0
"""A group of nodes as a traced function, whose parts oneDNN has compiled."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor

from ..conversion.graph import Part
from .opset import TorchOpset

__all__ = ["Model"]

_jit: Any = torch.jit  # its functions have no types
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
        with torch.no_grad(), _compiling():
            traced = _jit.trace(_Traceable(heads).eval(), examples, check_trace=False)
            self._run = _jit.freeze(traced)
            # The first run tells the shapes, the second compiles for them.
            first, second = self._run(*examples), self._run(*examples)
        # Results that depend on no input are made once, and must not be given away.
        pairs = enumerate(zip(first, second, strict=True))
        self._fixed = {i for i, (one, other) in pairs if one.data_ptr() == other.data_ptr()}

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


class _Traceable(torch.nn.Module):
    """A function as a module, which constants can be folded into."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self._function = function

    def forward(self, *data: Tensor) -> Any:
        return self._function(*data)


_LOCK = threading.Lock()


@contextmanager
def _compiling() -> Iterator[None]:
    """What runs for the first times meanwhile is compiled by oneDNN; one thread at a time."""
    with _LOCK, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch.jit is deprecated, and tells of sizes that it fixes
        before = _jit.onednn_fusion_enabled()
        _jit.enable_onednn_fusion(True)
        try:
            yield
        finally:
            _jit.enable_onednn_fusion(before)
