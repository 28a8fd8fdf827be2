# SPDX-License-Identifier: Apache-2.0
"""Kernels written in CUDA C++, compiled while the program runs.

Example:
    >>> source = '''
    ... extern "C" __global__ void axpy(const float *x, float *y, float alpha) {
    ...     int i = threadIdx.x + blockIdx.x * blockDim.x;
    ...     y[i] += alpha * x[i];
    ... }'''
    >>> module = mx.rtc.CudaModule(source)  # doctest: +SKIP
    >>> axpy = module.get_kernel("axpy", "const float *x, float *y, float alpha")  # doctest: +SKIP
    >>> x, y = mx.nd.ones((10,), mx.gpu(0)), mx.nd.zeros((10,), mx.gpu(0))  # doctest: +SKIP
    >>> axpy.launch([x, y, 3.0], mx.gpu(0), (1, 1, 1), (10, 1, 1))  # doctest: +SKIP
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from operator import index
from typing import Any, NamedTuple

import numpy as np

from .core.base.doors import facade
from .core.base.dtypes import DType, dtype_of
from .core.base.errors import (
    ArgumentError,
    ArgumentTypeError,
    AssertedError,
    MXNetError,
    UnknownNameError,
    candidates,
    shown,
)
from .core.nd.access import var_of
from .core.nd.array import NDArray
from .core.runtime.context import Context
from .core.runtime.cuda_compiler import compiled
from .core.runtime.cuda_module import LoadedProgram
from .core.runtime.engine import engine

__all__ = ["CudaKernel", "CudaModule"]

_C_TYPES = {
    "float": "float32",
    "double": "float64",
    "__half": "float16",
    "uint8_t": "uint8",
    "int": "int32",
    "int32_t": "int32",
    "int8_t": "int8",
    "char": "int8",
    "int64_t": "int64",
}
_PARAMETER = re.compile(r"\s*(const\b)?\s*(\w+)\s*(\*)?\s*(\w+)?\s*")
_POINTER = 8  # bytes


class Parameter(NamedTuple):
    """One parameter of a kernel: an array, or a number of the type `dtype`."""

    is_ndarray: bool
    is_const: bool
    dtype: DType


class CudaModule:
    """Compiled CUDA C++.

    Args:
        source: its text.
        options: of the compiler NVRTC, one text or several.
        exports: names of the kernels that are not ``extern "C"``, one text or several: instances
            of templates, such as ``"axpy<float>"``.

    Raises:
        MXNetError: the text has errors, which the message lists, or there is no NVRTC.
    """

    def __init__(
        self, source: str, options: str | Sequence[str] = (), exports: str | Sequence[str] = ()
    ) -> None:
        if not isinstance(source, str):
            raise ArgumentTypeError(f"CudaModule: source={shown(source)}: must be a text")
        self._program = compiled(source, _texts("options", options), _texts("exports", exports))
        self._loaded = LoadedProgram(self._program.image)

    def get_kernel(self, name: str, signature: str) -> CudaKernel:
        r"""A kernel of the module.

        Args:
            name: as in the source; of an exported one as in `exports`.
            signature: its parameters: ``const float *x, float *y, int n``. An array is written to
                unless it is ``const``.

        Raises:
            ValueError: a parameter is not of the form ``[const] type [*] [name]``.
            TypeError: no element type of arrays is called so.
            MXNetError: the module has no such kernel, or it has other parameters. All are
                MXNetErrors.
        """
        if not isinstance(signature, str):
            raise ArgumentTypeError(f"get_kernel: signature={shown(signature)}: must be a text")
        kernel = self.kernel(name, [_parameter(text) for text in signature.split(",")])
        parameters = kernel.parameters
        return CudaKernel(
            kernel, name, [p.is_ndarray for p in parameters], [p.dtype.numpy for p in parameters]
        )

    def kernel(self, name: str, parameters: Sequence[Parameter]) -> Kernel:
        """The kernel `name`, with parameters that are checked against the compiled ones."""
        known, exported = self._program.kernels, self._program.names
        lowered = exported.get(name, name)
        if known is not None:
            if lowered not in known:
                names = [*exported, *(k for k in known if k not in exported.values())]
                raise UnknownNameError(
                    f'get_kernel: there is no kernel {name!r} that is extern "C" or in exports'
                    f"{candidates(name, names)} (there are: {', '.join(names) or 'none'})"
                )
            _check_sizes(name, parameters, known[lowered])
        return Kernel(self._loaded, name, lowered, tuple(parameters))


class Kernel:
    """A kernel and what it takes."""

    def __init__(
        self, loaded: LoadedProgram, name: str, lowered: str, parameters: tuple[Parameter, ...]
    ) -> None:
        self.name = name
        self.parameters = parameters
        self._loaded = loaded
        self._lowered = lowered

    def launch(
        self,
        args: Sequence[Any],
        ctx: Context,
        grid_dims: Sequence[int],
        block_dims: Sequence[int],
        shared_mem: int = 0,
    ) -> None:
        """See `CudaKernel.launch`."""
        if not isinstance(ctx, Context) or ctx.device_type != "gpu":
            raise AssertedError(f"{self.name}: ctx={shown(ctx)}: kernels are launched on a GPU")
        grid = _sizes(self.name, "grid_dims", grid_dims)
        block = _sizes(self.name, "block_dims", block_dims)
        if len(args) != len(self.parameters):
            raise AssertedError(
                f"{self.name}: {len(args)} arguments for its {len(self.parameters)} parameters"
            )
        given = [
            self._checked(i, parameter, value, ctx)
            for i, (parameter, value) in enumerate(zip(self.parameters, args, strict=True))
        ]
        device = ctx.device.index or 0
        writes = self._vars(args, const=False)
        reads = [var for var in self._vars(args, const=True) if var not in writes]

        def run() -> None:
            launch = _Launch(given, self.parameters)
            self._loaded.launch(
                self._lowered, device, grid, block, index(shared_mem), launch.arguments
            )
            launch.write_back()

        engine().push_sync(run, ctx, reads, writes, name=self.name)

    def _vars(self, args: Sequence[Any], const: bool) -> list[Any]:
        pairs = zip(self.parameters, args, strict=True)
        arrays = (a for p, a in pairs if p.is_ndarray and p.is_const is const)
        return list(dict.fromkeys(var_of(a) for a in arrays))

    def _checked(self, i: int, parameter: Parameter, value: Any, ctx: Context) -> Any:
        """An array as it is, a number as NumPy's array of one."""
        where, kind = f"{self.name}: argument {i}", parameter.dtype
        if not parameter.is_ndarray:
            return _number(where, value, kind)
        if not isinstance(value, NDArray):
            raise AssertedError(f"{where}={shown(value)}: must be an NDArray")
        if value.stype != "default":
            raise ArgumentError(f"{where}: a {value.stype} array: must be a dense one")
        if dtype_of(value.dtype) is not kind:
            raise ArgumentTypeError(
                f"{where} has element type {dtype_of(value.dtype).name}, expected {kind.name}"
            )
        if value.context != ctx:
            raise ArgumentError(f"{where} is on {value.context}, and the launch on {ctx}")
        if not (parameter.is_const or value.writable):
            raise ArgumentError(f"{where} may not be written to")
        return value


class _Launch:
    """The arguments of one launch, as the driver takes them."""

    def __init__(self, given: Sequence[Any], parameters: Sequence[Parameter]) -> None:
        self.arguments = []
        self._copies = []
        for value, parameter in zip(given, parameters, strict=True):
            if not parameter.is_ndarray:
                self.arguments.append(value)
                continue
            tensor = value._value if parameter.is_const else value._target
            together = tensor.contiguous()
            self._copies.append((tensor, together, parameter.is_const))
            self.arguments.append(np.array([together.data_ptr()], np.uint64))

    def write_back(self) -> None:
        """Puts what was computed in copies where it belongs."""
        for tensor, together, is_const in self._copies:
            if together is not tensor and not is_const:
                tensor.copy_(together)


class CudaKernel:
    """A kernel of a `CudaModule`, which `get_kernel` gives.

    Args:
        handle: the kernel.
        name: what it is called.
        is_ndarray: for each parameter whether it is an array.
        dtypes: the element type of each.
    """

    def __init__(
        self, handle: Kernel, name: str, is_ndarray: Sequence[bool], dtypes: Sequence[Any]
    ) -> None:
        self.handle = handle
        self._name = name
        self._is_ndarray = list(is_ndarray)
        self._dtypes = list(dtypes)

    def launch(
        self,
        args: Sequence[Any],
        ctx: Context,
        grid_dims: Sequence[int],
        block_dims: Sequence[int],
        shared_mem: int = 0,
    ) -> None:
        """Runs the kernel on arrays and numbers, after what was done to the arrays before.

        Args:
            args: arrays on `ctx` and numbers, as the signature says.
            ctx: the GPU.
            grid_dims: three numbers, of blocks.
            block_dims: three numbers, of threads in a block.
            shared_mem: bytes of memory that the threads of a block share.

        Raises:
            MXNetError: arguments that do not fit the signature, or what CUDA refuses.
        """
        self.handle.launch(args, ctx, grid_dims, block_dims, shared_mem)

    def __repr__(self) -> str:
        return f"<CudaKernel {self._name}>"


def _texts(name: str, given: str | Sequence[str]) -> list[str]:
    texts = [given] if isinstance(given, str) else list(given)
    for text in texts:
        if not isinstance(text, str):
            raise ArgumentTypeError(f"CudaModule: {name}: {shown(text)} is no text")
    return texts


def _parameter(text: str) -> Parameter:
    match = _PARAMETER.fullmatch(text)
    if match is None or match[2] == "const":
        raise ArgumentError(
            f"get_kernel: signature: {text.strip()!r}: must be of the form [const] type [*] [name]"
        )
    const, kind, star, _ = match.groups()
    if kind not in _C_TYPES:
        raise ArgumentTypeError(
            f"get_kernel: signature: type {kind!r}: must be one of {', '.join(_C_TYPES)}"
        )
    return Parameter(bool(star), bool(const), dtype_of(_C_TYPES[kind]))


def _check_sizes(name: str, parameters: Sequence[Parameter], sizes: Sequence[int]) -> None:
    """A launch with parameters that the kernel has not would have it read what is not there."""
    given = [_POINTER if p.is_ndarray else p.dtype.numpy.itemsize for p in parameters]
    if given != list(sizes):
        raise MXNetError(
            f"get_kernel: {name}: the signature has parameters of {_listed(given)} bytes, "
            f"the compiled kernel of {_listed(sizes)}"
        )


def _listed(sizes: Sequence[int]) -> str:
    return ", ".join(map(str, sizes)) or "no"


def _sizes(kernel: str, name: str, sizes: Any) -> tuple[int, ...]:
    if not isinstance(sizes, Sequence) or len(sizes) != 3:
        raise AssertedError(f"{kernel}: {name}={shown(sizes)}: must be three integers")
    try:
        numbers = tuple(map(index, sizes))
    except TypeError:
        raise ArgumentTypeError(f"{kernel}: {name}={shown(sizes)}: must be integers") from None
    if not all(0 < n < 1 << 32 for n in numbers):
        raise ArgumentError(f"{kernel}: {name}={shown(sizes)}: each must be from 1 to 2^32 - 1")
    return numbers


def _number(where: str, value: Any, kind: DType) -> np.ndarray[Any, Any]:
    if not isinstance(value, (int, float, np.generic)):
        raise AssertedError(f"{where}={shown(value)}: must be a number")
    if kind.numpy.kind in "iu":
        limits = np.iinfo(kind.numpy)
        low, high = int(limits.min), int(limits.max)
        if not low <= value <= high:  # type: ignore[operator]  # so are NaN and NumPy's numbers
            raise ArgumentError(f"{where}={shown(value)}: does not fit into a {kind.name}")
    try:
        return np.array([value]).astype(kind.numpy)
    except (TypeError, ValueError, OverflowError):
        raise ArgumentTypeError(f"{where}={shown(value)}: must be a {kind.name}") from None


facade(__name__)
