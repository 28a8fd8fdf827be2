# SPDX-License-Identifier: Apache-2.0
"""Recurrent layers, fused over time, layers and directions."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from math import prod
from typing import Any, Literal

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from ...base.params import Double, Layers, UInt, bounded
from ...base.shapes import Dim
from ...kernels import recurrent
from ...kernels.bounds import within
from ...runtime.torch_api import is_traced
from ..declaration import operator
from ..dtypes import saturated
from ..infer import DTypes, Shapes
from ..schema import Op
from .dropout import dropped

_GATES = {"rnn_relu": 1, "rnn_tanh": 1, "gru": 3, "lstm": 4}


@operator("RNN", "_npx_rnn")
class RNN(Op):
    """Recurrent network over a sequence: vanilla (ReLU or tanh), LSTM or GRU, in layers.

    The parameters are one vector: for every layer and direction the input and the recurrent
    weights (and the projection), then for every layer and direction the two biases. Gates: LSTM
    input, forget, cell, output; GRU reset, update, new.

    Hochreiter and Schmidhuber, "Long short-term memory", 1997; Cho et al., "Learning phrase
    representations using RNN encoder-decoder", 2014 (in the form of cuDNN, where the reset gate
    applies after the recurrent product); Sak et al., arXiv:1402.1128 (projection).

    Args:
        data: (time, batch, features).
        parameters: all weights and biases.
        state: initial hidden state, (layers × directions, batch, state_size or projection_size).
        state_cell: LSTM only: initial cell state, (layers × directions, batch, state_size).
        sequence_length: with `use_sequence_length`: steps per batch item, (batch,). Outputs
            beyond are 0, states are those at the end of each sequence.
        state_size: width of the hidden state.
        num_layers: number of stacked layers.
        bidirectional: also run backwards in time; outputs are concatenated.
        mode: kind of cell.
        p: dropout between layers in training passes.
        state_outputs: also give the final states.
        projection_size: LSTM only: width that hidden states are projected to.
        lstm_state_clip_min: LSTM only: lower bound of cell states.
        lstm_state_clip_max: LSTM only: upper bound of cell states; both or none.
        lstm_state_clip_nan: whether clipping maps NaN to the lower bound.
        use_sequence_length: whether `sequence_length` is there.
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

    is_product = True

    @property
    def draws(self) -> bool:
        return self.p > 0 and self.num_layers > 1

    @property
    def untraceable(self) -> str | None:  # type: ignore[override]
        """Sequences of unequal lengths, which ATen packs on the CPU, but for LSTM."""
        packs = self.use_sequence_length and self.mode != "lstm"
        return "ATen packs sequences by their lengths as it runs" if packs else None

    def inputs(self) -> tuple[str, ...]:
        cell = ("state_cell",) if self.mode == "lstm" else ()
        length = ("sequence_length",) if self.use_sequence_length else ()
        return ("data", "parameters", "state", *cell, *length)

    def outputs(self) -> tuple[str, ...]:
        if not self.state_outputs:
            return ("output",)
        cell = ("statecell_output",) if self.mode == "lstm" else ()
        return ("output", "state_output", *cell)

    @property
    def _n_directions(self) -> int:
        return 2 if self.bidirectional else 1

    @property
    def _output_size(self) -> int:
        return self.projection_size or self.state_size

    def infer_shape(self, s: Shapes) -> None:
        if not (self.num_layers and self.state_size):
            raise s.fail(
                f"num_layers={self.num_layers}, state_size={self.state_size}: must be >= 1"
            )
        if self.projection_size is not None and self.mode != "lstm":
            raise s.fail(f"projection_size={self.projection_size}: only mode lstm has projections")
        s.rank("data", 3)
        time, batch, features = s.data
        states = self.num_layers * self._n_directions
        s.parameters = (sum(map(prod, self.weight_shapes(features))),)
        s.state = (states, batch, self._output_size)
        s.output = (time, batch, self._n_directions * self._output_size)
        for name in ("state_cell", "statecell_output"):
            if name in s:
                s[name] = (states, batch, self.state_size)
        if "state_output" in s:
            s.state_output = s.state
        if self.use_sequence_length:
            s.sequence_length = (batch,)

    def shape_advice(self, s: Shapes, name: str) -> str:
        """Where the parameters are those of another width of data, or the states of a batch."""
        features = s.full("data")[2]
        if name == "parameters":
            (count,) = s.full(name)
            least, step = (sum(map(prod, self.weight_shapes(n))) for n in (0, 1))
            wanted, rest = divmod(int(count) - int(least), int(step) - int(least))
            made = "" if rest else f", parameters are for input_size={wanted}"
            return f"data has {features} features{made}: make the layer with input_size={features}"
        if name.startswith("state"):
            return (
                f"data is (time, batch, features) with a batch of {s.full('data')[1]}: "
                "begin_state(batch_size) makes states for it; layout='NTC' takes batches first"
            )
        return ""

    def infer_dtype(self, t: DTypes) -> None:
        for name in (*t.inputs, *t.outputs):
            if name != "sequence_length" or t.known(name) is None:
                t[name] = t.data

    def weight_shapes(self, features: Dim) -> list[tuple[Dim, ...]]:
        """Shapes of the parts of `parameters`, in their order there."""
        rows, recurrent = _GATES[self.mode] * self.state_size, self._output_size
        weights: list[tuple[Dim, ...]] = []
        for layer in range(self.num_layers):
            width = self._n_directions * recurrent if layer else features
            for _ in range(self._n_directions):
                weights += [(rows, width), (rows, recurrent)]
                if self.projection_size:
                    weights.append((recurrent, self.state_size))
        biases = 2 * self.num_layers * self._n_directions
        return weights + [(rows,)] * biases

    def forward(
        self,
        data: Tensor,
        parameters: Tensor,
        state: Tensor,
        state_cell: Tensor | None = None,
        sequence_length: Tensor | None = None,
        *,
        train: bool,
        rng: torch.Generator | None,
    ) -> Tensor | tuple[Tensor, ...]:
        weights = self.parts(parameters, data.shape[2])
        return self.run(data, weights, (state, state_cell, sequence_length), train, rng)

    def parts(self, parameters: Tensor, features: int) -> list[Tensor]:
        """Views of `parameters`, in the order of `weight_shapes`."""
        shapes: Any = self.weight_shapes(features)
        # One split, so that autograd joins the gradients in one go.
        parts = parameters.split_with_sizes([prod(shape) for shape in shapes])
        return [
            part if len(shape) == 1 else part.view(shape)
            for part, shape in zip(parts, shapes, strict=True)
        ]

    def run(
        self,
        data: Tensor,
        weights: Sequence[Tensor],
        rest: Sequence[Tensor | None],
        train: bool,
        rng: torch.Generator | None,
    ) -> Tensor | tuple[Tensor, ...]:
        """What `forward` gives, of the parts of its parameters, in the order of `weight_shapes`.

        Args:
            data: as in `forward`.
            weights: the parts.
            rest: the other inputs, as `forward` takes them: missing ones are None.
            train: whether this is a training pass.
            rng: where dropout draws from.
        """
        state: Any
        state, state_cell, sequence_length = rest
        if self.mode != "lstm":  # the lengths are the fourth input then
            state_cell, sequence_length = None, state_cell
        states = [state] if state_cell is None else [state, state_cell]
        cells = self.cells(weights)
        dropping = train and self.draws
        by_step = sequence_length is not None and is_traced()
        if dropping or by_step or self.clips or self._goes_stepwise(data, sequence_length):
            p = self.p if dropping else 0.0
            results = self._by_layer(data, states, cells, sequence_length, p, rng)
        else:
            results = self._fused(data, states, cells, sequence_length)
        return tuple(results) if self.state_outputs else results[0]

    @property
    def clips(self) -> bool:
        """Whether cell states have bounds."""
        bounds = (self.lstm_state_clip_min, self.lstm_state_clip_max)
        return self.mode == "lstm" and None not in bounds

    def cells(self, views: Sequence[Tensor]) -> list[list[Tensor]]:
        """Per layer and direction: input and recurrent weights, their biases, the projection."""
        n_cells = self.num_layers * self._n_directions
        n_weights = 3 if self.projection_size else 2
        weights, biases = views[: n_cells * n_weights], views[n_cells * n_weights :]
        return [
            [*weights[w : w + 2], *biases[b : b + 2], *weights[w + 2 : w + n_weights]]
            for w, b in zip(
                range(0, len(weights), n_weights), range(0, len(biases), 2), strict=True
            )
        ]

    def _quiet(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """`function` without ATen's warning that it runs its own kernel for projections."""
        if not self.projection_size:
            return function

        def run(*arguments: Any) -> Any:
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", "LSTM with projections is not supported")
                return function(*arguments)

        return run

    def _by_layer(
        self,
        data: Tensor,
        states: Sequence[Tensor],
        cells: Sequence[Sequence[Tensor]],
        lengths: Tensor | None,
        p: float,
        rng: torch.Generator | None,
    ) -> list[Tensor]:
        by_step = lengths is not None and self.mode == "lstm" and is_traced()
        run = self._unrolled if self.clips or by_step else self._fused
        if self._goes_stepwise(data, lengths):
            run = self._stepwise
        output, finals = data, []
        for layer in range(self.num_layers):
            if layer and p:
                output = dropped(output, p, rng)
            span = slice(layer * self._n_directions, (layer + 1) * self._n_directions)
            output, *final = run(output, [s[span] for s in states], cells[span], lengths)
            finals.append(final)
        if not self.state_outputs:
            return [output]
        return [output, *(torch.cat(layers) for layers in zip(*finals, strict=True))]

    def _fused(
        self,
        data: Tensor,
        states: Sequence[Tensor],
        cells: Sequence[Sequence[Tensor]],
        lengths: Tensor | None,
    ) -> list[Tensor]:
        """All of `cells` by ATen's kernel: output, final states."""
        weights = [weight for cell in cells for weight in cell]
        n_layers = len(cells) // self._n_directions
        recording = torch.is_grad_enabled()  # cuDNN has a backward only for its training form
        settings = (weights, True, n_layers, 0.0, recording, self.bidirectional)
        function = self._quiet(getattr(torch, self.mode))
        if lengths is None:
            hidden = states if self.mode == "lstm" else states[0]
            return list(function(data, hidden, *settings, False))
        packed = pack_padded_sequence(data, lengths.long().cpu(), enforce_sorted=False)
        ordered = [s[:, packed.sorted_indices] for s in states]
        hidden = ordered if self.mode == "lstm" else ordered[0]
        output, *final = function(packed.data, packed.batch_sizes, hidden, *settings)
        padded, _ = pad_packed_sequence(packed._replace(data=output), total_length=data.shape[0])
        return [padded, *(s[:, packed.unsorted_indices] for s in final)]

    def _goes_stepwise(self, data: Tensor, lengths: Tensor | None) -> bool:
        """Whether ATen has no kernel of whole layers, and `recurrence` is the faster way."""
        return self.mode != "lstm" and lengths is None and data.device.type == "cpu"

    def _stepwise(
        self,
        data: Tensor,
        states: Sequence[Tensor],
        cells: Sequence[Sequence[Tensor]],
        lengths: Tensor | None,
    ) -> list[Tensor]:
        """One layer, vanilla or GRU, where ATen has no kernel of whole layers."""
        (state,) = states
        results = [
            recurrent.layer(self.mode, data, initial, cell, backwards=i == 1)
            for i, (initial, cell) in enumerate(zip(state.unbind(0), cells, strict=True))
        ]
        outputs, finals = zip(*results, strict=True)
        output = outputs[0] if len(outputs) == 1 else torch.cat(outputs, -1)
        return [output, torch.stack(finals)] if self.state_outputs else [output]

    def _unrolled(
        self,
        data: Tensor,
        states: Sequence[Tensor],
        cells: Sequence[Sequence[Tensor]],
        lengths: Tensor | None,
    ) -> list[Tensor]:
        """One layer of LSTM, step by step, with its cell state clipped."""
        if lengths is None:
            lengths = torch.full(data.shape[1:2], len(data), device=data.device)
        directions = [
            self._one_direction(data, states[0][i], states[1][i], cell, lengths, i == 1)
            for i, cell in enumerate(cells)
        ]
        outputs, *finals = zip(*directions, strict=True)
        return [torch.cat(outputs, -1), *(torch.stack(final) for final in finals)]

    def _one_direction(
        self,
        data: Tensor,
        hidden: Tensor,
        memory: Tensor,
        cell: Sequence[Tensor],
        lengths: Tensor,
        backwards: bool,
    ) -> tuple[Tensor, Tensor, Tensor]:
        weight, recurrent, *biases = cell[:4]
        from_data = F.linear(data, weight, biases[0] + biases[1])
        steps = range(len(data))
        outputs = {}
        for t in reversed(steps) if backwards else steps:
            new_hidden, new_memory = self._step(from_data[t], hidden, memory, recurrent, cell[4:])
            alive = (lengths > t).unsqueeze(1)
            outputs[t] = torch.where(alive, new_hidden, 0.0)
            hidden = torch.where(alive, new_hidden, hidden)
            memory = torch.where(alive, new_memory, memory)
        return torch.stack([outputs[t] for t in steps]), hidden, memory

    def _clipped(self, memory: Tensor) -> Tensor:
        bounds: Any = (self.lstm_state_clip_min, self.lstm_state_clip_max)
        low, high = (saturated(bound, memory.dtype) for bound in bounds)
        memory = within(memory, low, high)
        return memory.nan_to_num(nan=low) if self.lstm_state_clip_nan else memory

    def _step(
        self,
        from_data: Tensor,
        hidden: Tensor,
        memory: Tensor,
        recurrent: Tensor,
        projection: Sequence[Tensor],
    ) -> tuple[Tensor, Tensor]:
        read, keep, new, write = (from_data + F.linear(hidden, recurrent)).chunk(4, 1)
        memory = keep.sigmoid() * memory + read.sigmoid() * new.tanh()
        if self.clips:
            memory = self._clipped(memory)
        hidden = write.sigmoid() * memory.tanh()
        return F.linear(hidden, *projection) if projection else hidden, memory
