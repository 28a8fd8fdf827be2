# SPDX-License-Identifier: Apache-2.0
"""Kernels in CUDA C++, compiled while the program runs."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.base.dtypes import dtype_of_flag
from ..core.base.errors import ArgumentError
from ..core.base.handles import find, free, give
from ..core.nd.array import NDArray
from ..core.runtime.context import gpu
from ..rtc import CudaModule, Kernel, Parameter
from .arguments import numbers, text, texts
from .entry_points import extern, refuse
from .interface import NULL, ffi

for _name in ("MXRtcCreate", "MXRtcPush", "MXRtcFree"):
    refuse(_name, "MXNet 1.9 does not have this one any more either; see MXRtcCudaModuleCreate")


@extern
def MXRtcCudaModuleCreate(
    source: Any, num_options: int, options: Any, num_exports: int, exports: Any, out: Any
) -> None:
    flags, names = texts(num_options, options), texts(num_exports, exports)
    out[0] = give(CudaModule(text(source), flags, names))


@extern
def MXRtcCudaModuleFree(handle: int) -> None:
    free(handle, CudaModule)


@extern
def MXRtcCudaKernelCreate(
    handle: int,
    name: Any,
    num_args: int,
    is_ndarray: Any,
    is_const: Any,
    arg_types: Any,
    out: Any,
) -> None:
    module = find(handle, CudaModule)
    facts = (numbers(num_args, each) for each in (is_ndarray, is_const, arg_types))
    parameters = [_parameter(*fact) for fact in zip(*facts, strict=True)]
    out[0] = give(module.kernel(text(name), parameters))


def _parameter(is_ndarray: int, is_const: int, flag: int) -> Parameter:
    dtype = dtype_of_flag(flag)
    if dtype is None:
        raise ArgumentError(f"arg_types: {flag} is the number of no element type")
    return Parameter(bool(is_ndarray), bool(is_const), dtype)


@extern
def MXRtcCudaKernelFree(handle: int) -> None:
    free(handle, Kernel)


@extern
def MXRtcCudaKernelCall(
    handle: int,
    dev_id: int,
    args: Any,
    grid_dim_x: int,
    grid_dim_y: int,
    grid_dim_z: int,
    block_dim_x: int,
    block_dim_y: int,
    block_dim_z: int,
    shared_mem: int,
) -> None:
    kernel = find(handle, Kernel)
    pointers = numbers(len(kernel.parameters), args)
    values = [_argument(p, each) for p, each in zip(kernel.parameters, pointers, strict=True)]
    grid, block = (grid_dim_x, grid_dim_y, grid_dim_z), (block_dim_x, block_dim_y, block_dim_z)
    kernel.launch(values, gpu(dev_id), grid, block, shared_mem)


def _argument(parameter: Parameter, pointer: Any) -> Any:
    """The array whose handle `pointer` is, or the number that it points to."""
    if parameter.is_ndarray:
        return find(int(ffi.cast("uintptr_t", pointer)), NDArray)
    if pointer == NULL:
        raise ArgumentError("MXRtcCudaKernelCall: an argument is a null pointer")
    kind = parameter.dtype.numpy
    return np.frombuffer(bytes(ffi.buffer(pointer, kind.itemsize)), kind)[0]
