# SPDX-License-Identifier: Apache-2.0
"""What examples in the documentation of symbols print."""

from __future__ import annotations

from .core.base.doors import facade
from .core.base.errors import ArgumentError
from .symbol import Symbol

__all__ = ["SymbolDoc"]

Shape = tuple[int, ...]


class SymbolDoc:
    """Helps to show what a symbol computes."""

    @staticmethod
    def get_output_shape(sym: Symbol, **input_shapes: Shape) -> dict[str, Shape]:
        """Shapes of a symbol's outputs, by their names.

        Args:
            sym: the symbol.
            input_shapes: shapes of its arguments, by name.

        Raises:
            ArgumentError: the given shapes do not tell those of the outputs.
        """
        _, shapes, _ = sym.infer_shape(**input_shapes)
        if shapes is None:
            given = ", ".join(input_shapes) or "none"
            raise ArgumentError(f"get_output_shape: more shapes are needed than {given}")
        return dict(zip(sym.list_outputs(), shapes, strict=True))


facade(__name__)
