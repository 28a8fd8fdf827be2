# SPDX-License-Identifier: Apache-2.0
"""How operators are converted: the table, and what a converter is given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import torch
from torch import Tensor

from ....op.schema import Op

__all__ = ["CONVERTERS", "Site", "converter"]


@dataclass
class Site:
    """One node, on its way into a model.

    Attributes:
        op: its operator.
        shapes: shapes of its inputs; `out`: of its outputs.
        values: its inputs that stay; None for the others.
        inputs: its inputs in the model; empty while it is asked whether the node can be converted.
        ops: what says it to the runtime; None while it is asked.
        dtypes: element types of its inputs; `out_dtypes`: of its outputs; float32 unless said.
        version: of ONNX's opset, for words that only `ONNXOpset` has.
    """

    op: Op
    shapes: list[tuple[int, ...]]
    out: list[tuple[int, ...]]
    values: list[Tensor | None]
    inputs: list[Any] = field(default_factory=list)
    ops: Any = None
    dtypes: list[torch.dtype] = field(default_factory=list)
    out_dtypes: list[torch.dtype] = field(default_factory=list)
    version: int = 13

    def __post_init__(self) -> None:
        self.dtypes = self.dtypes or [torch.float32] * len(self.shapes)
        self.out_dtypes = self.out_dtypes or [torch.float32] * len(self.out)

    def __getattr__(self, name: str) -> Any:
        return self.op.attr(name)  # a parameter of the operator

    @property
    def x(self) -> Any:
        """The first input."""
        return self.inputs[0]

    @property
    def rank(self) -> int:
        """The number of axes of the first input."""
        return len(self.shapes[0])

    def axis(self, name: str = "axis") -> int:
        """An axis of the first input, counted from the front."""
        return int(self.op.attr(name)) % self.rank

    def are_constant(self, *positions: int) -> bool:
        """Whether these inputs stay."""
        return all(self.values[i] is not None for i in positions)

    def computed_in(self, dtype: torch.dtype) -> Site:
        """The same with all inputs cast to a type."""
        pairs = zip(self.inputs, self.dtypes, strict=True)
        inputs = [x if known is dtype else self.ops.cast(x, dtype) for x, known in pairs]
        return replace(self, inputs=inputs, dtypes=[dtype] * len(inputs))

    def constant(self, position: int) -> Tensor:
        """The value of an input that stays."""
        found = self.values[position]
        if found is None:
            raise ValueError(f"{self.op.name}: input {position} does not stay")
        return found.detach()


class Converter(NamedTuple):
    """How an operator is converted.

    Attributes:
        build: a value of the model, or a list of them for several outputs.
        refusal: says why an operator at some inputs cannot be converted; None where it can.
        has_several: whether it gives all outputs, not just the first.
        only_onnx: whether it needs words that only `ONNXOpset` has.
        takes_integers: whether runtimes take it on 8-bit integers and int32, too.
        is_arithmetic: whether all inputs are to be numbers of one type, that of the output.
        since: ONNX's opset from which on there are the words.
    """

    build: Callable[[Site], Any]
    refusal: Callable[[Site], str | None] | None
    has_several: bool
    is_arithmetic: bool
    only_onnx: bool
    takes_integers: bool
    since: int


CONVERTERS: dict[str, Converter] = {}


def converter(
    names: str,
    refusal: Callable[[Site], str | None] | None = None,
    has_several: bool = False,
    is_arithmetic: bool = False,
    only_onnx: bool = False,
    takes_integers: bool = False,
    since: int = 13,
) -> Callable[[Callable[[Site], Any]], Callable[[Site], Any]]:
    """Makes a function the converter of the operators of these names, separated by blanks."""

    def declare(build: Callable[[Site], Any]) -> Callable[[Site], Any]:
        for name in names.split():
            CONVERTERS[name] = Converter(
                build, refusal, has_several, is_arithmetic, only_onnx, takes_integers, since
            )
        return build

    return declare
