# SPDX-License-Identifier: Apache-2.0
"""CachedOp: a symbol as a function of arrays, recorded as one step."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch
from torch import Tensor, fx

from ..base.errors import MXNetError
from ..base.params import Longs, UInt, fields_of, parse_attrs
from ..graph.infer import StypeTable, infer_dtypes, infer_shapes, infer_stypes
from ..graph.settle import settled
from ..graph.symbol import Symbol
from ..nd.array import NDArray
from ..nd.recording import STATE
from ..nd.tape import Node, flow_of, outputs_of, step
from ..nd.wrapping import owned, receive, wrap_recorded, wrap_value
from ..runtime.context import Context
from ..runtime.resource import random_stream
from .inference import InferencePlan
from .lower import lower, op_of
from .profiled import run
from .stored import Linked, tracked_of, value_of

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
_KEPT_SHAPES = 4096

Hook = Callable[[str, str, NDArray], None]


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

    __slots__ = ("__weakref__", "_hook", "_names", "_plans", "_symbol", "flags", "is_np_sym")

    def __init__(self, sym: Symbol, flags: Iterable[tuple[str, Any]] = ()) -> None:
        self.flags = parse_attrs("CachedOp", _FIELDS, dict(flags))
        self.is_np_sym = False
        self._symbol = sym
        self._names = sym.list_inputs()
        self._plans: dict[Any, _Plan] = {}
        self._hook: tuple[Hook, bool] | None = None

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
        if len(args) != len(self._names):
            raise MXNetError(
                f"CachedOp takes {len(self._names)} arrays ({', '.join(self._names)}), "
                f"not {len(args)}"
            )
        results = self._plan(args).results(args, self._hook)
        if out is None:
            return results[0] if len(results) == 1 else results
        outs = [out] if isinstance(out, NDArray) else list(out)
        if len(outs) != len(results):
            raise MXNetError(f"CachedOp gives {len(results)} arrays, out= holds {len(outs)}")
        for array, result in zip(outs, results, strict=True):
            receive(array, result._value, "CachedOp")
            array._tracked, array._node = result._tracked, result._node
        return out

    def _plan(self, arrays: Sequence[NDArray]) -> _Plan:
        """How to run on arrays of these shapes, types and context."""
        context = arrays[0]._chunk.context if arrays else Context.get_current()
        key = (context, *[_kind(a) for a in arrays])
        plan = self._plans.get(key)
        if plan is None:
            if len(self._plans) > _KEPT_SHAPES:
                self._plans.clear()
            symbol, stypes = self._settled(arrays)
            # Shapes for which nothing had to be settled share what was compiled.
            shared = (context, symbol) if symbol is self._symbol and stypes is None else key
            plan = self._plans.setdefault(shared, _Plan(symbol, stypes, self._names, context))
            self._plans[key] = plan
        return plan

    def _settled(self, arrays: Sequence[NDArray]) -> tuple[Symbol, StypeTable | None]:
        """The symbol for such arrays; storage types of its nodes, where some are sparse."""
        nodes = self._symbol.nodes
        named = dict(zip(self._names, arrays, strict=True))
        shapes = infer_shapes(nodes, {n: a.shape for n, a in named.items()})
        dtypes = infer_dtypes(nodes, {n: a._value.dtype for n, a in named.items()})
        symbol = settled(self._symbol, shapes, dtypes)
        stypes = infer_stypes(symbol.nodes, {n: a.stype for n, a in named.items()})
        sparse = any(s != "default" for stored in stypes.values() for s in stored)
        return symbol, stypes if sparse else None

    def _register_op_hook(self, callback: Hook | None, monitor_all: bool = False) -> None:
        """Calls ``callback(array name, operator, array)`` for every output of every node.

        Args:
            callback: the function; None: none any more.
            monitor_all: also for the inputs of every node.
        """
        self._hook = None if callback is None else (callback, monitor_all)


def _kind(array: NDArray) -> tuple[Any, ...]:
    if array.stype == "default":
        return array._tensor.shape, array._tensor.dtype
    return array.stype, array.shape, array._value.dtype


class _Plan:
    """A symbol compiled for one context."""

    def __init__(
        self,
        symbol: Symbol,
        stypes: StypeTable | None,
        input_names: Sequence[str],
        context: Context,
    ) -> None:
        at = {name: i for i, name in enumerate(input_names)}
        states = symbol.list_auxiliary_states()
        self._order = [at[n] for n in (*symbol.list_arguments(), *states)]
        self._states = [at[n] for n in states]
        self._symbol = symbol
        self._stypes = stypes
        self._context = context
        self._modules: dict[tuple[bool, bool], fx.GraphModule] = {}  # by train, recording
        self._inference = InferencePlan(symbol, self._rng, context.device, stypes)

    def _rng(self) -> torch.Generator:
        return random_stream(self._context)

    def _module(self, train: bool, recording: bool) -> fx.GraphModule:
        key = (train, recording)
        if key not in self._modules:
            self._modules[key] = lower(
                self._symbol,
                train=train,
                recording=recording,
                rng=self._rng,
                device=self._context.device,
                stypes=self._stypes,
            )
        return self._modules[key]

    def results(self, arrays: Sequence[NDArray], hook: tuple[Hook, bool] | None) -> list[NDArray]:
        """The outputs, recorded where recording is on."""
        if STATE.training:
            for i in self._states:
                _ = arrays[i]._target  # waits for those who read it
        return (self._recorded if STATE.recording else self._unrecorded)(arrays, hook)

    def _unrecorded(
        self, arrays: Sequence[NDArray], hook: tuple[Hook, bool] | None
    ) -> list[NDArray]:
        inputs = [arrays[i]._value for i in self._order]
        if hook is not None or STATE.training:
            results = self._told(self._module(STATE.training, False), inputs, hook)
        else:
            results = self._inference.run(inputs, any(a._chunk.foreign for a in arrays))
        return [wrap_value(r, self._context) for r in _distinct(results, inputs)]

    def _recorded(self, arrays: Sequence[NDArray], hook: tuple[Hook, bool] | None) -> list[NDArray]:
        if all(flow_of(a) is None for a in arrays):
            return self._unrecorded(arrays, hook)
        edges = [_edge(a) for a in arrays]
        for i in self._states:
            edges[i] = arrays[i]._value  # who watches their version counters is to see the writes
        inputs = [edges[i] for i in self._order]
        with torch.enable_grad():
            results = self._told(self._module(STATE.training, True), inputs, hook)
            results = _distinct(results, inputs)
        nodes = outputs_of(step("_CachedOp", arrays), len(results))
        return [self._wrapped(r, n) for r, n in zip(results, nodes, strict=True)]

    def _wrapped(self, result: Any, node: Node) -> NDArray:
        if isinstance(result, Tensor):
            return wrap_recorded(result, self._context, node)
        array = wrap_value(value_of(result), self._context)
        array._tracked, array._node = tracked_of(result), node
        return array

    def _told(
        self, module: fx.GraphModule, inputs: Sequence[Any], hook: tuple[Hook, bool] | None
    ) -> Sequence[Any]:
        if hook is None:
            return run(module, inputs, self._context.device)
        results: Sequence[Any] = _Told(module, *hook, self._context).run(*inputs)
        return results


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


class _Told(fx.Interpreter):
    """Runs a lowered graph node by node and tells a hook of every array."""

    def __init__(
        self, module: fx.GraphModule, hook: Hook, monitor_all: bool, context: Context
    ) -> None:
        super().__init__(module)
        self._hook = hook
        self._monitor_all = monitor_all
        self._context = context

    def run_node(self, n: fx.Node) -> Any:
        """Runs node `n` and tells of its inputs, where they are wanted, and its outputs."""
        op = op_of(n)
        if op is None:
            return super().run_node(n)
        if self._monitor_all:
            values = self.fetch_args_kwargs_from_env(n)[0]
            self._tell(op.name, n.meta["inputs"], values)
        result = super().run_node(n)
        outputs = result if isinstance(result, tuple) else (result,)
        self._tell(op.name, n.meta["outputs"], outputs)
        return result

    def _tell(self, op: str, names: Sequence[str], edges: Sequence[Any]) -> None:
        for name, edge in zip(names, edges, strict=False):
            self._hook(name, op, wrap_value(value_of(edge), self._context))
