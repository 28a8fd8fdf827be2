# SPDX-License-Identifier: Apache-2.0
"""Methods of arrays that give the same elements in another shape."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.doors import leave
from ..base.errors import ArgumentError, ArgumentTypeError, AssertedError, shown
from ..base.shapes import sizes_of
from ..methods import OperatorMethods
from ..op.schema import find
from ..runtime.slow_path import SLOW_PATH
from .base_array import BaseArray
from .calls.dispatch import invoke
from .deferred_errors import is_failing
from .modes import MODES
from .recording import STATE
from .wrapping import view_of

__all__ = ["Reshaping"]


class Reshaping(OperatorMethods, BaseArray):
    """Gives a class of arrays `reshape` and those of its kin that may share memory."""

    __slots__ = ()

    ndim: Any

    def reshape(self, *shape: Any, **kwargs: Any) -> Any:
        """The same elements in another shape; shares memory.

        Args:
            shape: sizes; 0 keeps an axis, -1 is deduced, -2 to -4 as operator Reshape says.
            kwargs: shape=, reverse= as operator Reshape has them.
        """
        try:
            if len(shape) == 1 and isinstance(shape[0], (tuple, list, np.ndarray)):
                [given] = shape
                is_number = isinstance(given, np.ndarray) and not given.ndim
                shape = (int(given),) if is_number else tuple(given)
            elif not shape:
                shape = _given_shape(kwargs)
            seen = STATE.recording and self._tracked is not None
            if not (kwargs or seen or (SLOW_PATH and (MODES or is_failing(self)))):
                plain = self._plainly(shape)
                if plain is not None:
                    return plain
            if not {"shape", "reverse"}.issuperset(kwargs) or not all(map(_is_integer, shape)):
                raise ArgumentTypeError(
                    f"reshape: shape={shown(shape)}, {shown(kwargs)}: integers and reverse="
                )
            return invoke(find("Reshape").of({**kwargs, "shape": shape}), (self,), is_view=True)
        except Exception as error:
            leave(error)
            raise

    def _plainly(self, shape: tuple[Any, ...]) -> Any:
        """What ATen makes of a shape, where that is what MXNet makes of it."""
        if 0 in shape:
            return None
        try:
            return view_of(self, self._tensor.view(shape))
        except (RuntimeError, TypeError):
            return None

    def expand_dims(self, axis: int, inplace: bool = False, **kwargs: Any) -> Any:
        """Operator `expand_dims`: a new axis of size 1 at `axis`; `inplace` shares memory."""
        try:
            if not inplace:
                return super().expand_dims(axis, **kwargs)
            sizes = list(self.shape)
            sizes.insert(axis if axis >= 0 else axis + len(sizes) + 1, 1)
            return self.reshape(sizes)
        except Exception as error:
            leave(error)
            raise

    def flatten(self, inplace: bool = False, **kwargs: Any) -> Any:
        """Operator `flatten`: a matrix with the first axis as rows; `inplace` shares memory."""
        try:
            return self.reshape((0, -1)) if inplace else super().flatten(**kwargs)
        except Exception as error:
            leave(error)
            raise

    def squeeze(self, axis: Any = None, inplace: bool = False, **kwargs: Any) -> Any:
        """Operator `squeeze`: without axes of size 1, or those given; `inplace` shares memory."""
        try:
            if not inplace:
                return super().squeeze(axis, **kwargs)
            return invoke(find("squeeze").of({"axis": axis}), (self,), is_view=True)
        except Exception as error:
            leave(error)
            raise

    def broadcast_to(self, shape: Any, **kwargs: Any) -> Any:
        """Repeated along axes of size 1 to `shape`, which may have more axes in front."""
        try:
            if _is_integer(shape):
                raise ArgumentTypeError(f"broadcast_to: shape={shape}: must be a tuple")
            wanted = sizes_of("broadcast_to", shape)
            missing = len(wanted) - self.ndim
            mine = (1,) * missing + self.shape
            if missing < 0 or any(n not in (1, m) for n, m in zip(mine, wanted, strict=True)):
                raise ArgumentError(
                    f"broadcast_to: shape={wanted}: does not fit {self.shape}: from the last axis "
                    "to the first, sizes must be equal, or 1 in the array"
                )
            source = self.reshape(mine) if missing else self
            return source._apply("broadcast_to", (), {"shape": wanted, **kwargs})
        except Exception as error:
            leave(error)
            raise

    def broadcast_like(self, other: Any, **kwargs: Any) -> Any:
        """`broadcast_to` the shape of `other`, or with lhs_axes= and rhs_axes= as the operator."""
        try:
            if kwargs:
                return self._apply("broadcast_like", (other,), kwargs)
            return self.broadcast_to(other.shape)
        except Exception as error:
            leave(error)
            raise


def _given_shape(kwargs: dict[str, Any]) -> tuple[Any, ...]:
    shape = kwargs.pop("shape", None)
    sizes = tuple(shape) if isinstance(shape, (tuple, list, np.ndarray)) else (shape,)
    if sizes in ((), (None,)):
        raise AssertedError("reshape: no shape was given")
    return sizes


def _is_integer(size: Any) -> bool:
    return isinstance(size, (int, np.integer))
