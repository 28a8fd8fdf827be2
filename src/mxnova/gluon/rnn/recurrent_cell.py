# SPDX-License-Identifier: Apache-2.0
"""The base of recurrent cells: blocks that map an input and states to an output and states."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ... import ndarray
from ...core.base.errors import AssertedError
from ..block import Block, HybridBlock
from .sequence import _format_sequence, _get_begin_state, _mask_sequence_variable_length

_OPERATORS = ("tanh", "relu", "sigmoid", "softsign")


class RecurrentCell(Block):
    """A step of a recurrent network: ``cell(inputs, states)`` returns output and new states.

    Args:
        prefix: start of the names of its parameters and nodes.
        params: parameters to share.

    Example:
        >>> cell = mx.gluon.rnn.GRUCell(5, input_size=3)
        >>> isinstance(cell, mx.gluon.rnn.RecurrentCell)
        True
    """

    def __init__(self, prefix: str | None = None, params: Any = None) -> None:
        super().__init__(prefix=prefix, params=params)
        self._modified = False  # whether a ModifierCell has it
        self.reset()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._description()})"

    def _description(self) -> str:
        return ""

    def reset(self) -> None:
        """Reset the state between two sequences."""
        self._init_counter = -1
        self._counter = -1
        for child in self._children.values():
            if hasattr(child, "reset"):
                child.reset()

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        """Shape and layout of each state."""
        raise NotImplementedError(f"{type(self).__name__}.state_info")

    def begin_state(
        self, batch_size: int = 0, func: Callable[..., Any] = ndarray.zeros, **kwargs: Any
    ) -> list[Any]:
        """The states that a sequence starts with.

        Args:
            batch_size: number of sequences; 0: unknown, for symbols.
            func: makes a state of `shape` and `name`, such as `mx.sym.zeros`, `mx.nd.uniform`.
            kwargs: more arguments of `func`, such as `dtype`, `ctx`.
        """
        self._refuse_modified()
        states = []
        for info in self.state_info(batch_size):
            self._init_counter += 1
            name = f"{self._prefix}begin_state_{self._init_counter}"
            states.append(func(name=name, **{**(info or {}), **kwargs}))
        return states

    def _refuse_modified(self) -> None:
        if self._modified:
            raise AssertedError(
                f"{self.name}.begin_state: a modifier such as ZoneoutCell has this cell: "
                "call the modifier instead"
            )

    def unroll(
        self,
        length: int,
        inputs: Any,
        begin_state: Any = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
        valid_length: Any = None,
    ) -> tuple[Any, list[Any]]:
        """Unroll the cell over whole sequences.

        Args:
            length: number of steps.
            inputs: array or symbol of `layout`, or a list of `length` steps of shape (N, C).
            begin_state: the states to start with; zeros where it is None.
            layout: ``"NTC"`` or ``"TNC"``.
            merge_outputs: True: outputs are one tensor; False: a list of steps; None: what needs
                no further work.
            valid_length: steps of each sequence, (N,): outputs beyond are 0, states are those
                after the last of them.

        Returns:
            Outputs, and the states at the end.
        """
        self.reset()
        inputs, axis, F, batch_size = _format_sequence(length, inputs, layout, False)
        states = _get_begin_state(self, F, begin_state, inputs, batch_size)
        outputs, history = [], []
        for step in inputs:
            output, states = self(step, states)
            outputs.append(output)
            history.append(states)
        if valid_length is not None:
            states = [_last(F, steps, valid_length) for steps in zip(*history, strict=True)]
            outputs = _mask_sequence_variable_length(F, outputs, length, valid_length, axis, True)
        return _format_sequence(length, outputs, layout, merge_outputs)[0], states

    def _get_activation(self, F: Any, inputs: Any, activation: Any, **kwargs: Any) -> Any:
        """An activation, given by its name or as a block, applied to `inputs`."""
        if activation in _OPERATORS:
            return getattr(F, activation)(inputs, **kwargs)
        if isinstance(activation, str):
            return F.Activation(inputs, act_type=activation, **kwargs)
        return activation(inputs)

    def forward(self, inputs: Any, states: Any) -> Any:
        """Compute one step.

        Args:
            inputs: (N, C) or, for convolutional cells, their layout.
            states: list of states.

        Returns:
            Output, and the list of new states.
        """
        self._counter += 1
        return super().forward(inputs, states)


def _last(F: Any, steps: Any, valid_length: Any) -> Any:
    """Of each sequence the state after its last step."""
    return F.SequenceLast(
        F.stack(*steps, axis=0), sequence_length=valid_length, use_sequence_length=True, axis=0
    )


class HybridRecurrentCell(RecurrentCell, HybridBlock):
    """A recurrent cell that runs on arrays and on symbols: subclasses have `hybrid_forward`.

    Args:
        prefix: the beginning of its parameters' names.
        params: parameters to be shared.

    Example:
        >>> cell = mx.gluon.rnn.GRUCell(5, input_size=3)
        >>> isinstance(cell, mx.gluon.rnn.HybridRecurrentCell)
        True
    """

    def hybrid_forward(self, F: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
        """Compute one step with operators of `F`."""
        raise NotImplementedError(f"{type(self).__name__}.hybrid_forward")


def declare(cell: Any, weights: Mapping[str, tuple[tuple[int, ...], Any]], **kwargs: Any) -> None:
    """Gives `cell` parameters: name -> shape and initializer."""
    for name, (shape, init) in weights.items():
        parameter = cell.params.get(
            name, shape=shape, init=init, allow_deferred_init=True, **kwargs
        )
        setattr(cell, name, parameter)
