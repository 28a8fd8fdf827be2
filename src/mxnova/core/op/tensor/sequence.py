# SPDX-License-Identifier: Apache-2.0
"""Operators on batches of sequences of different lengths, padded to one length."""

from __future__ import annotations

import torch
from torch import Tensor

from ...kernels import vectorized
from ..declaration import operator
from ..families.rules import as_element
from ..infer import DTypes, Shapes
from ..schema import Op


class _SequenceOp(Op):
    """The base of the three operators: the array of lengths, one for each sequence."""

    def inputs(self) -> tuple[str, ...]:
        return ("data", "sequence_length") if self.attr("use_sequence_length") else ("data",)

    def _learn_lengths(self, s: Shapes, axes: tuple[int, ...]) -> None:
        axis = self.attr("axis")
        if axis not in axes:
            raise s.fail(f"axis={axis}: must be {' or '.join(map(str, axes))}")
        if len(s.data) < 2:
            raise s.fail("data must have a sequence axis and a batch axis")
        if "sequence_length" in s:
            s.sequence_length = (s.data[1 - axis],)

    def infer_dtype(self, t: DTypes) -> None:
        t.same("data", "output")
        if "sequence_length" in t and t.known("sequence_length") is None:
            t.sequence_length = t.data


@operator("SequenceMask", "_npx_sequence_mask")
class SequenceMask(_SequenceOp):
    """`data` with all steps behind the end of their sequence set to `value`.

    Args:
        data: (steps, batch, …), or (batch, steps, …) with axis 1.
        sequence_length: (batch,): number of steps of each sequence, of any type.
        use_sequence_length: read `sequence_length`; otherwise `data` is returned as it is.
        value: cast to the type of `data`.
        axis: the axis of steps, 0 or 1.
    """

    use_sequence_length: bool = False
    value: float = 0.0
    axis: int = 0

    def infer_shape(self, s: Shapes) -> None:
        s.output = s.data
        self._learn_lengths(s, (0, 1))

    def forward(self, data: Tensor, sequence_length: Tensor | None = None) -> Tensor:
        if sequence_length is None:
            return data
        steps = torch.arange(data.shape[self.axis], device=data.device)
        ended = steps.unsqueeze(1) >= sequence_length
        if self.axis == 1:
            ended = ended.T
        return vectorized.fill_rows(data, ended, as_element(self.value, data.dtype))


@operator("SequenceLast")
class SequenceLast(_SequenceOp):
    """The last step of each sequence.

    Args:
        data: (steps, batch, …), or (batch, steps, …) with axis 1.
        sequence_length: (batch,): number of steps of each sequence, at least 1, of any type.
        use_sequence_length: read `sequence_length`; otherwise all sequences are full.
        axis: the axis of steps, 0 or 1.
    """

    use_sequence_length: bool = False
    axis: int = 0

    def infer_shape(self, s: Shapes) -> None:
        self._learn_lengths(s, (0, 1))
        s.output = (s.data[1 - self.axis], *s.data[2:])

    def forward(self, data: Tensor, sequence_length: Tensor | None = None) -> Tensor:
        if sequence_length is None:
            return data.select(self.axis, -1)
        last = sequence_length.long().clamp(1, data.shape[self.axis]) - 1
        batch = torch.arange(len(last), device=data.device)
        return data[last, batch] if self.axis == 0 else data[batch, last]


@operator("SequenceReverse")
class SequenceReverse(_SequenceOp):
    """`data` with the steps of each sequence in reverse order; the padding stays where it is.

    Args:
        data: (steps, batch, …).
        sequence_length: (batch,): number of steps of each sequence, of any type.
        use_sequence_length: read `sequence_length`; otherwise all sequences are full.
        axis: the axis of steps: only 0.
    """

    use_sequence_length: bool = False
    axis: int = 0

    def infer_shape(self, s: Shapes) -> None:
        s.output = s.data
        self._learn_lengths(s, (0,))

    def forward(self, data: Tensor, sequence_length: Tensor | None = None) -> Tensor:
        if sequence_length is None:
            return data.flip(0)
        steps = torch.arange(len(data), device=data.device).unsqueeze(1)
        lengths = sequence_length.long().clamp(max=len(data))
        source = torch.where(steps < lengths, lengths - 1 - steps, steps)
        return data[source, torch.arange(data.shape[1], device=data.device)]
