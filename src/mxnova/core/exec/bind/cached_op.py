# SPDX-License-Identifier: Apache-2.0
"""CachedOp: a symbol as a function of arrays, recorded as one step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, cast

import torch
from torch import Tensor

from ...base.errors import ArgumentTypeError, MXNetError, shown
from ...base.params import Longs, UInt, fields_of, parse_attrs
from ...graph.symbol import Symbol
from ...nd.array import NDArray
from ...nd.base_array import CLASSES
from ...nd.recording import STATE
from ...nd.tape import SmallGraph, Source, TapeNode, flow_of, outputs_of, step
from ...nd.wrapping import owned, receive, wrap, wrap_value
from ...op.gradient import is_source
from ...runtime.context import Context
from ...runtime.slow_path import SLOW_PATH
from ..compilation.specialization import Inference
from ..program.gradient_path import refuse_without_gradient, unreached
from ..program.interpreter import Observer, Tell, Teller
from ..program.program import INFERENCE, Mode, Program, ProgramTable
from ..program.sparse_execution import Linked, tracked_of, value_of

__all__ = ["BoundOp", "CachedOp"]

_TRAINING, _RECORDED = Mode(True), Mode(False, True)

_FLAGS = {  # name -> type, default; how MXNet plans memory, which ATen's allocator decides here
    "static_alloc": (bool, False),
    "static_shape": (bool, False),
    "inline_limit": (UInt, 2),
    "forward_bulk_size": (UInt, 15),
    "backward_bulk_size": (UInt, 15),
    "data_indices": (Longs, ()),
    "param_indices": (Longs, ()),
    "subgraph": (str, ""),
    "is_dynamic": (bool, False),
}

_FIELDS = fields_of(
    {name: kind for name, (kind, _) in _FLAGS.items()},
    {name: default for name, (_, default) in _FLAGS.items()},
    list(_FLAGS),
)


class CachedOp:
    """A symbol as a function of arrays, in the order of its `list_inputs()`.

    Many threads may call it. Its operators keep no state from call to call.

    Args:
        sym: what to compute.
        flags: pairs of name and value, as MXNet has them; they change no result.

    Example:
        >>> double = mx.nd.CachedOp(mx.sym.var("x") * 2)
        >>> double(mx.nd.ones(2)).asnumpy()
        array([2., 2.], dtype=float32)
    """

    __slots__ = (
        "__weakref__", "_class", "_observers", "_programs", "_starts", "flags", "is_np_sym"
    )  # fmt: skip

    def __init__(self, sym: Symbol, flags: Iterable[tuple[str, Any]] = ()) -> None:
        self.flags = parse_attrs("CachedOp", _FIELDS, dict(flags))
        self.is_np_sym = getattr(sym, "semantics", "") == "numpy"
        self._class = CLASSES["numpy"] if self.is_np_sym else None
        if not isinstance(sym, Symbol):
            raise ArgumentTypeError(f"CachedOp: sym={shown(sym)}: must be a Symbol")
        self._programs = ProgramTable(sym)
        self._observers: tuple[Observer, ...] = ()
        self._starts: _Starts | None = None  # until it is recorded

    @property
    def symbol(self) -> Symbol:
        """What it computes."""
        return self._programs.symbol

    @property
    def is_inlined(self) -> bool:
        """Whether `autograd.get_symbol` shows its nodes, and not one node for it all."""
        if self.flags["static_alloc"]:
            return False
        nodes = sum(node.op is not None for node in self.symbol.nodes)
        return nodes <= int(self.flags["inline_limit"])

    @property
    def handle(self) -> CachedOp:
        """Itself, for code that passes handles on."""
        return self

    def __call__(self, *args: NDArray, out: Any = None, **kwargs: Any) -> Any:
        """The outputs: an array, or a list where there are several.

        Args:
            args: arrays for `list_inputs()`; those of auxiliary states are written to.
            out: array, or sequence of arrays, to write the outputs into.
            kwargs: refused.

        Raises:
            MXNetError: the arrays do not fit the symbol.
        """
        if kwargs:
            raise ArgumentTypeError(f"CachedOp: unexpected keyword arguments: {', '.join(kwargs)}")
        programs = self._programs
        if len(args) != len(programs.names):
            raise MXNetError(
                f"CachedOp takes {len(programs.names)} arrays ({', '.join(programs.names)}), "
                f"not {len(args)}"
            )
        _check_arrays("its inputs", args)
        context = args[0]._chunk.context if args else Context.get_current()
        compiled: Inference = programs.find(context, tuple([_kind(a) for a in args]), Inference)
        results = self._results(compiled, context, args)
        if out is None:
            return results[0] if len(results) == 1 else results
        outs = [out] if isinstance(out, NDArray) else list(out)
        _check_arrays("out", outs)
        if len(outs) != len(results):
            raise MXNetError(f"CachedOp gives {len(results)} arrays, out= holds {len(outs)}")
        for array, result in zip(outs, results, strict=True):
            receive(array, result._value, "CachedOp")
            array._tracked, array._node = result._tracked, result._node
        return out

    def bound(self, fixed: Mapping[int, NDArray], rest: Sequence[int], context: Context) -> BoundOp:
        """Itself with some of its arrays given once and for all, which makes calls quick.

        Args:
            fixed: arrays by their position in `list_inputs()`.
            rest: positions of the arrays that calls give, in the order in which they give them.
            context: where all arrays are.
        """
        return BoundOp(self, fixed, rest, context)

    def _results(
        self, compiled: Inference, context: Context, arrays: Sequence[NDArray]
    ) -> list[NDArray]:
        """The outputs of the program for arrays like these, recorded where recording is on."""
        for i in self._programs.written:
            _ = arrays[i]._target  # waits for those who read it
        if STATE.recording:
            edges = _edges(arrays)
            if edges is not None:
                return self._recorded(compiled, context, arrays, edges)
        order = self._programs.order
        inputs = [arrays[i]._value for i in order] if SLOW_PATH else [arrays[i]._raw for i in order]
        if self._observers or STATE.training:
            mode = _TRAINING if STATE.training else INFERENCE
            results = compiled.program.run(inputs, mode, self._observers)
        else:
            shared = compiled.watches and any(a._chunk.foreign for a in arrays)
            results = compiled.run(inputs, shared)
        kind = self._class
        return [wrap_value(r, context, kind) for r in _distinct(results, inputs)]

    def _recorded(
        self, compiled: Inference, context: Context, arrays: Sequence[NDArray], edges: list[Any]
    ) -> list[NDArray]:
        table = self._programs
        for i in table.states:
            edges[i] = arrays[i]._value  # who watches their version counters is to see the writes
        inputs = [edges[i] for i in table.order]
        for i in compiled.program.integers:
            array = arrays[table.order[i]]
            if flow_of(array) is not None:
                inputs[i] = Linked(array._raw, inputs[i])
        with torch.enable_grad():
            if STATE.training:
                results = compiled.training.run(inputs, self._observers)
            else:
                results = compiled.program.run(inputs, _RECORDED, self._observers)
            n = table.n_outputs
            results, starts = _distinct(results[:n], inputs), results[n:]
        nodes = outputs_of(self._step(compiled.program, arrays, [*results, *starts]), n)
        pairs = zip(results, nodes, strict=True)
        kind: Any = self._class
        return [
            (wrap if isinstance(r, Tensor) else _wrap_linked)(r, context, kind, n) for r, n in pairs
        ]

    def _step(
        self, program: Program, arrays: Sequence[NDArray], results: Sequence[Any]
    ) -> TapeNode:
        """The node of a recorded run; `results` has what `Program.recorded` gives further, too."""
        if self._starts is None:
            self._starts = _starts_of(self.symbol)
        if not any(self._starts):
            return step(self, arrays, SmallGraph if program.is_small else TapeNode)
        node: Any = step(self, arrays, Source)
        node.keep(map(tracked_of, results), self._starts.gradients, program.is_small)
        return cast(TapeNode, node)

    def _register_op_hook(self, callback: Tell | None, monitor_all: bool = False) -> None:
        """Calls ``callback(array name, operator, array)`` for every output of every node.

        Args:
            callback: the function; None: none any more.
            monitor_all: also for the inputs of every node.
        """
        self._observers = ()
        if callback is not None:
            self._observers = (Teller(callback, monitor_all, False, hidden=False),)


class _Starts(NamedTuple):
    """What a backward pass through a graph does though zeros arrive: gradients, writes."""

    gradients: bool
    writes: bool


def _starts_of(symbol: Symbol) -> _Starts:
    """Those of a graph; an operator without a gradient on the way is refused, as in MXNet."""
    refuse_without_gradient(symbol, symbol.list_arguments())
    ops = [n.op for n in symbol.nodes if n.op is not None]
    gives = any(map(is_source, ops)) or bool(unreached(symbol))
    return _Starts(gives, any(op.writes_in_backward for op in ops))


def _check_arrays(what: str, given: Sequence[Any]) -> None:
    for array in given:
        if not isinstance(array, NDArray):
            raise ArgumentTypeError(f"CachedOp: {what}: a {type(array).__name__} is no array")


def _kind(array: NDArray) -> tuple[Any, ...]:
    value = array._raw
    return value.shape, value.dtype, array.stype


class BoundOp:
    """A CachedOp some of whose arrays stay: only the others are looked at in a call."""

    __slots__ = ("_arrays", "_compiled", "_context", "_kinds", "_op", "_rest")

    def __init__(
        self, op: CachedOp, fixed: Mapping[int, NDArray], rest: Sequence[int], context: Context
    ) -> None:
        count = len(op._programs.names)
        if sorted([*fixed, *rest]) != list(range(count)):
            raise MXNetError(f"CachedOp: of its {count} arrays {[*fixed, *rest]} are given")
        _check_arrays("its inputs", list(fixed.values()))
        self._op = op
        self._context = context
        self._rest = tuple(rest)
        self._arrays: list[Any] = [fixed.get(i) for i in range(count)]
        self._kinds: list[Any] = [None if a is None else _kind(a) for a in self._arrays]
        self._compiled: dict[Any, Inference] = {}

    def __call__(self, arrays: Sequence[NDArray]) -> Any:
        """The outputs for the other arrays: an array, or a list where there are several."""
        kinds = tuple([(a._raw.shape, a._raw.dtype, a.stype) for a in arrays])
        compiled = self._compiled.get(kinds)
        if compiled is None:
            compiled = self._compile(kinds)
        every = self._arrays.copy()
        for position, array in zip(self._rest, arrays, strict=True):
            every[position] = array
        results = self._op._results(compiled, self._context, every)
        return results[0] if len(results) == 1 else results

    def _compile(self, kinds: tuple[Any, ...]) -> Inference:
        every = self._kinds.copy()
        for position, kind in zip(self._rest, kinds, strict=True):
            every[position] = kind
        if len(self._compiled) > _KEPT:
            self._compiled.clear()
        found: Inference = self._op._programs.find(self._context, tuple(every), Inference)
        self._compiled[kinds] = found
        return found


_KEPT = 1024


def _wrap_linked(result: Any, context: Context, cls: Any, node: Any) -> Any:
    array = wrap_value(value_of(result), context, cls)
    array._tracked, array._node = tracked_of(result), node
    return array


def _edges(arrays: Sequence[NDArray]) -> list[Any] | None:
    """What goes into a recorded graph for each array; None where gradients flow through none.

    That is what gradients flow through, or a constant with a version counter of its own, so that
    writing to the array later is no error.
    """
    if SLOW_PATH:
        for array in arrays:
            _ = array._value  # waits for what is written to it
    edges: list[Any] = []
    flows = False
    for array in arrays:
        tracked = array._tracked
        is_dense = array.stype == "default"
        if tracked is not None and array._node.inputs is not None:
            flows = True
            edges.append(tracked if is_dense else Linked(array._raw, tracked))
        else:
            edges.append(array._raw.data if is_dense else array._raw)
    return edges if flows else None


def _distinct(results: Sequence[Any], inputs: Sequence[Any]) -> list[Any]:
    """Return the results; dense ones that share memory with an input or each other are copied."""
    values = [t if isinstance(t, Tensor) else value_of(t) for t in inputs]
    dense = [t for t in values if isinstance(t, Tensor)]
    found: list[Any] = []
    seen: set[int] = set()
    for result in results:
        if isinstance(result, Linked) and isinstance(result.value, Tensor):
            result = result._replace(value=owned(result.value, dense))
        if isinstance(result, Tensor):
            result = owned(result, dense)
            if len(results) == 1:
                return [result]
            memory = result.untyped_storage().data_ptr()
            result = result.clone() if memory in seen else result
            seen.add(memory)
        found.append(result)
    return found
