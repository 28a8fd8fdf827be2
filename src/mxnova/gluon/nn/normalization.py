# SPDX-License-Identifier: Apache-2.0
"""Layers that normalize: over the batch, over an instance, over channels or groups of them.

Each learns a scale `gamma` and an offset `beta` unless told not to; they are parameters all the
same, without gradients, so that files of either kind fit.
"""

from __future__ import annotations

from typing import Any

from ...core.op.dtypes import torch_dtype
from ...core.op.nn.batch_norm import keeps_float32
from ...initializer import Initializer
from ..block import HybridBlock
from ..parameter import Parameter

__all__ = ["BatchNorm", "BatchNormReLU", "GroupNorm", "InstanceNorm", "LayerNorm"]

_Init = str | Initializer | None


class _Normalization(HybridBlock):
    """The base of normalization layers: parameters of one axis, and their representation."""

    _kwargs: dict[str, Any]

    def _parameter(
        self, name: str, size: int, init: _Init, learned: bool, differentiable: bool = True
    ) -> Parameter:
        return self.params.get(
            name,
            grad_req="write" if learned else "null",
            shape=(size,),
            init=init,
            allow_deferred_init=True,
            differentiable=differentiable,
        )

    def _shown(self, **more: Any) -> str:
        items = {**self._kwargs, **more}.items()
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in items)})"


class _BatchNorm(_Normalization):
    """BatchNorm, with ReLU after it where `fuse_relu` says so."""

    def __init__(
        self,
        axis: int = 1,
        momentum: float = 0.9,
        epsilon: float = 1e-5,
        center: bool = True,
        scale: bool = True,
        use_global_stats: bool = False,
        fuse_relu: bool = False,
        beta_initializer: _Init = "zeros",
        gamma_initializer: _Init = "ones",
        running_mean_initializer: _Init = "zeros",
        running_variance_initializer: _Init = "ones",
        in_channels: int = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._kwargs = {
            "axis": axis,
            "eps": epsilon,
            "momentum": momentum,
            "fix_gamma": not scale,
            "use_global_stats": use_global_stats,
        }
        self.fuse_relu = fuse_relu
        if in_channels:
            self.in_channels = in_channels
        size, new = in_channels, self._parameter
        self.gamma = new("gamma", size, gamma_initializer, scale, scale)
        self.beta = new("beta", size, beta_initializer, center, center)
        self.running_mean = new("running_mean", size, running_mean_initializer, False, False)
        self.running_var = new("running_var", size, running_variance_initializer, False, False)

    def cast(self, dtype: Any) -> None:
        """Cast the parameters to a dtype; for float16 and bfloat16 they stay float32."""
        super().cast("float32" if keeps_float32(torch_dtype(dtype)) else dtype)

    def hybrid_forward(
        self,
        F: Any,
        x: Any,
        gamma: Any,
        beta: Any,
        running_mean: Any,
        running_var: Any,
    ) -> Any:
        normalize = F.contrib.BatchNormWithReLU if self.fuse_relu else F.BatchNorm
        return normalize(x, gamma, beta, running_mean, running_var, name="fwd", **self._kwargs)

    def __repr__(self) -> str:
        return self._shown(in_channels=self.gamma._sizes[0] or None)


def _init(fuse_relu: bool) -> Any:
    """The `__init__` of the public classes: without an argument for ReLU."""

    def __init__(  # noqa: N807 - a method
        self: _BatchNorm,
        axis: int = 1,
        momentum: float = 0.9,
        epsilon: float = 1e-5,
        center: bool = True,
        scale: bool = True,
        use_global_stats: bool = False,
        beta_initializer: _Init = "zeros",
        gamma_initializer: _Init = "ones",
        running_mean_initializer: _Init = "zeros",
        running_variance_initializer: _Init = "ones",
        in_channels: int = 0,
        **kwargs: Any,
    ) -> None:
        _BatchNorm.__init__(
            self,
            axis,
            momentum,
            epsilon,
            center,
            scale,
            use_global_stats,
            fuse_relu,
            beta_initializer,
            gamma_initializer,
            running_mean_initializer,
            running_variance_initializer,
            in_channels,
            **kwargs,
        )

    __init__.__qualname__ = "BatchNormReLU.__init__" if fuse_relu else "BatchNorm.__init__"
    return __init__


class BatchNorm(_BatchNorm):
    """Normalizes over all axes but one (Ioffe & Szegedy, https://arxiv.org/abs/1502.03167).

    Mean and variance are the batch's when training, and running ones, which training updates,
    otherwise. Output as input.

    Args:
        axis: the axis of channels: 1 for NCHW, -1 for NHWC.
        momentum: how much of the running statistics an update keeps.
        epsilon: added to the variance.
        center: whether the offset `beta` is learned.
        scale: whether the scale `gamma` is learned; it is 1 otherwise.
        use_global_stats: whether training takes the running statistics, too.
        beta_initializer: of `beta`.
        gamma_initializer: of `gamma`.
        running_mean_initializer: of the running mean.
        running_variance_initializer: of the running variance.
        in_channels: number of channels; 0: as the first input tells.

    Example:
        >>> layer = mx.gluon.nn.BatchNorm()
        >>> layer.initialize()
        >>> layer(mx.nd.ones((2, 4, 3))).shape
        (2, 4, 3)
    """

    __init__ = _init(fuse_relu=False)


class BatchNormReLU(_BatchNorm):
    """BatchNorm and ReLU as one operator; arguments as for BatchNorm.

    Args:
        axis: along which axis.
        momentum: share of the old statistics that a step keeps.
        epsilon: added to the variance.
        center: add beta.
        scale: multiply by gamma.
        use_global_stats: use the moving statistics in training, too.
        beta_initializer: of beta.
        gamma_initializer: of gamma.
        running_mean_initializer: of the moving mean.
        running_variance_initializer: of the moving variance.
        in_channels: of the input; 0: found at the first call.
        **kwargs: ``prefix`` and ``params``, as of every block.

    Example:
        >>> layer = mx.gluon.nn.BatchNormReLU()
        >>> layer.initialize()
        >>> layer(mx.nd.ones((2, 4, 3))).shape
        (2, 4, 3)
    """

    __init__ = _init(fuse_relu=True)


class InstanceNorm(_Normalization):
    """Normalizes each channel of each sample (Ulyanov et al., https://arxiv.org/abs/1607.08022).

    Args:
        axis: the axis of channels.
        epsilon: added to the variance.
        center: whether the offset `beta` is learned.
        scale: whether the scale `gamma` is learned.
        beta_initializer: of `beta`.
        gamma_initializer: of `gamma`.
        in_channels: number of channels; 0: as the first input tells.

    Example:
        >>> layer = mx.gluon.nn.InstanceNorm()
        >>> layer.initialize()
        >>> layer(mx.nd.ones((2, 4, 3))).shape
        (2, 4, 3)
    """

    def __init__(
        self,
        axis: int = 1,
        epsilon: float = 1e-5,
        center: bool = True,
        scale: bool = False,
        beta_initializer: _Init = "zeros",
        gamma_initializer: _Init = "ones",
        in_channels: int = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._kwargs = {"eps": epsilon, "axis": axis, "center": center, "scale": scale}
        self._axis = axis
        self._epsilon = epsilon
        self.gamma = self._parameter("gamma", in_channels, gamma_initializer, scale)
        self.beta = self._parameter("beta", in_channels, beta_initializer, center)

    def hybrid_forward(self, F: Any, x: Any, gamma: Any, beta: Any) -> Any:
        if self._axis == 1:
            return F.InstanceNorm(x, gamma, beta, name="fwd", eps=self._epsilon)
        x = F.swapaxes(x, dim1=1, dim2=self._axis)
        x = F.InstanceNorm(x, gamma, beta, name="fwd", eps=self._epsilon)
        return F.swapaxes(x, dim1=1, dim2=self._axis)

    def __repr__(self) -> str:
        return self._shown(in_channels=self.gamma._sizes[0])


class LayerNorm(_Normalization):
    """Normalizes along one axis (Ba et al., https://arxiv.org/abs/1607.06450).

    Args:
        axis: the axis.
        epsilon: added to the variance.
        center: whether the offset `beta` is learned.
        scale: whether the scale `gamma` is learned.
        beta_initializer: of `beta`.
        gamma_initializer: of `gamma`.
        in_channels: size of the axis; 0: as the first input tells.
        prefix: of the block's name.
        params: of another block, to be shared.

    Example:
        >>> layer = mx.gluon.nn.LayerNorm()
        >>> layer.initialize()
        >>> layer(mx.nd.ones((2, 4, 3))).shape
        (2, 4, 3)
    """

    def __init__(
        self,
        axis: int = -1,
        epsilon: float = 1e-5,
        center: bool = True,
        scale: bool = True,
        beta_initializer: _Init = "zeros",
        gamma_initializer: _Init = "ones",
        in_channels: int = 0,
        prefix: str | None = None,
        params: Any = None,
    ) -> None:
        super().__init__(prefix=prefix, params=params)
        self._kwargs = {"eps": epsilon, "axis": axis, "center": center, "scale": scale}
        self._axis = axis
        self._epsilon = epsilon
        self._center = center
        self._scale = scale
        self.gamma = self._parameter("gamma", in_channels, gamma_initializer, scale)
        self.beta = self._parameter("beta", in_channels, beta_initializer, center)

    def hybrid_forward(self, F: Any, data: Any, gamma: Any, beta: Any) -> Any:
        return F.LayerNorm(data, gamma, beta, axis=self._axis, eps=self._epsilon)

    def __repr__(self) -> str:
        return self._shown(in_channels=self.gamma._sizes[0])


class GroupNorm(_Normalization):
    """Normalizes groups of channels, ``(n, c, ...)`` (Wu & He, https://arxiv.org/abs/1803.08494).

    Args:
        num_groups: number of groups, which the number of channels is a multiple of.
        epsilon: added to the variance.
        center: whether the offset `beta`, one for each group, is learned.
        scale: whether the scale `gamma`, one for each group, is learned.
        beta_initializer: of `beta`.
        gamma_initializer: of `gamma`.
        prefix: of the block's name.
        params: of another block, to be shared.

    Example:
        >>> layer = mx.gluon.nn.GroupNorm()
        >>> layer.initialize()
        >>> layer(mx.nd.ones((2, 4, 3))).shape
        (2, 4, 3)
    """

    def __init__(
        self,
        num_groups: int = 1,
        epsilon: float = 1e-5,
        center: bool = True,
        scale: bool = True,
        beta_initializer: _Init = "zeros",
        gamma_initializer: _Init = "ones",
        prefix: str | None = None,
        params: Any = None,
    ) -> None:
        super().__init__(prefix=prefix, params=params)
        self._kwargs = {"eps": epsilon, "num_groups": num_groups, "center": center, "scale": scale}
        self._num_groups = num_groups
        self._epsilon = epsilon
        self._center = center
        self._scale = scale
        self.gamma = self._parameter("gamma", num_groups, gamma_initializer, scale)
        self.beta = self._parameter("beta", num_groups, beta_initializer, center)

    def hybrid_forward(self, F: Any, data: Any, gamma: Any, beta: Any) -> Any:
        return F.GroupNorm(data, gamma, beta, num_groups=self._num_groups, eps=self._epsilon)

    def __repr__(self) -> str:
        return self._shown()
