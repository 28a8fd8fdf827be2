# SPDX-License-Identifier: Apache-2.0
"""Operators that only arrays have: what is recorded of indexing, casts and copies to a context."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from ..op.dtypes import dtype_name
from ..op.infer import DTypes
from ..op.operator import Op, OpType, elementwise_shape
from .indexing import select

__all__ = ["AsType", "CopyTo", "Index"]


class Index(Op):
    """``x[key]``: several operators of MXNet's, should anyone ask for the graph.

    Attributes:
        key: the key where it holds no arrays, else None.
        source: shape of what is indexed.
        shape: shape of the selection.
    """

    def __init__(self, key: Any, plain_key: Any, source: Any, shape: Any) -> None:
        super().__init__(key=plain_key, source=source, shape=shape)
        self.__dict__["_key"] = key

    def forward(self, data: Tensor) -> Tensor:
        """The selection: a view where it can be one."""
        return select(data, self.__dict__["_key"])[0]

    __eq__ = object.__eq__
    __hash__ = object.__hash__


class AsType(Op):
    """Elements of any type that arrays can have, which are more than operator Cast knows."""

    def __init__(self, dtype: torch.dtype) -> None:
        super().__init__(dtype=dtype_name(dtype))
        self.__dict__["_dtype"] = dtype

    def forward(self, data: Tensor) -> Tensor:
        """A copy of `data`."""
        return data.to(self.__dict__["_dtype"], copy=True)

    infer_shape = elementwise_shape

    def infer_dtype(self, t: DTypes) -> None:
        """The output is of the type asked for."""
        t.output = self.__dict__["_dtype"]


class CopyTo(Op):
    """The input itself; who invokes it says where the copy goes."""

    infer_shape = elementwise_shape

    def forward(self, data: Tensor) -> Tensor:
        """`data`."""
        return data


Index.type = OpType(["_slice"], Index, Index, Index.forward)  # type: ignore[arg-type]
AsType.type = OpType(["Cast"], AsType, AsType, AsType.forward)  # type: ignore[arg-type]
CopyTo.type = OpType(["_copyto"], CopyTo, CopyTo, CopyTo.forward)
