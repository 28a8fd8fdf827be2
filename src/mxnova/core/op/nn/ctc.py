# SPDX-License-Identifier: Apache-2.0
"""Connectionist temporal classification."""

from __future__ import annotations

from typing import Literal

import torch
import torch.nn.functional as F
from torch import Tensor

from ..declaration import operator
from ..infer import DTypes, Shapes
from ..schema import Op


@operator("CTCLoss", "ctc_loss", "_contrib_CTCLoss", "_contrib_ctc_loss")
class CTCLoss(Op):
    """Negative log-probability of label sequences under unaligned predictions, (batch,).

    Graves et al., "Connectionist temporal classification: labelling unsegmented sequence data with
    recurrent neural networks", 2006.

    Args:
        data: scores before softmax, (time, batch, classes); one class is the blank.
        label: class numbers, (batch, length), padded by 0 when the blank comes first, else by -1.
        data_lengths: with `use_data_lengths`: steps that count, (batch,).
        label_lengths: with `use_label_lengths`: labels that count, (batch,).
        use_data_lengths: whether `data_lengths` is there.
        use_label_lengths: whether `label_lengths` is there; otherwise the padding tells.
        blank_label: whether the blank is class 0 (``first``) or the last class (``last``).
    """

    use_data_lengths: bool = False
    use_label_lengths: bool = False
    blank_label: Literal["first", "last"] = "first"

    untraceable = "ATen reads the lengths as it runs"

    def inputs(self) -> tuple[str, ...]:
        data_lengths = ("data_lengths",) if self.use_data_lengths else ()
        label_lengths = ("label_lengths",) if self.use_label_lengths else ()
        return ("data", "label", *data_lengths, *label_lengths)

    def outputs(self) -> tuple[str, ...]:
        return ("output0",)

    def infer_shape(self, s: Shapes) -> None:
        s.rank("data", 3)
        s.rank("label", 2)
        time, batch, _ = s.data
        longest = s.label[1]
        s.output0 = (batch,)
        s.label = (batch, longest)
        for name in s.inputs[2:]:
            s[name] = (batch,)
        if longest > time:
            raise s.fail(f"label has room for {longest} labels, data only {time} steps")

    def infer_dtype(self, t: DTypes) -> None:
        t.same("data", "output0")

    def forward(
        self,
        data: Tensor,
        label: Tensor,
        data_lengths: Tensor | None = None,
        label_lengths: Tensor | None = None,
    ) -> Tensor:
        if not self.use_data_lengths:  # the label lengths are the third input then
            data_lengths, label_lengths = None, data_lengths
        time, batch, classes = data.shape
        blank = 0 if self.blank_label == "first" else classes - 1
        if data_lengths is None:
            data_lengths = torch.full((batch,), time, device=data.device)
        else:  # what lies behind a sequence may be anything, even no number
            steps = torch.arange(time, device=data.device).unsqueeze(1)
            data = data.masked_fill((steps >= data_lengths).unsqueeze(2), 0)
        if label_lengths is None:
            padding = 0 if self.blank_label == "first" else -1
            label_lengths = (label != padding).cumprod(1).sum(1)
        return F.ctc_loss(
            data.log_softmax(2),
            label.long().clamp(0, classes - 1),  # ATen does not look
            data_lengths.long(),
            label_lengths.long(),
            blank,
            "none",
            zero_infinity=True,  # sequences that do not fit cost nothing in MXNet
        )
