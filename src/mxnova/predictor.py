# SPDX-License-Identifier: Apache-2.0
"""Predictor: a saved model as a function, for programs that only run models.

A Predictor is MXNet's C predict API as an object. It is thread-safe: all threads share one compiled
graph; inputs, outputs and partial runs belong to the thread that made them.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from .checkpoint import split_params
from .core.base.errors import ArgumentError, ArgumentTypeError, MXNetError, candidates, shown
from .core.base.shapes import PartialShape, from_user, is_known, shape_text
from .core.exec import backends
from .core.exec.backends.request import DEFAULT, marked
from .core.exec.bind.subgraph_backends import for_binding
from .core.exec.compilation.explanation import Placement
from .core.exec.compilation.specialization import Inference
from .core.exec.program.interpreter import Interpreter, Teller
from .core.exec.program.lowering import Step
from .core.exec.program.program import INFERENCE, ArrayFacts, Facts, Program, Settled
from .core.exec.program.sparse_execution import dense_edge
from .core.graph.infer import DTypeTable, ShapeTable, infer_dtypes, infer_shapes
from .core.graph.serialize import from_json
from .core.graph.symbol import Group, Symbol
from .core.nd.array import NDArray, numpy_of, tensor_from
from .core.nd.copying import copy
from .core.nd.files import load, load_frombuffer
from .core.op.dtypes import torch_dtype
from .core.runtime.context import Context, context_of
from .formats.source import read_file

__all__ = ["NDList", "Predictor", "Session"]

PathOrBytes = str | os.PathLike[str] | bytes


class Predictor:
    """A model with its parameters, ready to be fed.

    Args:
        symbol: the symbol, its JSON text (str or bytes that start with ``{``), or a path.
        params: bytes of a .params file, a path, or arrays by name (``arg:``/``aux:`` as saved).
        input_shapes: shape of each input, by name.
        ctx: where to compute; default: the current context.
        outputs: names of the outputs to compute, inner ones included; default: the symbol's.
        types: element types of inputs, by name; default: what the graph says, else float32.
        backend: who runs it: aten, openvino, onnxruntime, inductor, cudagraph, or auto, which
            measures once; default: what ``MXNET_SUBGRAPH_BACKEND`` or the symbol says, else aten.
        precision: what products may be computed in: float32, or bfloat16, with inputs, outputs and
            parameters in float32.

    Raises:
        MXNetError: parts that do not fit each other; the text names what.
    """

    def __init__(
        self,
        symbol: Symbol | PathOrBytes,
        params: PathOrBytes | Mapping[str, NDArray],
        input_shapes: Mapping[str, Sequence[int]],
        ctx: Context | str | None = None,
        outputs: Sequence[str] | None = None,
        types: Mapping[str, Any] | None = None,
        backend: str | None = None,
        precision: str = "float32",
    ) -> None:
        self._context = context_of(ctx)
        self._symbol = _asking(_outputs_of(_symbol_of(symbol), outputs), backend, precision)
        self._parameters = _aligned(_parameters_of(params, self._context), self._symbol)
        self._types = {n: torch_dtype(d) for n, d in _named("types", types or {}).items()}
        self._settled: Settled | None = None
        self._local = threading.local()
        self._set_shapes(input_shapes)

    @classmethod
    def from_checkpoint(
        cls, prefix: str, epoch: int, input_shapes: Mapping[str, Sequence[int]], **options: Any
    ) -> Predictor:
        """A predictor of ``prefix-symbol.json`` and ``prefix-<epoch>.params``."""
        files = (f"{prefix}-symbol.json", f"{prefix}-{epoch:04d}.params")
        return cls(*files, input_shapes, **options)

    def _set_shapes(self, input_shapes: Mapping[str, Sequence[int]]) -> None:
        """Infers everything from the inputs' shapes; variables that are no inputs become zeros."""
        self._check_inputs(input_shapes)
        shapes, dtypes = self._inferred(input_shapes)
        self._inputs = tuple(input_shapes)
        self._order = [n.name for pair in self._symbol.variables() for n in pair]
        variables = {n.name: n for n in self._symbol.nodes if n.op is None}
        self._rest: dict[str, Tensor] = {}
        for name in self._order:
            node = variables[name]
            if name in self._parameters and name not in input_shapes:
                self._rest[name] = self._parameters[name]
            else:
                self._rest[name] = self._zeros(name, shapes[node][0], dtypes[node][0])
        heads = [shapes[e.node][e.output] for e in self._symbol.entries]
        self._output_shapes = [s if is_known(s) else None for s in heads]
        self._output_types = [
            dtypes[e.node][e.output] or torch.float32 for e in self._symbol.entries
        ]
        self._compile(Settled.of(self._symbol, shapes, dtypes))

    def _check_inputs(self, input_shapes: Mapping[str, Sequence[int]]) -> None:
        names = self._symbol.list_inputs()
        for name in _named("input_shapes", input_shapes):
            if name not in names:
                hint = candidates(name, names)
                raise ArgumentError(f"Predictor: the model has no input {name!r}{hint}")

    def _inferred(self, input_shapes: Mapping[str, Sequence[int]]) -> tuple[ShapeTable, DTypeTable]:
        """Shapes and element types of all nodes."""
        nodes = self._symbol.nodes
        variables = {n.name: n for n in nodes if n.op is None}
        shapes: dict[str, PartialShape] = {
            n: tuple(t.shape) for n, t in self._parameters.items() if n in variables
        }
        shapes.update((n, from_user(s)) for n, s in input_shapes.items())
        types = {n: torch.float32 for n in input_shapes if "__dtype__" not in variables[n].attrs}
        types.update((n, t.dtype) for n, t in self._parameters.items())
        return infer_shapes(nodes, shapes), infer_dtypes(nodes, {**types, **self._types})

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
        constants = frozenset(n for n in self._parameters if n not in self._inputs)
        program = Program(self._symbol, facts, settled)
        self._inference = Inference(program, constants)
        self._inference.specialize([self._rest[n] for n in self._order])

    def explain(self) -> list[Placement]:
        """Return where each operator node runs, and why: (node, operator, backend, reason)."""
        return self._inference.explain([self._rest[n] for n in self._order])

    @property
    def output_names(self) -> list[str]:
        """Names of the outputs."""
        return self._symbol.list_outputs()

    @property
    def output_shapes(self) -> list[Any]:
        """Shapes of the outputs; None where they depend on the data."""
        return list(self._output_shapes)

    # Step by step, as the C API does it -----------------------------------------------------------

    def session(self) -> Session:
        """Return a session with its own inputs and outputs, for concurrent use of the predictor."""
        return Session(self)

    @property
    def _mine(self) -> Session:
        if not hasattr(self._local, "session"):
            self._local.session = Session(self)
        session: Session = self._local.session
        return session

    def set_input(self, name: str, data: Any) -> None:
        """Sets one input of this thread's next `forward`; values are copied.

        Raises:
            MXNetError: there is no such input, or `data` has not its size.
        """
        if name not in self._inputs:
            hint = candidates(name, self._inputs)
            raise ArgumentError(f"Predictor: there is no input {name!r}{hint}")
        self._mine.set_input(name, data)

    def forward(self, **inputs: Any) -> None:
        """Computes the outputs from the inputs set in this thread (and from `inputs`)."""
        for name, data in inputs.items():
            self.set_input(name, data)
        self._mine.forward()

    def partial_forward(self, step: int) -> int:
        """Run node number `step` of the graph; returns the number of remaining nodes.

        Call it with 0, 1, 2, … until it returns 0; then the outputs are there.
        """
        return self._mine.partial_forward(step)

    def get_output(self, index: int | str) -> np.ndarray[Any, Any]:
        """A copy of one output of this thread's last `forward`, by number or name."""
        if isinstance(index, str):
            names = self.output_names
            if index not in names:
                raise ArgumentError(f"get_output: {index!r}{candidates(index, names)}")
            index = names.index(index)
        return numpy_of(self._mine.output(index), copy=True)

    def _input(self, name: str) -> Tensor:
        """The zeros that stand for an input, or for another variable that is no parameter."""
        if name not in self._rest or (name in self._parameters and name not in self._inputs):
            hint = candidates(name, self._inputs)
            raise ArgumentError(f"Predictor: there is no input {name!r}{hint}")
        return self._rest[name]

    def _checked(self, name: str, data: Any) -> Tensor:
        """What is given for an input, in its shape."""
        like = self._input(name)
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
        return values.reshape(like.shape)

    def _run(self, values: Sequence[Tensor]) -> list[Tensor]:
        return [dense_edge(r) for r in self._inference.run(values)]

    def _arguments(self, fed: Mapping[str, Tensor]) -> list[Tensor]:
        values = {**self._rest, **fed}
        return [values[n] for n in self._order]

    # At once --------------------------------------------------------------------------------------

    def predict(self, **inputs: Any) -> list[np.ndarray[Any, Any]]:
        """The outputs for `inputs`, as NumPy arrays; touches nothing that other calls see."""
        fed = {}
        for name, data in inputs.items():
            like = self._input(name)
            fed[name] = self._checked(name, data).to(like.device, like.dtype)
        return [numpy_of(r, copy=True) for r in self._run(self._arguments(fed))]

    def reshape(self, input_shapes: Mapping[str, Sequence[int]]) -> Predictor:
        """A predictor for other input shapes; parameters and compiled graph are shared."""
        other = object.__new__(Predictor)
        other.__dict__.update(self.__dict__, _local=threading.local())
        other._set_shapes(input_shapes)
        return other

    def __repr__(self) -> str:
        inputs = ", ".join(f"{n}={tuple(self._rest[n].shape)}" for n in self._inputs)
        return f"<Predictor {inputs} -> {', '.join(self.output_names)} @{self._context}>"


class Session:
    """The inputs, outputs and partial run of one user of a predictor.

    Args:
        predictor: the predictor.

    Attributes:
        predictor: the same.
        monitor: told of the outputs of every node that runs; see `Teller`.
    """

    def __init__(self, predictor: Predictor) -> None:
        self.predictor = predictor
        self.monitor: Teller | None = None
        self._fed: dict[str, Tensor] = {}
        self._outputs: list[Tensor] | None = None
        self._steps: tuple[Interpreter, Iterator[Step], int] | None = None

    def set_input(self, name: str, data: Any) -> None:
        """Sets an input, or another variable that is no parameter; values are copied."""
        values = self.predictor._checked(name, data)
        mine = self._fed[name] = torch.empty_like(self.predictor._input(name))
        copy(mine, values)

    def input_facts(self, name: str) -> tuple[torch.Size, torch.dtype]:
        """Shape and element type of what `set_input` sets."""
        like = self.predictor._input(name)
        return like.shape, like.dtype

    def forward(self) -> None:
        """Computes the outputs."""
        if self.monitor is None:
            self._outputs = self.predictor._run(self.predictor._arguments(self._fed))
        else:
            self._outputs = [dense_edge(r) for r in self._interpreter()[0].run()]

    def partial_forward(self, step: int) -> int:
        """See `Predictor.partial_forward`."""
        nodes = self.predictor._inference.program.symbol.nodes
        if step == 0:
            self._steps = (*self._interpreter(), 0)
        if self._steps is None:
            raise MXNetError("partial_forward: start with step 0")
        run, steps, expected = self._steps
        if step >= len(nodes):
            return 0
        if step != expected:
            raise MXNetError(f"partial_forward: step={step}: step {expected} is next")
        if nodes[step].op is not None:
            run.step(next(steps))
        self._steps = run, steps, step + 1
        if step == len(nodes) - 1:
            self._outputs = [dense_edge(r) for r in run.results()]
        return len(nodes) - step - 1

    def _interpreter(self) -> tuple[Interpreter, Iterator[Step]]:
        lowered = self.predictor._inference.program.lowered(INFERENCE)
        observers = () if self.monitor is None else (self.monitor,)
        values = self.predictor._arguments(self._fed)
        return Interpreter(lowered, values, observers), iter(lowered.steps)

    def output(self, index: int) -> Tensor:
        """An output of the last `forward`."""
        if self._outputs is None:
            raise MXNetError("get_output: call forward first")
        if not 0 <= index < len(self._outputs):
            raise ArgumentError(f"get_output: output {index} of {len(self._outputs)}")
        return self._outputs[index]

    def output_facts(self, index: int) -> tuple[tuple[int, ...], torch.dtype]:
        """Shape and element type of an output.

        Raises:
            MXNetError: the shape depends on the data, and nothing was computed yet.
        """
        shapes = self.predictor._output_shapes
        if not 0 <= index < len(shapes):
            raise ArgumentError(f"get_output: output {index} of {len(shapes)}")
        shape = shapes[index]
        if shape is None:
            shape = tuple(self.output(index).shape)
        return shape, self.predictor._output_types[index]

    def reshape(self, input_shapes: Mapping[str, Sequence[int]]) -> Session:
        """A session of a predictor with other shapes of some inputs."""
        predictor = self.predictor
        shapes: dict[str, Sequence[int]] = {n: predictor._rest[n].shape for n in predictor._inputs}
        return Session(predictor.reshape({**shapes, **input_shapes}))


class NDList(Sequence[tuple[str, np.ndarray[Any, Any]]]):
    """The arrays of a .params file (bytes or path): (name, values), "" where they have no names."""

    def __init__(self, source: PathOrBytes) -> None:
        loaded: Any = load_frombuffer(source) if isinstance(source, bytes) else load(source)
        pairs = loaded.items() if isinstance(loaded, dict) else (("", a) for a in loaded)
        self._items = [(n, a.asnumpy()) for n, a in pairs if a is not None]

    def __len__(self) -> int:
        return len(self._items)

    def __getitem__(self, index: Any) -> Any:
        return self._items[index]

    def __iter__(self) -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
        return iter(self._items)


def _symbol_of(source: Symbol | PathOrBytes) -> Symbol:
    if isinstance(source, Symbol):
        return source
    symbol: Symbol
    if isinstance(source, (str, bytes)) and source.lstrip()[:1] in ("{", b"{"):
        symbol = from_json(source)
        return symbol
    text = read_file(os.fsdecode(source))
    try:
        symbol = from_json(text)
    except MXNetError as error:
        raise type(error)(f"{os.fsdecode(source)}: {error}") from None
    return symbol


def _asking(symbol: Symbol, backend: str | None, precision: str) -> Symbol:
    """`symbol`, asking for a backend."""
    if backend is None and precision == "float32":
        return for_binding(symbol, {})
    if not isinstance(backend, str | None):
        raise ArgumentTypeError(f"Predictor: backend={shown(backend)}: must be a name")
    name = DEFAULT if backend is None else backend
    backends.named(name)
    return marked(symbol, name, precision)


def _named(what: str, given: Any) -> Mapping[str, Any]:
    if isinstance(given, Mapping):
        return given
    raise ArgumentTypeError(f"Predictor: {what}={shown(given)}: must be a dict of names")


def _outputs_of(symbol: Symbol, names: Sequence[str] | None) -> Symbol:
    if names is None:
        return symbol
    internals = symbol.get_internals()
    known = internals.list_outputs()
    if not isinstance(names, (list, tuple)):
        raise ArgumentTypeError(f"Predictor: outputs={shown(names)}: must be a list of names")
    for name in names:
        if not isinstance(name, str):
            raise ArgumentTypeError(f"Predictor: outputs: {shown(name)} is no name")
        if name not in known and f"{name}_output" not in known:
            hint = candidates(name, [k.removesuffix("_output") for k in known])
            raise ArgumentError(f"Predictor: no output is named {name!r}{hint}")
    return Group([internals[n if n in known else f"{n}_output"] for n in names])


def _parameters_of(
    params: PathOrBytes | Mapping[str, NDArray], context: Context
) -> dict[str, Tensor]:
    if isinstance(params, Mapping):
        loaded: Any = dict(params)
        source = "params"
    else:
        loaded = load_frombuffer(params) if isinstance(params, bytes) else load(params)
        source = "params" if isinstance(params, bytes) else os.fspath(params)
    arguments, auxiliary = split_params(loaded, source)
    arrays = arguments | auxiliary
    for name, array in arrays.items():
        if not isinstance(array, NDArray):
            raise ArgumentTypeError(f"Predictor: {source}: {name} is {shown(array)}, no array")
    return {n: a._tensor.to(context.device) for n, a in arrays.items()}


_ALIGNMENT = 64  # bytes, as PyTorch's own memory


def _aligned(parameters: dict[str, Tensor], symbol: Symbol) -> dict[str, Tensor]:
    """`parameters`, with those that products read copied where files have them anywhere.

    The last bits of BLAS's products depend on where the weights lie: a model that is mapped and one
    that was given as bytes must answer alike.
    """
    products = (n for n in symbol.nodes if n.op is not None and n.op.is_product)
    read = {e.node.name for n in products for e in n.inputs if e.node.op is None}
    return {
        n: t.clone() if n in read and t.data_ptr() % _ALIGNMENT else t
        for n, t in parameters.items()
    }
