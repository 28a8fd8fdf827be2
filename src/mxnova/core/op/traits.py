# SPDX-License-Identifier: Apache-2.0
"""Traits: what an operator means to code that rewrites, converts or schedules graphs.

An operator declares its traits where it is declared itself: in its row of a family, or on its
class. Graph passes, converters and AMP match on traits or on classes, never on names, so that
operators of one meaning (`elemwise_add`, `broadcast_add`, `_npi_add`) are treated alike.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ..base.shapes import PartialShape

__all__ = [
    "RELU",
    "Activation",
    "Arithmetic",
    "Form",
    "InputShapes",
    "ItemAxes",
    "ItemRule",
    "batch_apart",
]


class Form(enum.Enum):
    """How an arithmetic operator takes its operands."""

    ELEMENTWISE = enum.auto()  # two arrays of one shape and element type
    BROADCAST = enum.auto()  # two arrays of one element type
    NUMPY = enum.auto()  # two arrays, with type promotion
    SCALAR = enum.auto()  # an array, then parameter `scalar`
    REFLECTED = enum.auto()  # parameter `scalar`, then an array
    NUMPY_SCALAR = enum.auto()  # as SCALAR, by NumPy's rules for element types
    NUMPY_REFLECTED = enum.auto()  # as REFLECTED, by NumPy's rules for element types

    @property
    def has_two_arrays(self) -> bool:
        """Whether both operands are arrays."""
        return self in (Form.ELEMENTWISE, Form.BROADCAST, Form.NUMPY)

    @property
    def is_reflected(self) -> bool:
        """Whether the number is the first operand."""
        return self in (Form.REFLECTED, Form.NUMPY_REFLECTED)


class Arithmetic(NamedTuple):
    """A function of two operands.

    Attributes:
        function: its name: ``add``, ``subtract``, ``less``….
        form: how it takes the operands.
    """

    function: str
    form: Form


class Activation(NamedTuple):
    """An activation function of each element.

    Attributes:
        function: its name, as `Activation` and `LeakyReLU` call it: ``relu``, ``leaky``….
        numbers: its parameters: the slope of ``leaky``, the scale of ``elu``.
    """

    function: str
    numbers: tuple[float, ...] = ()


RELU = Activation("relu")


ItemAxes = Sequence[int | None]
InputShapes = Sequence[PartialShape]
# An operator, the axes of items of its inputs and the shapes of these -> the axis of items of its
# outputs; see `Op.item_axis`.
ItemRule = Callable[[Any, ItemAxes, InputShapes], int | None]


def batch_apart(op: Any, axes: ItemAxes, shapes: InputShapes) -> int | None:
    """The rule of operators that compute each item of a batch, the first axis, by itself.

    Further inputs, which are weights, must be the same for all items.
    """
    is_batch = axes[0] == 0 and all(axis is None for axis in axes[1:])
    return 0 if is_batch else None
