# SPDX-License-Identifier: Apache-2.0
"""Measures of how good predictions are, summed up from batch to batch.

Sums have two starts: `reset` begins anew, `reset_local` begins a new stretch of the same run, of
which `get` tells; `get_global` tells of the whole run.
"""

# ruff: noqa: F401 - programs take modules from here, too
import numpy

from .. import ndarray, registry
from ..core.base.doors import facade
from .base import EvalMetric, alias, check_label_shapes, register
from .binary import F1, MCC, _BinaryClassificationMetrics
from .classification import PCC, Accuracy, TopKAccuracy
from .composite import CompositeEvalMetric, create
from .custom import Caffe, CustomMetric, Loss, Torch, np
from .probability import CrossEntropy, NegativeLogLikelihood, Perplexity
from .regression import MAE, MSE, RMSE, PearsonCorrelation

__all__ = [
    "F1",
    "MAE",
    "MCC",
    "MSE",
    "PCC",
    "RMSE",
    "Accuracy",
    "Caffe",
    "CompositeEvalMetric",
    "CrossEntropy",
    "CustomMetric",
    "EvalMetric",
    "Loss",
    "NegativeLogLikelihood",
    "PearsonCorrelation",
    "Perplexity",
    "TopKAccuracy",
    "Torch",
    "_BinaryClassificationMetrics",
    "alias",
    "check_label_shapes",
    "create",
    "np",
    "register",
]


facade(__name__)
