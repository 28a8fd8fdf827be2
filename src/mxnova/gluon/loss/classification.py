# SPDX-License-Identifier: Apache-2.0
"""Losses of predicted classes, and of sequences of them."""

from __future__ import annotations

from typing import Any

from ... import ndarray as nd
from ...core.base.errors import ArgumentError, AssertedError, argument_error, shown
from ...core.nd.softmax_cross_entropy import softmax_cross_entropy
from .base import _EPSILON, Loss, _apply_weighting, _product, _reshape_like

__all__ = [
    "CTCLoss",
    "HingeLoss",
    "KLDivLoss",
    "LogisticLoss",
    "SigmoidBCELoss",
    "SigmoidBinaryCrossEntropyLoss",
    "SoftmaxCELoss",
    "SoftmaxCrossEntropyLoss",
    "SquaredHingeLoss",
]


class SigmoidBinaryCrossEntropyLoss(Loss):
    """`-(label * log(p) * pos_weight + (1 - label) * log(1 - p))`, labels from 0 to 1.

    Args:
        from_sigmoid: whether `pred` are the probabilities p; p is `sigmoid(pred)` otherwise.
        weight: a factor for all losses.
        batch_axis: the axis of samples.

    Example:
        >>> loss_of = mx.gluon.loss.SigmoidBCELoss()
        >>> loss_of(mx.nd.array([[0.5], [2]]), mx.nd.array([[1], [0]])).asnumpy().round(4)
        array([0.4741, 2.1269], dtype=float32)
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

    `ignore_label` and `label_smoothing` are additions of mxnova.

    Args:
        axis: the axis of classes.
        sparse_label: whether labels are numbers of classes, of the shape of `pred` without `axis`
            or with one element there; distributions over the classes, as `pred`, otherwise.
        from_logits: whether `pred` are logarithms of probabilities already.
        weight: a factor for all losses.
        batch_axis: the axis of samples.
        ignore_label: positions with this label have a loss and gradients of 0, as those with a
            `sample_weight` of 0: the mean counts them. None ignores no label.
        label_smoothing: how much of each label, from 0 to 1, is spread evenly over all classes.

    Example:
        >>> loss_of = mx.gluon.loss.SoftmaxCELoss()
        >>> loss_of(mx.nd.array([[1, 2], [3, 1]]), mx.nd.array([1, 0])).asnumpy().round(4)
        array([0.3133, 0.1269], dtype=float32)
    """

    def __init__(
        self,
        axis: int = -1,
        sparse_label: bool = True,
        from_logits: bool = False,
        weight: float | None = None,
        batch_axis: int = 0,
        *,
        ignore_label: float | None = None,
        label_smoothing: float = 0.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        if not (isinstance(label_smoothing, (int, float)) and 0 <= label_smoothing <= 1):
            reason = "must be a number from 0 to 1"
            raise argument_error(type(self).__name__, "label_smoothing", label_smoothing, reason)
        if ignore_label is not None and not sparse_label:
            reason = "needs sparse_label=True: distributions have no label to ignore"
            raise argument_error(type(self).__name__, "ignore_label", ignore_label, reason)
        self._axis = axis
        self._sparse_label = sparse_label
        self._from_logits = from_logits
        self._ignore_label = ignore_label
        self._label_smoothing = label_smoothing

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        if F is nd and sample_weight is None and self._is_plain():
            losses = softmax_cross_entropy(pred, label)
            if losses is not None:
                return losses
        if not self._from_logits:
            pred = F.log_softmax(pred, axis=self._axis)
        if self._sparse_label:
            loss = -F.pick(pred, label, axis=self._axis, keepdims=True)
        else:
            label = _reshape_like(F, label, pred)
            loss = -F.sum(pred * label, axis=self._axis, keepdims=True)
        if self._label_smoothing:
            share = self._label_smoothing
            loss = (1 - share) * loss - share * F.mean(pred, axis=self._axis, keepdims=True)
        if self._ignore_label is not None:
            is_counted = _reshape_like(F, label, loss) != self._ignore_label
            loss = F.where(is_counted, loss, F.zeros_like(loss))
        return self._mean(F, loss, sample_weight)

    def _is_plain(self) -> bool:
        """Whether it is what `softmax_cross_entropy` computes."""
        is_of_scores = self._sparse_label and not self._from_logits and self._weight is None
        if self._ignore_label is not None or self._label_smoothing:
            return False
        return is_of_scores and self._axis in (1, -1) and self._batch_axis == 0


SoftmaxCELoss = SoftmaxCrossEntropyLoss


class KLDivLoss(Loss):
    """`label * (log(label) - pred)`, summed over all axes but the samples'.

    Args:
        from_logits: whether `pred` are logarithms of probabilities; `log_softmax` is taken
            otherwise.
        axis: the axis of `log_softmax`.
        weight: a factor for all losses.
        batch_axis: the axis of samples.

    Example:
        >>> loss_of = mx.gluon.loss.KLDivLoss(from_logits=False)
        >>> loss_of(mx.nd.array([[1, 2]]), mx.nd.array([[0.5, 0.5]])).asnumpy().round(4)
        array([0.1201], dtype=float32)
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

    Example:
        >>> mx.gluon.loss.CTCLoss()(mx.nd.ones((2, 5, 4)), mx.nd.array([[1, 2], [2, 1]])).shape
        (2,)
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


class HingeLoss(Loss):
    """`max(0, margin - pred * label)`, labels -1 or 1.

    Args:
        margin: from where on a prediction is good enough.
        weight: a factor for all losses.
        batch_axis: the axis of samples.

    Example:
        >>> loss_of = mx.gluon.loss.HingeLoss()
        >>> loss_of(mx.nd.array([[0.5], [2]]), mx.nd.array([[1], [-1]])).asnumpy().round(4)
        array([0.5, 3. ], dtype=float32)
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
    """`max(0, margin - pred * label)²`; arguments as for HingeLoss.

    Args:
        margin: the distance that is wanted.
        weight: a factor of the loss; None: 1.
        batch_axis: the axis of the samples.
        **kwargs: ``prefix`` and ``params``, as of every block.

    Example:
        >>> loss_of = mx.gluon.loss.SquaredHingeLoss()
        >>> loss_of(mx.nd.array([[0.5], [2]]), mx.nd.array([[1], [-1]])).asnumpy().round(4)
        array([0.25, 9.  ], dtype=float32)
    """

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

    Example:
        >>> loss_of = mx.gluon.loss.LogisticLoss()
        >>> loss_of(mx.nd.array([[0.5], [2]]), mx.nd.array([[1], [-1]])).asnumpy().round(4)
        array([0.4741, 2.1269], dtype=float32)
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
