# SPDX-License-Identifier: Apache-2.0
"""Recurrent layers, one sequence node for each layer."""

from __future__ import annotations

from typing import Any

import torch
from openvino import opset13 as ov
from torch import Tensor

from .arrangement import sliced
from .site import Site, converter, floats, integers

# Where OpenVINO's gates stand among MXNet's: LSTM input, forget, cell, output -> forget, input,
# cell, output; GRU reset, update, new -> update, reset, new.
_ORDER = {"lstm": (1, 0, 2, 3), "gru": (1, 0, 2), "rnn_tanh": (0,), "rnn_relu": (0,)}


def _refusal(site: Site) -> str | None:
    if not site.are_constant(1):
        return "its parameters are computed"
    if site.projection_size or site.use_sequence_length:
        return "projections and sequence lengths"
    if site.lstm_state_clip_min is not None or site.lstm_state_clip_max is not None:
        return "clipped states"
    return None


@converter("RNN", _refusal)
def _rnn(site: Site) -> list[Any]:
    op: Any = site.op
    cells = op.cells(op.parts(site.constant(1), site.shapes[0][2]))
    n_directions = 2 if site.bidirectional else 1
    output = ov.transpose(site.x, integers((1, 0, 2)))
    finals: list[list[Any]] = []
    for layer in range(int(site.num_layers)):
        span = range(layer * n_directions, (layer + 1) * n_directions)
        states = [
            ov.transpose(sliced(state, {0: span}), integers((1, 0, 2))) for state in site.inputs[2:]
        ]
        output, *final = _layer(site, output, states, [cells[i] for i in span])
        finals.append(final)
    results = [ov.transpose(output, integers((1, 0, 2)))]
    if site.state_outputs:
        results += [
            ov.transpose(ov.concat(list(states), 1), integers((1, 0, 2)))
            for states in zip(*finals, strict=True)
        ]
    return results


def _layer(site: Site, x: Any, states: list[Any], cells: list[list[Tensor]]) -> list[Any]:
    """Outputs (batch, time, features) and final states (batch, directions, width) of a layer."""
    mode, size = site.mode, int(site.state_size)
    time, batch, _ = site.shapes[0]
    weights, recurrent, bias = (floats(torch.stack(parts)) for parts in _parts(mode, cells))
    lengths = integers([time] * batch)
    direction = "bidirectional" if site.bidirectional else "forward"
    given = (x, *states, lengths, weights, recurrent, bias, size, direction)
    if mode == "lstm":
        made = ov.lstm_sequence(*given)
    elif mode == "gru":
        made = ov.gru_sequence(*given, linear_before_reset=True)
    else:
        made = ov.rnn_sequence(*given, activations=[mode.removeprefix("rnn_")])
    outputs, *final = made.outputs()
    apart = ov.transpose(outputs, integers((0, 2, 1, 3)))  # (batch, time, directions, width)
    joined = ov.reshape(apart, integers((batch, time, size * len(cells))), False)
    return [joined, *final]


def _parts(mode: str, cells: list[list[Tensor]]) -> tuple[list[Tensor], ...]:
    """Weights, recurrent weights and biases of each direction, gates in OpenVINO's order."""
    found = [
        (_ordered(mode, weight), _ordered(mode, recurrent), _bias(mode, *biases))
        for weight, recurrent, *biases in cells
    ]
    weights, recurrents, all_biases = zip(*found, strict=True)
    return list(weights), list(recurrents), list(all_biases)


def _ordered(mode: str, rows: Tensor) -> Tensor:
    gates = rows.chunk(len(_ORDER[mode]))
    return torch.cat([gates[i] for i in _ORDER[mode]])


def _bias(mode: str, one: Tensor, other: Tensor) -> Tensor:
    """The sum of both; of a GRU's new gate each by itself."""
    total = _ordered(mode, one + other)
    if mode != "gru":
        return total
    return torch.cat([total[: -len(one) // 3], one.chunk(3)[2], other.chunk(3)[2]])
