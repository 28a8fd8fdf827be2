# SPDX-License-Identifier: Apache-2.0
"""Cells whose steps are matrix products: vanilla, LSTM, GRU."""

from __future__ import annotations

from typing import Any

from ..parameter import Parameter
from .recurrent_cell import HybridRecurrentCell, declare


class _DenseCell(HybridRecurrentCell):
    """A cell with an input and a recurrent product, of `_gates` times `hidden_size` rows each."""

    _gates = 1
    _n_states = 1

    i2h_weight: Parameter

    def __init__(
        self,
        hidden_size: int,
        input_size: int,
        initializers: tuple[Any, Any, Any, Any],
        prefix: str | None,
        params: Any,
    ) -> None:
        super().__init__(prefix=prefix, params=params)
        self._hidden_size = hidden_size
        self._input_size = input_size
        rows = self._gates * hidden_size
        shapes = ((rows, input_size), (rows, hidden_size), (rows,), (rows,))
        names = ("i2h_weight", "h2h_weight", "i2h_bias", "h2h_bias")
        weights = zip(shapes, initializers, strict=True)
        declare(self, dict(zip(names, weights, strict=True)))

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        """Shape and layout of each state."""
        shape = (batch_size, self._hidden_size)
        return [{"shape": shape, "__layout__": "NC"} for _ in range(self._n_states)]

    def _description(self) -> str:
        rows, columns = self.i2h_weight._sizes
        return f"{columns or None} -> {rows}"

    def _products(
        self,
        F: Any,
        inputs: Any,
        state: Any,
        i2h_weight: Any,
        h2h_weight: Any,
        i2h_bias: Any,
        h2h_bias: Any,
    ) -> tuple[str, Any, Any]:
        """The start of the names of this step's nodes; the product of input and of state."""
        start, rows = f"t{self._counter}_", self._gates * self._hidden_size
        return (
            start,
            F.FullyConnected(inputs, i2h_weight, i2h_bias, num_hidden=rows, name=start + "i2h"),
            F.FullyConnected(state, h2h_weight, h2h_bias, num_hidden=rows, name=start + "h2h"),
        )


class RNNCell(_DenseCell):
    """A vanilla cell: output = activation(W·input + b + U·state + c), which is its state too.

    Elman, "Finding structure in time", 1990.

    Args:
        hidden_size: width of the output.
        activation: name of an activation.
        i2h_weight_initializer: of the input's weights, (hidden_size, input_size).
        h2h_weight_initializer: of the state's weights, (hidden_size, hidden_size).
        i2h_bias_initializer: of the input's bias.
        h2h_bias_initializer: of the state's bias.
        input_size: width of the input; 0: taken from the first input.
        prefix: start of the names of its parameters and nodes.
        params: parameters to share.

    Example:
        >>> cell = mx.gluon.rnn.RNNCell(5, input_size=3)
        >>> cell.initialize()
        >>> output, states = cell(mx.nd.ones((2, 3)), cell.begin_state(2))
        >>> output.shape
        (2, 5)
    """

    def __init__(
        self,
        hidden_size: int,
        activation: Any = "tanh",
        i2h_weight_initializer: Any = None,
        h2h_weight_initializer: Any = None,
        i2h_bias_initializer: Any = "zeros",
        h2h_bias_initializer: Any = "zeros",
        input_size: int = 0,
        prefix: str | None = None,
        params: Any = None,
    ) -> None:
        super().__init__(
            hidden_size,
            input_size,
            (
                i2h_weight_initializer,
                h2h_weight_initializer,
                i2h_bias_initializer,
                h2h_bias_initializer,
            ),
            prefix,
            params,
        )
        self._activation = activation

    def _alias(self) -> str:
        return "rnn"

    def _description(self) -> str:
        return f"{super()._description()}, {self._activation}"

    def hybrid_forward(
        self,
        F: Any,
        inputs: Any,
        states: Any,
        i2h_weight: Any,
        h2h_weight: Any,
        i2h_bias: Any,
        h2h_bias: Any,
    ) -> tuple[Any, list[Any]]:
        start, i2h, h2h = self._products(
            F, inputs, states[0], i2h_weight, h2h_weight, i2h_bias, h2h_bias
        )
        total = F.elemwise_add(i2h, h2h, name=start + "plus0")
        output = self._get_activation(F, total, self._activation, name=start + "out")
        return output, [output]


class LSTMCell(_DenseCell):
    """A long short-term memory cell; its states are the output and the memory.

    Hochreiter and Schmidhuber, "Long short-term memory", 1997; Gers et al., "Learning to forget",
    2000. The rows of weights: input gate, forget gate, new content, output gate.

    Args:
        hidden_size: width of the output.
        i2h_weight_initializer: of the input's weights, (4 × hidden_size, input_size).
        h2h_weight_initializer: of the state's weights, (4 × hidden_size, hidden_size).
        i2h_bias_initializer: of the input's bias.
        h2h_bias_initializer: of the state's bias.
        input_size: width of the input; 0: taken from the first input.
        prefix: start of the names of its parameters and nodes.
        params: parameters to share.
        activation: name of the activation of contents.
        recurrent_activation: name of the activation of gates.

    Example:
        >>> cell = mx.gluon.rnn.LSTMCell(5, input_size=3)
        >>> cell.initialize()
        >>> output, states = cell(mx.nd.ones((2, 3)), cell.begin_state(2))
        >>> output.shape
        (2, 5)
    """

    _gates = 4
    _n_states = 2

    def __init__(
        self,
        hidden_size: int,
        i2h_weight_initializer: Any = None,
        h2h_weight_initializer: Any = None,
        i2h_bias_initializer: Any = "zeros",
        h2h_bias_initializer: Any = "zeros",
        input_size: int = 0,
        prefix: str | None = None,
        params: Any = None,
        activation: Any = "tanh",
        recurrent_activation: Any = "sigmoid",
    ) -> None:
        super().__init__(
            hidden_size,
            input_size,
            (
                i2h_weight_initializer,
                h2h_weight_initializer,
                i2h_bias_initializer,
                h2h_bias_initializer,
            ),
            prefix,
            params,
        )
        self._activation = activation
        self._recurrent_activation = recurrent_activation

    def _alias(self) -> str:
        return "lstm"

    def hybrid_forward(
        self,
        F: Any,
        inputs: Any,
        states: Any,
        i2h_weight: Any,
        h2h_weight: Any,
        i2h_bias: Any,
        h2h_bias: Any,
    ) -> tuple[Any, list[Any]]:
        start, i2h, h2h = self._products(
            F, inputs, states[0], i2h_weight, h2h_weight, i2h_bias, h2h_bias
        )
        total = F.elemwise_add(i2h, h2h, name=start + "plus0")
        read, keep, new, write = F.SliceChannel(total, num_outputs=4, name=start + "slice")
        read = self._get_activation(F, read, self._recurrent_activation, name=start + "i")
        keep = self._get_activation(F, keep, self._recurrent_activation, name=start + "f")
        new = self._get_activation(F, new, self._activation, name=start + "c")
        write = self._get_activation(F, write, self._recurrent_activation, name=start + "o")
        memory = F.elemwise_add(
            F.elemwise_mul(keep, states[1], name=start + "mul0"),
            F.elemwise_mul(read, new, name=start + "mul1"),
            name=start + "state",
        )
        shown = F.Activation(memory, act_type=self._activation, name=start + "activation0")
        output = F.elemwise_mul(write, shown, name=start + "out")
        return output, [output, memory]


class GRUCell(_DenseCell):
    """A gated recurrent unit; its state is its output.

    Cho et al., arXiv:1406.1078, in the form of cuDNN: the reset gate applies after the recurrent
    product. The rows of weights: reset gate, update gate, new content.

    Args:
        hidden_size: width of the output.
        i2h_weight_initializer: of the input's weights, (3 × hidden_size, input_size).
        h2h_weight_initializer: of the state's weights, (3 × hidden_size, hidden_size).
        i2h_bias_initializer: of the input's bias.
        h2h_bias_initializer: of the state's bias.
        input_size: width of the input; 0: taken from the first input.
        prefix: start of the names of its parameters and nodes.
        params: parameters to share.

    Example:
        >>> cell = mx.gluon.rnn.GRUCell(5, input_size=3)
        >>> cell.initialize()
        >>> output, states = cell(mx.nd.ones((2, 3)), cell.begin_state(2))
        >>> output.shape
        (2, 5)
    """

    _gates = 3

    def __init__(
        self,
        hidden_size: int,
        i2h_weight_initializer: Any = None,
        h2h_weight_initializer: Any = None,
        i2h_bias_initializer: Any = "zeros",
        h2h_bias_initializer: Any = "zeros",
        input_size: int = 0,
        prefix: str | None = None,
        params: Any = None,
    ) -> None:
        super().__init__(
            hidden_size,
            input_size,
            (
                i2h_weight_initializer,
                h2h_weight_initializer,
                i2h_bias_initializer,
                h2h_bias_initializer,
            ),
            prefix,
            params,
        )

    def _alias(self) -> str:
        return "gru"

    def hybrid_forward(
        self,
        F: Any,
        inputs: Any,
        states: Any,
        i2h_weight: Any,
        h2h_weight: Any,
        i2h_bias: Any,
        h2h_bias: Any,
    ) -> tuple[Any, list[Any]]:
        (state,) = states
        start, i2h, h2h = self._products(
            F, inputs, state, i2h_weight, h2h_weight, i2h_bias, h2h_bias
        )
        i2h_r, i2h_z, i2h = F.SliceChannel(i2h, num_outputs=3, name=start + "i2h_slice")
        h2h_r, h2h_z, h2h = F.SliceChannel(h2h, num_outputs=3, name=start + "h2h_slice")

        def gate(total: Any, name: str, act_type: str = "sigmoid") -> Any:
            return F.Activation(total, act_type=act_type, name=start + name)

        reset = gate(F.elemwise_add(i2h_r, h2h_r, name=start + "plus0"), "r_act")
        update = gate(F.elemwise_add(i2h_z, h2h_z, name=start + "plus1"), "z_act")
        kept = F.elemwise_mul(reset, h2h, name=start + "mul0")
        new = gate(F.elemwise_add(i2h, kept, name=start + "plus2"), "h_act", "tanh")
        ones = F.ones_like(update, name=start + "ones_like0")
        output = F.elemwise_add(
            F.elemwise_mul(
                F.elemwise_sub(ones, update, name=start + "minus0"), new, name=start + "mul1"
            ),
            F.elemwise_mul(update, state, name=start + "mul20"),
            name=start + "out",
        )
        return output, [output]
