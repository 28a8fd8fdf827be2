# SPDX-License-Identifier: Apache-2.0
"""Batch normalisation: each channel scaled to mean 0 and variance 1 over the batch."""

from __future__ import annotations

import functools

import torch
from torch import Tensor

from ...base.errors import MXNetError
from ...base.params import REQUIRED, Double
from ..declaration import operator
from ..dtypes import dtype_name
from ..infer import DTypes, Shapes
from ..record import Op

_STATISTICS = ("gamma", "beta", "moving_mean", "moving_var")


class _BatchNorm(Op):
    """Channels along `axis`.

    The older operators give the variance as output var, the newer ones ``1 / sqrt(var + eps)``; the
    older ones set a fixed gamma in every pass, the newer ones only in training.
    """

    eps: float
    momentum: float
    fix_gamma: bool
    use_global_stats: bool
    output_mean_var: bool
    axis: int = 1
    older = False

    aux = ("moving_mean", "moving_var")
    initializers = {"moving_mean": '["zero", {}]', "moving_var": '["one", {}]'}  # noqa: RUF012 - constants

    def outputs(self) -> tuple[str, ...]:
        return ("output", "mean", "var")

    def n_visible(self) -> int:
        return 3 if self.output_mean_var else 1

    def infer_shape(self, s: Shapes) -> None:
        channels = s.data[s.axis("data", self.axis)]
        s.output = s.data
        for name in (*_STATISTICS, "mean", "var"):
            s[name] = (channels,)

    def infer_dtype(self, t: DTypes) -> None:
        t.same("data", "output")
        if not t.data.is_floating_point:
            raise MXNetError(f"{self.name}: data has type {dtype_name(t.data)}, not a float")
        half = t.data.itemsize < 4
        for name in (*_STATISTICS, "mean", "var"):
            t[name] = torch.float32 if half else t.data

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
        x = _channels_second(data, self.axis)
        weight = None if self.fix_gamma else gamma
        if self.fix_gamma and (train or self.older):
            gamma.data.fill_(1.0)  # so that saved parameters say what was used
        if self.use_global_stats or not train:
            output = torch.batch_norm(
                x, weight, beta, moving_mean, moving_var, False, 0.0, self.eps, True
            )
            mean, var = moving_mean, moving_var
            if self.output_mean_var and not self.older:
                var = (moving_var + self.eps).rsqrt()
        else:
            output, mean, var = torch.native_batch_norm(
                x, weight, beta, None, None, True, 0.0, self.eps
            )
            if output.requires_grad:
                # MXNet moves its statistics in backward, not in forward.
                output.register_hook(  # type: ignore[no-untyped-call]
                    functools.partial(self._move, mean, var, moving_mean, moving_var)
                )
            if self.output_mean_var and self.older:
                var = var.pow(-2) - self.eps
        return output if x is data else output.reshape(data.shape), mean, var

    def _move(
        self,
        mean: Tensor,
        inverse_std: Tensor,
        moving_mean: Tensor,
        moving_var: Tensor,
        _d_output: Tensor,
    ) -> None:
        with torch.no_grad():
            moving_mean.lerp_(mean, 1 - self.momentum)
            moving_var.lerp_(inverse_std.pow(-2).sub_(self.eps), 1 - self.momentum)


def _channels_second(x: Tensor, axis: int) -> Tensor:
    if axis == 1:
        return x
    axis %= x.ndim
    return x.flatten(0, axis - 1) if axis else x.unsqueeze(0)


@operator("BatchNorm", "_npx_batch_norm")
class BatchNorm(_BatchNorm):
    """``(data - mean) / sqrt(var + eps) * gamma + beta`` with mean and variance of each channel.

    In training passes they are those of the batch, and the backward pass moves the moving ones
    towards them; otherwise they are the moving ones. The variance is that of the batch itself, not
    an estimate of the population's.

    Ioffe, Szegedy, "Batch normalization: accelerating deep network training by reducing internal
    covariate shift", 2015.

    Args:
        data: floats, channels along `axis`.
        gamma: scale (channels,); float32 when data is float16.
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
        min_calib_range: lower bound of the output when it gets quantised.
        max_calib_range: upper bound of the output when it gets quantised.
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


@operator("_contrib_BatchNormWithReLU")
class BatchNormWithReLU(_BatchNorm):
    """BatchNorm followed by relu.

    Args:
        data: floats, channels along `axis`.
        gamma: scale (channels,).
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
        min_calib_range: lower bound of the output when it gets quantised.
        max_calib_range: upper bound of the output when it gets quantised.
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


@operator("BatchNorm_v1")
class BatchNormV1(_BatchNorm):
    """BatchNorm of channels along axis 1, as files of early MXNet name it.

    Args:
        data: floats (batch, channels, …).
        gamma: scale (channels,).
        beta: shift (channels,).
        moving_mean: mean over past batches (channels,), an auxiliary state.
        moving_var: variance over past batches (channels,), an auxiliary state.
        eps: added to the variance.
        momentum: share of the old statistics that a step keeps.
        fix_gamma: gamma is 1 and gets no gradient.
        use_global_stats: use the moving statistics in training too.
        output_mean_var: also show the mean and the variance that were used.
    """

    eps: float = 1e-3
    momentum: float = 0.9
    fix_gamma: bool = True
    use_global_stats: bool = False
    output_mean_var: bool = False
    older = True


@operator("_contrib_SyncBatchNorm")
class SyncBatchNorm(_BatchNorm):
    """BatchNorm of channels along axis 1, with the statistics of this process's batch.

    Args:
        data: floats (batch, channels, …).
        gamma: scale (channels,).
        beta: shift (channels,).
        moving_mean: mean over past batches (channels,), an auxiliary state.
        moving_var: variance over past batches (channels,), an auxiliary state.
        eps: added to the variance.
        momentum: share of the old statistics that a step keeps.
        fix_gamma: gamma is 1 and gets no gradient.
        use_global_stats: use the moving statistics in training too.
        output_mean_var: also show the mean and the variance that were used.
        ndev: number of devices that train together; without effect.
        key: name that the devices share; without effect.
    """

    eps: float = 1e-3
    momentum: float = 0.9
    fix_gamma: bool = True
    use_global_stats: bool = False
    output_mean_var: bool = False
    ndev: int = 1
    key: str = REQUIRED
    older = True
