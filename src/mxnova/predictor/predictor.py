# SPDX-License-Identifier: Apache-2.0
"""Predictor: a saved model as a function, for programs that only run models.

A Predictor is MXNet's C predict API as an object. It is thread-safe: all threads share one compiled
graph; inputs, outputs and partial runs belong to the thread that made them.
"""

from __future__ import annotations

import math
import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.base.dtypes import DType
from ..core.base.errors import ArgumentError, ArgumentTypeError, MXNetError, candidates, shown
from ..core.base.printable import printable
from ..core.base.shapes import shape_text
from .network import Network, Steps, unknown_input
from .origin import Origin

if TYPE_CHECKING:
    from ..core.exec.compilation.explanation import Placement
    from ..core.exec.program.interpreter import Teller
    from ..core.graph.symbol import Symbol
    from ..core.nd.array import NDArray
    from ..core.runtime.context import Context
    from .graph_network import GraphNetwork

__all__ = ["Predictor", "Session"]

PathOrBytes = str | os.PathLike[str] | bytes
_MOST_SHAPES = 8  # of inputs, at which a predictor keeps its network


class Predictor:
    """A model with its parameters, ready to be fed.

    Args:
        symbol: the symbol, its JSON text (str or bytes that start with ``{``), or a path.
        params: bytes of a .params file, a path, or arrays by name (``arg:``/``aux:`` as saved).
        input_shapes: shape of each input, by name; `predict` takes others, too.
        ctx: where to compute; default: the current context.
        outputs: names of the outputs to compute, inner ones included; default: the symbol's.
        types: element types of inputs, by name; default: what the graph says, else float32.
        backend: who runs it: aten, openvino, onnxruntime, inductor, cudagraph, or auto, which
            measures them for 0.3 s, once; default: what ``MXNET_SUBGRAPH_BACKEND`` or the symbol
            says, else auto on a GPU and where onnxruntime or openvino is installed, else aten.
        precision: what products may be computed in: float32, or bfloat16, with inputs, outputs and
            parameters in float32.
        cache: for onnxruntime and openvino: compile the model as ``mxnova compile`` does, and keep
            that in the cache folder. The next predictor of the same files does not import torch.
        allow_missing: compute with zeros for variables that neither `params` nor `input_shapes`
            has, instead of raising an error. Labels of losses and initial states of RNN are zeros
            in any case. Not with `cache`.

    Raises:
        MXNetError: parts that do not fit each other; the text names what.
    """

    _network: Network

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
        cache: bool = False,
        allow_missing: bool = False,
    ) -> None:
        options: tuple[Any, ...] = (ctx, outputs, types, backend, precision)
        parts: tuple[Any, ...] = (symbol, params)
        kept = (*map(_kept, parts), *options, cache, allow_missing)
        origin = Origin.of(_of_parts, kept, filter(_is_path, parts), input_shapes)
        made: Callable[..., Network] = _cached if cache else _graph
        self._start(made(*parts, input_shapes, *options, allow_missing), origin)

    def _start(self, network: Network, origin: Origin) -> None:
        self._network, self._origin = network, origin
        self._local = threading.local()
        self._lock = threading.Lock()
        self._others: OrderedDict[Any, Network] = OrderedDict()

    @classmethod
    def from_checkpoint(
        cls, prefix: str, epoch: int, input_shapes: Mapping[str, Sequence[int]], **options: Any
    ) -> Predictor:
        """A predictor of ``prefix-symbol.json`` and ``prefix-<epoch>.params``."""
        files = (f"{prefix}-symbol.json", f"{prefix}-{epoch:04d}.params")
        return cls(*files, input_shapes, **options)

    @classmethod
    def load(cls, path: str | os.PathLike[str], threads: int | None = None) -> Predictor:
        """A predictor of a file that ``mxnova compile`` wrote; does not import torch.

        Args:
            path: of the file.
            threads: that take part in a run; default: ``OMP_NUM_THREADS``, else one for each core.

        Raises:
            FormatError: it is no compiled model, or is damaged.
            FileError: it cannot be read.
            MXNetError: its runtime is not installed, or refuses it.
        """
        from .compiled_network import CompiledNetwork

        origin = Origin.of(_of_compiled, (_kept(path), threads), filter(_is_path, (path,)))
        return cls._of(CompiledNetwork.load(path, threads), origin)

    @classmethod
    def _of(cls, network: Network, origin: Origin) -> Predictor:
        predictor = object.__new__(cls)
        predictor._start(network, origin)
        return predictor

    def originating(self, origin: Origin) -> Predictor:
        """The same predictor, pickled as `origin` says."""
        return self._of(self._network, origin)

    def __reduce__(self) -> tuple[Any, ...]:
        """What was given by a path is pickled as the path and the file's SHA-256.

        Raises:
            MXNetError: the file has changed since it was read.
        """
        return self._origin.pickled()

    @property
    def graph_network(self) -> GraphNetwork:
        """The graph and its parameters.

        Raises:
            MXNetError: the predictor was loaded from a compiled model, which has none.
        """
        from .graph_network import GraphNetwork

        if not isinstance(self._network, GraphNetwork):
            raise MXNetError("Predictor: a compiled model has no graph any more")
        return self._network

    def explain(self) -> list[Placement]:
        """Return where each operator node runs, and why: (node, operator, backend, reason)."""
        return self._network.explain()

    @property
    def input_names(self) -> list[str]:
        """Names of the inputs."""
        return list(self._network.inputs)

    @property
    def output_names(self) -> list[str]:
        """Names of the outputs."""
        return list(self._network.output_names)

    @property
    def output_shapes(self) -> list[Any]:
        """Shapes of the outputs; None where they depend on the data."""
        return list(self._network.output_shapes)

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
        if name not in self._network.inputs:
            raise unknown_input(name, self._network.inputs)
        self._mine.set_input(name, data)

    def forward(self, /, **inputs: Any) -> None:
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
        return np.array(self._mine.output(index))

    # At once --------------------------------------------------------------------------------------

    def predict(self, /, **inputs: Any) -> list[np.ndarray[Any, Any]]:
        """The outputs for `inputs`, as NumPy arrays; touches nothing that other calls see.

        Inputs may have other sizes than the predictor was made for, such as more items in a batch;
        what is compiled for the last sizes is kept. Values with another number of axes, such as
        flat ones, are taken row by row, if they are as many.

        Raises:
            MXNetError: there is no such input, or the network does not take its shape.
        """
        network = self._fitting(inputs)
        fed = {name: network.value(name, data, copied=False) for name, data in inputs.items()}
        return [network.array(r, copy=True) for r in network.run(fed)]

    def _fitting(self, inputs: Mapping[str, Any]) -> Network:
        """The network at the sizes of `inputs`."""
        given = {name: tuple(map(int, np.shape(data))) for name, data in inputs.items()}
        wanted = {name: self._network.input_facts(name)[0] for name in given}
        if all(_is_taken(shape, wanted[name]) for name, shape in given.items()):
            return self._network
        key = tuple(sorted(given.items()))
        with self._lock:
            if key in self._others:
                self._others.move_to_end(key)
            else:
                self._others[key] = self._reshaped(given, wanted)
                while len(self._others) > _MOST_SHAPES:
                    self._others.popitem(last=False)
            return self._others[key]

    def _reshaped(
        self, given: Mapping[str, tuple[int, ...]], wanted: Mapping[str, tuple[int, ...]]
    ) -> Network:
        old = {name: self._network.input_facts(name)[0] for name in self._network.inputs}
        try:
            return self._network.reshaped({**old, **given})
        except MXNetError as error:
            name = next(n for n in given if given[n] != wanted[n])
            shapes = f"{shape_text(given[name])}, expected {shape_text(wanted[name])}"
            raise ArgumentError(f"Predictor: {name} has shape {shapes}: {error}") from None

    def reshape(self, input_shapes: Mapping[str, Sequence[int]]) -> Predictor:
        """A predictor for other input shapes; parameters and compiled graph are shared."""
        return self._of(self._network.reshaped(input_shapes), self._origin.at(input_shapes))

    def __repr__(self) -> str:
        shapes = ((name, self._network.input_facts(name)[0]) for name in self._network.inputs)
        inputs = ", ".join(f"{name}={shape}" for name, shape in shapes)
        text = f"<Predictor {inputs} -> {', '.join(self.output_names)} @{self._network}>"
        return printable(text)


def _is_path(part: Any) -> bool:
    """Whether a symbol or parameters are given by their path."""
    is_text = isinstance(part, str) and part.lstrip()[:1] == "{"
    return isinstance(part, (str, os.PathLike)) and not is_text


def _kept(part: Any) -> Any:
    """What pickles keep of it: workers have other working directories."""
    return os.path.abspath(os.fsdecode(part)) if _is_path(part) else part


def _of_parts(shapes: Any, symbol: Any, params: Any, *options: Any) -> Predictor:
    return Predictor(symbol, params, shapes, *options)


def _of_compiled(shapes: Any, path: str, threads: int | None) -> Predictor:
    predictor = Predictor.load(path, threads)
    return predictor if shapes is None else predictor.reshape(shapes)


def _graph(*given: Any) -> Network:
    from .graph_network import GraphNetwork

    return GraphNetwork(*given)


def _cached(
    symbol: Any,
    params: Any,
    input_shapes: Mapping[str, Sequence[int]],
    ctx: Any,
    outputs: Any,
    types: Any,
    backend: str | None,
    precision: str,
    allow_missing: bool,
) -> Network:
    from .compiled_cache import CompiledRequest, cached_network

    if precision != "float32" or not str(ctx or "cpu").startswith("cpu"):
        raise ArgumentError(
            f"Predictor: cache=True: ctx={ctx}, precision={precision}: compiled models run on the "
            "CPU in float32"
        )
    if allow_missing:
        raise ArgumentError("Predictor: cache=True and allow_missing=True do not go together")
    request = CompiledRequest(symbol, params, input_shapes, outputs, types, backend)
    return cached_network(request).reshaped(input_shapes)


def _is_taken(shape: tuple[int, ...], wanted: tuple[int, ...]) -> bool:
    """Whether values of a shape are those of an input as it is: of another rank if as many."""
    return shape == wanted or (len(shape) != len(wanted) and math.prod(shape) == math.prod(wanted))


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
        self._network = predictor._network
        self._fed: dict[str, Any] = {}
        self._outputs: list[Any] | None = None
        self._steps: tuple[Steps, int] | None = None

    def set_input(self, name: str, data: Any) -> None:
        """Sets an input, or another variable that is no parameter; values are copied."""
        self._fed[name] = self._network.value(name, data, copied=True)

    def unset(self) -> list[str]:
        """Return the variables that have no values, neither among the parameters nor set."""
        return [name for name in self._network.missing if name not in self._fed]

    def input_facts(self, name: str) -> tuple[tuple[int, ...], DType]:
        """Shape and element type of what `set_input` sets."""
        return self._network.input_facts(name)

    def forward(self) -> None:
        """Computes the outputs."""
        self._outputs = self._network.run(self._fed, self.monitor)

    def partial_forward(self, step: int) -> int:
        """See `Predictor.partial_forward`."""
        if step == 0:
            self._steps = self._network.steps(self._fed, self.monitor), 0
        if self._steps is None:
            raise MXNetError("partial_forward: start with step 0")
        steps, expected = self._steps
        if step >= steps.count:
            return 0
        if step != expected:
            raise MXNetError(f"partial_forward: step={step}: step {expected} is next")
        steps.run(step)
        self._steps = steps, step + 1
        if step == steps.count - 1:
            self._outputs = steps.results()
        return steps.count - step - 1

    def output(self, index: int) -> np.ndarray[Any, Any]:
        """An output of the last `forward`; its memory may be the network's."""
        if self._outputs is None:
            raise MXNetError("get_output: call forward first")
        if not 0 <= index < len(self._outputs):
            raise ArgumentError(f"get_output: output {index} of {len(self._outputs)}")
        return self._network.array(self._outputs[index], copy=False)

    def output_facts(self, index: int) -> tuple[tuple[int, ...], DType]:
        """Shape and element type of an output.

        Raises:
            MXNetError: the shape depends on the data, and nothing was computed yet.
        """
        shapes = self._network.output_shapes
        if not 0 <= index < len(shapes):
            raise ArgumentError(f"get_output: output {index} of {len(shapes)}")
        shape = shapes[index]
        if shape is None:
            shape = self.output(index).shape
        return shape, self._network.output_type(index)

    def reshape(self, input_shapes: Mapping[str, Sequence[int]]) -> Session:
        """Return a session of a predictor with other shapes of some inputs.

        It keeps the values that were set in place of missing parameters.
        """
        if not isinstance(input_shapes, Mapping):
            raise ArgumentTypeError(f"reshape: input_shapes={shown(input_shapes)}: must be a dict")
        shapes = {name: self._network.input_facts(name)[0] for name in self._network.inputs}
        session = Session(self.predictor.reshape({**shapes, **input_shapes}))
        for name in session._network.missing:
            value = self._fed.get(name)
            if value is not None and tuple(value.shape) == session.input_facts(name)[0]:
                session._fed[name] = value
        return session
