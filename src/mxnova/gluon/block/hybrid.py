# SPDX-License-Identifier: Apache-2.0
"""HybridBlock: a block that runs on arrays one operator after another, or as one graph."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from inspect import signature
from typing import Any

from ... import ndarray as nd
from ... import symbol as sym
from ...core.base.doors import leave
from ...core.base.errors import (
    ArgumentError,
    ArgumentTypeError,
    AssertedError,
    MXNetError,
    candidates,
    shown,
)
from ...core.base.user_warnings import warn_user
from ...core.exec.bind.cached_op import CachedOp
from ...core.graph.serialize import saving
from ...core.graph.symbol import Symbol
from ...core.nd.array import NDArray
from ...core.nd.modes import MODES
from ...core.runtime.context import Context
from ...core.runtime.slow_path import SLOW_PATH
from ..parameter import DeferredInitializationError, ParameterDict, shape_is_known
from ..parameter.arrays import GENERATION
from .base import Block
from .bound_graph import BoundGraph
from .input_errors import refuse_inputs
from .nesting import (
    _flatten,
    _gather_type_ctx_info,
    _regroup,
    are_together,
    differ_in_none_only,
    present,
    restored,
)
from .variables import grouped, input_dtypes, variables_for, warn_of_unused

__all__ = ["HybridBlock"]

_DRAWING = threading.RLock()  # one thread draws a graph, others wait for it


class HybridBlock(Block):
    """A block whose `hybrid_forward` runs with arrays and with symbols.

    Args:
        prefix: stands before the names of its parameters and children; default: its class and a
            number.
        params: parameters to share with another block.

    Example:
        >>> net = mx.gluon.nn.Dense(2, in_units=3)
        >>> net.initialize()
        >>> isinstance(net, mx.gluon.HybridBlock), net(mx.nd.ones((4, 3))).shape
        (True, (4, 2))
    """

    def __init__(self, prefix: str | None = None, params: ParameterDict | None = None) -> None:
        super().__init__(prefix, params)
        self._cached_graph: Any = ()
        self._cached_op: CachedOp | None = None
        self._bound: dict[Context, BoundGraph] = {}
        self._cached_op_args: list[tuple[bool, Any]] = []
        self._out_format: Any = None
        self._in_format: Any = None
        self._active = False
        self._flags: list[tuple[str, Any]] = []
        self._callback: Callable[..., Any] | None = None
        self._monitor_all = False
        self._backend: str | None = None
        self._backend_opts: dict[str, Any] = {}

    def __setattr__(self, name: str, value: Any) -> None:
        try:
            super().__setattr__(name, value)
            if isinstance(value, HybridBlock):
                self._clear_cached_op()
        except Exception as error:
            leave(error)
            raise

    def register_child(self, block: Block, name: str | None = None) -> None:
        """Register `block`, a HybridBlock, as a child."""
        if not isinstance(block, HybridBlock):
            if isinstance(block, type):
                raise ArgumentError(
                    f"{type(self).__name__} {self.name!r}: the class {block.__name__} as a child: "
                    f"it must be a block, such as {block.__name__}(...) makes"
                )
            raise ArgumentError(
                "Children of HybridBlock must also be HybridBlock, not as this child of a "
                f"{type(self).__name__}: {type(block).__name__} (Sequential is none, "
                "HybridSequential is one)"
            )
        super().register_child(block, name)
        self._clear_cached_op()

    # Graphs --------------------------------------------------------------------------------------

    def hybridize(
        self,
        active: bool = True,
        backend: str | None = None,
        clear: bool = True,
        static_alloc: bool = False,
        static_shape: bool = False,
        inline_limit: int = 2,
        forward_bulk_size: int | None = None,
        backward_bulk_size: int | None = None,
        **kwargs: Any,
    ) -> None:
        """Compile forward into one graph at the next call.

        Args:
            active: False: run operators one after another again.
            backend: who partitions the graph; see `Symbol.optimize_for`.
            clear: draw the graph anew.
            static_alloc: how MXNet plans memory; it changes no result.
            static_shape: likewise.
            inline_limit: likewise.
            forward_bulk_size: likewise.
            backward_bulk_size: likewise.
            kwargs: options of the backend.

        Raises:
            ArgumentTypeError: an option is spelled almost as an argument.
        """
        arguments = [*signature(HybridBlock.hybridize).parameters][1:-1]
        for name in kwargs:
            if hint := candidates(name, arguments):
                raise ArgumentTypeError(f"hybridize: {name!r} is not an argument{hint}")
            if backend is None:
                warn_user(f"hybridize: {name!r} has no effect without a backend that takes it")
        flags = {
            "static_alloc": static_alloc,
            "static_shape": static_shape,
            "inline_limit": inline_limit,
        }
        if forward_bulk_size is not None:
            flags["forward_bulk_size"] = forward_bulk_size
        if backward_bulk_size is not None:
            flags["backward_bulk_size"] = backward_bulk_size
        self._backend, self._backend_opts = backend, kwargs
        self._active = active
        self._flags = list(flags.items())
        if clear:
            self._clear_cached_op()
        if active and (self._forward_hooks or self._forward_pre_hooks):
            warn_user(
                f"{self.name} is hybridized with hooks on its forward: where a block around it "
                "is hybridized, they are called when the graph is drawn, with symbols",
            )
        super().hybridize(active, **flags)

    def optimize_for(
        self,
        x: Any,
        *args: Any,
        backend: str | None = None,
        clear: bool = False,
        static_alloc: bool = False,
        static_shape: bool = False,
        inline_limit: int = 2,
        forward_bulk_size: int | None = None,
        backward_bulk_size: int | None = None,
        **kwargs: Any,
    ) -> None:
        """Hybridizes, and lets a backend partition the graph now, without running it.

        Args:
            x: the first input.
            args: further inputs.
            backend: who partitions the graph; see `Symbol.optimize_for`.
            clear: draw the graph anew; False: partition what other backends left.
            static_alloc: as `hybridize` has it.
            static_shape: likewise.
            inline_limit: likewise.
            forward_bulk_size: likewise.
            backward_bulk_size: likewise.
            kwargs: options of the backend.
        """
        if backend is None:
            raise ArgumentError("optimize_for: backend=None: a backend must be named")
        self._kind_of_inputs(x, *args)
        bulks = forward_bulk_size, backward_bulk_size
        self.hybridize(
            True, backend, clear, static_alloc, static_shape, inline_limit, *bulks, **kwargs
        )
        self._cached_op = None
        with _DRAWING:
            self._build_cache(x, *args)

    def _clear_cached_op(self) -> None:
        self._cached_graph = ()
        self._cached_op = None
        self._bound = {}

    def __getstate__(self) -> dict[str, Any]:
        """All but its graph, which copies draw for themselves."""
        return {**self.__dict__, "_cached_graph": (), "_cached_op": None, "_bound": {}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__({"_bound": {}, **state})

    def _get_graph(self, *args: Any) -> tuple[list[Symbol], Symbol]:
        """(inputs, outputs) of the graph for arguments like these."""
        if not self._cached_graph:
            flat, in_format = _flatten(args, "input")
            inputs = variables_for(flat)
            regrouped = _regroup(inputs, in_format)[0]
            params = {name: p.var() for name, p in self._reg_params.items()}
            with self.name_scope(), input_dtypes(inputs, flat):
                try:
                    out = self.hybrid_forward(sym, *regrouped, **params)
                except TypeError as error:
                    self._refuse_inputs(len(regrouped), error)
                    raise
            flat_out, self._out_format = _flatten(out, "output")
            self._in_format = in_format
            outputs = grouped(self, [o for o in flat_out if o is not None])
            self._cached_graph = [i for i in inputs if i is not None], outputs
        graph: tuple[list[Symbol], Symbol] = self._cached_graph
        return graph

    def infer_shape(self, *args: Any) -> None:
        """Infers the shapes of its parameters from those of its arguments."""
        inputs, out = self._get_graph(*args)
        flat = present(args)
        known = {str(i.name): a.shape for i, a in zip(inputs, flat, strict=True)}
        self._take_inferred("shape", out, out.infer_shape_partial(**known), shape_is_known)

    def infer_type(self, *args: Any) -> None:
        """Infers the element types of its parameters from those of its arguments."""
        inputs, out = self._get_graph(*args)
        flat = present(args)
        known = {str(i.name): a.dtype for i, a in zip(inputs, flat, strict=True)}
        inferred = out.infer_type_partial(**known)
        self._take_inferred("dtype", out, inferred, lambda dtype: dtype is not None)

    def _take_inferred(
        self, attribute: str, out: Symbol, inferred: Any, is_known: Callable[[Any], bool]
    ) -> None:
        arguments, _, states = inferred
        found = dict(zip(out.list_arguments(), arguments, strict=True))
        found.update(zip(out.list_auxiliary_states(), states, strict=True))
        params = self.collect_params()
        unknown = [n for n in params if n in found and not is_known(found[n])]
        if unknown:
            raise ArgumentError(
                f"{type(self).__name__} {self.name!r}: its inputs do not tell the {attribute} of "
                f"{', '.join(unknown)}"
            )
        for name, parameter in params.items():
            if name in found:
                setattr(parameter, attribute, found[name])

    def _deferred_infer_shape(self, *args: Any) -> None:
        try:
            self.infer_shape(*args)
        except (MXNetError, ValueError, TypeError) as error:
            raise ArgumentError(
                f"{type(self).__name__} {self.name!r}: the shapes of its parameters, which were "
                f"left to the first batch, cannot be inferred: {error}"
            ) from error

    def _build_cache(self, *args: Any) -> None:
        inputs, out = self._get_graph(*args)
        if self._backend is not None:
            out = self._partitioned(out, inputs, args)
            self._cached_graph = inputs, out
        positions = {str(symbol.name): i for i, symbol in enumerate(inputs)}
        params = dict(self.collect_params().items())
        names = out.list_inputs()
        for name in names:
            if name not in positions and name not in params:
                raise AssertedError(
                    f"{type(self).__name__} {self.name!r}: {name!r} is neither an input nor a "
                    "parameter of it"
                )
        warn_of_unused(positions, params, set(names))
        self._cached_op_args = [
            (True, positions[n]) if n in positions else (False, params[n]) for n in names
        ]
        indices = {
            "data_indices": [i for i, n in enumerate(names) if n in positions],
            "param_indices": [i for i, n in enumerate(names) if n not in positions],
        }
        op = CachedOp(out, [*indices.items(), *self._flags])
        if self._callback is not None:
            op._register_op_hook(self._callback, self._monitor_all)
        self._cached_op, self._bound = op, {}

    def _partitioned(self, out: Symbol, inputs: Sequence[Symbol], args: tuple[Any, ...]) -> Symbol:
        """The graph as the backend makes it, for arrays like these."""
        has_symbol, _, _, context = _gather_type_ctx_info(args)
        arrays: dict[str, NDArray] = {}
        if not has_symbol:
            self._initialize_deferred(*args)
            flat = present(args)
            arrays = {str(i.name): a for i, a in zip(inputs, flat, strict=True)}
            arrays.update((n, p.data(context)) for n, p in self.collect_params().items())
        found = [
            {name: arrays[name] for name in names if name in arrays}
            for names in (out.list_arguments(), out.list_auxiliary_states())
        ]
        return out.optimize_for(self._backend, *found, context, **self._backend_opts)

    def _initialize_deferred(self, *args: Any) -> None:
        """Initializes the parameters that wait for the shapes of inputs."""
        params = self.collect_params().values()
        with _DRAWING:
            if any(p._deferred_init for p in params):
                self._deferred_infer_shape(*args)
                for parameter in params:
                    parameter._finish_deferred_init()

    def _call_cached_op(self, *args: Any) -> Any:
        if self._cached_op is None:
            with _DRAWING:
                if self._cached_op is None:
                    self._build_cache(*args)
        flat, form = _flatten(args, "input")
        if form != self._in_format and not differ_in_none_only(form, self._in_format):
            raise ArgumentError(
                f"{type(self).__name__} {self.name!r}: arguments of structure {form}; its graph "
                f"was drawn for {self._in_format} (0: an array, -1: None); hybridize() again"
            )
        arrays = [a for a in flat if a is not None]
        context = arrays[0].context
        try:
            bound = self._bind(context)
        except DeferredInitializationError:
            self._initialize_deferred(*args)
            bound = self._bind(context)
        return self._structured(bound(arrays))

    def _bind(self, context: Context) -> BoundGraph:
        """Its graph with the arrays that its parameters have on a context by now."""
        bound = self._bound.get(context)
        if bound is None or bound.generation != GENERATION.count:
            bound = self._bound[context] = BoundGraph(self, context)
        return bound

    def _structured(self, out: Any) -> Any:
        if self._out_format == 0:
            return out
        return restored(iter([out] if isinstance(out, NDArray) else out), self._out_format)

    # Running -------------------------------------------------------------------------------------

    def forward(self, x: Any, *args: Any) -> Any:
        """Runs `hybrid_forward` on arrays or on symbols, or the graph where it is hybridized."""
        if self._active and isinstance(x, NDArray):
            bound = self._bound.get(x._chunk.context)
            if bound is not None and bound.takes(x, args):
                return self._structured(bound((x, *args)))
        context = self._kind_of_inputs(x, *args)
        try:
            if context is not None:
                with context:
                    if self._active and not (SLOW_PATH and MODES.watchers()):
                        return self._call_cached_op(x, *args)
                    return self.hybrid_forward(nd, x, *args, **self._parameters(context, x, *args))
            params = {name: p.var() for name, p in self._reg_params.items()}
            with self.name_scope():
                return self.hybrid_forward(sym, x, *args, **params)
        except TypeError as error:
            self._refuse_inputs(1 + len(args), error)
            raise

    def _refuse_inputs(self, given: int, error: TypeError) -> None:
        block = f"{type(self).__name__} {self.name!r}"
        refuse_inputs(block, self.hybrid_forward, self._reg_params, given, error)

    def _kind_of_inputs(self, *args: Any) -> Context | None:
        """The context of the first array among the inputs; None where they are symbols."""
        if are_together(args):
            context: Context = args[0].context
            return context
        has_symbol, has_array, contexts, found = _gather_type_ctx_info(args)
        if has_symbol is has_array:
            kinds = ", ".join(type(arg).__name__ for arg in args[:8])
            what = f"{kinds}: neither NDArray nor Symbol; mx.nd.array(x) makes an array of numbers"
            if has_array:
                what = "arrays and symbols; one kind of the two is needed"
            raise ArgumentError(
                f"{type(self).__name__} {self.name!r}: inputs={shown(args)}: {what}"
            )
        if self._active and len(contexts) > 1:
            raise ArgumentError(
                f"{type(self).__name__} {self.name!r}: inputs on {sorted(map(str, contexts))}: a "
                "hybridized block runs on one context"
            )
        return found

    def _parameters(self, context: Context, *args: Any) -> dict[str, NDArray]:
        try:
            return {name: p.data(context) for name, p in self._reg_params.items()}
        except DeferredInitializationError:
            with _DRAWING:
                self._deferred_infer_shape(*args)
                for parameter in self._reg_params.values():
                    parameter._finish_deferred_init()
            return {name: p.data(context) for name, p in self._reg_params.items()}

    def hybrid_forward(self, F: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
        """Compute the outputs; override this in a subclass.

        Args:
            F: `mx.nd` for arrays, `mx.sym` for symbols.
            x: the first input.
            args: further inputs.
            kwargs: its parameters, by attribute.
        """
        raise NotImplementedError(
            f"{type(self).__name__} does not say how to compute: hybrid_forward()"
        )

    def register_op_hook(self, callback: Callable[..., Any], monitor_all: bool = False) -> None:
        """Calls ``callback(array name, operator, array)`` for the outputs of operators.

        Args:
            callback: the function.
            monitor_all: also for their inputs.
        """
        self._callback, self._monitor_all = callback, monitor_all
        if self._cached_op is not None:
            self._cached_op._register_op_hook(callback, monitor_all)
        super().register_op_hook(callback, monitor_all)

    def cast(self, dtype: Any) -> None:
        """Casts parameters and children to an element type."""
        self._clear_cached_op()
        super().cast(dtype)

    # Files of graphs -----------------------------------------------------------------------------

    def export(self, path: str, epoch: int = 0, remove_amp_cast: bool = True) -> None:
        """Writes its graph to ``path-symbol.json``, its parameters to ``path-0000.params``.

        Module, SymbolBlock and MXNet read them.

        Args:
            path: what the names of the files begin with.
            epoch: the number in the name of the file of parameters.
            remove_amp_cast: leave out the casts of automatic mixed precision.

        Raises:
            MXNetError: it was not hybridized, or has not run since.
        """
        if not self._cached_graph:
            raise MXNetError(
                f"Please first call block.hybridize() and then run forward: {type(self).__name__} "
                f"{self.name!r} has no graph to export yet"
            )
        out = self._cached_graph[1]
        states = set(out.list_auxiliary_states())
        params = self.collect_params()
        arrays = {
            f"{'aux' if name in states else 'arg'}:{name}": params[name]._reduce()
            for name in out.list_inputs()
            if name in params
        }
        with saving(out, f"{path}-symbol.json", remove_amp_cast):
            nd.save(f"{path}-{epoch:04d}.params", arrays)

    def _describe_graph(self) -> dict[str, Any]:
        if not (self._active and self._cached_graph):
            return {"hybridized": False}
        inputs, out = self._cached_graph
        return {
            "in_format": self._in_format,
            "out_format": self._out_format,
            "inputs": [i.tojson() for i in inputs],
            "symbol": out.tojson(),
            "hybridized": True,
        }

    def _restore_graph(self, described: Mapping[str, Any]) -> None:
        # The code of the block draws the graph again, with the names that its parameters have.
        self._clear_cached_op()
        self._active = bool(described.get("hybridized"))
