# SPDX-License-Identifier: Apache-2.0
"""A network that is run by the graph execution of this package."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ..core.base.dtypes import DType
from ..core.base.errors import ArgumentError, MXNetError, candidates
from ..core.base.shapes import PartialShape, from_user, is_known, shape_text
from ..core.exec import backends
from ..core.exec.backends.request import lowest_precision, marked, wanted
from ..core.exec.compilation.explanation import Placement
from ..core.exec.compilation.specialization import Inference
from ..core.exec.program.interpreter import Interpreter, Teller
from ..core.exec.program.lowering import Step
from ..core.exec.program.program import INFERENCE, ArrayFacts, Facts, Program, Settled
from ..core.exec.program.sparse_execution import dense_edge
from ..core.graph.infer import DTypeTable, ShapeTable, infer_complete_dtypes, infer_shapes
from ..core.graph.missing import needed_values
from ..core.graph.symbol import Symbol
from ..core.kernels.copying import copy
from ..core.nd.array import NDArray, numpy_of, tensor_from
from ..core.op.dtypes import mx_dtype, torch_dtype
from ..core.runtime.context import Context, context_of
from .model_parts import (
    PathOrBytes,
    aligned,
    arrays_of,
    asking,
    missing_values,
    named,
    outputs_of,
    symbol_of,
)
from .network import Array, unknown_input

__all__ = ["GraphNetwork"]


class GraphNetwork:
    """See `Predictor` for the arguments, and `Network` for the methods.

    Attributes:
        symbol: the graph, asking for its backend.
        parameters: by name, where they are computed with.
        inference: the compiled program.
    """

    def __init__(
        self,
        symbol: Symbol | PathOrBytes,
        params: PathOrBytes | Mapping[str, NDArray],
        input_shapes: Mapping[str, Sequence[int]],
        ctx: Context | str | None,
        outputs: Sequence[str] | None,
        types: Mapping[str, Any] | None,
        backend: str | None,
        precision: str,
        allow_missing: bool,
    ) -> None:
        self._context, self._allow_missing = context_of(ctx), allow_missing
        self._source = os.fspath(params) if isinstance(params, (str, os.PathLike)) else "params"
        chosen = outputs_of(symbol_of(symbol), outputs)
        self.symbol = asking(chosen, backend, precision, self._context)
        self.parameters = aligned(self._placed(arrays_of(params)), self.symbol)
        self._check_inputs("types", types or {})
        self._types = {n: torch_dtype(d) for n, d in (types or {}).items()}
        self._settled: Settled | None = None
        self._set_shapes(input_shapes)

    def _placed(self, arrays: Mapping[str, NDArray]) -> dict[str, Tensor]:
        return {name: array._tensor.to(self._context.device) for name, array in arrays.items()}

    def _set_shapes(self, input_shapes: Mapping[str, Sequence[int]]) -> None:
        """Infer everything from the shapes of the inputs, and fill what has no values with zeros.

        Raises:
            ArgumentError: a name that is no input, or a variable without values, unless that is
                allowed.
        """
        self._check_inputs("input_shapes", input_shapes)
        self.missing: Sequence[str] = needed_values(self.symbol, {*self.parameters, *input_shapes})
        if self.missing and not self._allow_missing:
            raise ArgumentError(missing_values(self._source, self.missing))
        shapes, dtypes = self._inferred(input_shapes)
        self.inputs = tuple(input_shapes)
        self._order = [n.name for pair in self.symbol.variables() for n in pair]
        variables = {n.name: n for n in self.symbol.nodes if n.op is None}
        self._rest: dict[str, Tensor] = {}
        for name in self._order:
            node = variables[name]
            if name in self.parameters and name not in input_shapes:
                self._rest[name] = self.parameters[name]
            else:
                self._rest[name] = self._zeros(name, shapes[node][0], dtypes[node][0])
        heads = [shapes[e.node][e.output] for e in self.symbol.entries]
        self.output_shapes = [tuple(s) if is_known(s) else None for s in heads]
        self._output_types = [
            mx_dtype(dtypes[e.node][e.output] or torch.float32) for e in self.symbol.entries
        ]
        self.output_names = self.symbol.list_outputs()
        self._compile(Settled.of(self.symbol, shapes, dtypes))

    def _check_inputs(self, what: str, given: Mapping[str, Any]) -> None:
        """Raise ArgumentError unless each name of the argument `what` is one of a variable."""
        names = self.symbol.list_inputs()
        for name in named(what, given):
            if name not in names:
                hint = candidates(name, names)
                raise ArgumentError(f"Predictor: {what}: the model has no input {name!r}{hint}")

    def _inferred(self, input_shapes: Mapping[str, Sequence[int]]) -> tuple[ShapeTable, DTypeTable]:
        """Infer the shapes and dtypes of all nodes."""
        nodes, names = self.symbol.nodes, set(self.symbol.list_inputs())
        shapes: dict[str, PartialShape] = {
            n: tuple(t.shape) for n, t in self.parameters.items() if n in names
        }
        shapes.update((n, from_user(s)) for n, s in input_shapes.items())
        types = {n: t.dtype for n, t in self.parameters.items()}
        return infer_shapes(nodes, shapes), infer_complete_dtypes(nodes, {**types, **self._types})

    def _zeros(self, name: str, shape: PartialShape, dtype: torch.dtype | None) -> Tensor:
        if shape is None or not is_known(shape):
            raise MXNetError(
                f"Predictor: {name} is no parameter, and its shape {shape_text(shape)} does "
                "not follow from input_shapes"
            )
        return torch.zeros(shape, dtype=dtype or torch.float32, device=self._context.device)

    def _compile(self, settled: Settled) -> None:
        """Compiles the graph around the parameters, unless what is there computes the same."""
        if settled == self._settled:
            return
        self._settled = settled
        facts = Facts(
            {n: ArrayFacts(tuple(t.shape), t.dtype) for n, t in self._rest.items()}, self._context
        )
        constants = frozenset(n for n in self.parameters if n not in self.inputs)
        program = Program(self.symbol, facts, settled)
        self.inference = Inference(program, constants)
        self.inference.specialize([self._rest[n] for n in self._order])

    def explain(self) -> list[Placement]:
        """Return where each operator node runs, and why: (node, operator, backend, reason)."""
        return self.inference.explain([self._rest[n] for n in self._order])

    def reshaped(self, shapes: Mapping[str, Sequence[int]]) -> GraphNetwork:
        """The network at other shapes; what is compiled is shared where it computes the same."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        if wanted(self.symbol) == ["auto"]:
            # What is fast for the first shapes is not measured anew for others.
            name = backends.chosen(self.inference.program)
            other.symbol = marked(self.symbol, name, lowest_precision(self.symbol))
        other._set_shapes(shapes)
        return other

    # Values ---------------------------------------------------------------------------------------

    def input_facts(self, name: str) -> tuple[tuple[int, ...], DType]:
        """Shape and element type of a variable that is no parameter."""
        like = self._zeros_of(name)
        return tuple(like.shape), mx_dtype(like.dtype)

    def output_type(self, index: int) -> DType:
        """Element type of an output."""
        return self._output_types[index]

    def _zeros_of(self, name: str) -> Tensor:
        """The zeros that stand for an input, or for another variable that is no parameter."""
        if name not in self._rest or (name in self.parameters and name not in self.inputs):
            raise unknown_input(name, self.inputs)
        return self._rest[name]

    def value(self, name: str, data: Any, copied: bool) -> Tensor:
        """What is given, in the shape and element type of the variable."""
        like = self._zeros_of(name)
        if isinstance(data, NDArray):
            values = data._tensor
        else:
            array = np.asarray(data)
            values = tensor_from(array if array.flags.writeable else array.copy())
        if values.shape != like.shape and values.numel() != like.numel():
            raise ArgumentError(
                f"Predictor: {name} has shape {shape_text(tuple(values.shape))}, "
                f"expected {shape_text(tuple(like.shape))}"
            )
        values = values.reshape(like.shape)
        if not copied:
            return values.to(like.device, like.dtype)
        made = torch.empty_like(like)
        copy(made, values)
        return made

    def array(self, value: Tensor, copy: bool) -> Array:
        """A tensor as NumPy's array."""
        return numpy_of(value, copy)

    # Runs -----------------------------------------------------------------------------------------

    def _arguments(self, fed: Mapping[str, Tensor]) -> list[Tensor]:
        values = {**self._rest, **fed}
        return [values[n] for n in self._order]

    def run(self, fed: Mapping[str, Tensor], monitor: Teller | None = None) -> list[Tensor]:
        """The outputs; a monitor is told of every node, none of which is fused then."""
        if monitor is not None:
            return [dense_edge(r) for r in self._interpreter(fed, monitor).run()]
        return [dense_edge(r) for r in self.inference.run(self._arguments(fed))]

    def _interpreter(self, fed: Mapping[str, Tensor], monitor: Teller | None) -> Interpreter:
        lowered = self.inference.program.lowered(INFERENCE)
        observers = () if monitor is None else (monitor,)
        return Interpreter(lowered, self._arguments(fed), observers)

    def steps(self, fed: Mapping[str, Tensor], monitor: Teller | None = None) -> _Steps:
        """A run node by node."""
        program = self.inference.program
        nodes = [node.op is not None for node in program.symbol.nodes]
        return _Steps(
            self._interpreter(fed, monitor), iter(program.lowered(INFERENCE).steps), nodes
        )

    def __str__(self) -> str:
        return str(self._context)


class _Steps:
    """A run node by node; see `Steps`."""

    def __init__(self, run: Interpreter, steps: Iterator[Step], computes: Sequence[bool]) -> None:
        self._run, self._steps, self._computes = run, steps, computes
        self.count = len(computes)

    def run(self, index: int) -> None:
        """Runs a node; variables have nothing to do."""
        if self._computes[index]:
            self._run.step(next(self._steps))

    def results(self) -> list[Tensor]:
        """The outputs."""
        return [dense_edge(r) for r in self._run.results()]
