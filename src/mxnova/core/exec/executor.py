# SPDX-License-Identifier: Apache-2.0
"""Executor: a symbol bound to arrays, run forwards and backwards."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, fx

from ..base.errors import ArgumentError, ArgumentTypeError, MXNetError, candidates
from ..base.shapes import shape_text
from ..graph.infer import StypeTable, infer_dtypes, infer_shapes, infer_stypes
from ..graph.settle import instantiated, settled
from ..graph.symbol import Symbol
from ..nd.array import NDArray
from ..nd.autograd import take_gradient
from ..nd.wrapping import clear, owned, view_of, wrap, wrap_value, zeros_stored
from ..op.sparse.storage import Value
from ..runtime.context import Context, context_of
from ..runtime.profiler import api_call, recorded_backward
from ..runtime.resource import random_stream
from .inference import InferencePlan
from .lower import lower, op_of
from .profiled import run
from .stored import leaf_of, tracked_of, value_of

__all__ = ["Executor", "bind"]

GRAD_REQS = ("null", "write", "add")
Arrays = Sequence[NDArray | None] | Mapping[str, NDArray | None]


class Executor:
    """A symbol with an array for each argument, gradient and auxiliary state.

    `outputs` are the same arrays after every forward, with new values.

    Args:
        symbol: what to compute.
        ctx: where to compute.
        args: arrays of the arguments, by name.
        args_grad: arrays that gradients go to, by name.
        grad_req: null, write or add, by name.
        aux_states: arrays of the auxiliary states, by name.
    """

    def __init__(
        self,
        symbol: Symbol,
        ctx: Context,
        args: dict[str, NDArray],
        args_grad: dict[str, NDArray],
        grad_req: dict[str, str],
        aux_states: dict[str, NDArray],
    ) -> None:
        self._symbol = symbol
        self._ctx = ctx
        self._arg_dict = args
        self._aux_dict = aux_states
        self._grad_dict: dict[str, NDArray | None] = {n: args_grad.get(n) for n in args}
        self._grad_req = grad_req
        self._tracked = [i for i, n in enumerate(args) if self._is_tracked(n)]
        self.outputs: list[NDArray] = []
        self._recorded: tuple[list[Tensor], list[Tensor]] | None = None
        self._monitor: tuple[Callable[[str, NDArray], None], bool] | None = None
        self._stypes: StypeTable | None = None  # only where something is not dense
        self._runnable = self._check_arrays()
        self._inference = InferencePlan(self._runnable, self._rng, ctx.device, self._stypes)

    def _is_tracked(self, name: str) -> bool:
        return self._grad_req[name] != "null" and self.grad_dict[name] is not None

    def _check_arrays(self) -> Symbol:
        """Shapes and types of the arrays must fit; makes the outputs; gives what is to be run."""
        arrays = {**self.arg_dict, **self.aux_dict}
        nodes = self._symbol.nodes
        repeated = [n for n, count in Counter(self._symbol.list_inputs()).items() if count > 1]
        if repeated:
            raise MXNetError(f"bind: several variables are named {repeated[0]!r}")
        shapes = infer_shapes(nodes, {n: a.shape for n, a in arrays.items()})
        dtypes = infer_dtypes(nodes, {n: a._value.dtype for n, a in arrays.items()})
        given = {n: a.stype for n, a in arrays.items()}
        stypes = infer_stypes(nodes, given)
        for node, i in self._symbol.entries:
            shape, dtype = shapes[id(node)][i], dtypes[id(node)][i] or torch.float32
            known = shape if shape is not None and all(isinstance(d, int) for d in shape) else ()
            self.outputs.append(zeros_stored(stypes[id(node)][i], known, self._ctx, dtype))
        runnable = instantiated(settled(self._symbol, shapes, dtypes))
        if any(s != "default" for stored in stypes.values() for s in stored):
            self._stypes = infer_stypes(runnable.nodes, given)
        return runnable

    # Arrays --------------------------------------------------------------------------------------

    @property
    def arg_dict(self) -> dict[str, NDArray]:
        """Arrays of the arguments, by name."""
        return self._arg_dict

    @property
    def grad_dict(self) -> dict[str, NDArray | None]:
        """Arrays that gradients go to, by the argument's name; None where there is none."""
        return self._grad_dict

    @property
    def aux_dict(self) -> dict[str, NDArray]:
        """Arrays of the auxiliary states, by name."""
        return self._aux_dict

    @property
    def arg_arrays(self) -> list[NDArray]:
        """Arrays of the arguments, in the symbol's order."""
        return list(self.arg_dict.values())

    @property
    def grad_arrays(self) -> list[NDArray | None]:
        """Arrays that gradients go to, in the symbol's order; None where there is none."""
        return list(self.grad_dict.values())

    @property
    def aux_arrays(self) -> list[NDArray]:
        """Arrays of the auxiliary states, in the symbol's order."""
        return list(self.aux_dict.values())

    @property
    def output_dict(self) -> dict[str, NDArray]:
        """Outputs by name."""
        return dict(zip(self._symbol.list_outputs(), self.outputs, strict=True))

    def copy_params_from(
        self,
        arg_params: Mapping[str, NDArray],
        aux_params: Mapping[str, NDArray] | None = None,
        allow_extra_params: bool = False,
    ) -> None:
        """Copies values into arguments and auxiliary states, by name.

        Raises:
            ValueError: a name that the symbol does not have, unless `allow_extra_params`.
        """
        for kind, given, mine in (
            ("argument", arg_params, self.arg_dict),
            ("auxiliary state", aux_params or {}, self.aux_dict),
        ):
            for name, array in given.items():
                if name in mine:
                    array.astype(mine[name].dtype, copy=False).copyto(mine[name])
                elif not allow_extra_params:
                    hint = candidates(name, mine)
                    raise ArgumentError(f"copy_params_from: there is no {kind} {name!r}{hint}")

    # Running -------------------------------------------------------------------------------------

    @api_call("MXExecutorForward")
    def forward(self, is_train: bool = False, **kwargs: Any) -> list[NDArray]:
        """Computes the outputs.

        Args:
            is_train: run as in a training pass, so that `backward` can follow.
            kwargs: values to copy into arguments first, by name.
        """
        if kwargs:
            self._feed(kwargs)
        self._recorded = None
        arrays = (*self.arg_dict.values(), *self.aux_dict.values())
        inputs = [a._value for a in arrays]
        if self._monitor is not None:
            results = self._run_monitored(inputs, is_train)
        elif is_train:
            results = self._run_recorded(inputs)
        else:
            results = self._inference.run(inputs, any(a._chunk.foreign for a in arrays))
        dense = [t for t in inputs if isinstance(t, Tensor)]
        for array, result in zip(self.outputs, results, strict=True):
            if isinstance(result, Tensor):
                array._target = owned(result, dense).detach()
            else:
                array._target = result
        return self.outputs

    def _feed(self, values: Mapping[str, Any]) -> None:
        for name, value in values.items():
            if name not in self.arg_dict:
                hint = candidates(name, self.arg_dict)
                raise ArgumentTypeError(f"forward: there is no argument {name!r}{hint}")
            target = self.arg_dict[name]
            shape = value.shape if isinstance(value, NDArray) else np.shape(value)
            if shape != target.shape:
                raise ArgumentError(
                    f"forward: {name} has shape {shape_text(shape)}, "
                    f"bound with {shape_text(target.shape)}"
                )
            target[:] = value

    def _run_recorded(self, inputs: list[Any]) -> Sequence[Value]:
        """Runs the training graph, keeping what backward needs.

        Leaves alias the arrays' memory but not their version counter: an update between forward
        and backward is seen, as in MXNet, instead of refused.
        """
        leaves = self._leaves(inputs)
        with torch.set_grad_enabled(bool(leaves)):
            results = run(self._training, inputs, self._ctx.device)
        self._recorded = ([tracked_of(r) for r in results], leaves)
        return [value_of(r) for r in results]

    def _leaves(self, inputs: list[Any]) -> list[Tensor]:
        """The leaves of the inputs that gradients are wanted of, which take their places."""
        leaves = []
        for i in self._tracked:
            inputs[i], leaf = leaf_of(inputs[i])
            leaves.append(leaf)
        return leaves

    @functools.cached_property
    def _training(self) -> fx.GraphModule:
        recording = bool(self._tracked)
        return lower(
            self._runnable,
            train=True,
            recording=recording,
            rng=self._rng,
            device=self._ctx.device,
            stypes=self._stypes,
        )

    def _rng(self) -> torch.Generator:
        return random_stream(self._ctx)

    @api_call("MXExecutorBackwardEx")
    def backward(self, out_grads: Any = None, is_train: bool = True) -> None:
        """Computes gradients of the last training forward into the gradient arrays.

        Args:
            out_grads: gradient of each output (an array, a list or a dict by output name); without,
                ones, which loss operators ignore.
            is_train: as in MXNet; the pass is always the one that forward recorded.

        Raises:
            MXNetError: no forward with is_train=True came before.
        """
        if self._recorded is None:
            raise MXNetError("backward: call forward(is_train=True) first")
        results, leaves = self._recorded
        heads = self._head_gradients(out_grads, results)
        pairs = [(r, h) for r, h in zip(results, heads, strict=True) if r.requires_grad]
        tracked = [leaf for leaf in leaves if leaf.requires_grad]
        if pairs and tracked:
            # Not autograd.grad: a leaf's own gradient is nobody else's, so it can change hands.
            roots, gradients = [r for r, _ in pairs], [h for _, h in pairs]
            with recorded_backward(roots, self._ctx):
                torch.autograd.backward(roots, gradients, retain_graph=True, inputs=tracked)
        names = list(self.arg_dict)
        for i, leaf in zip(self._tracked, leaves, strict=True):
            fresh, leaf.grad = leaf.grad, None
            self._store(names[i], fresh)

    def _head_gradients(self, out_grads: Any, results: Sequence[Tensor]) -> list[Tensor]:
        if out_grads is None:
            return [torch.ones_like(r) for r in results]
        if isinstance(out_grads, NDArray):
            out_grads = [out_grads]
        elif isinstance(out_grads, Mapping):
            out_grads = [out_grads[n] for n in self._symbol.list_outputs()]
        if len(out_grads) != len(results):
            raise ArgumentError(f"backward: {len(out_grads)} gradients for {len(results)} outputs")
        return [g._tensor.to(r) for g, r in zip(out_grads, results, strict=True)]

    def _store(self, name: str, fresh: Tensor | None) -> None:
        array, request = self.grad_dict[name], self._grad_req[name]
        if array is not None and fresh is not None:
            take_gradient(array, fresh, request)
        elif array is not None and request == "write":
            clear(array)

    # Inspection ----------------------------------------------------------------------------------

    def set_monitor_callback(
        self, callback: Callable[[str, NDArray], None], monitor_all: bool = False
    ) -> None:
        """Calls `callback(name, array)` for every output of every node at each forward.

        Args:
            callback: the function.
            monitor_all: also for the inputs of every node.
        """
        self._monitor = (callback, monitor_all)

    def _run_monitored(self, inputs: list[Any], is_train: bool) -> Sequence[Value]:
        if is_train:
            module, recording = self._training, bool(self._tracked)
        else:
            module, recording = self._inference.plain, False
        leaves = self._leaves(inputs) if recording else []
        with torch.set_grad_enabled(recording):
            results = _Monitored(module, self._tell).run(*inputs)
        if is_train:
            self._recorded = ([tracked_of(r) for r in results], leaves)
        return [value_of(r) for r in results]

    def _tell(self, name: str, edge: Any, is_input: bool) -> None:
        if self._monitor is not None:
            callback, monitor_all = self._monitor
            if monitor_all or not is_input:
                callback(name, wrap_value(value_of(edge), self._ctx))

    def debug_str(self) -> str:
        """The symbol's listing, then the code that it was lowered to."""
        return f"{self._symbol.debug_str()}\n{self._inference.plain.code.strip()}\n"

    def get_optimized_symbol(self) -> Symbol:
        """The symbol as bound; rewriting happens below the symbol, on the lowered graph."""
        return self._symbol

    def reshape(
        self, partial_shaping: bool = False, allow_up_sizing: bool = False, **kwargs: Any
    ) -> Executor:
        """An executor for other input shapes that shares the arrays, or the parts it needs of them.

        Args:
            partial_shaping: accept new shapes for arguments that `kwargs` does not name.
            allow_up_sizing: accept arrays that become larger.
            kwargs: new shapes, by argument name.

        Raises:
            MXNetError: a change that the two switches do not accept.
        """
        shapes, _, aux_shapes = self._symbol.infer_shape(**kwargs)
        if shapes is None or aux_shapes is None:
            raise MXNetError("reshape: the given shapes are not enough to infer the others")

        def resized(name: str, old: NDArray, shape: tuple[int, ...]) -> NDArray:
            if old.shape == shape:
                return old
            if name not in kwargs and not partial_shaping:
                raise MXNetError(
                    f"reshape: {name} changes from {shape_text(old.shape)} to {shape_text(shape)}; "
                    "give its shape, or partial_shaping=True"
                )
            size = torch.Size(shape).numel()
            if size <= old.size:
                return view_of(old, old._tensor.reshape(-1)[:size].reshape(shape))
            if not allow_up_sizing:
                raise MXNetError(
                    f"reshape: {name} grows from {shape_text(old.shape)} to {shape_text(shape)}; "
                    "allow_up_sizing=True permits it"
                )
            return wrap(
                torch.zeros(shape, dtype=old._tensor.dtype, device=old._tensor.device), self._ctx
            )

        args = {
            n: resized(n, a, s) for (n, a), s in zip(self.arg_dict.items(), shapes, strict=True)
        }
        aux = {
            n: resized(n, a, s) for (n, a), s in zip(self.aux_dict.items(), aux_shapes, strict=True)
        }
        grads = {
            n: resized(n, g, args[n].shape) for n, g in self.grad_dict.items() if g is not None
        }
        return Executor(self._symbol, self._ctx, args, grads, self._grad_req, aux)


class _Monitored(fx.Interpreter):
    """Runs a lowered graph node by node and tells of every array."""

    def __init__(self, module: fx.GraphModule, tell: Callable[[str, Any, bool], None]) -> None:
        super().__init__(module)
        self._tell = tell

    def run_node(self, n: fx.Node) -> Any:
        """Runs node `n` and tells of its inputs and outputs."""
        if op_of(n) is None:
            return super().run_node(n)
        for name, value in zip(
            n.meta["inputs"], self.fetch_args_kwargs_from_env(n)[0], strict=True
        ):
            self._tell(name, value, True)
        result = super().run_node(n)
        outputs = result if isinstance(result, tuple) else (result,)
        for name, value in zip(n.meta["outputs"], outputs, strict=False):
            self._tell(name, value, False)
        return result


# Binding ------------------------------------------------------------------------------------------


def bind(
    symbol: Symbol,
    ctx: Context | None,
    args: Arrays,
    args_grad: Arrays | None = None,
    grad_req: Any = "write",
    aux_states: Arrays | None = None,
) -> Executor:
    """An executor of `symbol` on given arrays, by list in the symbol's order or by name.

    Raises:
        MXNetError: arrays are missing or do not fit; the text names argument and shapes.
    """
    names, aux_names = symbol.list_arguments(), symbol.list_auxiliary_states()
    arrays = _by_name("args", names, args, required=True)
    gradients = _by_name("args_grad", names, args_grad or {}, required=False)
    aux = _by_name("aux_states", aux_names, aux_states or {}, required=True)
    requests = _requests(names, grad_req)
    return Executor(symbol, context_of(ctx), arrays, gradients, requests, aux)


def _by_name(
    what: str, names: Sequence[str], given: Arrays, *, required: bool
) -> dict[str, NDArray]:
    if not isinstance(given, Mapping):
        if not isinstance(given, Sequence):
            raise ArgumentTypeError(
                f"bind: {what} is a {type(given).__name__}, neither a list nor a dict of arrays"
            )
        if len(given) != len(names):
            raise ArgumentError(
                f"bind: {what} holds {len(given)} arrays; {len(names)} are needed: "
                f"{', '.join(names)}"
            )
        given = dict(zip(names, given, strict=True))
    found: dict[str, NDArray] = {}
    for name in names:
        array = given.get(name)
        if array is None and required:
            raise ArgumentError(f"bind: {what} lacks {name!r}{candidates(name, given)}")
        if array is not None and not isinstance(array, NDArray):
            raise ArgumentTypeError(
                f"bind: {what}[{name!r}] is a {type(array).__name__}, not an NDArray"
            )
        if array is not None:
            found[name] = array
    return found


def _requests(names: Sequence[str], grad_req: Any) -> dict[str, str]:
    if isinstance(grad_req, str):
        requests = dict.fromkeys(names, grad_req)
    elif isinstance(grad_req, Mapping):
        requests = {n: grad_req.get(n, "null") for n in names}
    else:
        if len(grad_req) != len(names):
            raise MXNetError(f"bind: grad_req holds {len(grad_req)}, {len(names)} are needed")
        requests = dict(zip(names, grad_req, strict=True))
    for name, request in requests.items():
        if request not in GRAD_REQS:
            raise MXNetError(f"bind: grad_req of {name}={request!r}: must be one of {GRAD_REQS}")
    return requests
