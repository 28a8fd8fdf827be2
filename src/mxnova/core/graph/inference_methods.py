# SPDX-License-Identifier: Apache-2.0
"""Shape and dtype inference methods of symbols."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..base.errors import ArgumentError, ArgumentTypeError, candidates, shown
from ..base.shapes import PartialShape, from_user, is_known, to_user
from ..base.user_warnings import warn_user
from ..op.dtypes import mx_dtype, torch_dtype
from ..op.infer import Shapes
from .base_symbol import BaseSymbol
from .infer import DTypeTable, ShapeTable, infer_dtypes, infer_shapes
from .node import Node

__all__ = ["InferenceMethods"]

# Any: None where some stay unknown, which programs seldom ask.
Inferred = tuple[list[Any] | Any, list[Any] | Any, list[Any] | Any]


class InferenceMethods(BaseSymbol):
    """Gives symbols `infer_shape` and its kin."""

    __slots__ = ()

    def infer_shape(self, /, *args: Any, **kwargs: Any) -> Inferred:
        """(argument, output, auxiliary) shapes, or (None, None, None) when some stay unknown.

        Args:
            args: shapes of the arguments in order; None: unknown.
            kwargs: shapes by argument name.

        Raises:
            MXNetError: shapes that contradict each other; the text names the node.

        Warns:
            UserWarning: some stay unknown; the text names arguments, or nodes, that they are of.
        """
        table = self._shape_table(args, kwargs)
        if self._warn_of_unknown("shape", table, is_known, to_user):
            return None, None, None
        return self._listed(table, to_user)

    def infer_shape_partial(self, /, *args: Any, **kwargs: Any) -> Inferred:
        """`infer_shape` that leaves unknown what it cannot infer."""
        return self._listed(self._shape_table(args, kwargs), to_user)

    def _shape_table(
        self, args: Sequence[Any], kwargs: Mapping[str, Any], facts: type[Shapes] = Shapes
    ) -> ShapeTable:
        known = self._known("infer_shape", args, kwargs)
        shapes = {n: _partial_shape(n, s) for n, s in known.items()}
        return infer_shapes(self.nodes, shapes, facts=facts)

    def infer_type(self, /, *args: Any, **kwargs: Any) -> Inferred:
        """(argument, output, auxiliary) element types, or Nones when some stay unknown.

        Warns:
            UserWarning: some stay unknown; the text names arguments, or nodes, that they are of.
        """
        table = self._dtype_table(args, kwargs)
        if self._warn_of_unknown("type", table, lambda dtype: dtype is not None, _numpy_type):
            return None, None, None
        return self._listed(table, _numpy_type)

    def infer_type_partial(self, /, *args: Any, **kwargs: Any) -> Inferred:
        """`infer_type` that leaves unknown what it cannot infer."""
        return self._listed(self._dtype_table(args, kwargs), _numpy_type)

    def _dtype_table(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> DTypeTable:
        known = self._known("infer_type", args, kwargs)
        dtypes = {n: None if d is None else torch_dtype(d) for n, d in known.items()}
        return infer_dtypes(self.nodes, dtypes)

    def _known(
        self, what: str, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        if args and kwargs:
            raise ArgumentError(f"{what}: give shapes or types by position or by name, not both")
        if args:
            return dict(zip(self.list_arguments(), args, strict=False))
        names = {n.name for n in self.nodes if n.op is None}
        for name in kwargs:
            if name not in names:
                raise ArgumentError(
                    f"{what}: no argument is named {name!r}{candidates(name, names)}"
                )
        return kwargs

    def _warn_of_unknown(
        self,
        what: str,
        table: Mapping[Node, Sequence[Any]],
        is_decided: Callable[[Any], bool],
        shown: Callable[[Any], Any],
    ) -> bool:
        """Whether facts are missing, which is warned of: of arguments, or else of other nodes."""
        undecided = [n for n in self.nodes if not all(map(is_decided, table[n]))]
        if not undecided:
            return False
        named = [n for n in undecided if n.op is None] or undecided
        facts = (f"{n.name}: {', '.join(str(shown(f)) for f in table[n])}" for n in named[:20])
        warn_user(
            f"infer_{what}: not enough is known to decide the {what} of\n\t" + "\n\t".join(facts),
            UserWarning,
        )
        return True

    def _listed(self, table: dict[Node, list[Any]], shown: Callable[[Any], Any]) -> Inferred:
        arguments, auxiliary = self.variables()
        return (
            [shown(table[n][0]) for n in arguments],
            [shown(table[e.node][e.output]) for e in self._entries],
            [shown(table[n][0]) for n in auxiliary],
        )


def _partial_shape(name: str, shape: Any) -> PartialShape:
    try:
        return from_user(shape)
    except TypeError:
        raise ArgumentTypeError(
            f"infer_shape: {name}={shown(shape)}: a shape is a tuple of integers"
        ) from None


def _numpy_type(dtype: Any) -> Any:
    return None if dtype is None else mx_dtype(dtype).array_dtype
