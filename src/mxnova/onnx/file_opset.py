# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: D102 - Opset documents the methods
"""ONNX's words for models that become files: names are MXNet's, parameters are initializers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import torch
from onnx import helper
from torch import Tensor

from ..core.base.errors import MXNetError
from ..core.base.unique_names import FreeNames
from ..core.exec.backends.conversion.onnx_opset import ONNXOpset
from ..core.exec.backends.conversion.onnx_tensors import KINDS
from ..core.exec.backends.conversion.opset import Numbers, Statistics, bounds_of
from ..core.graph.open_sizes import OpenSizes, is_open
from .opsets import DEFAULT

__all__ = ["FileOpset"]

Shape = tuple[int, ...]

_END = (1 << 62) - 1  # behind the last item of any axis
_NEAR = 1 << 20  # sizes within this of an open one are counted from its end
_MIDDLE = torch.tensor(128, dtype=torch.int32)  # The offset between int8 and uint8.
_SHARED = 16  # numbers; smaller constants that are equal are one


class FileOpset(ONNXOpset):
    """A model that is being written for a file.

    Args:
        names: of all variables of the graph, which nothing else may have.
        open_sizes: the sizes that it leaves open.
        version: of the opset.

    Attributes:
        inputs: descriptions of its inputs.
        outputs: descriptions of its outputs.
        constants: values of its initializers.
    """

    def __init__(self, names: Iterable[str], open_sizes: OpenSizes, version: int = DEFAULT) -> None:
        super().__init__()
        self.version = version
        self.inputs: list[Any] = []
        self.outputs: list[Any] = []
        self.constants: dict[str, Tensor] = {}
        self._open = open_sizes
        self._taken = FreeNames(names)
        self._results: dict[str, str] = {}  # values of nodes that are no outputs yet, and whose
        self._equal: dict[Any, str] = {}
        self._node_name = ""
        self._first = 0
        self._read_here: Sequence[tuple[str, Shape]] = ()
        self._edges: list[tuple[str, Shape]] = []  # inputs of the model
        self._unsigned: dict[str, str] = {}  # Maps int8 initializers to their uint8 copies.

    # Names

    def begin(self, node: str, inputs: Sequence[tuple[str, Shape]] = ()) -> None:
        """What is said from now on belongs to the node of this name, which has these inputs."""
        self._node_name, self._first, self._read_here = node, len(self.nodes), inputs

    def end(self, values: Sequence[str], names: Sequence[str]) -> list[str]:
        """The node's outputs, under these names unless they were there before it."""
        own = self.nodes[self._first :]
        made = {name for node in own for name in node.output}
        renamed: dict[str, str] = {}
        for value, name in zip(values, names, strict=False):
            if value in made and value not in renamed:
                renamed[value] = self._unique(name)
                self._results[renamed[value]] = name
        for node in own:
            node.input[:] = [renamed.get(name, name) for name in node.input]
            node.output[:] = [renamed.get(name, name) for name in node.output]
            node.name = node.output[0]
        return [renamed.get(value, value) for value in values]

    def _name(self, kind: str) -> str:
        return self._unique(f"{self._node_name}/{kind}")

    def _unique(self, name: str) -> str:
        return self._taken.free(name)

    # Edges of the model

    def parameter(self, name: str, shape: Numbers) -> str:
        self.inputs.append(self._description(name, shape))
        self._edges.append((name, tuple(shape)))
        return name

    def _description(self, name: str, shape: Numbers) -> Any:
        kind = KINDS[self.dtype]
        return helper.make_tensor_value_info(name, kind, self._open.described(shape))

    def output(self, value: str, name: str, shape: Numbers) -> None:
        """Makes a value an output; a copy of it where it has another name or is one already."""
        if self._results.pop(value, None) != name:
            self.begin(name)
            (value,) = self.end([self._node("Identity", value)], [name])
        self.outputs.append(self._description(value, shape))

    def initializer(self, name: str, values: Tensor) -> str:
        """A parameter, under its own name."""
        self.constants[name] = values
        return name

    def read_constants(self) -> dict[str, Tensor]:
        """Values of initializers, but for those that nobody reads."""
        read = self.read()
        return {name: values for name, values in self.constants.items() if name in read}

    def restore_names(self) -> None:
        """Give unsigned weights the names of the int8 ones, unless nodes read these, too."""
        read = self.read()
        renamed = {new: name for name, new in self._unsigned.items() if name not in read}
        for new, name in renamed.items():
            self.constants[name] = self.constants.pop(new)
        for node in self.nodes:
            node.input[:] = [renamed.get(name, name) for name in node.input]

    def _constant(self, values: Tensor) -> str:
        key = None
        if values.numel() <= _SHARED:
            key = (values.dtype, values.shape, tuple(values.reshape(-1).tolist()))
        if key not in self._equal:
            name = self._name("Constant")
            self.constants[name] = values
            if key is None:
                return name
            self._equal[key] = name
        return self._equal[key]

    def _own_constant(self, values: Tensor) -> str:
        return self.initializer(self._name("Constant"), values)

    # Sizes that are left open

    def reshape(self, x: str, shape: Numbers) -> str:
        found = [i for i, size in enumerate(shape) if is_open(size)]
        if len(found) == 1 and -1 not in shape:
            shape = [*shape[: found[0]], -1, *shape[found[0] + 1 :]]
        return super().reshape(x, shape)

    def slice(self, x: str, ranges: dict[int, range]) -> str:
        if not any(is_open(abs(n)) for r in ranges.values() for n in (r.start, r.stop)):
            return super().slice(x, ranges)
        starts, stops, steps = bounds_of(ranges.values())
        bounds = [
            self._sizes([self._bound(n, axis) for n, axis in zip(numbers, ranges, strict=True)])
            for numbers in (starts, stops)
        ]
        return self._node("Slice", x, *bounds, self._integers(list(ranges)), self._integers(steps))

    def _bound(self, number: int, axis: int) -> int:
        """A bound of a slice; one near the end of an open axis is counted from there."""
        _, shape = self._read_here[0]
        if not is_open(number) or axis >= len(shape) or not is_open(shape[axis]):
            return number
        behind = number - shape[axis]
        if behind == 0:
            return _END
        is_of_another = any(number in other for _, other in self._read_here[1:])
        return behind if -_NEAR < behind < 0 and not is_of_another else number

    def within(self, index: str, least: int, most: int) -> str:
        if is_open(most):  # runtimes refuse what is beyond
            return self._node("Max", index, self.floats(least))
        return str(super().within(index, least, most))

    def positions(self, count: int) -> str:
        if not is_open(count):
            return str(super().positions(count))
        ends = (self._scalar(0), self._open_number(count), self._scalar(1))
        return self.cast(self._node("Range", *ends), self.dtype)

    def size(self, count: int) -> str:
        if not is_open(count):
            return str(super().size(count))
        return self.cast(self._open_number(count), self.dtype)

    def adaptive_mean(self, x: str, sizes: Numbers, wanted: Numbers) -> str:
        if any(map(is_open, sizes)):
            raise self._unknown("pools images of a size that is left open")
        return super().adaptive_mean(x, sizes, wanted)

    def _sizes(self, values: Numbers) -> str:
        if not any(is_open(n) and n != _END for n in values):
            return self._integers(values)
        one = self._integers([1])
        parts = [
            self._node("Reshape", self._open_number(n), one)
            if is_open(n) and n != _END
            else self._integers([n])
            for n in values
        ]
        return self._node("Concat", *parts, axis=0)

    def _open_number(self, size: int) -> str:
        """A size, of axes of what the node or the model reads."""
        factors: list[str] = []
        for name, shape in (*self._read_here, *self._edges):
            for axis, known in enumerate(shape):
                while is_open(known) and size % known == 0:
                    size //= known
                    factors.append(self._axis(name, axis))
        if is_open(size) or not factors:
            raise self._unknown("needs a size that does not follow from those left open")
        found = factors[0]
        for factor in factors[1:]:
            found = self._node("Mul", found, factor)
        return found if size == 1 else self._node("Mul", found, self._scalar(size))

    def _axis(self, name: str, axis: int) -> str:
        return self._node("Gather", self._node("Shape", name), self._scalar(axis), axis=0)

    def _scalar(self, number: int) -> str:
        return self._constant(torch.tensor(number))

    def _unknown(self, reason: str) -> MXNetError:
        return MXNetError(
            f"export_model: node {self._node_name!r} {reason}. Leave fewer sizes open, by "
            "dynamic_input_shapes"
        )

    # Integers

    def quantized(self, x: str, scale: str, dtype: torch.dtype) -> str:
        if self._is_float_layer(x):
            # ONNX Runtime quantizes float weights of layers between DequantizeLinear and
            # QuantizeLinear when it loads a file (WeightBiasQuantization). A maximum of one array,
            # which is the array, keeps such layers in float.
            x = self._node("Max", x)
        return str(super().quantized(x, scale, dtype))

    def _is_float_layer(self, x: str) -> bool:
        """Return True if `x` is the output of a layer with a float weight, activated or not."""
        makers = {name: node for node in self.nodes for name in node.output}
        node = makers.get(x)
        while node is not None and node.op_type in ("Relu", "Clip"):
            node = makers.get(node.input[0])
        if node is None or node.op_type not in ("Conv", "ConvTranspose", "Gemm"):
            return False
        weight = self.constants.get(node.input[1])
        return weight is not None and weight.is_floating_point()

    def dequantized(
        self, x: str, scale: str, zero: Tensor | None, axis: int | None, stays: bool
    ) -> str:
        if zero is None or zero.dtype is not torch.int8:
            return str(super().dequantized(x, scale, zero, axis, stays))
        if stays:
            x = self._unsigned_weight(x)
        elif any(x == name for name, _ in self._edges):
            whole = self._node("Add", self.cast(x, torch.int32), self._constant(_MIDDLE))
            x = self.cast(whole, torch.uint8)
        else:  # ONNX Runtime makes pairs of QuantizeLinear and DequantizeLinear uint8 itself
            return str(super().dequantized(x, scale, zero, axis, stays))
        middle = torch.full_like(zero, 128, dtype=torch.uint8)
        return str(super().dequantized(x, scale, middle, axis, False))

    def _unsigned_weight(self, x: str) -> str:
        """Return the uint8 initializer that holds the int8 initializer `x` plus 128.

        On x86 processors without VNNI, ONNX Runtime multiplies uint8 by int8 with an instruction
        that saturates sums of two products to 16 bits. Its uint8 by uint8 kernels are exact on all
        processors.
        """
        if x not in self._unsigned:
            shifted = (self.constants[x].to(torch.int16) + 128).to(torch.uint8)
            self._unsigned[x] = self.initializer(self._unique(f"{x}_uint8"), shifted)
        return self._unsigned[x]

    # Words that keep parameters as they are

    def normalized(
        self, x: str, vectors: Sequence[str], statistics: Statistics, axis: int, rank: int
    ) -> str:
        if axis != 1 or any(v.dtype != self.dtype for v in statistics[:4]):
            return str(super().normalized(x, vectors, statistics, axis, rank))
        return self._node("BatchNormalization", x, *vectors, epsilon=statistics.eps)
