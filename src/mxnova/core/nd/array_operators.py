# SPDX-License-Identifier: Apache-2.0
"""Operators that only arrays have: what is recorded of indexing, casts and copies to a context."""

from __future__ import annotations

from typing import Any, ClassVar

import torch
from torch import Tensor

from ..kernels.indexing import assign, select
from ..op.declaration import elementwise_shape
from ..op.dtypes import dtype_name, torch_dtype
from ..op.infer import DTypes
from ..op.schema import Op, OpType
from ..op.structure import Structure

__all__ = ["ArrayOperator", "AsType", "CopyTo", "Index", "Overwrite"]


class ArrayOperator(Op):
    """An operator made for one call; those of a class share its structure."""

    shared: ClassVar[Structure]

    def __init__(self, **values: Any) -> None:
        super().__init__(**values)
        self.__dict__["structure"] = getattr(self, "shared", None)


class Index(ArrayOperator):
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


class AsType(ArrayOperator):
    """Elements of any type that arrays can have, which are more than operator Cast knows."""

    shared_by_integers: ClassVar[Structure]

    def __init__(self, dtype: torch.dtype) -> None:
        super().__init__(dtype=dtype_name(dtype))
        self.__dict__["_dtype"] = dtype
        if not dtype.is_floating_point:
            self.__dict__["structure"] = getattr(self, "shared_by_integers", None)

    def forward(self, data: Tensor) -> Tensor:
        """A copy of `data`."""
        return data.to(self.__dict__["_dtype"], copy=True)

    def changed(self, **values: Any) -> AsType:
        """The cast to another type."""
        return AsType(torch_dtype(values["dtype"]))

    infer_shape = elementwise_shape

    def infer_dtype(self, t: DTypes) -> None:
        """The output is of the type asked for."""
        t.output = self.__dict__["_dtype"]


class Overwrite(AsType):
    """What an array of some shape and type holds when all was overwritten: ``x[:] = value``."""

    def __init__(self, dtype: torch.dtype, shape: torch.Size, key: Any) -> None:
        super().__init__(dtype)
        self.__dict__.update(_shape=shape, _key=key)

    def forward(self, data: Tensor) -> Tensor:
        """`data` along all axes."""
        own = self.__dict__
        result = torch.empty(own["_shape"], dtype=own["_dtype"], device=data.device)
        assign(result, own["_key"], data)
        return result

    def changed(self, **values: Any) -> Overwrite:
        """The values of an array of another type."""
        own = self.__dict__
        return Overwrite(torch_dtype(values["dtype"]), own["_shape"], own["_key"])

    infer_shape = Op.infer_shape


class CopyTo(ArrayOperator):
    """The input itself; who invokes it says where the copy goes."""

    infer_shape = elementwise_shape

    def forward(self, data: Tensor) -> Tensor:
        """`data`."""
        return data


Index.type = OpType(["_slice"], Index, Index.forward)
AsType.type = OpType(["Cast"], AsType, AsType.forward)
CopyTo.type = OpType(["_copyto"], CopyTo, CopyTo.forward)
Overwrite.type = OpType(["_copyto"], Overwrite, Overwrite.forward)
Index.shared = Structure(Index((), (), (), ()))
AsType.shared = Structure(AsType(torch.float32))
AsType.shared_by_integers = Structure(AsType(torch.int32))
Overwrite.shared = Structure(Overwrite(torch.float32, torch.Size(), ()))
Overwrite.shared_by_integers = Structure(Overwrite(torch.int32, torch.Size(), ()))
CopyTo.shared = Structure(CopyTo())
