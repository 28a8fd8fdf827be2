# SPDX-License-Identifier: Apache-2.0
"""Losses: what is compared gives one number for each sample, the mean over its other axes.

`weight` is a factor for all samples, `sample_weight` an array that is broadcast to the losses of
all elements. Labels may have another shape than predictions, with as many elements.
"""

from __future__ import annotations

import math
from typing import Any

from .. import ndarray  # noqa: F401 - programs take it from here, too
from .. import ndarray as nd
from ..base import numeric_types
from ..core.base.errors import ArgumentError, AssertedError, shown
from ..core.numpy.methods import NumpyMethods
from .block import HybridBlock

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

_EPSILON = 1e-12  # keeps logarithms and quotients finite


def _apply_weighting(
    F: Any,
    loss: Any,
    weight: float | None = None,
    sample_weight: Any = None,
) -> Any:
    """`loss * sample_weight * weight`, without those that are None."""
    if sample_weight is not None:
        loss = _product(F, loss, sample_weight)
    if weight is not None:
        if not isinstance(weight, numeric_types):
            raise AssertedError(
                f"weight={shown(weight)}: expected a number, got {type(weight).__name__}"
            )
        loss = loss * weight
    return loss


def _product(F: Any, x: Any, y: Any) -> Any:
    """`x * y`, broadcast; NumPy's arrays may be of different types."""
    return x * y if isinstance(x, NumpyMethods) else F.broadcast_mul(x, y)


def _reshape_like(F: Any, x: Any, y: Any) -> Any:
    """`x` in the shape of `y`."""
    if F is nd:
        return x if x.shape == y.shape else x.reshape(y.shape)
    return F.reshape_like(x, y)


class Loss(HybridBlock):
    """The base of losses.

    Args:
        weight: a factor for all losses; None: 1.
        batch_axis: the axis of samples, which the mean leaves.
    """

    def __init__(self, weight: float | None, batch_axis: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._weight = weight
        self._batch_axis = batch_axis

    def __repr__(self) -> str:
        return f"{type(self).__name__}(batch_axis={self._batch_axis}, w={self._weight})"

    def hybrid_forward(self, F: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
        """The loss of each sample; for classes to define."""
        raise NotImplementedError(f"{type(self).__name__}.hybrid_forward")

    def _mean(self, F: Any, loss: Any, sample_weight: Any) -> Any:
        """Of each sample, the mean of its weighted losses."""
        loss = _apply_weighting(F, loss, self._weight, sample_weight)
        return F.mean(loss, axis=self._batch_axis, exclude=True)


class L2Loss(Loss):
    """`weight / 2 * (label - pred)²`."""

    def __init__(self, weight: float | None = 1.0, batch_axis: int = 0, **kwargs: Any) -> None:
        super().__init__(weight, batch_axis, **kwargs)

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        loss = F.square(_reshape_like(F, label, pred) - pred)
        loss = _apply_weighting(F, loss, self._weight / 2, sample_weight)
        return F.mean(loss, axis=self._batch_axis, exclude=True)


class L1Loss(Loss):
    """`|label - pred|`."""

    def __init__(self, weight: float | None = None, batch_axis: int = 0, **kwargs: Any) -> None:
        super().__init__(weight, batch_axis, **kwargs)

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        loss = F.abs(_reshape_like(F, label, pred) - pred)
        return self._mean(F, loss, sample_weight)


class SigmoidBinaryCrossEntropyLoss(Loss):
    """`-(label * log(p) * pos_weight + (1 - label) * log(1 - p))`, labels from 0 to 1.

    Args:
        from_sigmoid: whether `pred` are the probabilities p; p is `sigmoid(pred)` otherwise.
        weight: a factor for all losses.
        batch_axis: the axis of samples.
    """

    def __init__(
        self,
        from_sigmoid: bool = False,
        weight: float | None = None,
        batch_axis: int = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._from_sigmoid = from_sigmoid

    def hybrid_forward(
        self,
        F: Any,
        pred: Any,
        label: Any,
        sample_weight: Any = None,
        pos_weight: Any = None,
    ) -> Any:
        label = _reshape_like(F, label, pred)
        of = self._of_probabilities if self._from_sigmoid else self._of_logits
        return self._mean(F, of(F, pred, label, pos_weight), sample_weight)

    @staticmethod
    def _of_logits(F: Any, pred: Any, label: Any, pos_weight: Any) -> Any:
        """In terms of softplus, which does not overflow."""
        softplus = F.Activation(-F.abs(pred), act_type="softrelu")
        if pos_weight is None:
            return F.relu(pred) - pred * label + softplus
        factor = 1 + _product(F, pos_weight - 1, label)
        return pred - pred * label + factor * (softplus + F.relu(-pred))

    @staticmethod
    def _of_probabilities(F: Any, pred: Any, label: Any, pos_weight: Any) -> Any:
        positive = F.log(pred + _EPSILON) * label
        if pos_weight is not None:
            positive = _product(F, positive, pos_weight)
        return -(positive + F.log(1.0 - pred + _EPSILON) * (1.0 - label))


SigmoidBCELoss = SigmoidBinaryCrossEntropyLoss


class SoftmaxCrossEntropyLoss(Loss):
    """`-log(softmax(pred)[label])`, or `-sum(label * log(softmax(pred)))`.

    Args:
        axis: the axis of classes.
        sparse_label: whether labels are numbers of classes, of the shape of `pred` without `axis`
            or with one element there; distributions over the classes, as `pred`, otherwise.
        from_logits: whether `pred` are logarithms of probabilities already.
        weight: a factor for all losses.
        batch_axis: the axis of samples.
    """

    def __init__(
        self,
        axis: int = -1,
        sparse_label: bool = True,
        from_logits: bool = False,
        weight: float | None = None,
        batch_axis: int = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._axis = axis
        self._sparse_label = sparse_label
        self._from_logits = from_logits

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        if not self._from_logits:
            pred = F.log_softmax(pred, axis=self._axis)
        if self._sparse_label:
            loss = -F.pick(pred, label, axis=self._axis, keepdims=True)
        else:
            label = _reshape_like(F, label, pred)
            loss = -F.sum(pred * label, axis=self._axis, keepdims=True)
        return self._mean(F, loss, sample_weight)


SoftmaxCELoss = SoftmaxCrossEntropyLoss


class KLDivLoss(Loss):
    """`label * (log(label) - pred)`, summed over all axes but the samples'.

    Args:
        from_logits: whether `pred` are logarithms of probabilities; `log_softmax` is taken
            otherwise.
        axis: the axis of `log_softmax`.
        weight: a factor for all losses.
        batch_axis: the axis of samples.
    """

    def __init__(
        self,
        from_logits: bool = True,
        axis: int = -1,
        weight: float | None = None,
        batch_axis: int = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._from_logits = from_logits
        self._axis = axis

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        if not self._from_logits:
            pred = F.log_softmax(pred, axis=self._axis)
        loss = label * (F.log(label + _EPSILON) - pred)
        loss = _apply_weighting(F, loss, self._weight, sample_weight)
        return F.sum(loss, axis=self._batch_axis, exclude=True)


class CTCLoss(Loss):
    """Connectionist temporal classification (Graves et al., 2006); one loss for each sequence.

    The last class is the blank. Labels are filled up with -1 where `label_lengths` are not given.

    Args:
        layout: of predictions, 'NTC' or 'TNC': samples, time, classes, before softmax.
        label_layout: of labels, 'NT' or 'TN'.
        weight: a factor for all losses.
    """

    def __init__(
        self,
        layout: str = "NTC",
        label_layout: str = "NT",
        weight: float | None = None,
        **kwargs: Any,
    ) -> None:
        for name, given, allowed in (
            ("layout", layout, ("NTC", "TNC")),
            ("label_layout", label_layout, ("NT", "TN")),
        ):
            if given not in allowed:
                raise AssertedError(
                    f"{type(self).__name__}: {name}={shown(given)}: must be {' or '.join(allowed)}"
                )
        super().__init__(weight, label_layout.find("N"), **kwargs)
        self._layout = layout
        self._label_layout = label_layout

    def hybrid_forward(
        self,
        F: Any,
        pred: Any,
        label: Any,
        pred_lengths: Any = None,
        label_lengths: Any = None,
        sample_weight: Any = None,
    ) -> Any:
        if self._layout == "NTC":
            pred = F.swapaxes(pred, dim1=0, dim2=1)
        if self._batch_axis == 1:
            label = F.swapaxes(label, dim1=0, dim2=1)
        loss = F.CTCLoss(
            pred,
            label,
            pred_lengths,
            label_lengths,
            use_data_lengths=pred_lengths is not None,
            use_label_lengths=label_lengths is not None,
            blank_label="last",
        )
        return _apply_weighting(F, loss, self._weight, sample_weight)


class HuberLoss(Loss):
    """`(label - pred)² / (2 rho)` up to a distance of `rho`, `|label - pred| - rho / 2` beyond.

    Args:
        rho: where the square ends.
        weight: a factor for all losses.
        batch_axis: the axis of samples.
    """

    def __init__(
        self, rho: float = 1, weight: float | None = None, batch_axis: int = 0, **kwargs: Any
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._rho = rho

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        distance = F.abs(_reshape_like(F, label, pred) - pred)
        square = (0.5 / self._rho) * F.square(distance)
        loss = F.where(distance > self._rho, distance - 0.5 * self._rho, square)
        return self._mean(F, loss, sample_weight)


class HingeLoss(Loss):
    """`max(0, margin - pred * label)`, labels -1 or 1.

    Args:
        margin: from where on a prediction is good enough.
        weight: a factor for all losses.
        batch_axis: the axis of samples.
    """

    def __init__(
        self, margin: float = 1, weight: float | None = None, batch_axis: int = 0, **kwargs: Any
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._margin = margin

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        loss = F.relu(self._margin - pred * _reshape_like(F, label, pred))
        return self._mean(F, loss, sample_weight)


class SquaredHingeLoss(Loss):
    """`max(0, margin - pred * label)²`; arguments as for HingeLoss."""

    def __init__(
        self, margin: float = 1, weight: float | None = None, batch_axis: int = 0, **kwargs: Any
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._margin = margin

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        loss = F.square(F.relu(self._margin - pred * _reshape_like(F, label, pred)))
        return self._mean(F, loss, sample_weight)


class LogisticLoss(Loss):
    """`log(1 + exp(-pred * label))`.

    Args:
        weight: a factor for all losses.
        batch_axis: the axis of samples.
        label_format: 'signed': labels are -1 or 1; 'binary': 0 or 1.
    """

    def __init__(
        self,
        weight: float | None = None,
        batch_axis: int = 0,
        label_format: str = "signed",
        **kwargs: Any,
    ) -> None:
        if label_format not in ("signed", "binary"):
            raise ArgumentError(
                f"{type(self).__name__}: label_format={shown(label_format)}: "
                "must be signed or binary"
            )
        super().__init__(weight, batch_axis, **kwargs)
        self._label_format = label_format

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        label = _reshape_like(F, label, pred)
        if self._label_format == "signed":
            label = (label + 1.0) / 2.0
        softplus = F.Activation(-F.abs(pred), act_type="softrelu")
        return self._mean(F, F.relu(pred) - pred * label + softplus, sample_weight)


class TripletLoss(Loss):
    """`max(0, |positive - pred|² - |negative - pred|² + margin)`, one for each sample.

    Args:
        margin: how much nearer the positive shall be.
        weight: a factor for all losses.
        batch_axis: the axis of samples.
    """

    def __init__(
        self, margin: float = 1, weight: float | None = None, batch_axis: int = 0, **kwargs: Any
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._margin = margin

    def hybrid_forward(self, F: Any, pred: Any, positive: Any, negative: Any) -> Any:
        nearer, farther = (
            F.square(_reshape_like(F, other, pred) - pred) for other in (positive, negative)
        )
        loss = F.sum(nearer - farther, axis=self._batch_axis, exclude=True)
        return _apply_weighting(F, F.relu(loss + self._margin), self._weight, None)


class PoissonNLLLoss(Loss):
    """The mean over all elements of Poisson's `rate - target * log(rate)`.

    Args:
        weight: a factor for all losses.
        from_logits: whether `pred` are logarithms of rates; rates otherwise.
        batch_axis: the axis of samples.
        compute_full: whether Stirling's approximation of `log(target!)` is added, which does not
            depend on `pred`, for targets above 1.
    """

    def __init__(
        self,
        weight: float | None = None,
        from_logits: bool = True,
        batch_axis: int = 0,
        compute_full: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._from_logits = from_logits
        self._compute_full = compute_full

    def hybrid_forward(
        self,
        F: Any,
        pred: Any,
        target: Any,
        sample_weight: Any = None,
        epsilon: float = 1e-8,
    ) -> Any:
        target = _reshape_like(F, target, pred)
        if self._from_logits:
            loss = F.exp(pred) - target * pred
        else:
            loss = pred - target * F.log(pred + epsilon)
        if self._compute_full:
            # Below 1 the logarithm of 1 takes the place of one that may be infinite.
            above = F.maximum(target, 1)
            stirling = above * F.log(above) - above + 0.5 * F.log(2 * math.pi * above)
            loss = loss + stirling * (target > 1)
        return F.mean(_apply_weighting(F, loss, self._weight, sample_weight))


class CosineEmbeddingLoss(Loss):
    """`1 - cos(input1, input2)` for label 1, `max(0, cos(input1, input2) - margin)` for label -1.

    Args:
        weight: a factor for all losses.
        batch_axis: the axis of samples.
        margin: the cosine up to which a pair of label -1 is good enough.
    """

    def __init__(
        self, weight: float | None = None, batch_axis: int = 0, margin: float = 0, **kwargs: Any
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._margin = margin

    def hybrid_forward(
        self,
        F: Any,
        input1: Any,
        input2: Any,
        label: Any,
        sample_weight: Any = None,
    ) -> Any:
        cosine = self._cosine_similarity(F, _reshape_like(F, input1, input2), input2)
        label = label.reshape((-1, 1))
        loss = (1 - cosine) * (label == 1) + F.relu((label == -1) * (cosine - self._margin))
        return _apply_weighting(F, loss, self._weight, sample_weight)

    def _cosine_similarity(self, F: Any, x: Any, y: Any, axis: int = -1) -> Any:
        product = F.sum(x * y, axis=axis).reshape((-1, 1))
        norms = F.norm(x, axis=axis).reshape((-1, 1)) * F.norm(y, axis=axis).reshape((-1, 1))
        return product / F.maximum(norms, _EPSILON)


class SDMLLoss(Loss):
    """Smoothed deep metric learning (Bonadiman et al., https://arxiv.org/abs/1905.12786).

    Rows of `x1` and `x2`, ``(n, d)``, with the same index belong together, all others do not: the
    cross entropy of softmax over negative squared distances with smoothed labels.

    Args:
        smoothing_parameter: the probability that labels give to the others.
        weight: kept; MXNet does not apply it.
        batch_axis: the axis of samples.
    """

    def __init__(
        self,
        smoothing_parameter: float = 0.3,
        weight: float | None = 1.0,
        batch_axis: int = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self.kl_loss = KLDivLoss(from_logits=True)
        self.smoothing_parameter = smoothing_parameter

    def hybrid_forward(self, F: Any, x1: Any, x2: Any) -> Any:
        difference = F.broadcast_sub(F.expand_dims(x1, axis=1), F.expand_dims(x2, axis=0))
        distances = F.sum(F.square(difference), axis=2)
        return self.kl_loss(F.log_softmax(-distances, axis=1), self._labels(F, x1))

    def _labels(self, F: Any, x: Any) -> Any:
        """``(n, n)``: the parameter shared by the others of a row, the rest on the diagonal."""
        index = F.contrib.arange_like(x, axis=0)
        same = F.broadcast_equal(F.expand_dims(index, axis=1), F.expand_dims(index, axis=0))
        others = 1 - same
        share = self.smoothing_parameter / F.sum(others, axis=1, keepdims=True)
        return (1 - self.smoothing_parameter) * same + F.broadcast_mul(others, share)
