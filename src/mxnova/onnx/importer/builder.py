# SPDX-License-Identifier: Apache-2.0
"""The builder of symbols from ONNX graphs, operator by operator, with shapes and dtypes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod
from typing import Any

import numpy as np
import torch

from ...core.base.dtypes import dtype_of
from ...core.base.errors import MXNetError
from ...core.base.shapes import is_known
from ...core.base.unique_names import FreeNames
from ...core.graph.infer import infer_dtypes, infer_shapes
from ...core.graph.node import Entry, Node
from ...core.graph.open_sizes import HugeShapes, OpenSizes, is_open
from ...core.op.dtypes import mx_dtype, torch_dtype
from ...core.op.schema import find
from .budget import Budget, cost_of
from .values import MOST_AXES, Value, bounded, has_open

__all__ = ["Builder"]

_LONG_NAME = 256  # characters of a name that cost as much as an operator


class Builder:
    """The state of a partial import.

    Args:
        budget: what it may cost.

    Attributes:
        budget: the same.
        parameters: numbers of variables by name.
        inputs: the graph's inputs that are no parameters, by name.
        open_sizes: those of the inputs.
        base: name of the ONNX node that is being translated.
    """

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.parameters: dict[str, np.ndarray] = {}
        self.inputs: dict[str, Value] = {}
        self.open_sizes = OpenSizes("import_model")
        self._taken = FreeNames()
        self._own: list[Node] = []  # operators of the ONNX node that is being translated
        self._states: set[str] = set()
        self._by_shape: dict[tuple[int, ...], Value] = {}
        self.base = ""

    # Variables

    def reserve(self, names: Iterable[str]) -> None:
        """Keeps names for the variables that have them in the file."""
        self._taken.reserve(names)

    def input(self, name: str, shape: Sequence[Any], dtype: np.dtype[Any]) -> Value:
        """A variable without numbers; sizes that are no numbers are left open."""
        sizes = self.open_sizes.shape_of(shape, name)
        node = Node(None, name, _declared(None, dtype))
        found = Value(name, sizes, dtype, entry=Entry(node, 0), is_truth=bool(dtype == np.bool_))
        self.inputs[name] = found
        self._note(found)
        return found

    def entry(self, value: Value) -> Entry:
        """The output of MXNet's node that a value is."""
        if value.entry is None:
            if value.array is None:
                raise MXNetError(f"{value.name} has neither a node nor numbers")
            if has_open(value.array):
                value.entry = self.entry(self._computed(value))
            else:
                value.entry = self._variable(value.name, value.array)
        return value.entry

    def state(self, value: Value) -> Value:
        """A constant as an auxiliary state, which is a variable of its own."""
        name = value.name
        if name in self._states or name in self.parameters:
            name = self._unique(f"{self.base}_{name}")
        self._states.add(name)
        return Value(
            name, value.shape, value.dtype, entry=self._variable(name, np.asarray(value.array))
        )

    def of_shape(self, shape: Sequence[int]) -> Value | None:
        """A value that has this shape, if there is one with open sizes."""
        return self._by_shape.get(tuple(shape))

    def _variable(self, name: str, array: np.ndarray) -> Entry:
        if name in self.parameters:
            name = self._unique(f"{name}_arg")
        self._taken.reserve([name])
        array = np.atleast_1d(array)
        if not array.size:
            raise MXNetError(f"{name!r} has no elements, but the shape {array.shape}")
        self.budget.take(cost_of(array))
        self.parameters[name] = array
        return Entry(Node(None, name, _declared(array.shape, array.dtype)), 0)

    def constant(self, array: Any, like: Value | None = None) -> Value:
        """Numbers that the file does not have, of the type of `like`."""
        array = np.asarray(array, None if like is None else like.dtype)
        return Value.constant(self._unique(f"{self.base}_constant"), array)

    # Operators

    def begin(self, name: str) -> None:
        """Attribute new nodes to the ONNX node of this name."""
        self.base, self._own = name, []

    def save(self) -> tuple[str, list[Node]]:
        """Return the state that `restore` resets to."""
        return self.base, self._own

    def restore(self, saved: tuple[str, list[Node]]) -> None:
        """Goes on with a node."""
        self.base, self._own = saved

    def end(self, values: Sequence[Value], names: Sequence[str]) -> list[Value]:
        """Names what was made for an ONNX node: its result as the node, the rest by operators."""
        heads = [v.entry.node for v in values if v.entry is not None]
        lone = len({*heads}) == 1
        named: set[Node] = set()
        for node, name in zip(heads, names, strict=False):
            if node not in named and any(node is own for own in self._own):
                node.name = self._unique(self.base if lone else name)
                named.add(node)
        for node in self._own:
            if node not in named and node.op is not None:
                node.name = self._unique(f"{self.base}_{node.op.name.strip('_').lower()}")
        return [value.renamed(name) for value, name in zip(values, names, strict=False)]

    def op(self, operator: str, *inputs: Value, **attributes: Any) -> Value:
        """The first output of an operator; truth values stay such."""
        return self.ops(operator, *inputs, **attributes)[0]

    def ops(self, operator: str, *inputs: Value, **attributes: Any) -> list[Value]:
        """All outputs of an operator of MXNet's.

        Raises:
            MXNetError: the operator cannot have such inputs or attributes.
        """
        self.budget.take_operators(1 + len(self.base) // _LONG_NAME)
        kind = find(operator)
        if kind.counts_inputs:
            attributes["num_args"] = len(inputs)
        texts = {name: str(value) for name, value in attributes.items()}
        node = Node(kind.of(texts), self.base, texts)
        entries = [self.entry(value) for value in inputs]
        shapes, dtypes = _inferred(node, inputs)
        _check_sizes(shapes)
        node.inputs = entries
        self._own.append(node)
        is_truth = bool(inputs) and inputs[0].is_truth
        found = [
            Value(self.base, shape, dtype, entry=Entry(node, i), is_truth=is_truth)
            for i, (shape, dtype) in enumerate(zip(shapes, dtypes, strict=True))
        ]
        self._note(*found)
        return found

    def _note(self, *values: Value) -> None:
        for value in values:
            if any(map(is_open, value.shape)):
                self._by_shape.setdefault(value.shape, value)

    def _unique(self, name: str) -> str:
        return self._taken.free(name)

    # Sizes that are left open

    def zeros(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Value:
        """Zeros of a shape that may be open in part."""
        shape = tuple(shape) or (1,)
        fixed = {axis: size for axis, size in enumerate(shape) if not is_open(size)}
        if len(fixed) == len(shape):
            return self.op("_zeros", shape=shape, dtype=dtype.name)
        along = [self._zeros_along(axis, shape) for axis in range(len(shape)) if axis not in fixed]
        found = along[0]
        for other in along[1:]:
            found = self.op("broadcast_add", found, other)
        axes = [axis for axis, size in fixed.items() if size != 1]
        if axes:
            sizes = tuple(shape[axis] for axis in axes)
            found = self.op("broadcast_axis", found, axis=tuple(axes), size=sizes)
        return found if found.dtype == dtype else self.op("Cast", found, dtype=dtype.name)

    def _zeros_along(self, axis: int, shape: Sequence[int]) -> Value:
        """Zeros whose axis has an open size, and all others one item."""
        source, place = self._source(shape[axis])
        for other, size in enumerate(source.shape):
            if other != place and size != 1:
                source = self.op("slice_axis", source, axis=other, begin=0, end=1)
        sizes = [1] * len(shape)
        sizes[axis] = -1
        flat = self.op("Reshape", self.op("zeros_like", source), shape=tuple(sizes))
        return self.op("Cast", flat, dtype="float32")

    def positions(self, size: int) -> Value:
        """0, 1, 2, … of an open size."""
        source, place = self._source(size)
        return self.op("_contrib_arange_like", source, axis=place)

    def follows(self, number: int) -> bool:
        """Whether a number is a size that is left open, or a multiple of such."""
        return is_open(abs(number)) and any(
            is_open(size) and number % size == 0
            for value in self.inputs.values()
            for size in value.shape
        )

    def _source(self, size: int) -> tuple[Value, int]:
        """An input, and its axis that has an open size."""
        for value in self.inputs.values():
            if size in value.shape:
                return value, value.shape.index(size)
        raise MXNetError("it needs a size that depends on one which the file leaves open")

    def _computed(self, value: Value) -> Value:
        """Numbers among which open sizes are, computed when the model runs."""
        parts = [self._number(number, value.dtype) for number in np.asarray(value.array).flat]
        found = self.op("Concat", *parts, dim=0) if len(parts) > 1 else parts[0]
        if value.rank > 1:
            found = self.op("Reshape", found, shape=value.shape)
        return found

    def _number(self, number: Any, dtype: np.dtype[Any]) -> Value:
        if not is_open(abs(number)):
            return self.constant(np.array([number], dtype))
        beside = next((n for n in (0, 1, -1) if self.follows(number.numerator + n)), 0)
        found = self._size(number.numerator + beside)
        found = self.op("_minus_scalar", found, scalar=beside) if beside else found
        if dtype != found.dtype:
            found = self.op("Cast", found, dtype=dtype.name)
        parts = number.denominator
        return found if parts == 1 else self.op("_div_scalar", found, scalar=parts)

    def _size(self, number: int) -> Value:
        """A size that is left open, or a product of such, as an array of one item."""
        rest, factors = number, []
        for value in self.inputs.values():
            for axis, size in enumerate(value.shape):
                if is_open(size) and rest % size == 0:
                    rest //= size
                    sizes = self.op("shape_array", value)
                    factors.append(self.op("slice_axis", sizes, axis=0, begin=axis, end=axis + 1))
        if is_open(rest) or rest < 0 or not factors:
            raise MXNetError("it needs a number that does not follow from the sizes left open")
        found = factors[0]
        for factor in factors[1:]:
            found = self.op("elemwise_mul", found, factor)
        return found if rest == 1 else self.op("_mul_scalar", found, scalar=rest)


def _declared(shape: tuple[int, ...] | None, dtype: np.dtype[Any]) -> dict[str, str]:
    """Attributes of a variable, whose type is float32 and whose shape is open unless they say."""
    attributes = {} if shape is None else {"__shape__": str(shape)}
    if dtype != np.float32:
        attributes["__dtype__"] = str(dtype_of(dtype).flag)
    return attributes


def _check_sizes(shapes: Sequence[Sequence[int]]) -> None:
    for shape in shapes:
        if len(shape) > MOST_AXES:
            raise MXNetError(f"an array of {len(shape)} axes, expected at most {MOST_AXES}")
        try:
            bounded(prod(shape))
        except ValueError as error:
            raise MXNetError(f"the number of elements is {error}") from None


def _inferred(
    node: Node, inputs: Sequence[Value]
) -> tuple[list[tuple[int, ...]], list[np.dtype[Any]]]:
    """Shapes and element types of a node's outputs."""
    variables = [Node(None, f"{i}", {}) for i in range(len(inputs))]
    node.inputs = [Entry(variable, 0) for variable in variables]
    shapes = {f"{i}": value.shape or (1,) for i, value in enumerate(inputs)}
    dtypes = {f"{i}": torch_dtype(value.dtype) for i, value in enumerate(inputs)}
    nodes = [*variables, node]
    found = infer_shapes(nodes, shapes, facts=HugeShapes)[node]
    types = infer_dtypes(nodes, dtypes)[node]
    if not all(map(is_known, found)):
        raise MXNetError("the shape of its result depends on numbers")
    shapes_found = [shape for shape in found if shape is not None]
    return shapes_found, [np.dtype(mx_dtype(t or torch.float32).numpy) for t in types]
