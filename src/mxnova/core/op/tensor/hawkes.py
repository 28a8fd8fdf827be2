# SPDX-License-Identifier: Apache-2.0
"""Log-likelihood of marked self-exciting point processes."""

from __future__ import annotations

import torch
from torch import Tensor

from ...base.shapes import shape_text
from ..declaration import operator
from ..infer import DTypes, Shapes
from ..schema import Op


@operator("_contrib_hawkesll")
class HawkesLL(Op):
    """Log-likelihood of marked Hawkes processes with exponential kernels, and their memory.

    The intensity of mark k at time t is the background ``lda[k]`` plus
    ``alpha[k] * beta[k] * exp(-beta[k] * (t - u))`` for each earlier point u of that mark.
    Hawkes: Spectra of some self-exciting and mutually exciting point processes, 1971.

    Args:
        lda: (batch, marks): background intensities.
        alpha: (marks,): mean number of points that a point excites.
        beta: (marks,): decay rates.
        state: (batch, marks): the sum over points before the observed interval, at its beginning.
        lags: (batch, points): times between successive points.
        marks: (batch, points): marks of the points, int32.
        valid_length: (batch,): number of points that count.
        max_time: (batch,): length of the observed interval.
    """

    def outputs(self) -> tuple[str, ...]:
        return ("output", "out_state")

    def infer_shape(self, s: Shapes) -> None:
        s.rank("lda", 2)
        batch, marks = s.full("lda")
        s.alpha = s.beta = (marks,)
        s.state = s.out_state = (batch, marks)
        s.valid_length = s.max_time = s.output = (batch,)
        s.same("lags", "marks")
        if s.rank("lags", 2) and s.lags[0] != batch:
            raise s.fail(f"lags {shape_text(s.lags)}: must have the batch of lda, {batch}")

    def infer_dtype(self, t: DTypes) -> None:
        t.marks = torch.int32
        t.same(*(n for n in (*t.inputs, *t.outputs) if n != "marks"))

    def forward(
        self,
        lda: Tensor,
        alpha: Tensor,
        beta: Tensor,
        state: Tensor,
        lags: Tensor,
        marks: Tensor,
        valid_length: Tensor,
        max_time: Tensor,
    ) -> tuple[Tensor, Tensor]:
        # MXNet differentiates by lda, alpha and beta only, and not through out_state.
        state, lags, max_time = state.detach(), lags.detach(), max_time.detach()
        likelihood, time, last = lags.new_zeros(len(lags)), lags.new_zeros(len(lags)), state * 0
        for step, lag in enumerate(lags.unbind(1)):
            mark = marks[:, step].long()
            at = mark.unsqueeze(1)
            time = time + lag
            rate, memory, before = (x.gather(1, at).squeeze(1) for x in (lda, state, last))
            decay = torch.exp(-beta[mark] * (time - before))
            excited = alpha[mark] * memory
            gained = torch.log(rate + beta[mark] * excited * decay) - (
                rate * (time - before) + excited * (1 - decay)
            )
            counted = step < valid_length
            likelihood = likelihood + torch.where(counted, gained, 0)
            renewed = (1 + memory * decay).unsqueeze(1)
            counted = counted.unsqueeze(1)
            state = torch.where(counted, state.scatter(1, at, renewed), state)
            last = torch.where(counted, last.scatter(1, at, time.unsqueeze(1)), last)
        rest = max_time.unsqueeze(1) - last
        decay = torch.exp(-beta * rest)
        likelihood = likelihood - (lda * rest + alpha * state * (1 - decay)).sum(1)
        return likelihood, (state * decay).detach()
