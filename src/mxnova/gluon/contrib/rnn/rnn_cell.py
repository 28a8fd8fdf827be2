# SPDX-License-Identifier: Apache-2.0
"""Variational dropout, LSTM with a projection, and loops over sequences of any length."""

from __future__ import annotations

from typing import Any

from ....core.base.errors import AssertedError, argument_error
from ...parameter import Parameter
from ...rnn.modifiers import StatefulModifier, refuse_bidirectional
from ...rnn.recurrent_cell import HybridRecurrentCell, declare
from ...rnn.sequence import (
    TENSORS,
    _format_sequence,
    _get_begin_state,
    _mask_sequence_variable_length,
    api_of,
)

__all__ = ["LSTMPCell", "VariationalDropoutCell"]


class VariationalDropoutCell(StatefulModifier):
    """Dropout with one mask for all steps of a sequence, in training.

    Gal and Ghahramani, arXiv:1512.05287. `reset` forgets the masks.

    Args:
        base_cell: the cell to modify.
        drop_inputs: share of the inputs' elements that become 0.
        drop_states: share of the first state's elements that become 0.
        drop_outputs: share of the outputs' elements that become 0.
    """

    def __init__(
        self,
        base_cell: Any,
        drop_inputs: float = 0.0,
        drop_states: float = 0.0,
        drop_outputs: float = 0.0,
    ) -> None:
        if drop_states:
            refuse_bidirectional(base_cell, "VariationalDropoutCell")
        super().__init__(base_cell)
        self.drop_inputs = drop_inputs
        self.drop_states = drop_states
        self.drop_outputs = drop_outputs

    def _alias(self) -> str:
        return "vardrop"

    def _description(self) -> str:
        return f"p_out = {self.drop_outputs}, p_state = {self.drop_states}"

    def reset(self) -> None:
        """Reset the state and the masks."""
        super().reset()
        self.drop_inputs_mask = None
        self.drop_states_mask = None
        self.drop_outputs_mask = None

    def _masked(self, F: Any, data: Any, kind: str) -> Any:
        """`data` times the mask of its kind, which is drawn at the first step."""
        rate = getattr(self, f"drop_{kind}")
        if not rate:
            return data
        mask = getattr(self, f"drop_{kind}_mask")
        if mask is None:
            mask = F.Dropout(F.ones_like(data), p=rate)
            setattr(self, f"drop_{kind}_mask", mask)
        return data * mask

    def hybrid_forward(self, F: Any, inputs: Any, states: Any) -> tuple[Any, list[Any]]:
        if self.drop_states:
            states = [self._masked(F, states[0], "states"), *states[1:]]
        inputs = self._masked(F, inputs, "inputs")
        output, states = self.base_cell(inputs, states)
        return self._masked(F, output, "outputs"), states

    def unroll(
        self,
        length: int,
        inputs: Any,
        begin_state: Any = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
        valid_length: Any = None,
    ) -> tuple[Any, list[Any]]:
        if self.drop_states:
            return super().unroll(length, inputs, begin_state, layout, merge_outputs, valid_length)
        self.reset()
        inputs, axis, F, batch_size = _format_sequence(length, inputs, layout, True)
        states = _get_begin_state(self, F, begin_state, inputs, batch_size)
        if self.drop_inputs:
            inputs = F.Dropout(inputs, p=self.drop_inputs, axes=(axis,))
        outputs, states = self.base_cell.unroll(
            length, inputs, states, layout, merge_outputs=True, valid_length=valid_length
        )
        if self.drop_outputs:
            outputs = F.Dropout(outputs, p=self.drop_outputs, axes=(axis,))
        merged = isinstance(outputs, TENSORS) if merge_outputs is None else merge_outputs
        outputs = _format_sequence(length, outputs, layout, merged)[0]
        if valid_length is not None:
            outputs = _mask_sequence_variable_length(F, outputs, length, valid_length, axis, merged)
        return outputs, states


class LSTMPCell(HybridRecurrentCell):
    """A long short-term memory cell whose output is projected; states: output and memory.

    Sak et al., arXiv:1402.1128. The rows of weights: input gate, forget gate, new content, output
    gate.

    Args:
        hidden_size: width of the memory.
        projection_size: width of the output.
        i2h_weight_initializer: of the input's weights, (4 × hidden_size, input_size).
        h2h_weight_initializer: of the state's weights, (4 × hidden_size, projection_size).
        h2r_weight_initializer: of the projection, (projection_size, hidden_size).
        i2h_bias_initializer: of the input's bias.
        h2h_bias_initializer: of the state's bias.
        input_size: width of the input; 0: taken from the first input.
        prefix: start of the names of its parameters and nodes.
        params: parameters to share.
    """

    i2h_weight: Parameter

    def __init__(
        self,
        hidden_size: int,
        projection_size: int,
        i2h_weight_initializer: Any = None,
        h2h_weight_initializer: Any = None,
        h2r_weight_initializer: Any = None,
        i2h_bias_initializer: Any = "zeros",
        h2h_bias_initializer: Any = "zeros",
        input_size: int = 0,
        prefix: str | None = None,
        params: Any = None,
    ) -> None:
        super().__init__(prefix=prefix, params=params)
        self._hidden_size = hidden_size
        self._input_size = input_size
        self._projection_size = projection_size
        rows = 4 * hidden_size
        declare(
            self,
            {
                "i2h_weight": ((rows, input_size), i2h_weight_initializer),
                "h2h_weight": ((rows, projection_size), h2h_weight_initializer),
                "h2r_weight": ((projection_size, hidden_size), h2r_weight_initializer),
                "i2h_bias": ((rows,), i2h_bias_initializer),
                "h2h_bias": ((rows,), h2h_bias_initializer),
            },
        )

    def _alias(self) -> str:
        return "lstmp"

    def _description(self) -> str:
        rows, columns = self.i2h_weight._sizes
        return f"{columns or None} -> {rows} -> {self._projection_size}"

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        """Shape and layout of each state."""
        widths = (self._projection_size, self._hidden_size)
        return [{"shape": (batch_size, w), "__layout__": "NC"} for w in widths]

    def hybrid_forward(
        self,
        F: Any,
        inputs: Any,
        states: Any,
        i2h_weight: Any,
        h2h_weight: Any,
        h2r_weight: Any,
        i2h_bias: Any,
        h2h_bias: Any,
    ) -> tuple[Any, list[Any]]:
        start, rows = f"t{self._counter}_", 4 * self._hidden_size
        i2h = F.FullyConnected(inputs, i2h_weight, i2h_bias, num_hidden=rows, name=start + "i2h")
        h2h = F.FullyConnected(states[0], h2h_weight, h2h_bias, num_hidden=rows, name=start + "h2h")
        read, keep, new, write = F.SliceChannel(i2h + h2h, num_outputs=4, name=start + "slice")
        read = F.Activation(read, act_type="sigmoid", name=start + "i")
        keep = F.Activation(keep, act_type="sigmoid", name=start + "f")
        new = F.Activation(new, act_type="tanh", name=start + "c")
        write = F.Activation(write, act_type="sigmoid", name=start + "o")
        memory = F.elemwise_add(keep * states[1], read * new, name=start + "state")
        hidden = F.elemwise_mul(write, F.Activation(memory, act_type="tanh"), name=start + "hidden")
        output = F.FullyConnected(
            hidden, h2r_weight, num_hidden=self._projection_size, no_bias=True, name=start + "out"
        )
        return output, [output, memory]


def dynamic_unroll(
    cell: Any,
    inputs: Any,
    begin_state: Any,
    drop_inputs: float = 0,
    drop_outputs: float = 0,
    layout: str = "TNC",
    valid_length: Any = None,
) -> tuple[Any, Any]:
    """Unroll a cell in a loop, for sequences of unknown length.

    Args:
        cell: the cell.
        inputs: array or symbol of `layout`.
        begin_state: the states to start with.
        drop_inputs: share of the inputs' elements that become 0, the same ones at every step.
        drop_outputs: share of the outputs' elements that become 0, likewise.
        layout: ``"TNC"`` or ``"NTC"``.
        valid_length: steps of each sequence, (N,): outputs beyond are 0, states are those after
            the last of them.

    Returns:
        The outputs, of `layout`, and the states at the end.
    """
    axis = layout.find("T")
    if axis < 0:
        raise argument_error(
            "dynamic_unroll", "layout", layout, "has no time axis T", AssertedError
        )
    F = api_of(inputs)
    axes = list(range(len(layout)))
    axes[0], axes[axis] = axes[axis], axes[0]
    if axis:
        inputs = F.transpose(inputs, axes=axes)
    if drop_inputs:
        inputs = F.Dropout(inputs, p=drop_inputs, axes=(0,))
    if valid_length is None:
        outputs, states = F.contrib.foreach(cell, inputs, begin_state)
    else:
        outputs, states = _foreach_valid(F, cell, inputs, begin_state, valid_length)
    if drop_outputs:
        outputs = F.Dropout(outputs, p=drop_outputs, axes=(0,))
    if axis:
        outputs = F.transpose(outputs, axes=axes)
    if valid_length is not None:
        outputs = F.SequenceMask(
            outputs, sequence_length=valid_length, use_sequence_length=True, axis=axis
        )
    return outputs, states


def _foreach_valid(
    F: Any, cell: Any, inputs: Any, begin_state: Any, valid_length: Any
) -> tuple[Any, list[Any]]:
    """The loop, in which states stay as they are beyond the end of their sequence."""

    def step(inputs: Any, states: list[Any]) -> tuple[Any, list[Any]]:
        *old, t = states
        output, new = cell(inputs, old)
        alive = F.broadcast_greater(valid_length, t)
        kept = [F.where(alive, n, o) for n, o in zip(new, old, strict=True)]
        return output, [*kept, t + 1]

    outputs, states = F.contrib.foreach(step, inputs, [*begin_state, F.zeros(1)])
    return outputs, states[:-1]
