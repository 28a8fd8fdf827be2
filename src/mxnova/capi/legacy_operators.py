# SPDX-License-Identifier: Apache-2.0
"""Operators written in C before ``Custom``: a struct of functions, whose address is a parameter.

MXNet's `NumpyOp` and `NDArrayOp` are such. Their nodes are ``Custom`` here.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..core.base.errors import ArgumentError, MXNetError
from ..core.base.handles import give
from ..core.exec.calls.custom import register_custom
from ..core.nd.array import NDArray
from ..core.op.schema import REGISTRY
from ..operator import CustomOp
from .creators import Creator
from .custom_operators import Prop
from .interface import NULL, ffi

__all__ = ["CREATORS"]

_INPUT, _OUTPUT, _D_INPUT, _D_OUTPUT = range(4)  # tags that tell arrays apart
_TRUE = ("1", "True", "true")
_numbers = itertools.count()


class _Functions:
    """The functions of a struct, each called with the state that stands beside it.

    Args:
        owner: what errors call it.
        info: the struct.
    """

    def __init__(self, owner: str, info: Any) -> None:
        self._owner, self._info = owner, info

    def __contains__(self, name: str) -> bool:
        return bool(getattr(self._info, name, NULL) != NULL)

    def call(self, name: str, *arguments: Any) -> None:
        """Calls one of the functions.

        Raises:
            MXNetError: there is none, or it says that it failed.
        """
        if name not in self:
            raise MXNetError(f"{self._owner}: there is no function {name}")
        if name == "infer_shape":
            count, ndims, shapes = arguments
            arguments = count, ndims, ffi.cast("unsigned **", shapes)
        done = getattr(self._info, name)(*arguments, getattr(self._info, f"p_{name}"))
        if done is False:
            raise MXNetError(f"{self._owner}: the function {name} failed")


Tagged = list[tuple[int, NDArray, str]]  # tag, array, how it is to be written


class _OnArrays(CustomOp):
    """What the functions of a struct do, to arrays that are theirs to free.

    Args:
        functions: they.
        reads: whether backward gets the gradients of the outputs.
    """

    def __init__(self, functions: _Functions, reads: bool) -> None:
        self._functions, self._reads = functions, reads

    def forward(self, is_train: Any, req: Any, in_data: Any, out_data: Any, aux: Any) -> None:
        self._call("forward", [*_read(_INPUT, in_data), *_written(_OUTPUT, out_data, req)])

    def backward(
        self, req: Any, out_grad: Any, in_data: Any, out_data: Any, in_grad: Any, aux: Any
    ) -> None:
        read = [*_read(_INPUT, in_data), *_read(_OUTPUT, out_data)]
        if self._reads:
            read += _read(_D_OUTPUT, out_grad)
        self._call("backward", [*read, *_written(_D_INPUT, in_grad, req)])

    def _call(self, name: str, tagged: Tagged) -> None:
        handles = [ffi.cast("void *", give(array)) for _, array, _ in tagged]
        tags = ffi.new("int[]", [tag for tag, _, _ in tagged])
        self._functions.call(name, len(handles), ffi.new("void *[]", handles), tags)


def _read(tag: int, arrays: Sequence[NDArray]) -> Tagged:
    return [(tag, array, "null") for array in arrays]


def _written(tag: int, arrays: Sequence[NDArray], req: Sequence[str]) -> Tagged:
    return [(tag, array, how) for array, how in zip(arrays, req, strict=True)]


class _OnNumbers(_OnArrays):
    """What the functions of a struct do, to memory with float32."""

    def _call(self, name: str, tagged: Tagged) -> None:
        values = [np.array(array.asnumpy(), np.float32, order="C") for _, array, _ in tagged]
        sizes = [ffi.new("unsigned[]", list(value.shape) or 1) for value in values]
        self._functions.call(
            name,
            len(values),
            ffi.new("float *[]", [ffi.cast("float *", value.ctypes.data) for value in values]),
            ffi.new("int[]", [value.ndim for value in values]),
            ffi.new("unsigned *[]", sizes),
            ffi.new("int[]", [tag for tag, _, _ in tagged]),
        )
        for (_, array, how), value in zip(tagged, values, strict=True):
            self.assign(array, how, value)


class _LegacyProp(Prop):
    """What the functions of a struct say of an operator."""

    def __init__(self, name: str, functions: _Functions, operator: CustomOp, reads: bool) -> None:
        super().__init__(name, functions)
        self._operator = operator
        self.need_top_grad_ = reads

    def create_operator(self, ctx: Any, in_shapes: Any, in_dtypes: Any) -> CustomOp:
        return self._operator


class _LegacyCreator(Creator):
    """An operator whose parameter ``info`` is the address of a struct.

    Args:
        name: its name.
        struct: the struct's type.
        kind: what calls the functions.
        texts: the arguments, and what C is told of them.
    """

    def __init__(
        self, name: str, struct: str, kind: type[_OnArrays], texts: Mapping[str, str]
    ) -> None:
        super().__init__(REGISTRY["Custom"])
        self.name, self._struct, self._kind, self._texts = name, struct, kind, dict(texts)

    @property
    def arguments(self) -> dict[str, str]:
        """Name -> type of each argument."""
        return self._texts

    def attributes(self, given: dict[str, str]) -> dict[str, str]:
        """Those of the ``Custom`` that does the same, which is known as long as the process."""
        own = {key: given.pop(key) for key in [*given] if key in self._texts}
        try:
            address = int(own.get("info", "0"), 16)
        except ValueError:
            address = 0
        if not address:
            raise ArgumentError(f"{self.name}: info={own.get('info')!r}: must be an address")
        functions = _Functions(self.name, ffi.cast(self._struct, address)[0])
        reads = own.get("need_top_grad", "1") in _TRUE
        prop = _LegacyProp(self.name, functions, self._kind(functions, reads), reads)
        op_type = f"{self.name}-{next(_numbers)}"
        register_custom(op_type, lambda: prop)
        return {**given, "op_type": op_type}


_TEXTS = {"data": "NDArray-or-Symbol[]", "info": "ptr, required"}
_TOP = {"need_top_grad": "boolean, optional, default=1"}
CREATORS: dict[str, Creator] = {
    creator.name: creator
    for creator in (
        _LegacyCreator("_NDArray", "struct NDArrayOpInfo *", _OnArrays, _TEXTS),
        _LegacyCreator("_Native", "struct NativeOpInfo *", _OnNumbers, {**_TEXTS, **_TOP}),
    )
}
