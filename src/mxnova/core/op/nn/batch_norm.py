# SPDX-License-Identifier: Apache-2.0
"""Batch normalization: each channel scaled to mean 0 and variance 1 over the batch."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from ...base.errors import MXNetError, argument_error
from ...base.parameter_types import REQUIRED
from ...base.params import Double
from ...runtime.torch_cudnn import normalized_batch
from ...runtime.torch_optimizers import foreach
from ..declaration import operator
from ..dtypes import dtype_name
from ..infer import DTypes, Shapes
from ..optimizer.step import of_equal
from ..schema import Op
from ..traits import InputShapes, ItemAxes, batch_apart

__all__ = ["BatchNorm", "BatchNormBase", "BatchNormWithReLU", "keeps_float32"]

_STATISTICS = ("gamma", "beta", "moving_mean", "moving_var")


def keeps_float32(dtype: torch.dtype) -> bool:
    """Whether parameters and statistics are float32 beside data of an element type: a short one."""
    return dtype.is_floating_point and dtype.itemsize < 4


class BatchNormBase(Op):
    """Channels along `axis`.

    The older operators give the variance as output var, the newer ones ``1 / sqrt(var + eps)``.

    Args:
        data: floats, channels along `axis`.
        gamma: scale (channels,), set to 1 where it is fixed; float32 beside float16 and bfloat16.
        beta: shift (channels,).
        moving_mean: mean over past batches (channels,), an auxiliary state.
        moving_var: variance over past batches (channels,), an auxiliary state.
        eps: added to the variance.
        momentum: share of the old statistics that a step keeps.
        fix_gamma: gamma is 1 and gets no gradient.
        use_global_stats: use the moving statistics in training too.
        output_mean_var: also show the mean and ``1 / sqrt(var + eps)`` that were used.
        axis: axis of the channels.
        cudnn_off: without effect.
        min_calib_range: lower bound of the output when it gets quantized.
        max_calib_range: upper bound of the output when it gets quantized.
    """

    eps: Double = 0.0010000000474974513
    momentum: float = 0.9
    fix_gamma: bool = True
    use_global_stats: bool = False
    output_mean_var: bool = False
    axis: int = 1
    cudnn_off: bool = False
    min_calib_range: float | None = None
    max_calib_range: float | None = None
    older = False

    aux = ("moving_mean", "moving_var")
    is_fresh = True
    writes_in_backward = aux
    initializers = {"moving_mean": '["zero", {}]', "moving_var": '["one", {}]'}  # noqa: RUF012 - constants

    @property
    def writes(self) -> tuple[str, ...]:  # type: ignore[override]
        """A fixed gamma, so that saved parameters say what was used."""
        return ("gamma",) if self.fix_gamma else ()

    def item_axis(self, axes: ItemAxes, shapes: InputShapes) -> int | None:
        apart = self.axis != 0 and not self.output_mean_var
        return batch_apart(self, axes, shapes) if apart else None

    def outputs(self) -> tuple[str, ...]:
        return ("output", "mean", "var")

    def n_visible(self) -> int:
        return 3 if self.output_mean_var else 1

    def infer_shape(self, s: Shapes) -> None:
        channels = s.data[s.axis("data", self.axis)]
        s.output = s.data
        for name in (*_STATISTICS, "mean", "var"):
            s[name] = (channels,)

    def shape_advice(self, s: Shapes, name: str) -> str:
        """Where data has other channels than the statistics."""
        if name not in _STATISTICS:
            return ""
        data, wanted = s.full("data"), s.full(name)[0]
        channels = data[s.axis("data", self.axis)]
        where = f"data has {channels} channels along axis={self.axis}, {name} is for {wanted}"
        fitting = [axis for axis, size in enumerate(data) if size == wanted and axis]
        if fitting:
            return f"{where}; axis={fitting[-1]} has {wanted}"
        return f"{where}: make the layer with in_channels={channels}"

    def infer_dtype(self, t: DTypes) -> None:
        t.same("data", "output")
        if not t.data.is_floating_point:
            raise MXNetError(f"{self.name}: data has type {dtype_name(t.data)}, not a float")
        for name in (*_STATISTICS, "mean", "var"):
            t[name] = torch.float32 if keeps_float32(t.data) else t.data

    def infer_stype(self, stypes: Sequence[str]) -> tuple[str, ...]:
        """Refuse sparse arrays beside a fixed gamma, as MXNet does."""
        for name, stype in zip(self.inputs(), stypes, strict=True):
            if stype != "default" and self.fix_gamma and not self.older:
                raise argument_error(self.name, name, stype, "must be dense with fix_gamma=True")
        return super().infer_stype(stypes)

    def forward(
        self,
        data: Tensor,
        gamma: Tensor,
        beta: Tensor,
        moving_mean: Tensor,
        moving_var: Tensor,
        *,
        train: bool,
    ) -> tuple[Tensor, Tensor, Tensor]:
        if data.is_mkldnn:
            return self._in_blocks(data, gamma, beta)
        x = _channels_second(data, self.axis)
        # Without a weight ATen's gradients on CUDA have no beta.
        weight = gamma.data.fill_(1.0) if self.fix_gamma else gamma
        if self._moves(train):
            if not x.is_contiguous() and x.stride(1) != 1:
                x = x.contiguous()  # ATen sums a part of an array with five times the rounding
            output, mean, var = normalized_batch(x, weight, beta, self.eps)
            if self.output_mean_var and self.older:
                var = var.pow(-2) - self.eps
        else:
            output = torch.batch_norm(
                x, weight, beta, moving_mean, moving_var, False, 0.0, self.eps, True
            )
            mean, var = moving_mean, moving_var
            if self.output_mean_var and not self.older:
                var = (moving_var + self.eps).rsqrt()
        return output if x is data else output.reshape(data.shape), mean, var

    def folded(
        self, weight: Tensor, bias: Tensor | None, statistics: Sequence[Tensor]
    ) -> tuple[Tensor, Tensor]:
        """Weight and bias of a layer that does outside training what it and this do one by one.

        Args:
            weight: (filters, …), of the layer before.
            bias: (filters,), of the layer before; None: zeros.
            statistics: gamma, beta, mean and variance of its channels, which are the filters.
        """
        gamma, beta, mean, variance = statistics
        deviation = torch.sqrt(variance + self.eps)
        scale = (torch.ones_like(gamma) if self.fix_gamma else gamma) / deviation
        moved = -mean if bias is None else bias - mean
        return weight * scale.reshape(-1, *[1] * (weight.dim() - 1)), beta + scale * moved

    def _in_blocks(
        self, data: Tensor, gamma: Tensor, beta: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """A training pass for images in oneDNN's layout, where mean and variance remain, too."""
        if self.fix_gamma:
            gamma = gamma.data.fill_(1.0)
        output, mean, var = torch.native_batch_norm(
            data, gamma, beta, None, None, True, 0.0, self.eps
        )
        return output, mean, var

    def _moves(self, train: bool) -> bool:
        """Whether the statistics are those of the batch, which the moving ones follow."""
        return train and not self.use_global_stats

    def on_backward(
        self, inputs: Sequence[Tensor], further: Sequence[Tensor], **facts: Any
    ) -> Callable[[], None] | None:
        """Moves the statistics: MXNet does so in backward, not in forward."""
        if not self._moves(facts["train"]):
            return None
        mean, var = (t.detach() for t in further)
        eps = None if self.output_mean_var and self.older else self.eps
        if var.is_mkldnn:
            mean, var, eps = mean.to_dense(), var.to_dense(), None
        return _Move(1 - self.momentum, eps, mean, var, *inputs[3:])


@dataclass(frozen=True, slots=True)
class _Move:
    """Moves statistics toward those of a batch, on a GPU those of all layers at once.

    Attributes:
        share: of the way.
        eps: with it `var` is ``1 / sqrt(variance + eps)``; None: it is the variance.
    """

    share: float
    eps: float | None
    mean: Tensor
    var: Tensor
    moving_mean: Tensor
    moving_var: Tensor

    @property
    def on_gpu(self) -> bool:
        return self.moving_mean.is_cuda

    def __call__(self) -> None:
        var = self.var if self.eps is None else self.var.pow(-2).sub_(self.eps)
        self.moving_mean.lerp_(self.mean, self.share)
        self.moving_var.lerp_(var, self.share)

    @staticmethod
    def all(moves: Sequence[_Move]) -> None:
        """Several, in few kernels: those after one another that write to the same memory."""
        for apart in _apart(moves):
            _Move._at_once(apart)

    @staticmethod
    def _at_once(moves: Sequence[_Move]) -> None:
        columns = [
            [m.mean for m in moves],
            [m.var for m in moves],
            [m.moving_mean for m in moves],
            [m.moving_var for m in moves],
        ]
        for (share, eps), tensors in of_equal([(m.share, m.eps) for m in moves], columns):
            means, variances, moving_means, moving_variances = tensors
            if eps is not None:
                variances = foreach.pow(variances, -2)
                foreach.sub_(variances, eps)
            foreach.lerp_(moving_means, means, share)
            foreach.lerp_(moving_variances, variances, share)


def _apart(moves: Iterable[_Move]) -> Iterable[Sequence[_Move]]:
    """Groups of moves that write to memory of their own each, in an order that keeps theirs."""
    written: defaultdict[int, int] = defaultdict(int)  # by address: in how many groups
    groups: dict[int, list[_Move]] = {}
    for move in moves:
        places = move.moving_mean.data_ptr(), move.moving_var.data_ptr()
        at = max(written[p] for p in places)
        written |= dict.fromkeys(places, at + 1)
        groups.setdefault(at, []).append(move)
    return groups.values()


def _channels_second(x: Tensor, axis: int) -> Tensor:
    if axis == 1:
        return x
    axis %= x.ndim
    return x.flatten(0, axis - 1) if axis else x.unsqueeze(0)


@operator("BatchNorm", "_npx_batch_norm")
class BatchNorm(BatchNormBase):
    """``(data - mean) / sqrt(var + eps) * gamma + beta`` with mean and variance of each channel.

    In training passes they are those of the batch, and the backward pass moves the moving ones
    toward them; otherwise they are the moving ones. The variance is that of the batch itself, not
    an estimate of the population's.

    Ioffe, Szegedy, "Batch normalization: accelerating deep network training by reducing internal
    covariate shift", 2015.
    """


@operator("_contrib_BatchNormWithReLU")
class BatchNormWithReLU(BatchNormBase):
    """BatchNorm followed by relu."""

    def forward(
        self,
        data: Tensor,
        gamma: Tensor,
        beta: Tensor,
        moving_mean: Tensor,
        moving_var: Tensor,
        *,
        train: bool,
    ) -> tuple[Tensor, Tensor, Tensor]:
        output, mean, var = super().forward(data, gamma, beta, moving_mean, moving_var, train=train)
        return torch.relu(output), mean, var


class _OlderBatchNorm(BatchNormBase):
    """BatchNorm of channels along axis 1.

    Args:
        output_mean_var: also show the mean and the variance that were used.
    """

    eps: float = 1e-3
    momentum: float = 0.9
    fix_gamma: bool = True
    use_global_stats: bool = False
    output_mean_var: bool = False
    older = True


@operator("BatchNorm_v1", by_name_only=("moving_mean", "moving_var"))
class BatchNormV1(_OlderBatchNorm):
    """BatchNorm of channels along axis 1, as files of early MXNet name it."""


@operator("_contrib_SyncBatchNorm", extends=True)
class SyncBatchNorm(_OlderBatchNorm):
    """BatchNorm of channels along axis 1, with the statistics of this process's batch.

    Args:
        ndev: number of devices that train together; without effect.
        key: name that the devices share; without effect.
    """

    ndev: int = 1
    key: str = REQUIRED
