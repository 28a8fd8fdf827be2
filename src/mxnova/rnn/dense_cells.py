# SPDX-License-Identifier: Apache-2.0
"""Cells whose steps are matrix products: vanilla, LSTM, GRU."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import symbol
from ..initializer import LSTMBias
from ..symbol import Symbol
from .base_cell import BaseRNNCell, RNNParams


class _DenseCell(BaseRNNCell):
    """A cell with an input and a recurrent product, of `_gate_names` times `num_hidden` rows."""

    _weights: Sequence[str] = ("i2h_weight", "i2h_bias", "h2h_weight", "h2h_bias")
    _n_states = 1

    def __init__(
        self, num_hidden: int, prefix: str, params: RNNParams | None, **initializers: Any
    ) -> None:
        super().__init__(prefix=prefix, params=params)
        self._num_hidden = num_hidden
        made = {name: self.params.get(name, init=initializers.get(name)) for name in self._weights}
        self._iW, self._iB = made["i2h_weight"], made["i2h_bias"]
        self._hW, self._hB = made["h2h_weight"], made["h2h_bias"]

    @property
    def state_info(self) -> list[dict[str, Any]]:
        """Shape and layout of each state."""
        shape = (0, self._num_hidden)
        return [{"shape": shape, "__layout__": "NC"} for _ in range(self._n_states)]

    def _products(self, inputs: Any, state: Any, name: str) -> tuple[Symbol, Symbol]:
        """Of the input and of the state; `name`: start of their names."""
        rows = self._num_hidden * len(self._gate_names)
        return (
            symbol.FullyConnected(inputs, self._iW, self._iB, num_hidden=rows, name=f"{name}i2h"),
            symbol.FullyConnected(state, self._hW, self._hB, num_hidden=rows, name=f"{name}h2h"),
        )


class RNNCell(_DenseCell):
    """A vanilla cell: output = activation(W·input + b + U·state + c), which is its state too.

    Args:
        num_hidden: width of the output.
        activation: name of an activation.
        prefix: start of the names of its weights and nodes.
        params: weights to share.
    """

    def __init__(
        self,
        num_hidden: int,
        activation: Any = "tanh",
        prefix: str = "rnn_",
        params: RNNParams | None = None,
    ) -> None:
        super().__init__(num_hidden, prefix, params)
        self._activation = activation

    @property
    def _gate_names(self) -> Sequence[str]:
        return ("",)

    def __call__(self, inputs: Any, states: Any) -> tuple[Any, list[Any]]:
        """One step: output, and the list of new states."""
        name = self._step()
        i2h, h2h = self._products(inputs, states[0], name)
        output = self._get_activation(i2h + h2h, self._activation, name=f"{name}out")
        return output, [output]


class LSTMCell(_DenseCell):
    """A long short-term memory cell; its states are the output and the memory.

    Hochreiter and Schmidhuber, "Long short-term memory", 1997; Jozefowicz et al., 2015, for the
    bias of the forget gate.

    Args:
        num_hidden: width of the output.
        prefix: start of the names of its weights and nodes.
        params: weights to share.
        forget_bias: what the bias of the forget gate starts with.
    """

    _weights = ("i2h_weight", "h2h_weight", "i2h_bias", "h2h_bias")
    _n_states = 2

    def __init__(
        self,
        num_hidden: int,
        prefix: str = "lstm_",
        params: RNNParams | None = None,
        forget_bias: float = 1.0,
    ) -> None:
        super().__init__(num_hidden, prefix, params, i2h_bias=LSTMBias(forget_bias=forget_bias))

    @property
    def _gate_names(self) -> Sequence[str]:
        return ["_i", "_f", "_c", "_o"]

    def __call__(self, inputs: Any, states: Any) -> tuple[Any, list[Any]]:
        """One step: output, and the list of new states."""
        name = self._step()
        i2h, h2h = self._products(inputs, states[0], name)
        read, keep, new, write = symbol.SliceChannel(i2h + h2h, num_outputs=4, name=f"{name}slice")
        return lstm_step(self, (read, keep, new, write), states[1], name, "tanh")


def lstm_step(
    cell: BaseRNNCell, gates: Sequence[Any], memory: Any, name: str, activation: Any
) -> tuple[Any, list[Any]]:
    """Output and states of an LSTM whose four sums are given."""
    read, keep, new, write = gates
    read = symbol.Activation(read, act_type="sigmoid", name=f"{name}i")
    keep = symbol.Activation(keep, act_type="sigmoid", name=f"{name}f")
    new = cell._get_activation(new, activation, name=f"{name}c")
    write = symbol.Activation(write, act_type="sigmoid", name=f"{name}o")
    memory = symbol._internal._plus(keep * memory, read * new, name=f"{name}state")
    shown = cell._get_activation(memory, activation)
    output = symbol._internal._mul(write, shown, name=f"{name}out")
    return output, [output, memory]


class GRUCell(_DenseCell):
    """A gated recurrent unit; its state is its output.

    Cho et al., arXiv:1406.1078, in the form of cuDNN: the reset gate applies after the recurrent
    product.

    Args:
        num_hidden: width of the output.
        prefix: start of the names of its weights and nodes.
        params: weights to share.
    """

    def __init__(
        self, num_hidden: int, prefix: str = "gru_", params: RNNParams | None = None
    ) -> None:
        super().__init__(num_hidden, prefix, params)

    @property
    def _gate_names(self) -> Sequence[str]:
        return ["_r", "_z", "_o"]

    def __call__(self, inputs: Any, states: Any) -> tuple[Any, list[Any]]:
        """One step: output, and the list of new states."""
        name = self._step()
        i2h, h2h = self._products(inputs, states[0], f"{name}_")
        return gru_step(self, i2h, h2h, states[0], name, "tanh")


def gru_step(
    cell: BaseRNNCell, i2h: Any, h2h: Any, state: Any, name: str, activation: Any, **axis: int
) -> tuple[Any, list[Any]]:
    """Output and states of a GRU whose input and recurrent sums are given."""
    i2h_r, i2h_z, i2h = symbol.SliceChannel(i2h, num_outputs=3, name=f"{name}_i2h_slice", **axis)
    h2h_r, h2h_z, h2h = symbol.SliceChannel(h2h, num_outputs=3, name=f"{name}_h2h_slice", **axis)
    reset = symbol.Activation(i2h_r + h2h_r, act_type="sigmoid", name=f"{name}_r_act")
    update = symbol.Activation(i2h_z + h2h_z, act_type="sigmoid", name=f"{name}_z_act")
    new = cell._get_activation(i2h + reset * h2h, activation, name=f"{name}_h_act")
    output = symbol._internal._plus((1.0 - update) * new, update * state, name=f"{name}out")
    return output, [output]
