# SPDX-License-Identifier: Apache-2.0
"""Softmax cross entropy as one operator, where Gluon's loss is four to whoever asks for a graph."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from ..op.infer import DTypes
from ..op.schema import Op, OpType, find
from ..op.structure import Structure
from ..op.tensor.lookup import in_range
from ..runtime import tuning
from ..runtime.slow_path import SLOW_PATH
from ..runtime.threads import is_small, single_threaded
from .array_operators import ArrayOperator
from .base_array import CLASSES, BaseArray
from .calls.fast_calls import fast_call

__all__ = ["SoftmaxCrossEntropy", "softmax_cross_entropy"]

_DTYPES = (torch.float32, torch.float64)


class SoftmaxCrossEntropy(ArrayOperator):
    """``mean(-pick(log_softmax(data), label, keepdims=True), axis=0, exclude=True)``."""

    def forward(self, data: Tensor, label: Tensor) -> Tensor:
        """The losses, (batch,), of scores, (batch, classes), and class numbers of any type."""
        work = tuning.EXPONENTIAL_MULTIPLICATIONS * data.numel()
        run = _losses_single_threaded if is_small(work, _N_OPERATORS) else _losses
        return run(data, label)

    def infer_dtype(self, t: DTypes) -> None:
        """Losses are of the type of the scores; labels of any."""
        t.same("data", "output")

    def steps(self) -> tuple[Op, ...]:
        """The operators that it stands for: each of the last one's result, the second of labels."""
        settings: dict[str, dict[str, Any]] = {
            "log_softmax": {"axis": -1},
            "pick": {"axis": -1, "keepdims": True},
            "negative": {},
            "mean": {"axis": 0, "exclude": True},
        }
        return tuple([find(name).of(given) for name, given in settings.items()])


def _losses(scores: Tensor, classes: Tensor) -> Tensor:
    index = in_range(classes.reshape(-1), scores.shape[1], array="softmax cross entropy: label")
    return F.nll_loss(torch.log_softmax(scores, 1), index, reduction="none")


_N_OPERATORS = 4
_losses_single_threaded = single_threaded(_losses)

SoftmaxCrossEntropy.type = OpType(
    ["_softmax_cross_entropy"], SoftmaxCrossEntropy, SoftmaxCrossEntropy.forward
)
SoftmaxCrossEntropy.shared = Structure(SoftmaxCrossEntropy())
_OPERATOR = SoftmaxCrossEntropy()
_call = fast_call(2)


def softmax_cross_entropy(scores: BaseArray, label: BaseArray) -> BaseArray | None:
    """What `SoftmaxCrossEntropy` gives, in a third of the four operators' time for small arrays.

    Args:
        scores: (batch, classes).
        label: class numbers of any type, (batch,) or (batch, 1); those out of range are clipped.

    Returns:
        The losses, (batch,); None where something about the arrays or the call is out of the
        ordinary, for the operators to see.
    """
    dense = CLASSES["default"]
    if SLOW_PATH or type(scores) is not dense or type(label) is not dense:
        return None
    value = scores._raw
    n = len(value) if value.ndim == 2 and value.dtype in _DTYPES else 0
    if not n or not value.shape[1] or label._raw.shape not in ((n,), (n, 1)):
        return None
    if label._tracked is not None or label._chunk.context is not scores._chunk.context:
        return None
    losses: BaseArray = _call(_OPERATOR, scores, label)
    return losses
