# SPDX-License-Identifier: Apache-2.0
"""Losses: each returns one number per sample, the mean over all other axes.

`weight` is a factor for all samples, `sample_weight` an array that is broadcast to the losses of
all elements. Labels may have another shape than predictions, with as many elements.
"""

# ruff: noqa: F401 - names without an entry below are what programs take from here, too

from ... import ndarray
from ...base import numeric_types
from ...core.base.doors import facade
from .base import Loss, _apply_weighting, _reshape_like
from .classification import (
    CTCLoss,
    HingeLoss,
    KLDivLoss,
    LogisticLoss,
    SigmoidBCELoss,
    SigmoidBinaryCrossEntropyLoss,
    SoftmaxCELoss,
    SoftmaxCrossEntropyLoss,
    SquaredHingeLoss,
)
from .regression import HuberLoss, L1Loss, L2Loss, PoissonNLLLoss
from .similarity import CosineEmbeddingLoss, SDMLLoss, TripletLoss

__all__ = [
    "CTCLoss",
    "CosineEmbeddingLoss",
    "HingeLoss",
    "HuberLoss",
    "KLDivLoss",
    "L1Loss",
    "L2Loss",
    "LogisticLoss",
    "Loss",
    "PoissonNLLLoss",
    "SDMLLoss",
    "SigmoidBCELoss",
    "SigmoidBinaryCrossEntropyLoss",
    "SoftmaxCELoss",
    "SoftmaxCrossEntropyLoss",
    "SquaredHingeLoss",
    "TripletLoss",
]


facade(__name__)
