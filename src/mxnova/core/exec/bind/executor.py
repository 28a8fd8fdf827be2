# SPDX-License-Identifier: Apache-2.0
"""Executor: a symbol bound to arrays, run forwards and backwards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from torch import Tensor

from ...base.doors import doors
from ...base.errors import ArgumentError, ArgumentTypeError, MXNetError, candidates, shown
from ...base.gc_pause import resting
from ...base.mismatches import Mismatches
from ...base.shapes import shape_text
from ...graph.node import Node
from ...graph.rewrite import rewrite
from ...graph.symbol import Symbol
from ...kernels.transpose import contiguous
from ...nd.array import NDArray
from ...nd.autograd import store_gradient
from ...nd.deferred_errors import fail, recover
from ...nd.memory import reacquire_memory, release_memory, replace
from ...nd.modes import MODES
from ...nd.wrapping import owned
from ...op.sparse.storage import Value
from ...runtime.context import Context
from ...runtime.profiler import api_call
from ...runtime.slow_path import SLOW_PATH
from ...runtime.torch_api import base_of, version_of
from ..compilation.explanation import Placement
from ..compilation.specialization import Inference
from ..program.interpreter import Observer, Teller
from ..program.peak_memory import bytes_needed
from ..program.placement import contexts_of
from ..program.program import ArrayFacts, Facts, Mode
from ..program.sparse_execution import value_of
from .allocation import allocated_output, resized
from .compiled import compiled
from .head_gradients import head_gradients
from .monitor import GradientTeller, MonitorCallback, told
from .recorded_pass import RecordedPass

__all__ = ["Executor"]


class Executor:
    """A symbol with an array for each argument, gradient and auxiliary state.

    `outputs` are the same arrays over the same memory after every forward, with new values.

    The first forward outside training, and every one after a parameter was written to, runs the
    graph as the symbol says it. A further one rewrites it around the parameters, once, which takes
    longer, and those that follow run the rewritten form; results differ by rounding. `optimize`
    does that at once. See docs/design/exec.md; ``MXNOVA_FUSE=0`` switches rewriting off.

    Args:
        symbol: what to compute.
        ctx: where to compute.
        args: arrays of the arguments, by name.
        args_grad: arrays that gradients go to, by name.
        grad_req: null, write or add, by name.
        aux_states: arrays of the auxiliary states, by name.
        group2ctx: contexts of groups of nodes, which then run there.
        shared_exec: an executor whose outputs lend their memory, where it is enough, to the
            outputs of this one.
    """

    def __init__(
        self,
        symbol: Symbol,
        ctx: Context,
        args: dict[str, NDArray],
        args_grad: dict[str, NDArray],
        grad_req: dict[str, str],
        aux_states: dict[str, NDArray],
        group2ctx: Mapping[str, Context] | None = None,
        shared_exec: Executor | None = None,
    ) -> None:
        self._symbol = symbol
        self._ctx = ctx
        self._groups = group2ctx
        self._arg_dict = args
        self._aux_dict = aux_states
        self._grad_dict: dict[str, NDArray | None] = {n: args_grad.get(n) for n in args}
        self._grad_req = grad_req
        self._inputs = (*args.values(), *aux_states.values())
        self._learning = [(n, grad_req[n]) for n in args if self._is_tracked(n)]
        self._has_run = False
        self._observers: tuple[Observer, ...] = ()
        self._gradient_teller: GradientTeller | None = None
        self._check_names_and_contexts()
        self.outputs: list[NDArray] = []
        # What forward left in dense ones: number, values, how often those had been written to.
        self._left: list[tuple[int, Tensor, int]] = []
        if not isinstance(shared_exec, Executor | None):
            raise ArgumentTypeError(f"bind: shared_exec={shown(shared_exec)}: must be an executor")
        self._inference = self._compiled(shared_exec.outputs if shared_exec else [])
        self._program = self._inference.program
        self._inference.prepare(self._values(), self._is_shared())
        tracked = [i for i, n in enumerate(args) if self._is_tracked(n)]
        self._pass = RecordedPass(self._inference, tracked, ctx)

    def _is_tracked(self, name: str) -> bool:
        return self._grad_req[name] != "null" and self.grad_dict[name] is not None

    def _check_names_and_contexts(self) -> None:
        repeated = [n for n, count in Counter(self._symbol.list_inputs()).items() if count > 1]
        if repeated:
            raise MXNetError(f"bind: several variables are named {repeated[0]!r}")
        self._contexts = contexts_of(self._symbol.nodes, self._ctx, self._groups)
        for node in self._symbol.nodes:
            if node.op is not None:
                continue
            place = self._contexts[node]
            given = self._arg_dict.get(node.name, self._aux_dict.get(node.name))
            _check_place(f"the array of {node.name!r}", given, place)
            _check_place(f"the gradient of {node.name!r}", self._grad_dict.get(node.name), place)

    @resting()
    def _compiled(self, lenders: Sequence[NDArray]) -> Inference:
        """The program for these arrays, which must fit; makes the outputs."""
        _ = self._ctx.device  # must be there
        arrays = {**self._arg_dict, **self._aux_dict}
        known = {n: ArrayFacts(a.shape, a._value.dtype, a.stype) for n, a in arrays.items()}
        found = compiled(self._symbol, Facts(known, self._ctx, self._groups, keeps_state=True))
        found.check_gradients(self._symbol, tuple([name for name, _ in self._learning]))
        for number, ((node, _), output) in enumerate(
            zip(self._symbol.entries, found.outputs, strict=True)
        ):
            lender = lenders[number] if number < len(lenders) else None
            self.outputs.append(allocated_output(*output, self._contexts[node], lender))
        self._written = [a for n, a in arrays.items() if n in found.written]
        return found.inference.twin()

    # Arrays --------------------------------------------------------------------------------------

    @property
    def arg_dict(self) -> dict[str, NDArray]:
        """Arrays of the arguments, by name."""
        return self._arg_dict

    @property
    def grad_dict(self) -> dict[str, NDArray | Any]:
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
    def grad_arrays(self) -> list[NDArray | Any]:
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
        told = Mismatches()
        for kind, given, mine in (
            ("argument", arg_params, self.arg_dict),
            ("auxiliary state", aux_params or {}, self.aux_dict),
        ):
            if not isinstance(given, Mapping):
                kinds = f"a {type(given).__name__}, not a dict of {kind}s"
                raise ArgumentTypeError(f"copy_params_from: {kinds}")
            for name, array in given.items():
                if name not in mine:
                    if not allow_extra_params:
                        told.add("unexpected", repr(name), partial(_unexpected, kind, name, mine))
                elif not isinstance(array, NDArray):
                    raise ArgumentTypeError(f"copy_params_from: {name!r} is no array")
                elif array.shape != mine[name].shape:
                    text = f"{name!r} has shape {mine[name].shape}, not {array.shape}"
                    told.add("unfit", text, partial(MXNetError, f"copy_params_from: {text}"))
        told.check()
        for given, mine in ((arg_params, self.arg_dict), (aux_params or {}, self.aux_dict)):
            for name, array in given.items():
                if name in mine:
                    array.astype(mine[name].dtype, copy=False).copyto(mine[name])

    # Running -------------------------------------------------------------------------------------

    @api_call("MXExecutorForward")
    def forward(self, is_train: bool = False, **kwargs: Any) -> list[NDArray]:
        """Computes the outputs.

        Args:
            is_train: run operators as in training.
            kwargs: values to copy into arguments first, by name.

        Raises:
            MXNetError: what an operator refuses; the text names node, operator and inputs. What
                only values tell is raised when somebody reads an output.
        """
        if kwargs:
            self._feed(kwargs)
        self._has_run = True
        self._pass.begin()
        self._left = []
        if not is_train and self._learning:  # a backward may follow, which runs the graph again
            self._pass.remember_draws()
        if SLOW_PATH:
            for mode in MODES.watchers():
                mode.monitor(self)
            for array in self._written:
                _ = array._target  # waits for those who read it
        inputs = self._values()
        if self._gradient_teller is not None:
            self._gradient_teller.forget()
        try:
            results = self._results(is_train, inputs)
        except MXNetError as error:
            if not error.of_values:
                raise
            fail(error, self.outputs, "forward")
        else:
            recover(self.outputs)
            self._put(results, inputs)
        return self.outputs

    def _results(self, is_train: bool, inputs: list[Any]) -> Sequence[Any]:
        if is_train:
            return self._pass.run(True, inputs, self._observers)
        if self._observers:
            return self._program.run(inputs, observers=self._observers)
        return self._inference.run(inputs, self._is_shared())

    def _values(self) -> list[Any]:
        """What the inputs hold, to be read."""
        if SLOW_PATH:
            return [a._value for a in self._inputs]
        return [a._raw for a in self._inputs]

    def _is_shared(self) -> bool:
        return any(a._chunk.foreign for a in self._inputs)

    def _put(self, results: Sequence[Value], inputs: Sequence[Value]) -> None:
        given = set(map(id, inputs))
        for number, (array, result) in enumerate(zip(self.outputs, results, strict=True)):
            value = value_of(result)
            if not isinstance(value, Tensor) or array.stype != "default":
                array._target = value
                continue
            if id(value) in given or base_of(value) is not None:
                value = owned(value, [t for t in inputs if isinstance(t, Tensor)])
            # Not detached: what autograd keeps has a version counter of its own.
            replace(array, contiguous(value).data, "forward")
            if self._learning:
                self._left.append((number, array._raw, version_of(array._raw)))

    def optimize(self) -> None:
        """Rewrites the graph for inference around the parameters as they are now.

        The next forward outside training would find out by itself that they stay, and the one
        after it do the work. A parameter that is written to later still takes effect.
        """
        if not self._is_shared():
            self._inference.specialize(self._values())

    def explain(self) -> list[Placement]:
        """Where each node runs outside training, and why: (node, operator, backend, reason)."""
        return self._inference.explain(self._values())

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

    @api_call("MXExecutorBackwardEx")
    def backward(self, out_grads: Any = None, is_train: bool = True) -> None:
        """Computes gradients of the last forward into the gradient arrays.

        After a forward outside training, or none, the graph is run once more to be recorded.

        Args:
            out_grads: gradient of each output (an array, a list or a dict by output name), surplus
                ones are ignored, and outputs at the end that need none may lack theirs: losses, and
                what no gradient flows from; without, ones, which loss operators ignore.
            is_train: as in MXNet; operators' gradients go by the mode that forward ran in.

        Raises:
            MXNetError: gradients are missing or do not fit the outputs.
        """
        if self._pass.results is None:
            for array in self.outputs:
                _ = array._value  # raises what forward left there
            if out_grads is None and not self._has_run:
                raise MXNetError("backward: call forward(is_train=True) first, or give out_grads")
            self._pass.run_again(self._values())
        self._read_outputs(self._pass.results or [])
        wanted = [name for name, _ in self._learning]
        heads = head_gradients(self._symbol, out_grads, self._pass.results or [], wanted)
        buffers = [(self._grad_dict[name], request) for name, request in self._learning]
        written = [a for a, request in buffers if a is not None and request == "write"]
        try:
            release_memory(written)
            self._pass.differentiate(heads)
            gradients = self._pass.take_gradients()
            for (buffer, request), fresh in zip(buffers, gradients, strict=True):
                if buffer is not None:
                    store_gradient(buffer, fresh, request)
        except BaseException:
            for array in written:
                reacquire_memory(array)
            raise
        if self._gradient_teller is not None:
            self._gradient_teller.tell()

    def _read_outputs(self, results: Sequence[Tensor]) -> None:
        """Puts what was written to outputs since forward where gradients read it.

        Args:
            results: what gradients flow from. Inputs that an operator handed on, and views, stay.
        """
        for number, left, version in self._left:
            array, result = self.outputs[number], results[number]
            now = array._value
            if now is left and version_of(now) == version and not array._chunk.foreign:
                continue
            is_apart = now.data_ptr() != result.data_ptr() and now.is_floating_point()
            if is_apart and base_of(result) is None and not self._is_of_input(result):
                result.data.copy_(now)  # no error about what autograd keeps

    def _is_of_input(self, result: Tensor) -> bool:
        memory = result.untyped_storage().data_ptr()
        values = [a._raw for a in self._inputs if isinstance(a._raw, Tensor)]
        return any(v.untyped_storage().data_ptr() == memory for v in values)

    # Inspection ----------------------------------------------------------------------------------

    def set_monitor_callback(
        self, callback: MonitorCallback | None, monitor_all: bool = False
    ) -> None:
        """Calls `callback(name, array)` for every output of every node at each forward.

        At a backward after a forward in training, it is called for the gradients that every node
        gives to its inputs, such as ``fc_backward_output0``.

        Args:
            callback: the function; None: none any more.
            monitor_all: also for the inputs of every node: variables under their own name, and
                each under that of the node and its input, such as ``fc_weight``.
        """
        if callback is not None and not callable(callback):
            raise ArgumentTypeError(f"set_monitor_callback: {shown(callback)} is no function")
        self._observers, self._gradient_teller = (), None
        if callback is not None:
            tell = told(callback)
            self._gradient_teller = GradientTeller(tell)
            self._observers = (Teller(tell, monitor_all, monitor_all), self._gradient_teller)

    def debug_str(self) -> str:
        """The symbol's listing, the code that its program runs outside training, what that takes.

        The last line but one is the most memory that results of operators take at once, in training
        where gradients are wanted, without the arrays that are bound.
        """
        symbol, facts = self._program.symbol, self._program.facts
        tracked = [name for name, _ in self._learning]
        size = bytes_needed(symbol, facts.shapes(symbol), facts.dtypes(symbol), tracked)
        code = self._program.lowered(Mode()).source.strip()
        listing = f"{symbol.debug_str()}\n{code}\nTotal {size >> 20} MB allocated\n"
        return f"{listing}Total 0 TempSpace resource requested\n"  # programs count lines from here

    def get_optimized_symbol(self) -> Symbol:
        """The symbol that is run, before a backend rewrites it around parameters."""
        return rewrite(self._program.symbol, Node.copy)  # programs are shared

    def reshape(
        self, partial_shaping: bool = False, allow_up_sizing: bool = False, **kwargs: Any
    ) -> Executor:
        """An executor for other input shapes that shares the arrays, or the parts it needs of them.

        Outputs share memory too, where the old ones have enough. A monitor watches both.

        Args:
            partial_shaping: accept new shapes for arguments that `kwargs` does not name.
            allow_up_sizing: accept arrays that become larger.
            kwargs: new shapes, by argument name; unknown names are ignored.

        Raises:
            MXNetError: a change that the two switches do not accept.
        """
        names = set(self._symbol.list_inputs())
        given = {n: s for n, s in kwargs.items() if n in names}
        shapes, _, aux_shapes = self._symbol.infer_shape(**given)
        if shapes is None or aux_shapes is None:
            raise MXNetError("reshape: the given shapes are not enough to infer the others")

        def fitted(name: str, array: NDArray, shape: tuple[int, ...]) -> NDArray:
            return resized(name, array, shape, name in given or partial_shaping, allow_up_sizing)

        old_args, old_aux = self.arg_dict.items(), self.aux_dict.items()
        args = {n: fitted(n, a, s) for (n, a), s in zip(old_args, shapes, strict=True)}
        aux = {n: fitted(n, a, s) for (n, a), s in zip(old_aux, aux_shapes, strict=True)}
        grads = {n: fitted(n, g, args[n].shape) for n, g in self.grad_dict.items() if g is not None}
        made = Executor(
            self._symbol, self._ctx, args, grads, self._grad_req, aux, self._groups, self
        )
        made._observers, made._gradient_teller = self._observers, self._gradient_teller
        return made


doors(Executor)


def _unexpected(kind: str, name: str, known: Mapping[str, NDArray]) -> MXNetError:
    text = f"copy_params_from: there is no {kind} {name!r}"
    return ArgumentError(text + candidates(name, known))


def _check_place(what: str, array: NDArray | None, place: Context) -> None:
    """Raises unless `array` is on `place`; all contexts of CPUs have one memory."""
    if array is None or array.context == place:
        return
    if place.device_type == "cpu" and array.context.device_type.startswith("cpu"):
        return
    raise MXNetError(f"bind: {what} is on {array.context}, it belongs on {place}")
