# SPDX-License-Identifier: Apache-2.0
"""Operators as methods, written once for arrays and symbols."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .base.doors import door, leave
from .base.errors import ArgumentError
from .op import library  # noqa: F401 - registers the operators
from .op.schema import REGISTRY, OpType

__all__ = ["METHODS", "OperatorMethods"]

METHODS = {type_.method: type_ for type_ in REGISTRY.values() if type_.method}


class OperatorMethods:
    """Gives a class ``x.relu()``, by its `_apply`, for each operator declared as a `method`."""

    __slots__ = ()

    def _apply(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The result of operator `name` on self."""
        raise NotImplementedError

    @door
    def diag(self, k: int = 0, **kwargs: Any) -> Any:
        """Operator `diag`: diagonal `k` of a matrix, or a matrix with that diagonal."""
        return self._apply("diag", (), {"k": k, **kwargs})

    @door
    def expand_dims(self, axis: int, inplace: bool = False, **kwargs: Any) -> Any:
        """Operator `expand_dims`: a new axis of size 1 at position `axis`.

        Args:
            axis: where.
            inplace: an array then shares memory with the result.
            kwargs: further arguments of the operator.
        """
        return self._apply("expand_dims", (), {"axis": axis, **kwargs})

    @door
    def flatten(self, inplace: bool = False, **kwargs: Any) -> Any:
        """Operator `flatten`: a matrix with the first axis as its rows.

        Args:
            inplace: an array then shares memory with the result.
            kwargs: further arguments of the operator.
        """
        return self._apply("flatten", (), kwargs)

    @door
    def squeeze(self, axis: Any = None, inplace: bool = False, **kwargs: Any) -> Any:
        """Operator `squeeze`: without its axes of size 1.

        Args:
            axis: only these; None: all.
            inplace: an array then shares memory with the result.
            kwargs: further arguments of the operator.
        """
        return self._apply("squeeze", (), {"axis": axis, **kwargs})

    @door
    def split_v2(
        self, indices_or_sections: int | Sequence[int], axis: int = 0, squeeze_axis: bool = False
    ) -> Any:
        """Parts along `axis`: so many of equal size, or cut before each of the given indices."""
        attrs: dict[str, Any] = {"axis": axis, "squeeze_axis": squeeze_axis}
        if isinstance(indices_or_sections, int):
            attrs.update(indices=[], sections=indices_or_sections)
        elif isinstance(indices_or_sections, (tuple, list)):
            attrs.update(indices=[0, *indices_or_sections], sections=0)
        else:
            raise ArgumentError(
                f"split_v2: indices_or_sections={indices_or_sections!r}: "
                "must be a number or a tuple of numbers"
            )
        return self._apply("_split_v2", (), attrs)


def _method(name: str, type_: OpType) -> Callable[..., Any]:
    def method(self: OperatorMethods, *args: Any, **kwargs: Any) -> Any:
        try:
            return self._apply(name, args, kwargs)
        except Exception as error:
            leave(error)
            raise

    method.__name__ = name
    method.__qualname__ = f"OperatorMethods.{name}"
    method.__doc__ = f"Operator `{name}` on this:\n\n{type_.doc}"
    return method


for _name, _type in METHODS.items():
    setattr(OperatorMethods, _name, _method(_name, _type))
