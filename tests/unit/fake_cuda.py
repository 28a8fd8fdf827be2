# ruff: noqa: N802 - the names of the bindings
"""A GPU that is none: NVIDIA's bindings, with kernels in Python on memory of the CPU."""

from __future__ import annotations

import ctypes
import enum
import importlib
import re
import sys
from contextlib import nullcontext
from types import ModuleType, SimpleNamespace

import torch

from mxnova.core.runtime import context as context_module
from mxnova.core.runtime import cuda_module

engine_module = importlib.import_module("mxnova.core.runtime.engine.engine")

STREAM = 77


class Status(enum.IntEnum):
    SUCCESS = 0
    ERROR_COMPILATION = 6
    CUDA_ERROR_INVALID_VALUE = 1


class FakeCuda:
    """What the bindings know: the texts that compile, the kernels, and what was called.

    Attributes:
        ptx: what each source compiles to; other sources do not compile.
        kernels: by name in the PTX, functions of (grid, block, argument addresses).
        calls: names of functions of the driver, with what matters of their arguments.
    """

    def __init__(self):
        self.ptx: dict[str, str] = {}
        self.kernels = {}
        self.calls = []
        self.options = []
        self.nvrtc = self._module("nvrtc", "nvrtc")
        self.driver = self._module("driver", "cu")

    def _module(self, name, prefix):
        module = ModuleType(f"cuda.bindings.{name}")
        for attribute in dir(self):
            if attribute.startswith(prefix):
                setattr(module, attribute, getattr(self, attribute))
        return module

    def install(self, monkeypatch):
        package, bindings = ModuleType("cuda"), ModuleType("cuda.bindings")
        package.bindings = bindings
        modules = {"cuda": package, "cuda.bindings": bindings}
        modules |= {m.__name__: m for m in (self.nvrtc, self.driver)}
        bindings.nvrtc, bindings.driver = self.nvrtc, self.driver
        for name, module in modules.items():
            monkeypatch.setitem(sys.modules, name, module)
        monkeypatch.setattr(context_module, "_device_of", lambda *a: torch.device("cpu"))
        monkeypatch.setattr(context_module.gpu(0), "_device", None)  # which keeps what it was told
        monkeypatch.setattr(engine_module, "on_gpu", lambda *a: nullcontext())
        stream = SimpleNamespace(cuda_stream=STREAM)
        monkeypatch.setattr(cuda_module.torch.cuda, "current_stream", lambda device: stream)

    # NVRTC -----------------------------------------------------------------------------------

    def nvrtcCreateProgram(self, source, name, n, headers, names):
        return Status.SUCCESS, SimpleNamespace(source=source.decode(), exports=[])

    def nvrtcAddNameExpression(self, program, name):
        program.exports.append(name)
        return (Status.SUCCESS,)

    def nvrtcCompileProgram(self, program, n, options):
        assert n == len(options)
        self.options = options
        found = program.source in self.ptx
        return (Status.SUCCESS if found else Status.ERROR_COMPILATION,)

    def nvrtcGetProgramLogSize(self, program):
        return Status.SUCCESS, len(self._log(program))

    def nvrtcGetProgramLog(self, program, into):
        return self._fill(into, self._log(program))

    def _log(self, program):
        return b'source.cu(1): error: identifier "y" is undefined\n\0'

    def nvrtcGetLoweredName(self, program, name):
        return Status.SUCCESS, b"_Z" + re.sub(rb"\W", b"_", name)

    def nvrtcGetPTXSize(self, program):
        return Status.SUCCESS, len(self.ptx[program.source]) + 1

    def nvrtcGetPTX(self, program, into):
        return self._fill(into, self.ptx[program.source].encode() + b"\0")

    def nvrtcDestroyProgram(self, program):
        return (Status.SUCCESS,)

    def _fill(self, into, text):
        assert len(into) == len(text)
        address = (ctypes.c_char * len(into)).from_address(id(into) + bytes.__basicsize__ - 1)
        ctypes.memmove(address, text, len(text))
        return (Status.SUCCESS,)

    # The driver ------------------------------------------------------------------------------

    def cuInit(self, flags):
        return (Status.SUCCESS,)

    def cuDeviceGet(self, number):
        return Status.SUCCESS, number

    def cuDevicePrimaryCtxRetain(self, device):
        return Status.SUCCESS, f"context {device}"

    def cuCtxPushCurrent(self, context):
        self.calls.append(("push", context))
        return (Status.SUCCESS,)

    def cuCtxPopCurrent(self):
        self.calls.append(("pop",))
        return Status.SUCCESS, None

    def cuCtxSynchronize(self):
        return (Status.SUCCESS,)

    def cuModuleLoadData(self, image):
        self.calls.append(("load", image))
        return Status.SUCCESS, f"module {len(self.calls)}"

    def cuModuleUnload(self, module):
        self.calls.append(("unload", module))
        return (Status.SUCCESS,)

    def cuModuleGetFunction(self, module, name):
        return Status.SUCCESS, name.decode()

    def cuLaunchKernel(self, function, *args):
        (grid, block), (shared, stream, addresses, extra) = (args[:3], args[3:6]), args[6:]
        if max(block) > 1024:
            return (Status.CUDA_ERROR_INVALID_VALUE,)
        self.calls.append(("launch", function, grid, block, shared, stream, extra))
        self.kernels[function](grid, block, addresses)
        return (Status.SUCCESS,)


def arguments_at(addresses, *kinds):
    """The arguments of a launch: addresses and numbers, of ctypes' types."""
    pointers = (ctypes.c_void_p * len(kinds)).from_address(addresses)
    return [kind.from_address(p).value for kind, p in zip(kinds, pointers, strict=True)]
