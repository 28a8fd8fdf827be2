# SPDX-License-Identifier: Apache-2.0
"""Recurrent layers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from .site import Site, converter


def _refusal(site: Site) -> str | None:
    if not site.are_constant(1):
        return "its parameters are computed"
    if site.projection_size or site.use_sequence_length:
        return "projections and sequence lengths"
    if site.lstm_state_clip_min is not None or site.lstm_state_clip_max is not None:
        return "clipped states"
    return None


@converter("RNN", _refusal, has_several=True)
def _rnn(site: Site) -> list[Any]:
    op: Any = site.op
    o = site.ops
    time, batch, features = site.shapes[0]
    cells = op.cells(op.parts(site.constant(1), features))
    n_directions = 2 if site.bidirectional else 1
    output = o.time_turned(site.x)
    finals: list[list[Any]] = []
    for layer in range(int(site.num_layers)):
        span = range(layer * n_directions, (layer + 1) * n_directions)
        states = [o.time_turned(o.slice(state, {0: span})) for state in site.inputs[2:]]
        of_layer = [[_in_order(part, o.gates[site.mode]) for part in cells[i]] for i in span]
        output, *final = o.recurrent(site.mode, output, states, of_layer, (time, batch))
        finals.append(final)
    results = [o.time_turned(output)]
    if site.state_outputs:
        turned = [[o.time_turned(state) for state in states] for states in finals]
        results += [o.concat(list(states), 0) for states in zip(*turned, strict=True)]
    return results


def _in_order(rows: Tensor, gates: Sequence[int]) -> Tensor:
    parts = rows.chunk(len(gates))
    return torch.cat([parts[i] for i in gates])
