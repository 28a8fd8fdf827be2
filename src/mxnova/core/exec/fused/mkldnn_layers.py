# SPDX-License-Identifier: Apache-2.0
"""Convolution and FullyConnected with what follows them as one node, as MXNet makes for oneDNN.

The node's subgraph is the chain of operators that it stands for. On real numbers it computes what
they do. A quantized node takes 8-bit integers with the ends of their ranges after the subgraph's
inputs, and multiplies integers; what calibration found of its result makes that 8-bit integers,
too. Its weights are real numbers, but those of a FullyConnected that is not quantized by channel.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import torch
from torch import Tensor

from ...base.errors import MXNetError
from ...graph.infer import infer_dtypes, infer_shapes
from ...graph.node import Node
from ...op.declaration import operator
from ...op.infer import DTypes, Shapes
from ...op.nn.window import is_channels_last
from ...op.outputs import as_tuple, numbered
from ...op.quantized.fused import Weights, prepared, rescaled
from ...op.quantized.ranges import (
    EIGHT_BITS,
    LEVELS,
    WIDE_LEVELS,
    calibrated_range,
    check_type,
    finite,
    per_real,
    quantized,
    step,
)
from ...op.schema import Op
from .post_ops import Chain, activation_of

__all__ = ["FusedConvolutionLayer", "FusedLayer", "FusedLinearLayer", "Result"]

_SCALE_FREE = frozenset({"relu", "leaky", "abs"})  # f(a * x) is a * f(x) for positive a


_Arrays = Mapping[str, Tensor]  # by name of the subgraph's inputs
_Ranges = Mapping[str, tuple[Tensor, Tensor]]


class Result(NamedTuple):
    """What becomes of sums of integers.

    Attributes:
        factor: what makes them steps of the result, None where they are that.
        unit: how many steps of the result a real number 1 is.
        summand: how many steps of the result a step of what is added is, None without such.
        range: the ends of the result's range, none for real numbers.
    """

    factor: Tensor | None
    unit: Tensor
    summand: Tensor | None
    range: tuple[Tensor, ...]


class FusedLayer(Op):
    """What both layers have in common."""

    quantized: bool
    min_calib_range: float | None
    max_calib_range: float | None
    differentiable: ClassVar[None] = None  # type: ignore[misc]

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    _product: ClassVar[str]
    _non_negative: ClassVar[frozenset[str]]
    _on_integers: ClassVar[frozenset[str]] = frozenset(
        {"relu", "leaky", "gelu", "elu", "abs", "clip"}
    )
    enable_float_output = False

    @cached_property
    def chain(self) -> Chain:
        """What the subgraph computes."""
        return Chain.of(self.name, self._product, self.subgraphs)

    def can_be_quantized(self) -> bool:
        """Whether its activations are among those that MXNet computes on integers."""
        return self._on_integers.issuperset(
            activation_of(n) for n in self.chain.rest if n is not self.chain.sum
        )

    def integer_inputs(self) -> list[str]:
        """Inputs of the subgraph that may be int8 or uint8: the data, and what is added."""
        data, summand = self.chain.product.inputs[0].node.name, self.chain.summand()
        return [data] if summand is None else [data, summand]

    def ranged(self) -> list[str]:
        """Inputs of the subgraph that come with a range, in the order of the ranges."""
        raise NotImplementedError

    def inputs(self) -> tuple[str, ...]:
        """arg0, arg1, …: the subgraph's, then the ends of ranges."""
        n_ranges = len(self.ranged()) if self.quantized else 0
        return numbered("arg", len(self.chain.names) + 2 * n_ranges)

    @property
    def aux(self) -> tuple[str, ...]:  # type: ignore[override]
        """The statistics of the BatchNorm."""
        if not self.subgraphs:
            return ()
        states = self.chain.states()
        return tuple(f"arg{i}" for i, name in enumerate(self.chain.names) if name in states)

    def outputs(self) -> tuple[str, ...]:
        """The result, and the ends of its range where it is integers."""
        if not self.quantized or self.enable_float_output:
            return ("output",)
        return ("output", "output_min", "output_max")

    def by_name(self, values: Sequence[Any]) -> tuple[dict[str, Any], _Ranges]:
        """(inputs of the subgraph, ranges) by the names of the subgraph's inputs."""
        names = self.chain.names
        ends = values[len(names) :]
        pairs = list(zip(ends[::2], ends[1::2], strict=True))
        ranges = zip(self.ranged() if pairs else (), pairs, strict=True)
        return dict(zip(names, values, strict=False)), dict(ranges)

    # Rules -----------------------------------------------------------------------------------

    def infer_shape(self, s: Shapes) -> None:
        """The subgraph's shapes; ends of ranges are one number each."""
        names = self.chain.names
        for name in (*s.inputs[len(names) :], *s.outputs[1:]):
            s[name] = (1,)
        nodes, head = self.subgraphs[0].nodes, self.subgraphs[0].entries[0]
        known = {inner: s.known(outer) for inner, outer in zip(names, s.inputs, strict=False)}
        table = infer_shapes(nodes, known, [(head, s.known("output"))])
        for outer, shape in self._learned(table, s.inputs):
            s[outer] = shape
        s["output"] = table[head.node][head.output]

    def _learned(self, table: Mapping[Node, list[Any]], inputs: Sequence[str]) -> list[Any]:
        """Facts of the subgraph's variables, by names of the inputs."""
        facts = {n.name: table[n][0] for n in self.subgraphs[0].nodes if n.op is None}
        return [(outer, facts[name]) for name, outer in zip(self.chain.names, inputs, strict=False)]

    def infer_dtype(self, t: DTypes) -> None:
        """Those of the subgraph; of a quantized node 8-bit integers, and what it makes of them."""
        if not self.quantized:
            self._infer_real(t)
            return
        outer = dict(zip(self.chain.names, t.inputs, strict=False))
        integers, int8 = self.integer_inputs(), self._int8()
        for name, arg in outer.items():
            if name not in integers:
                t[arg] = torch.int8 if name in int8 else torch.float32
        for arg in (*t.inputs[len(outer) :], *t.outputs[1:]):
            t[arg] = torch.float32
        t.output = self.result_type()
        for name in integers:
            check_type(self.name, t, outer[name], *EIGHT_BITS)

    def _infer_real(self, t: DTypes) -> None:
        nodes, head = self.subgraphs[0].nodes, self.subgraphs[0].entries[0]
        known = {i: t.known(o) for i, o in zip(self.chain.names, t.inputs, strict=True)}
        table = infer_dtypes(nodes, known, [(head, t.known("output"))])
        for outer, dtype in self._learned(table, t.inputs):
            t[outer] = dtype
        t["output"] = table[head.node][head.output]

    def _int8(self) -> list[str]:
        """Parameters that are int8."""
        return []

    def result_type(self) -> torch.dtype:
        """The type of a quantized result."""
        if self.enable_float_output:
            return torch.float32
        if self.min_calib_range is None or self.max_calib_range is None:
            return torch.int32
        last = self.chain.rest[-1] if self.chain.rest else None
        return torch.uint8 if last and activation_of(last) in self._non_negative else torch.int8

    # Forward -----------------------------------------------------------------------------------

    def forward(self, *data: Tensor, inside: bool) -> Any:
        """Computes the chain."""
        inputs, ranges = self.by_name(data)
        if not self.quantized:
            return self._real(inputs)
        weights = self.weights(inputs, ranges)
        result = self.result(inputs, ranges, weights)
        given = [inputs[name] for name in self.integer_inputs()]
        output = self.finished(self.sums(given[0].float(), weights, inside), result, *given[1:])
        return output if self.enable_float_output else (output, *result.range)

    def _real(self, inputs: Mapping[str, Tensor]) -> Tensor:
        """What the chain gives for real numbers."""
        value: Any = None
        for node in self.subgraphs[0].nodes:
            if node.op is not None:
                given = [inputs[e.node.name] if e.node.op is None else value for e in node.inputs]
                if node is self.chain.norm:
                    given[1] = given[1].clone()  # BatchNorm writes to a fixed gamma
                value = as_tuple(_run(node.op, *given))[0]
        return value  # type: ignore[no-any-return]

    def weights(self, inputs: _Arrays, ranges: _Ranges) -> Weights:
        """The weights as integers."""
        raise NotImplementedError

    def _weight_and_bias(self, inputs: _Arrays) -> tuple[Tensor, Tensor | None]:
        """The weight and the bias."""
        names = [e.node.name for e in self.chain.product.inputs]
        return inputs[names[1]], inputs[names[2]] if len(names) > 2 else None

    def _steps(self, name: str, inputs: _Arrays, ranges: _Ranges) -> Tensor:
        """How many steps of integers a real number 1 is."""
        return per_real(WIDE_LEVELS[inputs[name].dtype], *ranges[name])

    def result(self, inputs: _Arrays, ranges: _Ranges, weights: Weights) -> Result:
        """What becomes of sums with these weights."""
        data, *summand = self.integer_inputs()
        scale = finite(self._steps(data, inputs, ranges))
        ends: tuple[Tensor, ...]
        if self.enable_float_output:
            unit, ends = torch.ones_like(scale), ()
        elif self.min_calib_range is not None and self.max_calib_range is not None:
            ends = calibrated_range(self.min_calib_range, self.max_calib_range, scale.device)
            unit = finite(per_real(WIDE_LEVELS[self.result_type()], *ends))
        else:
            unit = scale * weights.scale[:1]
            most = step(LEVELS[inputs[data].dtype], *ranges[data]) * LEVELS[torch.int32]
            most = most * (WIDE_LEVELS[torch.int8] / weights.scale[:1] / LEVELS[torch.int8])
            ends = (-most, most)
        factor = None if self.result_type() is torch.int32 else unit / scale / weights.scale
        added = [unit / self._steps(name, inputs, ranges) for name in summand]
        return Result(factor, unit, added[0] if added else None, ends)

    def sums(self, data: Tensor, weights: Weights, inside: bool) -> Tensor:
        """Sums of products, and the bias, as whole numbers.

        Args:
            data: integers as float32.
            weights: the weights.
            inside: whether the result stays inside a graph.
        """
        op: Any = self.chain.product.op
        given = [data, weights.weight]
        if weights.bias is not None:
            given.append(weights.bias)
            op = op.changed(no_bias=False) if op.attr("no_bias") else op
        facts = {"inside": inside} if "inside" in op.type.signature.facts else {}
        sums: Tensor = op.forward(*given, **facts)
        return sums

    def finished(self, sums: Tensor, result: Result, summand: Tensor | None = None) -> Tensor:
        """The result of sums, which are overwritten."""
        if result.factor is not None:
            sums = sums.mul_(self.along_outputs(result.factor))
        dtype = self.result_type()
        for node in self.chain.rest:
            is_last = node is self.chain.rest[-1]
            if dtype is torch.uint8 and is_last and activation_of(node) == "relu":
                break  # uint8 has nothing below zero
            if node is self.chain.sum and summand is not None and result.summand is not None:
                sums = sums.add_(summand * result.summand)
            else:
                sums = _activated(node, sums, result.unit)
        if dtype is torch.int32:
            return sums.double().round_().clamp_(-LEVELS[dtype] - 1, LEVELS[dtype]).int()
        return sums if dtype is torch.float32 else quantized(sums, dtype)

    def along_outputs(self, values: Tensor) -> Tensor:
        """Values of the outputs in a shape that multiplies sums."""
        return values


def _run(op: Any, *given: Tensor) -> Any:
    return op.forward(*given, **op.quiet_facts())


def _activated(node: Node, data: Tensor, unit: Tensor) -> Tensor:
    """An activation of real numbers, of which 1 is `unit` steps of `data`."""
    op: Any = node.op
    if activation_of(node) in _SCALE_FREE:
        return _run(op, data)  # type: ignore[no-any-return]
    if op.name == "clip":
        return data.clamp_(op.attr("a_min") * unit, op.attr("a_max") * unit)
    return _run(op, data / unit) * unit  # type: ignore[no-any-return]


@operator("_sg_mkldnn_conv", named_inputs=False)
class FusedConvolutionLayer(FusedLayer):
    """Convolution with BatchNorm, activation, sum and activation, as its subgraph has them.

    Args:
        data: what the subgraph reads; where it is quantized, data and what is added are int8 or
            uint8, and the ends of their ranges follow, (1,) each.
        with_bn: without effect, as the following: the subgraph tells.
        with_act: whether there is an activation before the sum.
        with_sum: whether there is a sum.
        with_postsum_act: whether there is an activation after the sum.
        quantized: takes 8-bit integers, and gives integers and the ends of their range.
        min_calib_range: least number of the result's range.
        max_calib_range: greatest number of the result's range; both or none: the result is int32.
    """

    with_bn: bool = False
    with_act: bool = False
    with_sum: bool = False
    with_postsum_act: bool = False
    quantized: bool = False
    min_calib_range: float | None = None
    max_calib_range: float | None = None

    _product = "Convolution"
    _non_negative = frozenset({"relu", "sigmoid", "softrelu", "clip"})

    def ranged(self) -> list[str]:
        """The data, and what is added."""
        return self.integer_inputs()

    def weights(self, inputs: _Arrays, ranges: _Ranges) -> Weights:
        """Those with BatchNorm in them, quantized by filter where the result has 8 bits."""
        weight, bias = self._weight_and_bias(inputs)
        norm = self.chain.norm
        if norm is not None:
            op: Any = norm.op
            weight, bias = op.folded(weight, bias, [inputs[e.node.name] for e in norm.inputs[1:]])
        data = finite(self._steps(self.integer_inputs()[0], inputs, ranges))
        return prepared(weight, bias, data, by_filter=self.result_type() is not torch.int32)

    def along_outputs(self, values: Tensor) -> Tensor:
        """Along the axis of the channels."""
        op: Any = self.chain.product.op
        if is_channels_last(op.attr("layout")):
            return values
        return values.reshape(-1, *[1] * len(op.attr("kernel")))


@operator("_sg_mkldnn_fully_connected", named_inputs=False)
class FusedLinearLayer(FusedLayer):
    """FullyConnected with an activation, as its subgraph has them.

    Args:
        data: what the subgraph reads; where it is quantized, data is int8 or uint8, weight and bias
            are int8, and the ends of their ranges follow, (1,) each.
        quantized: takes 8-bit integers, and gives integers and the ends of their range.
        enable_float_output: give real numbers instead of integers.
        with_eltwise: without effect: the subgraph tells whether there is an activation.
        min_calib_range: least number of the result's range.
        max_calib_range: greatest number of the result's range; both or none: the result is int32.
        channel_wise_quantize: weight and bias are real numbers, quantized here by output.
    """

    quantized: bool = False
    enable_float_output: bool = False
    with_eltwise: bool = False
    min_calib_range: float | None = None
    max_calib_range: float | None = None
    channel_wise_quantize: bool | None = None

    _product = "FullyConnected"
    # MXNet has leaky among them, so that what is below zero is lost.
    _non_negative = frozenset(
        {"relu", "leaky", "sigmoid", "softrelu", "clip", "abs", "square", "sqrt", "exp"}
    )

    def ranged(self) -> list[str]:
        """The data, and parameters that are integers."""
        data, *parameters = (e.node.name for e in self.chain.product.inputs)
        return [data] if self.channel_wise_quantize else [data, *parameters]

    def _int8(self) -> list[str]:
        return self.ranged()[1:]

    def infer_dtype(self, t: DTypes) -> None:
        """As those of the base; integers by output must have a range."""
        if self.quantized and self.channel_wise_quantize and self.result_type() is torch.int32:
            raise MXNetError(
                f"{self.name}: channel_wise_quantize=True: it must be calibrated, or give floats"
            )
        super().infer_dtype(t)

    def weights(self, inputs: _Arrays, ranges: _Ranges) -> Weights:
        """Those given, or by output those that are real numbers."""
        weight, bias = self._weight_and_bias(inputs)
        data, *parameters = self.ranged()
        scale = finite(self._steps(data, inputs, ranges))
        if self.channel_wise_quantize:
            return prepared(weight, bias, scale, by_filter=True)
        own = [self._steps(name, inputs, ranges) for name in parameters]
        return rescaled(weight, own[0], bias, own[1] if len(own) > 1 else None, scale)
