# SPDX-License-Identifier: Apache-2.0
"""Output layers: they pass predictions on and make the gradient of a loss when asked for one.

Their backward ignores the gradient that comes in, which is why ``executor.backward()`` needs no
argument: the last layer of a network is its loss.
"""

from __future__ import annotations

from math import prod
from typing import Literal

import torch
from torch import Tensor

from ...base.params import bounded
from ...base.shapes import PartialShape, is_known, shape_text
from ...kernels import vectorized
from ...kernels.activation import relu_
from ...runtime import tuning
from ..declaration import function_operator, operator
from ..infer import DTypes, Shapes
from ..range_check import CHECKS, check_range
from ..schema import Op


def _inside(index: Tensor, n: int) -> tuple[Tensor, Tensor]:
    """`index` moved into [0, n), and which of it was there."""
    moved = index.clamp(0, n - 1)
    return moved, moved == index


def _less_at(values: Tensor, index: Tensor, amount: float) -> Tensor:
    """`values` less `amount` at `index` along the second axis, nothing for an index outside."""
    index, n = index.unsqueeze(1), values.shape[1]
    if values.numel() <= tuning.LOSS_MASK_MAX_SIZE:  # three operators instead of six
        classes = torch.arange(n, device=index.device)
        if values.ndim > 2:
            classes = classes.view(n, *(1,) * (values.ndim - 2))
        return torch.add(values, index == classes, alpha=-amount)
    index, inside = _inside(index, n)
    return values.scatter_add(1, index, inside.to(values.dtype).mul_(-amount))


@operator("SoftmaxOutput", "Softmax")
class SoftmaxOutput(Op):
    """Softmax with the gradient of the cross entropy with `label`: ``output - one_hot(label)``.

    Args:
        data: (batch, classes), or (batch, classes, …) with `multi_output`, or (…, classes) with
            `preserve_shape`.
        label: class numbers, shaped as `data` without its class axis; or probabilities, shaped as
            `data`.
        grad_scale: factor of the gradient.
        ignore_label: with `use_ignore`, instances of this class have no gradient.
        multi_output: the class axis is the second, labels differ by position.
        use_ignore: whether `ignore_label` counts.
        preserve_shape: the class axis is the last, whatever the number of axes.
        normalization: what the gradient is divided by: nothing (``null``), the batch size
            (``batch``), or the number of labels that are not `ignore_label` (``valid``).
        out_grad: multiply by the output (the incoming gradient was meant).
        smooth_alpha: label smoothing: this much of each label is spread over the other classes.
    """

    grad_scale: float = 1.0
    ignore_label: float = -1.0
    multi_output: bool = False
    use_ignore: bool = False
    preserve_shape: bool = False
    normalization: Literal["batch", "null", "valid"] = "null"
    out_grad: bool = False
    smooth_alpha: bounded(float, 0, 1) = 0.0  # type: ignore[valid-type]

    def infer_shape(self, s: Shapes) -> None:
        s.output = s.data
        label = s.known("label")
        if self.multi_output:
            self._infer_positions(s, label)
        elif label is not None and len(label) == len(s.data):
            s.label = s.data  # probabilities
        elif len(s.data) > 1:
            s.label = s.data[:-1]

    def _infer_positions(self, s: Shapes, label: PartialShape) -> None:
        if len(s.data) < 2:
            raise s.fail(
                f"multi_output: data has shape {shape_text(s.data)}: it needs 2 axes or more"
            )
        batch, _, *positions = s.data
        forms: list[PartialShape] = [
            (batch, prod(positions)),
            (batch, *positions),
            (batch, 1, *positions),
            s.data,
        ]
        if label is None:
            s.label = forms[0]
        elif label not in forms:
            wanted = " or ".join(map(shape_text, forms))
            raise s.fail(f"label has shape {shape_text(label)}: it must be {wanted}")

    def infer_dtype(self, t: DTypes) -> None:
        t.same("data", "output")
        t.label = t.data

    def forward(self, data: Tensor, label: Tensor) -> Tensor:
        rows = self._by_class(data)
        output = vectorized.softmax(rows, 1)
        return output if rows is data else output.view_as(data)

    def backward(self, label: Tensor, output: Tensor) -> Tensor:
        if label.shape == output.shape:
            d_data = (output - label) * self.grad_scale
        else:
            d_data = self._from_classes(label, self._by_class(output))
            d_data = d_data if d_data.shape == output.shape else d_data.view(output.shape)
        # MXNet 1.9.1 takes the output for the incoming gradient.
        return d_data * output if self.out_grad else d_data

    def _by_class(self, data: Tensor) -> Tensor:
        """`data` as (instances, classes), with `multi_output` (batch, classes, positions)."""
        if data.dim() == 2 and not self.multi_output:
            return data
        if self.multi_output:
            return data.reshape(*data.shape[:2], prod(data.shape[2:]))
        if self.preserve_shape:
            return data.reshape(prod(data.shape[:-1]), data.shape[-1])
        return data.reshape(data.shape[0], prod(data.shape[1:]))

    def _from_classes(self, label: Tensor, output: Tensor) -> Tensor:
        n_instances, n_classes, *positions = output.shape
        n_labels = n_instances * prod(positions)
        index = label.long()
        if CHECKS.on:
            ignored = int(self.ignore_label) if self.use_ignore else None
            check_range(index, output.shape[1], "SoftmaxOutput: label", ignored)
        if index.shape != (n_instances, *positions):
            index = index.flatten()[:n_labels].view(n_instances, *positions)
        alpha = 0.0 if self.multi_output else self.smooth_alpha
        other = alpha / max(n_classes - 1, 1)
        spread = output - other if other else output
        d_data = _less_at(spread, index, 1.0 - alpha - other)
        if self.use_ignore:
            d_data *= (index != int(self.ignore_label)).unsqueeze(1)
        scale = self._scale(index, output)
        return d_data if isinstance(scale, float) and scale == 1.0 else d_data.mul_(scale)

    def _scale(self, index: Tensor, output: Tensor) -> Tensor | float:
        if self.normalization == "valid":
            counts = index != int(self.ignore_label)
            return self.grad_scale / counts.sum().clamp(min=1)
        batch = output.shape[0] if self.normalization == "batch" else 1
        return self.grad_scale / (batch * prod(output.shape[2:]))


def _regression_shape(op: Op, s: Shapes) -> None:
    data = s.full("data")
    s.output = data
    label = s.known("label")
    if label is None:
        s.label = data[:1] if len(data) == 2 and data[1] == 1 else data
    elif not (is_known(label) and label[:1] == data[:1] and prod(label) == prod(data)):
        s.label = data


def _difference(label: Tensor, output: Tensor, grad_scale: float) -> tuple[Tensor, float]:
    """Prediction minus label, and the factor of the gradient: by instance, a mean over outputs."""
    n_outputs = label.numel() // label.shape[0] if label.shape[0] else 1
    return output - label.view_as(output), grad_scale / n_outputs


def _linear_gradient(label: Tensor, output: Tensor, *, grad_scale: float) -> Tensor:
    difference, scale = _difference(label, output, grad_scale)
    return difference * scale


def _sign_gradient(label: Tensor, output: Tensor, *, grad_scale: float) -> Tensor:
    difference, scale = _difference(label, output, grad_scale)
    return torch.where(difference > 0, scale, -scale).to(output.dtype)  # equal counts as below


@function_operator(
    "LinearRegressionOutput",
    "_sparse_LinearRegressionOutput",
    shape=_regression_shape,
    backward=_linear_gradient,
)
def linear_regression_output(data: Tensor, label: Tensor, *, grad_scale: float = 1.0) -> Tensor:
    """`data`; its gradient is that of half the squared error: ``data - label``.

    Args:
        data: predictions, (batch, …).
        label: what they should be: as many per instance.
        grad_scale: factor of the gradient, which is also divided by the outputs per instance.
    """
    return data.clone()


@function_operator(
    "MAERegressionOutput",
    "_sparse_MAERegressionOutput",
    shape=_regression_shape,
    backward=_sign_gradient,
)
def mae_regression_output(data: Tensor, label: Tensor, *, grad_scale: float = 1.0) -> Tensor:
    """`data`; its gradient is that of the absolute error: 1 above the label, else -1.

    Args:
        data: predictions, (batch, …).
        label: what they should be: as many per instance.
        grad_scale: factor of the gradient, which is also divided by the outputs per instance.
    """
    return data.clone()


@function_operator(
    "LogisticRegressionOutput",
    "_sparse_LogisticRegressionOutput",
    shape=_regression_shape,
    backward=_linear_gradient,
)
def logistic_regression_output(data: Tensor, label: Tensor, *, grad_scale: float = 1.0) -> Tensor:
    """Sigmoid of `data`; its gradient is that of the cross entropy: ``sigmoid(data) - label``.

    Args:
        data: scores, (batch, …).
        label: probabilities, or 0 and 1: as many per instance.
        grad_scale: factor of the gradient, which is also divided by the outputs per instance.
    """
    return data.sigmoid()


@operator("SVMOutput")
class SVMOutput(Op):
    """`data`; its gradient is that of a one-against-all hinge loss.

    Args:
        data: scores, (batch, classes).
        label: class numbers, (batch,).
        margin: scores of the right class should be above it, the others below its negative.
        regularization_coefficient: factor of the gradient.
        use_linear: the hinge itself (L1-SVM) instead of its square (L2-SVM).
    """

    margin: float = 1.0
    regularization_coefficient: float = 1.0
    use_linear: bool = False

    def infer_shape(self, s: Shapes) -> None:
        s.output = s.data
        s.label = s.data[:-1]

    def infer_dtype(self, t: DTypes) -> None:
        t.label, t.output = t.data, t.data

    def forward(self, data: Tensor, label: Tensor) -> Tensor:
        return data.clone()

    def backward(self, label: Tensor, output: Tensor) -> Tensor:
        index, inside = _inside(label.long().unsqueeze(-1), output.shape[-1])
        d_data = self._slope(output + self.margin)
        right = self._slope(self.margin - output.gather(-1, index)).neg_()
        return d_data.scatter_(-1, index, torch.where(inside, right, d_data.gather(-1, index)))

    def _slope(self, violation: Tensor) -> Tensor:
        if self.use_linear:
            return violation.gt_(0).mul_(self.regularization_coefficient)
        return relu_(violation).mul_(2 * self.regularization_coefficient)


def _cross_entropy_shape(op: Op, s: Shapes) -> None:
    for name, axes in (("data", 2), ("label", 1)):
        if s.known(name) is None:  # MXNet learns neither from the other
            raise s.fail(f"{name} has an unknown shape: it must have {axes} dimensions")
        s.rank(name, axes)
    s.label = s.data[:1]
    s.data = (*s.label, *s.data[1:])
    s.output = (1,)


def _cross_entropy_gradient(d_output: Tensor, data: Tensor, label: Tensor) -> Tensor:
    return _less_at(vectorized.softmax(data, 1), label.long(), 1.0) * d_output


# The gradient is that of the exact logarithm, where forward bounds it.
@function_operator(
    "softmax_cross_entropy", shape=_cross_entropy_shape, backward=_cross_entropy_gradient
)
def softmax_cross_entropy(data: Tensor, label: Tensor) -> Tensor:
    """Sum over the batch of ``-log(softmax(data))`` at the labels, shape (1,).

    Args:
        data: scores, (batch, classes).
        label: class numbers, (batch,).
    """
    index, inside = _inside(label.long(), data.shape[1])
    right = vectorized.softmax(data, 1).gather(1, index.unsqueeze(1)).squeeze(1)
    return -(right * inside).clamp(min=1e-8).log().sum().view(1)
