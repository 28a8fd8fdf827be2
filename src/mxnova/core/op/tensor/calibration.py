# SPDX-License-Identifier: Apache-2.0
"""The clipping threshold for quantization that loses least information."""

from __future__ import annotations

import torch
from torch import Tensor

from ..declaration import operator
from ..infer import DTypes, Shapes
from ..schema import Op

_SMOOTHING = 0.0001


@operator("_contrib_calibrate_entropy")
class CalibrateEntropy(Op):
    """The clipping threshold of smallest Kullback-Leibler divergence, and that divergence.

    Migacz: 8-bit inference with TensorRT, 2017.

    Args:
        hist: (bins,): a histogram with an odd number of bins, symmetric about zero, float32.
        hist_edges: (bins + 1,): borders of the bins, float32.
        num_quantized_bins: number of levels after quantization.
    """

    num_quantized_bins: int = 255
    differentiable = None

    def outputs(self) -> tuple[str, ...]:
        return ("threshold", "divergence")

    def infer_shape(self, s: Shapes) -> None:
        s.threshold = s.divergence = (1,)
        s.rank("hist", 1)
        if not 1 <= self.num_quantized_bins <= s.hist[0]:
            raise s.fail(
                f"num_quantized_bins={self.num_quantized_bins}: must be from 1 to the number of "
                f"bins of hist, {s.hist[0]}"
            )

    def infer_dtype(self, t: DTypes) -> None:
        for name in (*t.inputs, *t.outputs):
            t[name] = torch.float32

    def forward(self, hist: Tensor, hist_edges: Tensor) -> tuple[Tensor, Tensor]:
        center, size = len(hist) // 2, len(hist)
        reaches = range(self.num_quantized_bins // 2, center + 1)
        stops = [min(center + reach + 1, size) for reach in reaches]
        starts = [center - reach for reach in reaches]
        losses = [self._loss(hist, *ends) for ends in zip(starts, stops, strict=True)]
        loss, best = torch.stack(losses).min(0, keepdim=True)
        return hist_edges[stops].index_select(0, best), loss

    def _loss(self, hist: Tensor, start: int, stop: int) -> Tensor:
        """The loss of quantizing the bins start … stop and clipping all others."""
        # MXNet leaves the first bin out of what is quantized, and counts whole entries only.
        inside = hist[start:stop].trunc()
        inside[0] = 0
        clipped = hist[start:stop].clone()
        clipped[0] += hist[:start].sum()
        clipped[-1] += hist[stop:].sum()
        levels = torch.arange(stop - start, device=hist.device)
        levels = levels.div(len(levels) // self.num_quantized_bins or 1, rounding_mode="floor")
        levels = levels.clamp(max=self.num_quantized_bins - 1)
        sums = inside.new_zeros(self.num_quantized_bins).index_add(0, levels, inside)
        counts = torch.zeros_like(sums).index_add(0, levels, (inside != 0).to(sums.dtype))
        quantized = torch.where(clipped != 0, (sums / counts.clamp(min=1))[levels], 0)
        wanted, given = _distribution(clipped), _distribution(quantized)
        loss = (wanted * (wanted / given).log()).sum()
        return loss.nan_to_num(torch.finfo(loss.dtype).max)


def _distribution(counts: Tensor) -> Tensor:
    smooth = smoothed(counts, _SMOOTHING)
    return smooth / smooth.sum()


def smoothed(counts: Tensor, eps: float) -> Tensor:
    """`counts` with `eps` for zeros, taken from the others; NaN when there is nothing but zeros."""
    filled = counts != 0
    n_filled = filled.sum()
    taken = eps * (len(counts) - n_filled) / n_filled
    return torch.where(filled, counts - taken, eps) + 0 * taken
