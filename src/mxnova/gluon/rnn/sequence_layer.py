# SPDX-License-Identifier: Apache-2.0
"""The base of layers that run whole sequences by one operator."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from ... import ndarray, symbol
from ...core.base.errors import ArgumentError, AssertedError, UnknownNameError, shown
from ...ndarray import NDArray
from ..block import HybridBlock
from ..parameter import Parameter
from .containers import BidirectionalCell, HybridSequentialRNNCell
from .dense_cells import GRUCell, LSTMCell, RNNCell
from .modifiers import DropoutCell
from .recurrent_cell import declare
from .sequence import TENSORS

__all__ = ["RNNLayer"]

_GATES = {"rnn_relu": 1, "rnn_tanh": 1, "lstm": 4, "gru": 3}
_CELLS: dict[str, Callable[..., Any]] = {
    "rnn_relu": partial(RNNCell, activation="relu"),
    "rnn_tanh": partial(RNNCell, activation="tanh"),
    "lstm": LSTMCell,
    "gru": GRUCell,
}


class RNNLayer(HybridBlock):
    """Recurrent layers of one `mode` upon each other, of one or both directions in time.

    Args:
        hidden_size: width of a layer's output in each direction.
        num_layers: number of layers.
        layout: ``"TNC"`` or ``"NTC"``, of inputs and outputs.
        dropout: share of a layer's outputs that become 0 in training, but for the last layer's.
        bidirectional: run backwards in time, too; outputs are concatenated.
        input_size: width of the input; 0: taken from the first input.
        i2h_weight_initializer: of weights of inputs.
        h2h_weight_initializer: of recurrent weights.
        i2h_bias_initializer: of biases of inputs.
        h2h_bias_initializer: of recurrent biases.
        mode: ``rnn_relu``, ``rnn_tanh``, ``lstm`` or ``gru``.
        projection_size: LSTM: width that outputs are projected to; None: they are not.
        h2r_weight_initializer: of the projection.
        lstm_state_clip_min: LSTM: least value of the memory.
        lstm_state_clip_max: LSTM: greatest value of the memory.
        lstm_state_clip_nan: LSTM: whether NaN becomes the least value.
        dtype: element type of the parameters.
        use_sequence_length: whether calls have a third argument, the length of each sequence.
        kwargs: `prefix` and `params`.
    """

    def __init__(
        self,
        hidden_size: int,
        num_layers: int,
        layout: str,
        dropout: float,
        bidirectional: bool,
        input_size: int,
        i2h_weight_initializer: Any,
        h2h_weight_initializer: Any,
        i2h_bias_initializer: Any,
        h2h_bias_initializer: Any,
        mode: str,
        projection_size: int | None,
        h2r_weight_initializer: Any,
        lstm_state_clip_min: float | None,
        lstm_state_clip_max: float | None,
        lstm_state_clip_nan: bool,
        dtype: Any,
        use_sequence_length: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        name = type(self).__name__
        if layout not in ("TNC", "NTC"):
            raise AssertedError(f"{name}: layout={shown(layout)}: must be TNC or NTC")
        if mode not in _GATES:
            raise UnknownNameError(f"{name}: there is no mode {mode!r}, only {', '.join(_GATES)}")
        self._hidden_size = hidden_size
        self._projection_size = projection_size or None
        self._num_layers = num_layers
        self._mode = mode
        self._layout = layout
        self._dropout = dropout
        self._dir = 2 if bidirectional else 1
        self._input_size = input_size
        self._i2h_weight_initializer = i2h_weight_initializer
        self._h2h_weight_initializer = h2h_weight_initializer
        self._i2h_bias_initializer = i2h_bias_initializer
        self._h2h_bias_initializer = h2h_bias_initializer
        self._h2r_weight_initializer = h2r_weight_initializer
        self._lstm_state_clip_min = lstm_state_clip_min
        self._lstm_state_clip_max = lstm_state_clip_max
        self._lstm_state_clip_nan = lstm_state_clip_nan
        self._dtype = dtype
        self._use_sequence_length = use_sequence_length
        self._gates = _GATES[mode]
        self.skip_states: bool | None = None
        self._declare_weights()

    def _directions(self) -> Iterator[tuple[int, str]]:
        """Number and start of the parameters' names of each layer and direction."""
        for layer in range(self._num_layers):
            for direction in ("l", "r")[: self._dir]:
                yield layer, f"{direction}{layer}_"

    def _declare_weights(self) -> None:
        rows = self._gates * self._hidden_size
        recurrent = self._projection_size or self._hidden_size
        for layer, start in self._directions():
            width = recurrent * self._dir if layer else self._input_size
            weights = {
                "i2h_weight": ((rows, width), self._i2h_weight_initializer),
                "h2h_weight": ((rows, recurrent), self._h2h_weight_initializer),
                "i2h_bias": ((rows,), self._i2h_bias_initializer),
                "h2h_bias": ((rows,), self._h2h_bias_initializer),
            }
            if self._projection_size:
                shape = (recurrent, self._hidden_size)
                weights["h2r_weight"] = (shape, self._h2r_weight_initializer)
            declare(self, {start + name: w for name, w in weights.items()}, dtype=self._dtype)

    def __repr__(self) -> str:
        parts = [self._layout]
        if self._num_layers != 1:
            parts.append(f"num_layers={self._num_layers}")
        if self._dropout != 0:
            parts.append(f"dropout={self._dropout}")
        if self._dir == 2:
            parts.append("bidirectional")
        first: Parameter = getattr(self, "l0_i2h_weight")  # noqa: B009 - declared by name
        width = first._sizes[1] or None
        return f"{type(self).__name__}({width} -> {self._hidden_size}, {', '.join(parts)})"

    def _collect_params_with_prefix(self, prefix: str = "") -> dict[str, Any]:
        """Parameters by the names that they have in files: those of the cells of `_unfuse`."""
        start = f"{prefix}." if prefix else ""
        return {start + self._name_in_files(n): p for n, p in self._reg_params.items()}

    def _name_in_files(self, name: str) -> str:
        place, _, rest = name.partition("_")  # such as l0, i2h_weight
        cell = f"{place[0]}_cell." if self._dir == 2 else ""
        return f"_unfused.{place[1:]}.{cell}{rest}"

    def cast(self, dtype: Any) -> None:
        """Casts parameters, and states from now on, to an element type."""
        super().cast(dtype)
        self._dtype = dtype

    # States --------------------------------------------------------------------------------------

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        """Shape, layout and element type of each state: outputs, and with LSTM the memory."""
        widths = [self._projection_size or self._hidden_size]
        if self._mode == "lstm":
            widths.append(self._hidden_size)
        count = self._num_layers * self._dir
        return [
            {"shape": (count, batch_size, w), "__layout__": "LNC", "dtype": self._dtype}
            for w in widths
        ]

    def begin_state(
        self, batch_size: int = 0, func: Callable[..., Any] = ndarray.zeros, **kwargs: Any
    ) -> list[Any]:
        """The states that sequences start with.

        Args:
            batch_size: number of sequences.
            func: makes a state of `shape`, `name` and `dtype`, such as `mx.nd.uniform`.
            kwargs: more arguments of `func`.
        """
        return [
            func(name=f"{self.prefix}h0_{i}", **{**info, **kwargs})
            for i, info in enumerate(self.state_info(batch_size))
        ]

    def _first_states(self, inputs: Any) -> list[Any]:
        if not isinstance(inputs, NDArray):
            return self.begin_state(0, func=symbol.zeros)
        axis = self._layout.find("N")
        if inputs.ndim <= axis:
            raise ArgumentError(
                f"{self.name}: inputs have shape {inputs.shape}, layout {self._layout} is expected"
            )
        return self.begin_state(inputs.shape[axis], ctx=inputs.context, dtype=inputs.dtype)

    def _check_states(self, F: Any, inputs: Any, states: Any) -> None:
        infos = self.state_info(inputs.shape[self._layout.find("N")] if F is ndarray else 0)
        if len(states) != len(infos):
            raise ArgumentError(f"{self.name}: {len(states)} states, {len(infos)} are expected")
        for state, info in zip(states, infos, strict=True):
            if F is ndarray and state.shape != info["shape"]:
                raise ArgumentError(
                    f"{self.name}: a state has shape {state.shape}, {info['shape']} is expected: "
                    "begin_state(batch_size) makes states"
                )

    # Running -------------------------------------------------------------------------------------

    def __call__(  # type: ignore[override]
        self, inputs: Any, states: Any = None, sequence_length: Any = None, **kwargs: Any
    ) -> Any:
        """Runs sequences.

        Args:
            inputs: array or symbol of `layout`.
            states: the states to start with: a list, or one tensor; None: zeros.
            sequence_length: steps of each sequence, (N,), where the layer was made for it.
            kwargs: none.

        Returns:
            The outputs, of `layout`; with `states` the states at the end, too.
        """
        self.skip_states = skip = states is None
        if skip:
            states = self._first_states(inputs)
        elif isinstance(states, TENSORS):
            states = [states]
        args = (states, sequence_length) if self._use_sequence_length else (states,)
        out = super().__call__(inputs, *args, **kwargs)
        whole = isinstance(out, (list, tuple))
        if skip:
            return out[0] if whole else out
        if not whole:  # the graph was drawn by a call that wanted no states
            self._clear_cached_op()
            out = super().__call__(inputs, *args, **kwargs)
        return out

    def hybrid_forward(  # type: ignore[override]
        self, F: Any, inputs: Any, states: Any, sequence_length: Any = None, **kwargs: Any
    ) -> Any:
        self._check_states(F, inputs, states)
        if self._layout == "NTC":
            inputs = F.swapaxes(inputs, dim1=0, dim2=1)
        lengths = {"sequence_length": sequence_length} if self._use_sequence_length else {}
        cell = {"state_cell": states[1]} if self._mode == "lstm" else {}
        output, *new_states = F.RNN(
            inputs,
            self._joined(F, kwargs),
            states[0],
            **cell,
            **lengths,
            use_sequence_length=self._use_sequence_length,
            state_size=self._hidden_size,
            projection_size=self._projection_size,
            num_layers=self._num_layers,
            bidirectional=self._dir == 2,
            p=self._dropout,
            state_outputs=True,
            mode=self._mode,
            lstm_state_clip_min=self._lstm_state_clip_min,
            lstm_state_clip_max=self._lstm_state_clip_max,
            lstm_state_clip_nan=self._lstm_state_clip_nan,
        )
        if self._layout == "NTC":
            output = F.swapaxes(output, dim1=0, dim2=1)
        return output if self.skip_states else (output, new_states)

    def _joined(self, F: Any, weights: dict[str, Any]) -> Any:
        """All parameters as the one vector that the operator takes: weights, then biases."""
        per_cell = ("i2h_weight", "h2h_weight", "h2r_weight")[: 3 if self._projection_size else 2]
        starts = [start for _, start in self._directions()]
        names = [start + name for start in starts for name in per_cell]
        names += [start + name for start in starts for name in ("i2h_bias", "h2h_bias")]
        flat = [weights[name].reshape(-1) for name in names]
        return F._internal._rnn_param_concat(*flat, dim=0)

    def _unfuse(self) -> HybridSequentialRNNCell:
        """The same network made of cells, with the same parameters.

        Raises:
            AssertedError: the layer clips, or projects: there are no cells in `gluon.rnn` that do.
        """
        clipped = (self._lstm_state_clip_min, self._lstm_state_clip_max) != (None, None)
        if self._projection_size or clipped:
            raise AssertedError(f"{self.name}: cells have no projection and clip no states")
        stack = HybridSequentialRNNCell(prefix=self.prefix, params=self.params)
        width = self._input_size
        with stack.name_scope():
            for layer in range(self._num_layers):
                cells = [self._cell(f"{d}{layer}_", width) for d in ("l", "r")[: self._dir]]
                stack.add(BidirectionalCell(*cells) if self._dir == 2 else cells[0])
                if self._dropout > 0 and layer < self._num_layers - 1:
                    stack.add(DropoutCell(self._dropout))
                width = self._hidden_size * self._dir
        return stack

    def _cell(self, prefix: str, input_size: int) -> Any:
        return _CELLS[self._mode](
            self._hidden_size,
            input_size=input_size,
            i2h_weight_initializer=self._i2h_weight_initializer,
            h2h_weight_initializer=self._h2h_weight_initializer,
            i2h_bias_initializer=self._i2h_bias_initializer,
            h2h_bias_initializer=self._h2h_bias_initializer,
            prefix=prefix,
        )
