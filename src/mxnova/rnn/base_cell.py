# SPDX-License-Identifier: Apache-2.0
"""The base of cells: functions of an input symbol and state symbols, with their own weights."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from .. import ndarray, symbol
from ..core.base.errors import AssertedError, AssertedTypeError, argument_error, shown
from ..ndarray import NDArray
from ..symbol import Symbol

Weights = dict[str, NDArray]


class RNNParams:
    """Variables for weights, each made when first asked for; cells may share them.

    Args:
        prefix: start of their names.
    """

    def __init__(self, prefix: str = "") -> None:
        self._prefix = prefix
        self._params: dict[str, Symbol] = {}

    def get(self, name: str, **kwargs: Any) -> Symbol:
        """The variable `name`, made with `kwargs` of `mx.sym.var` if there is none."""
        name = self._prefix + name
        if name not in self._params:
            self._params[name] = symbol.Variable(name, **kwargs)
        return self._params[name]


class BaseRNNCell:
    """A cell: ``cell(inputs, states)`` gives the symbols of output and new states.

    Args:
        prefix: start of the names of its weights and nodes.
        params: weights to share.
    """

    def __init__(self, prefix: str = "", params: RNNParams | None = None) -> None:
        self._own_params = params is None
        self._prefix = prefix
        self._params = RNNParams(prefix) if params is None else params
        self._modified = False
        self.reset()

    def reset(self) -> None:
        """Reset the state between two sequences."""
        self._init_counter = -1
        self._counter = -1
        for cell in getattr(self, "_cells", ()):
            cell.reset()

    def __call__(self, inputs: Any, states: Any) -> Any:
        """One step: output, and the list of new states."""
        raise NotImplementedError(f"{type(self).__name__}: it does not say how to make a step")

    def _step(self) -> str:
        """The start of the names of the next step's nodes."""
        self._counter += 1
        return f"{self._prefix}t{self._counter}_"

    @property
    def params(self) -> RNNParams:
        """Its weights; they cannot be shared any more."""
        self._own_params = False
        return self._params

    @property
    def state_info(self) -> list[dict[str, Any]]:
        """Shape and layout of each state."""
        raise NotImplementedError(f"{type(self).__name__}.state_info")

    @property
    def state_shape(self) -> list[tuple[int, ...]]:
        """Shape of each state; 0: the batch."""
        return [info["shape"] for info in self.state_info]

    @property
    def _gate_names(self) -> Sequence[str]:
        """Ends of the names of the gates' weights, in their order in a cell's weights."""
        return ()

    def begin_state(self, func: Callable[..., Symbol] = symbol.zeros, **kwargs: Any) -> list[Any]:
        """The states that a sequence starts with.

        Args:
            func: makes one of `name` and `shape`, such as `mx.sym.Variable`.
            kwargs: more arguments of `func`.
        """
        self._refuse_modified()
        states = []
        for info in self.state_info:
            self._init_counter += 1
            name = f"{self._prefix}begin_state_{self._init_counter}"
            states.append(func(name=name, **{**info, **kwargs}))
        return states

    def _refuse_modified(self) -> None:
        if self._modified:
            raise AssertedError(
                f"{type(self).__name__} {self._prefix!r}: begin_state: a modifier such as "
                "ZoneoutCell has this cell: call the modifier instead"
            )

    def unpack_weights(self, args: Mapping[str, NDArray]) -> Weights:
        """`args` with the weights of its gates each on their own."""
        return self._regate(args, self._split)

    def pack_weights(self, args: Mapping[str, NDArray]) -> Weights:
        """`args` with the weights of its gates joined: what `unpack_weights` undoes."""
        return self._regate(args, self._join)

    def _regate(self, args: Mapping[str, NDArray], change: Callable[..., None]) -> Weights:
        made = dict(args)
        if self._gate_names:
            for product in ("i2h", "h2h"):
                for kind in ("weight", "bias"):
                    change(made, self._prefix + product, kind)
        return made

    def _split(self, args: Weights, start: str, kind: str) -> None:
        whole = _taken(args, f"{start}_{kind}", "unpack_weights")
        gates = self._gate_names
        rows = whole.shape[0] // len(gates)
        for i, gate in enumerate(gates):
            args[f"{start}{gate}_{kind}"] = whole[i * rows : (i + 1) * rows].copy()

    def _join(self, args: Weights, start: str, kind: str) -> None:
        names = [f"{start}{gate}_{kind}" for gate in self._gate_names]
        parts = [_taken(args, name, "pack_weights") for name in names]
        args[f"{start}_{kind}"] = ndarray.concat(*parts, dim=0)

    def unroll(
        self,
        length: int,
        inputs: Any,
        begin_state: Any = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
    ) -> tuple[Any, Any]:
        """Unroll the cell over whole sequences.

        Args:
            length: number of steps.
            inputs: symbol of `layout`, or a list of `length` symbols of shape (N, C).
            begin_state: the states to start with; None: zeros.
            layout: ``"NTC"`` or ``"TNC"``.
            merge_outputs: True: outputs are one symbol; False: a list; None: what needs no
                further work.

        Returns:
            Outputs, and the states at the end.
        """
        self.reset()
        inputs, _ = normalized(length, inputs, layout, False)
        states = self.begin_state() if begin_state is None else begin_state
        outputs = []
        for step in inputs:
            output, states = self(step, states)
            outputs.append(output)
        return normalized(length, outputs, layout, merge_outputs)[0], states

    def _get_activation(self, inputs: Symbol, activation: Any, **kwargs: Any) -> Symbol:
        if isinstance(activation, str):
            activation = partial(symbol.Activation, act_type=activation)
        output: Symbol = activation(inputs, **kwargs)
        return output


def _taken(args: Weights, name: str, function: str) -> NDArray:
    if name not in args:
        raise argument_error(function, "args", sorted(args), f"there is no {name!r} among them")
    return args.pop(name)


def normalized(
    length: int | None, inputs: Any, layout: str, merge: bool | None, in_layout: str | None = None
) -> tuple[Any, int]:
    """A sequence in the form that is wanted, and its time axis.

    Args:
        length: number of steps.
        inputs: one symbol with a time axis, or a list of symbols without.
        layout: letters of the axes.
        merge: True: one symbol is wanted; False: a list; None: whatever is there.
        in_layout: layout of `inputs`, `layout` where it is not given.
    """
    axis, in_axis = layout.find("T"), (in_layout or layout).find("T")
    if axis < 0:
        raise argument_error("unroll", "layout", layout, "has no time axis T", AssertedError)
    if isinstance(inputs, Symbol):
        if merge is False:
            if len(inputs.list_outputs()) != 1:
                raise AssertedError(
                    "unroll: inputs is a group of symbols: give list(inputs), or one symbol that "
                    "unroll may split"
                )
            split = symbol.split(inputs, axis=in_axis, num_outputs=length, squeeze_axis=1)
            return list(split), axis
    else:
        _check_list(length, inputs)
        if merge is not True:
            return inputs, axis
        inputs = symbol.Concat(*[symbol.expand_dims(i, axis=axis) for i in inputs], dim=axis)
        in_axis = axis
    if axis != in_axis:
        inputs = symbol.swapaxes(inputs, dim1=axis, dim2=in_axis)
    return inputs, axis


def _check_list(length: int | None, inputs: Any) -> None:
    if not isinstance(inputs, Sequence) or isinstance(inputs, str):
        raise AssertedTypeError(
            f"unroll: inputs={shown(inputs)}: a symbol or a list of symbols is expected"
        )
    if length is not None and len(inputs) != length:
        raise AssertedError(f"unroll: inputs are {len(inputs)} steps, length={length}")


def states_of(cells: Iterable[BaseRNNCell]) -> list[dict[str, Any]]:
    """Shape and layout of the states of all `cells`."""
    return [info for cell in cells for info in cell.state_info]
