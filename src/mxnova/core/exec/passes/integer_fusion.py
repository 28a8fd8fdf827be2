# SPDX-License-Identifier: Apache-2.0
"""Layers between DequantizeLinear and QuantizeLinear on oneDNN's kernels for 8-bit integers.

A convolution or product of dequantized data and weights takes over its bias, a dequantized residual
sum, an activation and the QuantizeLinear behind them: what flows between such layers is integers,
channels-last. Without a QuantizeLinear behind it, it gives real numbers. Max pooling and
concatenation of integers with the steps of their results are done on the integers themselves.
ResNet-50 that MXNet quantized: see `docs/performance.md`.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite, prod
from typing import Any

import torch
from torch import Tensor

from ...graph.infer import DTypeTable, ShapeTable
from ...graph.node import Entry, Node
from ...graph.rewrite import Replacement, rewrite
from ...graph.symbol import Symbol
from ...op.nn.fully_connected import FullyConnected
from ...op.nn.pooling import Pooling
from ...runtime.threads import run_single_threaded
from ...runtime.torch_integers import ZERO_OF_SIGNED, Steps, has_integer_kernels
from ..fused.constant import Constant
from ..fused.integers import (
    Dequantized,
    IntegerConvolution,
    IntegerLinear,
    IntegerMaxPooling,
    Quantized,
    Shifted,
    Weights,
)
from ..fused.quantize_linear import DequantizeLinear, QuantizeLinear
from .batch_split import images_of
from .convolution_fusion import geometry_of
from .definition import Pass, Target
from .matching import is_image_convolution, is_rectifier
from .qdq import ORIGIN
from .readers import Readers

__all__ = ["PASS", "with_integer_layers"]

_EIGHT_BITS = (torch.int8, torch.uint8)
_NO_ACTIVATION: tuple[str, list[float], str] = ("none", [], "")


def with_integer_layers(
    symbol: Symbol,
    shapes: ShapeTable,
    dtypes: DTypeTable,
    constants: Mapping[str, Tensor],
    images: int = 0,
) -> Symbol:
    """`symbol` with such layers.

    Args:
        symbol: any symbol; it stays as it is.
        shapes: of all its nodes.
        dtypes: of all its nodes.
        constants: values of inputs that stay, by name.
        images: how many are computed at once; 0: as many as there are.
    """
    facts = _Facts(symbol, shapes, dtypes, constants, images)
    drafts = [d for d in map(facts.draft, symbol.nodes) if d is not None]
    return rewrite(symbol, _Rewriting(facts, {d.last: d for d in drafts}).replace)


# Finding ------------------------------------------------------------------------------------------


@dataclass
class _Draft:
    """A product and what it takes over.

    Attributes:
        product: its node.
        data: the DequantizeLinear of its data.
        weights: its weights.
        bias: its bias.
        last: the node whose value it gives.
        result: steps of that value.
        summand: the DequantizeLinear of what it adds.
        unary: the activation.
        absorbed: nodes that it takes over.
    """

    product: Node
    data: Node
    weights: Weights
    bias: Tensor | None
    last: Node
    result: Steps = field(default_factory=lambda: Steps(torch.float32))
    summand: Node | None = None
    unary: tuple[str, list[float], str] = _NO_ACTIVATION
    absorbed: list[Node] = field(default_factory=list)

    def take(self, *nodes: Node) -> None:
        """Takes over nodes, the last of which gives its value."""
        self.absorbed += nodes
        self.last = nodes[-1]


class _Facts:
    """What is asked of a graph in QDQ."""

    def __init__(
        self,
        symbol: Symbol,
        shapes: ShapeTable,
        dtypes: DTypeTable,
        constants: Mapping[str, Tensor],
        images: int,
    ) -> None:
        self._readers = Readers(symbol)
        self._shapes, self._dtypes, self._constants = shapes, dtypes, constants
        self._images = images
        self._sums: set[Node] = set()  # that a product has taken over

    # Constants and steps

    def _value(self, entry: Entry) -> Tensor | None:
        """The value of a constant, or of a dequantized one."""
        node = entry.node
        if isinstance(node.op, Constant):
            return node.op.value
        if isinstance(node.op, DequantizeLinear):
            given = [v for v in map(self._value, node.inputs) if v is not None]
            return node.op.forward(*given) if len(given) == len(node.inputs) else None
        return self._constants.get(node.name) if node.op is None else None

    def steps(self, node: Node) -> Steps | None:
        """Steps of the integers that a QuantizeLinear gives, or a DequantizeLinear reads."""
        op = node.op
        if not isinstance(op, (QuantizeLinear, DequantizeLinear)) or op.axis is not None:
            return None
        source = node.inputs[0] if isinstance(op, DequantizeLinear) else Entry(node, 0)
        dtype, scale = self._dtypes[source.node][source.output], self._value(node.inputs[1])
        if dtype not in _EIGHT_BITS or scale is None or scale.numel() != 1:
            return None
        size = float(scale)
        return Steps(dtype, size) if size > 0 and isfinite(size) else None

    def _read(self, node: Node) -> Steps | None:
        """Steps of what a DequantizeLinear reads that is no constant; None for other nodes."""
        is_data = isinstance(node.op, DequantizeLinear) and self._value(node.inputs[0]) is None
        return self.steps(node) if is_data else None

    def given(self, node: Node) -> Steps | None:
        """Steps of what a QuantizeLinear gives; None for other nodes."""
        return self.steps(node) if isinstance(node.op, QuantizeLinear) else None

    def _weights(self, entry: Entry) -> Weights | None:
        """int8 weights that are dequantized, by output or all alike."""
        node = entry.node
        if not isinstance(node.op, DequantizeLinear) or node.op.axis not in (None, 0):
            return None
        numbers, sizes = map(self._value, node.inputs)
        if numbers is None or sizes is None or numbers.dtype is not torch.int8:
            return None
        spread = sizes.detach().float().reshape(-1).expand(len(numbers)).contiguous()
        return Weights(numbers.detach().contiguous(), spread)

    # Layers

    def draft(self, node: Node) -> _Draft | None:
        """What a product can take over; None unless it multiplies dequantized integers."""
        is_convolution = is_image_convolution(node)
        if not is_convolution and not isinstance(node.op, FullyConnected):
            return None
        data, weight, *bias = node.inputs
        weights = self._weights(weight)
        values = [v.detach().float().reshape(-1) for v in map(self._value, bias) if v is not None]
        if weights is None or self._read(data.node) is None or len(values) < len(bias):
            return None
        added = values[0].contiguous() if values else None
        found = _Draft(node, data.node, weights, added, node, absorbed=[node])
        self._take_rest(found, is_convolution)
        return found

    def _take_rest(self, draft: _Draft, is_convolution: bool) -> None:
        """Takes over a sum, if integers are made of that, an activation and a QuantizeLinear."""
        total = self._next(draft.last)
        if is_convolution and total is not None and self._take_sum(draft, total):
            return
        self._take_activation(draft, is_convolution)
        self._take_quantization(draft)

    def _next(self, node: Node) -> Node | None:
        """What alone reads a node."""
        return self._readers.only(Entry(node, 0))

    def _take_sum(self, draft: _Draft, total: Node) -> bool:
        if total.op is None or total.op.name != "elemwise_add" or total in self._sums:
            return False
        other = next((e.node for e in total.inputs if e.node is not draft.last), None)
        if other is None or self._read(other) is None:
            return False
        after = self._next(total)
        rectifier = after if after is not None and is_rectifier(after) else None
        quantization = self._next(rectifier or total)
        steps = None if quantization is None else self.given(quantization)
        if quantization is None or steps is None:
            return False
        self._sums.add(total)
        draft.summand, draft.result = other, steps
        if rectifier is not None:
            draft.unary = ("relu", [], "")
        draft.take(total, *filter(None, (rectifier, quantization)))
        self._take_rectified_integers(draft)
        return True

    def _take_activation(self, draft: _Draft, is_convolution: bool) -> None:
        node = self._next(draft.last)
        op: Any = None if node is None else node.op
        if node is None or op is None:
            return
        if is_rectifier(node):
            draft.unary = ("relu", [], "")
        elif op.name == "clip" and is_convolution:
            draft.unary = ("hardtanh", [op.attr("a_min"), op.attr("a_max")], "")
        else:
            return
        draft.take(node)

    def _take_quantization(self, draft: _Draft) -> None:
        node = self._next(draft.last)
        steps = None if node is None else self.given(node)
        if node is not None and steps is not None:
            draft.result = steps
            draft.take(node)
            self._take_rectified_integers(draft)

    def _take_rectified_integers(self, draft: _Draft) -> None:
        """Takes over a rectifier of the integers, which stay others than those below zero."""
        nodes = [draft.last]
        while len(nodes) < 4:
            node = self._next(nodes[-1])
            if node is None:
                return
            nodes.append(node)
        _, dequantization, rectifier, quantization = nodes
        steps = self._read(dequantization)
        is_same = steps is not None and steps == self.given(quantization)
        if is_same and is_rectifier(rectifier) and draft.unary[0] in ("none", "relu"):
            draft.unary = ("relu", [], "")
            draft.take(*nodes[1:])

    def data_shape(self, draft: _Draft) -> Any:
        """The shape of the data of a product, of as many images as are computed at once."""
        source = draft.product.inputs[0]
        shape: Any = self._shapes[source.node][source.output]
        if shape is None or not all(isinstance(n, int) for n in shape):
            return None
        return (self._images, *shape[1:]) if self._images else shape

    # Operators on integers themselves

    def on_integers(self, node: Node) -> list[Node] | None:
        """What is dequantized for what a QuantizeLinear narrows, if integers do as well."""
        inner, steps = node.inputs[0].node, self.given(node)
        if steps is None or inner.op is None or not _selects(inner):
            return None
        read = [e.node for e in inner.inputs]
        return read if all(self._read(n) == steps for n in read) else None


def _selects(node: Node) -> bool:
    op: Any = node.op
    if isinstance(op, Pooling):
        return op.pool_type == "max" and op.layout in (None, "NCHW") and len(op.kernel) in (0, 2)
    return bool(op.name == "Concat")


# Replacing ----------------------------------------------------------------------------------------


class _Rewriting:
    """What stands for each node."""

    def __init__(self, facts: _Facts, drafts: Mapping[Node, _Draft]) -> None:
        self._facts, self._drafts = facts, drafts
        self._integers: dict[Node, Entry] = {}  # what is dequantized, in the new graph
        self._shifted: dict[Entry, Entry] = {}

    def replace(self, node: Node, inputs: list[Entry]) -> Replacement:
        """See `rewrite`."""
        if isinstance(node.op, DequantizeLinear):
            self._integers[node] = inputs[0]
        draft = self._drafts.get(node)
        if draft is not None:
            return [self._layer(draft)]
        steps = self._facts.steps(node)
        if steps is None:
            return None
        names = _origins(node)
        if isinstance(node.op, DequantizeLinear):
            real = Dequantized(size=steps.size, absorbed=names)
            return Node(real, node.name, dict(node.attrs), inputs[:1])
        sources = self._facts.on_integers(node)
        if sources is None:
            op = Quantized(steps=steps, absorbed=names)
            return Node(op, node.name, dict(node.attrs), inputs[:1])
        return self._selection(node, [self._integers[n] for n in sources])

    def _selection(self, node: Node, integers: list[Entry]) -> Node:
        """Pooling or concatenation of integers."""
        inner = node.inputs[0].node
        if not isinstance(inner.op, Pooling):
            return Node(inner.op, node.name, dict(inner.attrs), integers)
        op = IntegerMaxPooling(plain=inner.op, absorbed=_origins(node))
        return Node(op, node.name, dict(node.attrs), integers)

    def _shift(self, entry: Entry) -> Entry:
        """int8 numbers as uint8, or the other way round."""
        if entry not in self._shifted:
            node = Node(Shifted(), f"{entry.node.name}_shifted", {}, [entry])
            self._shifted[entry] = Entry(node, 0)
        return self._shifted[entry]

    def _unsigned(self, node: Node) -> tuple[Entry, Steps]:
        """What a DequantizeLinear reads, as uint8."""
        entry, steps = self._integers[node], self._facts.steps(node)
        if steps is None:
            raise LookupError(node.name)  # a draft has no such
        if steps.dtype is torch.uint8:
            return entry, steps
        return self._shift(entry), Steps(torch.uint8, steps.size, ZERO_OF_SIGNED)

    def _layer(self, draft: _Draft) -> Entry:
        data, steps = self._unsigned(draft.data)
        bias = draft.bias
        if steps.zero and not any(getattr(draft.product.op, "pad", ())):
            bias, steps = _without_zero(draft, steps)
        inputs, result, summand = [data], draft.result, None
        if draft.summand is not None:
            other, summand = self._integers[draft.summand], self._facts.steps(draft.summand)
            if summand is not None and summand.dtype is not result.dtype:
                other, summand = self._unsigned(draft.summand)
                if result.dtype is torch.int8:
                    result = Steps(torch.uint8, result.size, ZERO_OF_SIGNED)
            inputs.append(other)
        values = {
            "data_steps": steps,
            "result_steps": result,
            "unary": draft.unary,
            "dtype": result.dtype,
            "absorbed": tuple(dict.fromkeys(n for a in draft.absorbed for n in _origins(a))),
        }
        shape = self._facts.data_shape(draft)
        if isinstance(draft.product.op, FullyConnected):
            op: Any = _linear(draft, bias, shape, values)
        else:
            op = _convolution(draft, bias, shape, values | {"summand_steps": summand})
        made = Entry(Node(op, draft.last.name, dict(draft.product.attrs), inputs), 0)
        return made if result.dtype is draft.result.dtype else self._shift(made)


def _without_zero(draft: _Draft, steps: Steps) -> tuple[Tensor, Steps]:
    """A bias that has what the zero of the data adds to sums, and steps without that.

    The kernels work it out in each call: a convolution of 512 to 2,048 channels takes 0.13 ms
    without, 0.48 with it. Margins have to be that zero, so it is for layers without padding.
    """
    numbers, sizes = draft.weights
    added = numbers.flatten(1).sum(1, dtype=torch.float64) * sizes * (steps.zero * steps.size)
    bias = -added if draft.bias is None else draft.bias - added
    return bias.float(), steps._replace(zero=0)


def _convolution(
    draft: _Draft, bias: Tensor | None, shape: Any, values: dict[str, Any]
) -> IntegerConvolution:
    op: Any = draft.product.op
    return IntegerConvolution.prepared(
        draft.weights,
        bias,
        shape,
        **values,
        geometry=geometry_of(op),
        with_sum=draft.summand is not None,
        filters=op.num_filter,
        kernel=tuple(op.kernel),
    )


def _linear(
    draft: _Draft, bias: Tensor | None, shape: Any, values: dict[str, Any]
) -> IntegerLinear:
    op: Any = draft.product.op
    width = draft.weights.numbers.shape[1]
    n_rows = None if shape is None else prod(shape) // max(width, 1)
    return IntegerLinear.prepared(
        draft.weights, bias, n_rows, **values, gelu_after=False, flatten=op.flatten
    )


def _origins(node: Node) -> tuple[str, ...]:
    """The name of the int8 node that a node in QDQ is of, or its own."""
    return (node.attrs.get(ORIGIN, node.name),)


def _fused(symbol: Symbol, target: Target) -> Symbol:
    is_in_qdq = any(isinstance(n.op, (DequantizeLinear, QuantizeLinear)) for n in symbol.nodes)
    if not is_in_qdq or not has_integer_kernels():
        return symbol
    shapes, dtypes = target.facts.shapes(symbol), target.facts.dtypes(symbol)
    images = images_of(symbol, target)
    fused = functools.partial(with_integer_layers, symbol, shapes, dtypes, target.constants, images)
    return run_single_threaded(fused) if images else fused()


PASS = Pass(
    "integer_fusion",
    requires="products of dequantized integers with int8 weights, steps and weights that stay",
    ensures="they multiply integers, with bias, sum, activation and quantization taken over",
    apply=_fused,
)
