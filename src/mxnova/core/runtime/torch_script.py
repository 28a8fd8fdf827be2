# SPDX-License-Identifier: Apache-2.0
"""The border to TorchScript, whose fuser hands graphs to oneDNN.

It is deprecated since torch 2.11: where it is gone, the backend that asks here is not available.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor

__all__ = ["compiled_by_onednn", "has_onednn_graphs"]

_jit: Any = getattr(torch, "jit", None)
_JIT_NAMES = ("trace", "freeze", "onednn_fusion_enabled", "enable_onednn_fusion")
_JIT_LOCK = threading.Lock()


def has_onednn_graphs() -> bool:
    """Whether TorchScript is there, deprecated since torch 2.11, and hands graphs to oneDNN."""
    is_built = bool(torch.backends.mkldnn.is_available())  # type: ignore[no-untyped-call]
    return is_built and all(hasattr(_jit, name) for name in _JIT_NAMES)


def compiled_by_onednn(
    function: Callable[..., Any], examples: Sequence[Tensor]
) -> tuple[Callable[..., Any], set[int]]:
    """A function of tensors, traced with examples, whose parts oneDNN has compiled.

    Where `has_onednn_graphs`.

    Returns:
        The function, and which of its results are one tensor in every call.
    """
    with torch.no_grad(), _onednn_fusion():
        run = _traced(_Traceable(function).eval(), tuple(examples))
        # The first run tells the shapes, the second compiles for them.
        first, second = run(*examples), run(*examples)
    pairs = enumerate(zip(first, second, strict=True))
    return run, {i for i, (one, other) in pairs if one.data_ptr() == other.data_ptr()}


def _traced(module: torch.nn.Module, examples: tuple[Tensor, ...]) -> Callable[..., Any]:
    """A function that is freed, with its constants, when nobody has it any more.

    `torch.jit.trace` keeps what it made as long as the process lives: the weights of each model.
    """
    unit = getattr(torch._C, "CompilationUnit", None)
    if unit is None or not hasattr(_jit, "_get_trace_graph"):
        return _jit.freeze(_jit.trace(module, examples, check_trace=False))  # type: ignore[no-any-return]
    graph, *_ = _jit._get_trace_graph(module, examples)
    function = unit().create_function("traced", graph)

    def run(*data: Tensor) -> Sequence[Tensor]:
        results = function(*data)
        return (results,) if isinstance(results, Tensor) else results

    return run


class _Traceable(torch.nn.Module):
    """A function as a module, which constants can be folded into."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self._function = function

    def forward(self, *data: Tensor) -> Any:
        return self._function(*data)


@contextmanager
def _onednn_fusion() -> Iterator[None]:
    """What runs for the first times meanwhile is compiled by oneDNN; one thread at a time."""
    with _JIT_LOCK, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch.jit is deprecated, and tells of sizes that it fixes
        before = _jit.onednn_fusion_enabled()
        _jit.enable_onednn_fusion(True)
        try:
            yield
        finally:
            _jit.enable_onednn_fusion(before)
