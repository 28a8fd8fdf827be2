# SPDX-License-Identifier: Apache-2.0
"""What a handle of an operator stands for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core.base.errors import MXNetError
from ..core.nd.calls.fast_calls import binary_call
from ..core.op.schema import OpType
from ..core.op.traits import Form
from .argument_texts import argument_texts

__all__ = ["Creator"]

# Arithmetic of these makes a new tensor; for equal shapes there is nothing to check.
_OF_TWO_ARRAYS = (Form.ELEMENTWISE, Form.BROADCAST)


class Creator:
    """An operator, whatever name it was asked for by; its handle lives for ever.

    Attributes:
        type: the operator.
        name: its canonical name.
        fast_call: what computes it of two dense arrays of equal shape; None where `invoke` must.
    """

    noun = "operator"

    def __init__(self, type_: OpType) -> None:
        self.type = type_
        self.name = type_.name
        self.fast_call: Callable[[Any, Any], Any] | None = None
        meaning = type_.make.arithmetic
        if meaning is not None and meaning.form in _OF_TWO_ARRAYS:
            self.fast_call = binary_call(self.type, _refuse_number)

    @property
    def arguments(self) -> dict[str, str]:
        """Name -> type of each argument."""
        return argument_texts(self.type)

    def attributes(self, given: dict[str, str]) -> dict[str, str]:
        """Those of a node of `type`, for parameters that were given."""
        return given


def _refuse_number(array: Any, other: Any) -> Any:
    raise MXNetError(f"a {type(other).__name__} is no array")
