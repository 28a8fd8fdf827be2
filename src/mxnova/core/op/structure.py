# SPDX-License-Identifier: Apache-2.0
"""What operators share that differ in their numbers only; see `schema`."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .kernel import Kernel

if TYPE_CHECKING:
    from .operator import Op

__all__ = ["Structure"]


class Structure:
    """The part that operators share if they differ in their numbers only.

    Attributes:
        op: one of them; where there are no numbers, the only one.
        values: their parameters, numbers at their defaults.
        kernels: storage types of inputs -> kernels that serve them, as far as asked for.
        plan: what the dispatcher works out once for all of them, None before.
        lessons: rule -> what it has made of shapes or types so far.
    """

    def __init__(self, op: Op, values: dict[str, Any] | None = None) -> None:
        self.op = op
        self.values = op.values if values is None else values
        self.kernels: dict[tuple[str, ...], list[Kernel]] = {}
        self.plan: Any = None
        self.lessons: dict[Any, dict[Any, Any]] = {}

    def with_numbers(self, numbers: Mapping[str, Any]) -> Op:
        """The operator with these numbers, typed; all others are the defaults."""
        op: Op = object.__new__(type(self.op))
        op._bind({**self.values, **numbers})
        op.__dict__["structure"] = self
        return op

    @functools.cached_property
    def inputs(self) -> tuple[str, ...]:
        """Names of the arrays that are read."""
        return self.op.inputs()

    @functools.cached_property
    def outputs(self) -> tuple[str, ...]:
        """Names of the arrays that are given."""
        return self.op.outputs()

    @functools.cached_property
    def written(self) -> tuple[int, ...]:
        """Which inputs forward or backward write to, by number."""
        op = self.op
        names = {*op.aux, *op.mutates, *op.writes, *op.writes_in_backward}
        return tuple(i for i, name in enumerate(self.inputs) if name in names)

    @functools.cached_property
    def without_gradient(self) -> tuple[int, ...]:
        """Which of the inputs that are written to pass no gradient on, by number.

        What an operator writes forwards, such as a fixed gamma, has one of zeros if a backward
        pass writes, too: that happens where any input wants a gradient.
        """
        op = self.op
        passing = set(op.writes) if op.writes_in_backward else set()
        return tuple(i for i in self.written if self.inputs[i] not in passing)
