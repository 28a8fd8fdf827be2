# SPDX-License-Identifier: Apache-2.0
"""What a lowering rule sees of an int8 operator, and the graph that it adds to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from ....base.unique_names import FreeNames
from ....graph.node import Entry, Node
from ....op.outputs import as_tuple
from ....op.quantized import ranges
from ....op.quantized.quantize import calibrated
from ....op.schema import Op, find
from ...fused.quantize_linear import DequantizeLinear, QuantizeLinear

__all__ = ["ORIGIN", "RULES", "Graph", "Site", "UnsupportedError", "rule"]


ORIGIN = "__lowered_from__"
"""The attribute of nodes in QDQ that names the int8 node that they are of."""


class UnsupportedError(Exception):
    """A node that QDQ cannot express; the text is the reason."""


class Graph:
    """The graph that is being made.

    Args:
        constants: values of constant variables, by name.
        names: those that are taken.

    Attributes:
        constants: these values, and those of new variables.
        reals: the float values of int32 entries, and what readers take 1 of these for, None: 1.
    """

    def __init__(self, constants: Mapping[str, Tensor], names: Iterable[str]) -> None:
        self.constants = dict(constants)
        self.reals: dict[Entry, tuple[Entry, Tensor | None]] = {}
        self._free = FreeNames(names)
        self._attrs: dict[str, str] = {}

    def begin(self, node: Node) -> None:
        """The node that is lowered next, whose attributes those that replace it keep."""
        kept = {name: text for name, text in node.attrs.items() if name.startswith("__")}
        self._attrs = {**kept, ORIGIN: node.name}

    def value(self, entry: Entry) -> Tensor | None:
        """The value of a constant, None for other entries."""
        return self.constants.get(entry.node.name) if entry.node.op is None else None

    def values(self, entries: Sequence[Entry]) -> list[Tensor] | None:
        """The values of constants, None unless all are."""
        found = [v for v in map(self.value, entries) if v is not None]
        return found if len(found) == len(entries) else None

    def variable(self, name: str, value: Tensor) -> Entry:
        """A new constant variable."""
        free = self._free.free(name)
        self.constants[free] = value.detach().contiguous()
        return Entry(Node(None, free, {}), 0)

    def apply(self, op: Op, name: str, inputs: Sequence[Entry]) -> list[Entry]:
        """The outputs of an operator; folded where its inputs are constant, unless to floats."""
        known = self.values(inputs)
        if known is not None and not isinstance(op, DequantizeLinear):
            with torch.no_grad():
                found = as_tuple(op.forward(*(v.clone() for v in known), **op.quiet_facts()))
            return [self.variable(name, value) for value in found]
        texts = {
            f.name: f.kind.text(op.attr(f.name)) for f in op.type.fields if f.name in op.values
        }
        node = Node(op, self._free.free(name), {**texts, **self._attrs}, inputs)
        return [Entry(node, i) for i in range(node.n_outputs())]


@dataclass
class Site:
    """One int8 operator that is being lowered.

    Attributes:
        name: of its node.
        op: the operator.
        inputs: what it reads, in the graph that is made.
        dtypes: their types.
        graph: that graph.
    """

    name: str
    op: Any
    inputs: list[Entry]
    dtypes: list[torch.dtype]
    graph: Graph

    def read(self) -> dict[str, Entry]:
        """What it reads, by the operator's names."""
        return dict(zip(self.op.inputs(), self.inputs, strict=True))

    def dtype(self, name: str) -> torch.dtype:
        """The type of an input."""
        names: tuple[str, ...] = self.op.inputs()
        return self.dtypes[names.index(name)]

    # Adding to the graph

    def outputs(self, op: Op, *inputs: Entry) -> list[Entry]:
        """What an operator gives."""
        return self.graph.apply(op, f"{self.name}_{op.name.strip('_').lower()}", inputs)

    def apply(self, op: str | Op, *inputs: Entry, **attrs: Any) -> Entry:
        """The first output of an operator, which may be given by name and parameters."""
        return self.outputs(find(op).of(attrs) if isinstance(op, str) else op, *inputs)[0]

    def constant(self, name: str, value: Tensor) -> Entry:
        """A constant."""
        return self.graph.variable(f"{self.name}_{name}", value)

    def known(self, *entries: Entry) -> list[Tensor] | None:
        """The values of constants, None unless all are."""
        return self.graph.values(entries)

    def quantized(self, data: Entry, scale: Entry, dtype: torch.dtype) -> Entry:
        """Quantized floats."""
        return self.apply(QuantizeLinear(axis=None, dtype=dtype), data, scale)

    def dequantized(self, data: Entry, scale: Entry, axis: int | None = None) -> Entry:
        """Dequantized integers."""
        return self.graph.apply(
            DequantizeLinear(axis=axis),
            f"{data.node.name.removesuffix('_quantized')}_dequantized",
            [data, scale],
        )[0]

    def whole(self, data: Entry) -> Entry:
        """Integers as floats, with a scale of 1."""
        return self.dequantized(data, self.one())

    def one(self) -> Entry:
        """A scale of 1."""
        return self.constant("one", torch.ones(1))

    def int32(self, numbers: Entry, reals: Entry, ratio: Tensor | None = None) -> Entry:
        """Whole numbers as int32, whose float values are ``reals * ratio``."""
        found = self.apply("Cast", numbers, dtype="int32")
        self.graph.reals[found] = reals, ratio
        return found

    # Ranges

    def magnitude(self, low: Entry, high: Entry) -> Entry:
        """The greater magnitude of the two ends of a range."""
        return self.apply("broadcast_maximum", self.apply("abs", low), self.apply("abs", high))

    def step(self, levels: float, low: Entry, high: Entry) -> Entry:
        """The quantization scale."""
        ends = self.known(low, high)
        if ends is not None:
            return self.constant("scale", ranges.step(levels, *ends))
        return self.apply("_div_scalar", self.magnitude(low, high), scalar=levels)

    def wide_step(self, name: str, low: Entry, high: Entry) -> Entry:
        """The scale of an input, with `WIDE_LEVELS`."""
        return self.step(ranges.WIDE_LEVELS[self.dtype(name)], low, high)

    def calibrated(self, data: Entry, dtype: torch.dtype) -> tuple[Entry, Entry]:
        """The range of the operator's result: known beforehand, or that of `data`, of a type."""
        low, high = self.op.min_calib_range, self.op.max_calib_range
        if dtype not in ranges.EIGHT_BITS and (low is None or high is None):
            ends = [self.apply(kind, data) for kind in ("min", "max")]
            least, most = (self.apply("Reshape", end, shape=(1,)) for end in ends)
            return least, most
        values = calibrated(torch.empty(0, dtype=dtype), low, high)
        least, most = (self.constant(n, v) for n, v in zip(("min", "max"), values, strict=True))
        return least, most


RULES: dict[str, Callable[[Site], list[Entry]]] = {}


def rule(*names: str) -> Callable[[Callable[[Site], list[Entry]]], Callable[[Site], list[Entry]]]:
    """Makes a function the rule of the operators of these names; it gives all their outputs."""

    def declare(function: Callable[[Site], list[Entry]]) -> Callable[[Site], list[Entry]]:
        RULES.update(dict.fromkeys(names, function))
        return function

    return declare
