# SPDX-License-Identifier: Apache-2.0
"""FusedRNNCell: layers of a network that run whole sequences by one operator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

from .. import ndarray, symbol
from ..core.base.errors import argument_error
from ..initializer import FusedRNN
from ..ndarray import NDArray
from .base_cell import BaseRNNCell, RNNParams, Weights, _taken, normalized
from .containers import BidirectionalCell, SequentialRNNCell
from .dense_cells import GRUCell, LSTMCell, RNNCell
from .modifiers import DropoutCell

_GATES: dict[str, Sequence[str]] = {
    "rnn_relu": [""],
    "rnn_tanh": [""],
    "lstm": ["_i", "_f", "_c", "_o"],
    "gru": ["_r", "_z", "_o"],
}


class FusedRNNCell(BaseRNNCell):
    """Recurrent layers, of one or both directions, by operator RNN; weights are one vector.

    Args:
        num_hidden: width of a layer's output in each direction.
        num_layers: number of layers.
        mode: ``rnn_relu``, ``rnn_tanh``, ``lstm`` or ``gru``.
        bidirectional: run backwards in time, too; outputs are concatenated.
        dropout: share of a layer's outputs that become 0 in training, but for the last layer's.
        get_next_state: whether `unroll` gives the states at the end.
        forget_bias: what the biases of LSTM's forget gates start with.
        prefix: start of the names of its weights and nodes; default: the mode.
        params: weights to share.
    """

    def __init__(
        self,
        num_hidden: int,
        num_layers: int = 1,
        mode: str = "lstm",
        bidirectional: bool = False,
        dropout: float = 0.0,
        get_next_state: bool = False,
        forget_bias: float = 1.0,
        prefix: str | None = None,
        params: RNNParams | None = None,
    ) -> None:
        if mode not in _GATES:
            raise argument_error("FusedRNNCell", "mode", mode, f"must be one of {list(_GATES)}")
        super().__init__(prefix=f"{mode}_" if prefix is None else prefix, params=params)
        self._num_hidden = num_hidden
        self._num_layers = num_layers
        self._mode = mode
        self._bidirectional = bidirectional
        self._dropout = dropout
        self._get_next_state = get_next_state
        self._forget_bias = forget_bias
        self._directions = ["l", "r"] if bidirectional else ["l"]
        self._initializer = FusedRNN(None, num_hidden, num_layers, mode, bidirectional, forget_bias)
        self._parameter = self.params.get("parameters", init=self._initializer)

    @property
    def state_info(self) -> list[dict[str, Any]]:
        """Shape and layout of each state."""
        shape = (self._num_layers * len(self._directions), 0, self._num_hidden)
        count = 2 if self._mode == "lstm" else 1
        return [{"shape": shape, "__layout__": "LNC"} for _ in range(count)]

    @property
    def _gate_names(self) -> Sequence[str]:
        return _GATES[self._mode]

    @property
    def _num_gates(self) -> int:
        return len(self._gate_names)

    def unpack_weights(self, args: Mapping[str, NDArray]) -> Weights:
        """`args` with the weights of every layer, direction and gate on their own."""
        made = dict(args)
        vector = _taken(made, str(self._parameter.name), "unpack_weights")
        parts = self._slice_weights(vector, 0, self._num_hidden)
        return {**made, **{name: part.copy() for name, part in parts.items()}}

    def _slice_weights(self, arr: NDArray, li: int, lh: int) -> Weights:
        """The parts of a vector by name; `li` and `lh`, the widths, follow from its size."""
        parts, start = {}, 0
        for name, shape in self._initializer.parts(arr.size):
            parts[self._prefix + name] = arr[start : start + prod(shape)].reshape(shape)
            start += prod(shape)
        return parts

    def pack_weights(self, args: Mapping[str, NDArray]) -> Weights:
        """`args` with all weights joined to one vector."""
        made = dict(args)
        first = f"{self._prefix}l0_i2h{self._gate_names[0]}_weight"
        features = _taken(dict(args), first, "pack_weights").shape[1]
        names = [self._prefix + name for name, _ in self._initializer.parts(self._size(features))]
        parts = [_taken(made, name, "pack_weights").reshape((-1,)) for name in names]
        made[str(self._parameter.name)] = ndarray.concat(*parts, dim=0)
        return made

    def _size(self, features: int) -> int:
        """Elements of the vector, for inputs of width `features`."""
        hidden, directions = self._num_hidden, len(self._directions)
        above = (self._num_layers - 1) * (hidden + directions * hidden + 2)
        return (features + hidden + 2 + above) * directions * hidden * self._num_gates

    def __call__(self, inputs: Any, states: Any) -> Any:
        """Refused: the fused operator cannot run single steps."""
        raise NotImplementedError("FusedRNNCell: it cannot make single steps: use unroll")

    def unroll(
        self,
        length: int,
        inputs: Any,
        begin_state: Any = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
    ) -> tuple[Any, Any]:
        """Runs whole sequences; see `BaseRNNCell.unroll`. States are ``[]`` unless wanted."""
        self.reset()
        inputs, axis = normalized(length, inputs, layout, True)
        if axis == 1:
            inputs = symbol.swapaxes(inputs, dim1=0, dim2=1)
        states = self.begin_state() if begin_state is None else begin_state
        cell = {"state_cell": states[1]} if self._mode == "lstm" else {}
        attr = {"attr": {"__layout__": "LNC"}} if self._get_next_state else {}
        results = symbol.RNN(
            data=inputs,
            parameters=self._parameter,
            state=states[0],
            state_size=self._num_hidden,
            num_layers=self._num_layers,
            bidirectional=self._bidirectional,
            p=self._dropout,
            state_outputs=self._get_next_state,
            mode=self._mode,
            name=f"{self._prefix}rnn",
            **cell,
            **attr,
        )
        outputs, new_states = (results[0], list(results)[1:]) if attr else (results, [])
        if axis == 1:
            outputs = symbol.swapaxes(outputs, dim1=0, dim2=1)
        return normalized(length, outputs, layout, merge_outputs)[0], new_states

    def unfuse(self) -> SequentialRNNCell:
        """The same network made of cells; `unpack_weights` and `pack_weights` fit weights."""
        stack = SequentialRNNCell()
        for layer in range(self._num_layers):
            cells = [self._cell(f"{self._prefix}{d}{layer}_") for d in self._directions]
            if self._bidirectional:
                output_prefix = f"{self._prefix}bi_l{layer}_"
                forward, backward = cells
                stack.add(BidirectionalCell(forward, backward, output_prefix=output_prefix))
            else:
                stack.add(cells[0])
            if self._dropout > 0 and layer < self._num_layers - 1:
                stack.add(DropoutCell(self._dropout, prefix=f"{self._prefix}_dropout{layer}_"))
        return stack

    def _cell(self, prefix: str) -> BaseRNNCell:
        if self._mode == "lstm":
            return LSTMCell(self._num_hidden, prefix=prefix)
        if self._mode == "gru":
            return GRUCell(self._num_hidden, prefix=prefix)
        return RNNCell(self._num_hidden, self._mode.removeprefix("rnn_"), prefix=prefix)
