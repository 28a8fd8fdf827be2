# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")

from mxnova.gluon import HybridBlock as HybridBlock

class CTCLoss(Loss):
    def __init__(self, layout: str = 'NTC', label_layout: str = 'NT', weight: float | None = None, **kwargs: Any) -> None: ...
    hybrid_forward: Callable[..., Any]
class CosineEmbeddingLoss(Loss):
    def __init__(self, weight: float | None = None, batch_axis: int = 0, margin: float = 0, **kwargs: Any) -> None: ...
    hybrid_forward: Callable[..., Any]
class HingeLoss(Loss):
    def __init__(self, margin: float = 1, weight: float | None = None, batch_axis: int = 0, **kwargs: Any) -> None: ...
    hybrid_forward: Callable[..., Any]
class HuberLoss(Loss):
    def __init__(self, rho: float = 1, weight: float | None = None, batch_axis: int = 0, **kwargs: Any) -> None: ...
    hybrid_forward: Callable[..., Any]
class KLDivLoss(Loss):
    def __init__(self, from_logits: bool = True, axis: int = -1, weight: float | None = None, batch_axis: int = 0, **kwargs: Any) -> None: ...
    hybrid_forward: Callable[..., Any]
class L1Loss(Loss):
    def __init__(self, weight: float | None = None, batch_axis: int = 0, **kwargs: Any) -> None: ...
    hybrid_forward: Callable[..., Any]
class L2Loss(Loss):
    def __init__(self, weight: float | None = 1.0, batch_axis: int = 0, **kwargs: Any) -> None: ...
    hybrid_forward: Callable[..., Any]
class LogisticLoss(Loss):
    def __init__(self, weight: float | None = None, batch_axis: int = 0, label_format: str = 'signed', **kwargs: Any) -> None: ...
    hybrid_forward: Callable[..., Any]
class Loss(HybridBlock):
    def __call__(self, x: _T, *args: Any) -> _T: ...
    def __init__(self, weight: float | None, batch_axis: int, **kwargs: Any) -> None: ...
    hybrid_forward: Callable[..., Any]
class PoissonNLLLoss(Loss):
    def __init__(self, weight: float | None = None, from_logits: bool = True, batch_axis: int = 0, compute_full: bool = False, **kwargs: Any) -> None: ...
    hybrid_forward: Callable[..., Any]
class SDMLLoss(Loss):
    def __init__(self, smoothing_parameter: float = 0.3, weight: float | None = 1.0, batch_axis: int = 0, **kwargs: Any) -> None: ...
    hybrid_forward: Callable[..., Any]
    kl_loss: Any
    smoothing_parameter: Any
class SigmoidBCELoss(Loss):
    def __init__(self, from_sigmoid: bool = False, weight: float | None = None, batch_axis: int = 0, **kwargs: Any) -> None: ...
    hybrid_forward: Callable[..., Any]
SigmoidBinaryCrossEntropyLoss = SigmoidBCELoss
class SoftmaxCELoss(Loss):
    def __init__(self, axis: int = -1, sparse_label: bool = True, from_logits: bool = False, weight: float | None = None, batch_axis: int = 0, *, ignore_label: float | None = None, label_smoothing: float = 0.0, **kwargs: Any) -> None: ...
    hybrid_forward: Callable[..., Any]
SoftmaxCrossEntropyLoss = SoftmaxCELoss
class SquaredHingeLoss(Loss):
    def __init__(self, margin: float = 1, weight: float | None = None, batch_axis: int = 0, **kwargs: Any) -> None: ...
    hybrid_forward: Callable[..., Any]
class TripletLoss(Loss):
    def __init__(self, margin: float = 1, weight: float | None = None, batch_axis: int = 0, **kwargs: Any) -> None: ...
    hybrid_forward: Callable[..., Any]
