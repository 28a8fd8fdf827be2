# SPDX-License-Identifier: Apache-2.0
"""What every array is: memory, shared with its views, and a place on autograd's tape."""

from __future__ import annotations

from typing import Any, ClassVar

from torch import Tensor

from ..runtime.context import Context
from ..runtime.slow_path import SLOW_PATH
from .access import READ, WRITE, settle
from .chunk import Chunk

__all__ = ["CLASSES", "BaseArray"]

# The class of arrays by storage type: what results become whose inputs say nothing of it.
CLASSES: dict[str, type[BaseArray]] = {}


class BaseArray:
    """An array without its methods; what the lower modules of this room know of it.

    Attributes:
        stype: how its elements are stored: default, csr or row_sparse.
    """

    __slots__ = ("__weakref__", "_chunk", "_grad", "_node", "_raw", "_tracked")

    stype: ClassVar[str] = "default"

    _raw: Any  # a tensor, or a record of sparse storage, without waiting for the engine
    _chunk: Chunk
    _tracked: Tensor | None  # what gradients flow through, see autograd
    _node: Any  # its place on the tape
    _grad: Any  # the array that its gradient goes to

    @property
    def _value(self) -> Any:
        """Its tensor, or the record of sparse storage, to be read."""
        if SLOW_PATH:
            settle(self, READ)
        return self._raw

    @property
    def _tensor(self) -> Tensor:
        """Its elements, to be read; for a sparse array a dense copy."""
        if SLOW_PATH:
            settle(self, READ)
        value = self._raw
        tensor: Tensor = value if isinstance(value, Tensor) else value.dense()
        return tensor

    @property
    def _target(self) -> Any:
        """The same, to be written to."""
        if SLOW_PATH:
            settle(self, WRITE)
        return self._raw

    @_target.setter
    def _target(self, value: Any) -> None:
        if SLOW_PATH:
            settle(self, WRITE)
        self._raw = value

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes of its axes."""
        return tuple(self._raw.shape)

    @property
    def context(self) -> Context:
        """Where it lives."""
        return self._chunk.context

    ctx = context
