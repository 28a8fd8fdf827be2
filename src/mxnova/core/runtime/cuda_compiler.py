# SPDX-License-Identifier: Apache-2.0
"""NVRTC: CUDA C++ as text becomes PTX, whose kernels and their parameters are then known."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import torch

from ..base.errors import MXNetError

__all__ = ["Program", "bindings", "called", "compiled"]

_ENTRY = re.compile(r"\.entry\s+([\w$]+)\s*\(([^)]*)\)")
_PARAMETER = re.compile(r"\.param\s+(?:\.align\s+\d+\s+)?\.[busf](\d+)[^,\[]*(?:\[(\d+)\])?")


class Program(NamedTuple):
    """What a source became.

    Attributes:
        image: PTX, with the 0 that ends it; machine code where no PTX was made.
        names: the kernels that were asked for by `exports`, as they are called in the image.
        kernels: bytes of each parameter, by a kernel's name in the image; None without PTX.
    """

    image: bytes
    names: dict[str, str]
    kernels: dict[str, list[int]] | None


def bindings(library: str) -> Any:
    """A module of NVIDIA's Python bindings: `nvrtc` or `driver`.

    Raises:
        MXNetError: they are not installed.
    """
    try:
        return importlib.import_module(f"cuda.bindings.{library}")
    except ImportError as error:
        raise MXNetError(
            f"rtc: CUDA sources are compiled and launched by NVIDIA's cuda-bindings, which cannot "
            f"be imported ({error}): pip install 'mxnova[rtc]'"
        ) from None


def called(function: Callable[..., Any], *args: Any) -> Any:
    """What a function of the bindings gives, without its status.

    Raises:
        MXNetError: the status is no success, or the library behind the bindings is missing.
    """
    try:
        status, *results = function(*args)
    except (RuntimeError, OSError) as error:
        lines = str(error).splitlines() or [type(error).__name__]
        raise MXNetError(f"rtc: {function.__name__}: {lines[0]}") from None
    if int(status):
        raise MXNetError(f"rtc: {function.__name__}: {status.name}")
    return results[0] if results else None


def compiled(source: str, options: Sequence[str], exports: Sequence[str]) -> Program:
    """Compiles a source.

    Args:
        source: CUDA C++.
        options: of the compiler. Without an architecture among them it is that of the oldest GPU
            here, and NVRTC's default where there is none.
        exports: names of kernels that are not ``extern "C"``, such as instances of templates.

    Raises:
        MXNetError: NVRTC is missing, or has errors to tell.
    """
    nvrtc = bindings("nvrtc")
    with _handle(nvrtc, source) as handle:
        for name in exports:
            called(nvrtc.nvrtcAddNameExpression, handle, name.encode())
        flags = [option.encode() for option in (*options, *_architecture(nvrtc, options))]
        (status,) = nvrtc.nvrtcCompileProgram(handle, len(flags), flags)
        if int(status):
            log = _filled(nvrtc.nvrtcGetProgramLogSize, nvrtc.nvrtcGetProgramLog, handle)
            text = log.rstrip(b"\0").decode(errors="replace")
            raise MXNetError(f"rtc: the source does not compile ({status.name})\n{text}")
        names = {n: called(nvrtc.nvrtcGetLoweredName, handle, n.encode()) for n in exports}
        ptx = _filled(nvrtc.nvrtcGetPTXSize, nvrtc.nvrtcGetPTX, handle)
        image = ptx or _filled(nvrtc.nvrtcGetCUBINSize, nvrtc.nvrtcGetCUBIN, handle)
    kernels = _kernels(ptx.decode()) if ptx else None
    return Program(image, {n: m.decode() for n, m in names.items()}, kernels)


@contextmanager
def _handle(nvrtc: Any, source: str) -> Iterator[Any]:
    handle = called(nvrtc.nvrtcCreateProgram, source.encode(), b"source.cu", 0, [], [])
    try:
        yield handle
    finally:
        nvrtc.nvrtcDestroyProgram(handle)


def _architecture(nvrtc: Any, options: Sequence[str]) -> list[str]:
    chosen = any(o.startswith(("--gpu-architecture", "-arch")) for o in options)
    if chosen or not torch.cuda.is_available():
        return []
    each = (torch.cuda.get_device_capability(i) for i in range(torch.cuda.device_count()))
    oldest = min(10 * major + minor for major, minor in each)
    usable = [a for a in called(nvrtc.nvrtcGetSupportedArchs) if a <= oldest]
    return [f"--gpu-architecture=compute_{max(usable)}"] if usable else []


def _filled(size_of: Any, fill: Any, handle: Any) -> bytes:
    """What NVRTC writes into memory of its caller."""
    memory = bytes(called(size_of, handle))
    called(fill, handle, memory)
    return memory


def _kernels(ptx: str) -> dict[str, list[int]]:
    return {
        name: [int(bits) // 8 * int(count or 1) for bits, count in _PARAMETER.findall(parameters)]
        for name, parameters in _ENTRY.findall(ptx)
    }
