# SPDX-License-Identifier: Apache-2.0
"""Recurrent layers on 8-bit integers."""

from __future__ import annotations

import functools
from typing import Literal

import torch
from torch import Tensor

from ...base.params import Double, Layers, UInt, bounded
from ..declaration import operator
from ..infer import DTypes, Shapes
from ..nn.rnn import RNN
from .layers import Layer
from .ranges import check_type


@operator("_contrib_quantized_rnn")
class QuantizedRNN(Layer):
    """LSTM on uint8 data; weights, states and results are floats.

    Args:
        data: uint8, (time, batch, features).
        parameters: all weights and biases, as RNN takes them.
        state: initial hidden state, (layers × directions, batch, state_size).
        state_cell: initial cell state, (layers × directions, batch, state_size).
        data_scale: integers by one real number, (1,).
        data_shift: the integer that 0 is, (1,).
        state_size: width of the hidden state.
        num_layers: number of stacked layers.
        bidirectional: also run backwards in time; outputs are concatenated.
        mode: ``lstm``.
        p: without effect: there is no training.
        state_outputs: also give the final states.
        projection_size: width that hidden states are projected to.
        lstm_state_clip_min: lower bound of cell states.
        lstm_state_clip_max: upper bound of cell states; both or none.
        lstm_state_clip_nan: whether clipping maps NaN to the lower bound.
        use_sequence_length: must be false.
    """

    state_size: UInt
    num_layers: Layers
    bidirectional: bool = False
    mode: Literal["gru", "lstm", "rnn_relu", "rnn_tanh"]
    p: bounded(float, 0, 1) = 0.0  # type: ignore[valid-type]
    state_outputs: bool = False
    projection_size: int | None = None
    lstm_state_clip_min: Double | None = None
    lstm_state_clip_max: Double | None = None
    lstm_state_clip_nan: bool = False
    use_sequence_length: bool = False

    @functools.cached_property
    def plain(self) -> RNN:
        return RNN(**self.plain_attrs())

    def outputs(self) -> tuple[str, ...]:
        if not self.state_outputs:
            return ("output",)
        return ("output", "state_output", "statecell_ouput")  # the last as MXNet spells it

    def infer_shape(self, s: Shapes) -> None:
        if self.mode != "lstm" or self.use_sequence_length:
            raise s.fail(
                f"mode={self.mode}, use_sequence_length={self.use_sequence_length}: "
                "only lstm without lengths is possible"
            )
        s.data_scale = s.data_shift = (1,)
        self.infer_as(self.plain, s)
        if self.state_outputs:
            s.statecell_ouput = s.state_cell

    def infer_dtype(self, t: DTypes) -> None:
        for name in (*t.inputs[1:], *t.outputs):
            t[name] = torch.float32
        check_type(self.name, t, "data", torch.uint8)

    def forward(
        self,
        data: Tensor,
        parameters: Tensor,
        state: Tensor,
        state_cell: Tensor,
        data_scale: Tensor,
        data_shift: Tensor,
    ) -> Tensor | tuple[Tensor, ...]:
        numbers = (data - data_shift) / data_scale
        return self.plain.forward(numbers, parameters, state, state_cell, train=False, rng=None)
