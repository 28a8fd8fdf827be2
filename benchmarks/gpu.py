# SPDX-License-Identifier: Apache-2.0
"""The GPU that subjects run on; smoke tests without one run on the CPU."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from benchmarks.subject import Options, Skip

__all__ = ["context_on", "device_for", "name", "started", "waiter"]


def started() -> None:
    """Makes the GPU ready, where there is one: it takes seconds, which no case should have."""
    import torch

    if torch.cuda.is_available():
        torch.zeros(1, device="cuda")


def device_for(options: Options) -> str:
    """Torch's name of the device to run on.

    Raises:
        Skip: there is no GPU, and it is no smoke test.
    """
    import torch

    if torch.cuda.is_available():
        return "cuda"
    if options.smoke:
        return "cpu"
    raise Skip("torch finds no GPU here; with --smoke it runs on the CPU")


def context_on(mx: Any, device: str) -> Any:
    """The context of the package `mx` that stands for `device`."""
    return mx.gpu(0) if device == "cuda" else mx.cpu()


def waiter(device: str) -> Callable[[], object]:
    """A function that waits for all that `device` has to do."""
    import torch

    return torch.cuda.synchronize if device == "cuda" else lambda: None


def name() -> dict[str, str]:
    """The card as ``gpu``, where this process uses one."""
    torch = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_initialized():
        return {}
    return {"gpu": f"{torch.cuda.get_device_name()}, CUDA {torch.version.cuda}"}
