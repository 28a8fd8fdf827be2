# SPDX-License-Identifier: Apache-2.0
"""CUDA's driver: compiled programs on their GPUs, and launches of their kernels."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np
import torch

from .cuda_compiler import bindings, called

__all__ = ["LoadedProgram"]


class LoadedProgram:
    """A compiled program, loaded on a GPU when one of its kernels is launched there first.

    Args:
        image: what NVRTC made.
    """

    def __init__(self, image: bytes) -> None:
        self._image = image
        self._lock = threading.Lock()
        self._functions: dict[tuple[int, str], Any] = {}
        self._modules: dict[int, Any] = {}

    def launch(
        self,
        name: str,
        device: int,
        grid: Sequence[int],
        block: Sequence[int],
        shared_bytes: int,
        arguments: Sequence[np.ndarray[Any, Any]],
    ) -> None:
        """Queues a kernel on the stream on which PyTorch works now.

        Args:
            name: as in the image.
            device: number of the GPU.
            grid: blocks along x, y, z.
            block: threads of a block along x, y, z.
            shared_bytes: of memory that a block's threads share, besides what the kernel declares.
            arguments: an array of one element each: a number, or an address on the GPU.

        Raises:
            MXNetError: what the driver refuses.
        """
        driver = bindings("driver")
        stream = torch.cuda.current_stream(device).cuda_stream
        addresses = np.array([a.ctypes.data for a in arguments], np.uint64)
        with _current(driver, device):
            called(
                driver.cuLaunchKernel,
                *(self._function(driver, device, name), *grid, *block, shared_bytes, stream),
                *(addresses.ctypes.data, 0),
            )

    def _function(self, driver: Any, device: int, name: str) -> Any:
        with self._lock:
            if (device, name) not in self._functions:
                if device not in self._modules:
                    module = called(driver.cuModuleLoadData, self._image)
                    self._modules[device] = module
                    end = weakref.finalize(self, _unload, driver, device, module)
                    end.atexit = False  # the driver is going too
                module = self._modules[device]
                found = called(driver.cuModuleGetFunction, module, name.encode())
                self._functions[device, name] = found
            return self._functions[device, name]


@contextmanager
def _current(driver: Any, device: int) -> Iterator[None]:
    called(driver.cuCtxPushCurrent, _primary(driver, device))
    try:
        yield
    finally:
        driver.cuCtxPopCurrent()


@cache
def _primary(driver: Any, device: int) -> Any:
    """The context that PyTorch works in too."""
    called(driver.cuInit, 0)
    return called(driver.cuDevicePrimaryCtxRetain, called(driver.cuDeviceGet, device))


def _unload(driver: Any, device: int, module: Any) -> None:
    with _current(driver, device):
        driver.cuCtxSynchronize()  # launched kernels may still run
        driver.cuModuleUnload(module)
