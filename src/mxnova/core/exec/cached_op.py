# SPDX-License-Identifier: Apache-2.0
"""CachedOp: a symbol as a function of arrays, recorded as one step."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor

from ..base.errors import ArgumentTypeError, MXNetError, shown
from ..base.params import Longs, UInt, fields_of, parse_attrs
from ..graph.symbol import Symbol
from ..nd.array import NDArray
from ..nd.recording import STATE
from ..nd.tape import TapeNode, flow_of, outputs_of, step
from ..nd.wrapping import owned, receive, wrap_recorded, wrap_value
from ..runtime.context import Context
from .interpreter import Observer, Tell, Teller
from .program import Mode, ProgramTable
from .sparse_execution import Linked, tracked_of, value_of
from .specialization import Inference

__all__ = ["CachedOp"]

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
    """

    __slots__ = ("__weakref__", "_observers", "_programs", "flags", "is_np_sym")

    def __init__(self, sym: Symbol, flags: Iterable[tuple[str, Any]] = ()) -> None:
        self.flags = parse_attrs("CachedOp", _FIELDS, dict(flags))
        self.is_np_sym = False
        if not isinstance(sym, Symbol):
            raise ArgumentTypeError(f"CachedOp: sym={shown(sym)}: must be a Symbol")
        self._programs = ProgramTable(sym)
        self._observers: tuple[Observer, ...] = ()

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
            raise TypeError(f"CachedOp: unexpected keyword arguments: {', '.join(kwargs)}")
        programs = self._programs
        if len(args) != len(programs.names):
            raise MXNetError(
                f"CachedOp takes {len(programs.names)} arrays ({', '.join(programs.names)}), "
                f"not {len(args)}"
            )
        _check_arrays("its inputs", args)
        context = args[0]._chunk.context if args else Context.get_current()
        compiled: Inference = programs.find(context, tuple([_kind(a) for a in args]), Inference)
        results = _Call(compiled, programs, context, self._observers).results(args)
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

    def _register_op_hook(self, callback: Tell | None, monitor_all: bool = False) -> None:
        """Calls ``callback(array name, operator, array)`` for every output of every node.

        Args:
            callback: the function; None: none any more.
            monitor_all: also for the inputs of every node.
        """
        self._observers = () if callback is None else (Teller(callback, monitor_all, False),)


def _check_arrays(what: str, given: Sequence[Any]) -> None:
    for array in given:
        if not isinstance(array, NDArray):
            raise ArgumentTypeError(f"CachedOp: {what}: a {type(array).__name__} is no array")


def _kind(array: NDArray) -> tuple[Any, ...]:
    if array.stype == "default":
        return array._tensor.shape, array._tensor.dtype, "default"
    return array.shape, array._value.dtype, array.stype


class _Call(NamedTuple):
    """One call, of a program for arrays like those that are given."""

    compiled: Inference
    table: ProgramTable
    context: Context
    observers: tuple[Observer, ...]

    def results(self, arrays: Sequence[NDArray]) -> list[NDArray]:
        """The outputs, recorded where recording is on."""
        for i in self.table.written:
            _ = arrays[i]._target  # waits for those who read it
        if STATE.recording and any(flow_of(a) is not None for a in arrays):
            return self._recorded(arrays)
        return self._unrecorded(arrays)

    def _unrecorded(self, arrays: Sequence[NDArray]) -> list[NDArray]:
        inputs = [arrays[i]._value for i in self.table.order]
        if self.observers or STATE.training:
            mode = Mode(STATE.training, False)
            results = self.compiled.program.run(inputs, mode, self.observers)
        else:
            results = self.compiled.run(inputs, any(a._chunk.foreign for a in arrays))
        return [wrap_value(r, self.context) for r in _distinct(results, inputs)]

    def _recorded(self, arrays: Sequence[NDArray]) -> list[NDArray]:
        edges = [_edge(a) for a in arrays]
        for i in self.table.states:
            edges[i] = arrays[i]._value  # who watches their version counters is to see the writes
        inputs = [edges[i] for i in self.table.order]
        with torch.enable_grad():
            mode = Mode(STATE.training, True)
            results = self.compiled.program.run(inputs, mode, self.observers)
            results = _distinct(results, inputs)
        nodes = outputs_of(step("_CachedOp", arrays), len(results))
        return [self._wrapped(r, n) for r, n in zip(results, nodes, strict=True)]

    def _wrapped(self, result: Any, node: TapeNode) -> NDArray:
        if isinstance(result, Tensor):
            return wrap_recorded(result, self.context, node)
        array = wrap_value(value_of(result), self.context)
        array._tracked, array._node = tracked_of(result), node
        return array


def _edge(array: NDArray) -> Any:
    """What goes into a recorded graph for an array: what gradients flow through, or a constant.

    A constant has a version counter of its own, so that writing to the array later is no error.
    """
    tracked = flow_of(array)
    if array.stype != "default":
        return array._value if tracked is None else Linked(array._value, tracked)
    return array._tensor.data if tracked is None else tracked


def _distinct(results: Sequence[Any], inputs: Sequence[Any]) -> list[Any]:
    """`results`, each dense one in memory that no input and no other result has."""
    dense = [t for t in inputs if isinstance(t, Tensor)]
    found: list[Any] = []
    seen: set[int] = set()
    for result in results:
        if isinstance(result, Tensor):
            result = owned(result, dense)
            memory = result.untyped_storage().data_ptr()
            result = result.clone() if memory in seen else result
            seen.add(memory)
        found.append(result)
    return found
