# SPDX-License-Identifier: Apache-2.0
"""Blocks side by side, embeddings in sparse form, synchronized BatchNorm, pixel shuffling."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from .... import ndarray as nd
from ....context import num_gpus
from ....core.base.errors import AssertedError, shown
from ....core.base.user_warnings import warn_user
from ....initializer import Initializer
from ...block import Block, HybridBlock
from ...nn import BatchNorm, HybridSequential, Sequential

__all__ = [
    "Concurrent",
    "HybridConcurrent",
    "Identity",
    "PixelShuffle1D",
    "PixelShuffle2D",
    "PixelShuffle3D",
    "SparseEmbedding",
    "SyncBatchNorm",
]


class Concurrent(Sequential):
    """Blocks that get the same input; their outputs are put together.

    Args:
        axis: along which outputs are put together.
        prefix: of the block's name.
        params: of another block, to be shared.
    """

    def __init__(self, axis: int = -1, prefix: str | None = None, params: Any = None) -> None:
        super().__init__(prefix=prefix, params=params)
        self.axis = axis

    def forward(self, x: Any) -> Any:
        """Apply all blocks to `x` and concatenate their outputs."""
        return nd.concat(*[block(x) for block in self._children.values()], dim=self.axis)


class HybridConcurrent(HybridSequential):
    """Hybrid blocks that get the same input; arguments as for Concurrent."""

    def __init__(self, axis: int = -1, prefix: str | None = None, params: Any = None) -> None:
        super().__init__(prefix=prefix, params=params)
        self.axis = axis

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Apply all blocks to `x` and concatenate their outputs."""
        return F.concat(*[block(x) for block in self._children.values()], dim=self.axis)


class Identity(HybridBlock):
    """The input itself: a way around, in a HybridConcurrent."""

    def __init__(self, prefix: str | None = None, params: Any = None) -> None:
        super().__init__(prefix=prefix, params=params)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return x


class SparseEmbedding(Block):
    """Rows of a table that is row_sparse, as is its gradient; a Trainer fetches the rows needed.

    Args:
        input_dim: number of rows.
        output_dim: size of a row.
        dtype: of the table.
        weight_initializer: of the table.
    """

    def __init__(
        self,
        input_dim: int,
        output_dim: int,
        dtype: Any = "float32",
        weight_initializer: str | Initializer | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._kwargs = {
            "input_dim": input_dim,
            "output_dim": output_dim,
            "dtype": dtype,
            "sparse_grad": True,
        }
        self.weight = self.params.get(
            "weight",
            shape=(input_dim, output_dim),
            init=weight_initializer,
            dtype=dtype,
            grad_stype="row_sparse",
            stype="row_sparse",
        )

    def forward(self, x: Any) -> Any:
        """Map indices of shape ``(...)`` to vectors ``(..., output_dim)``."""
        weight = self.weight.row_sparse_data(x)
        return nd.Embedding(x, weight, name="fwd", **self._kwargs)

    def __repr__(self) -> str:
        return "{0}({input_dim} -> {output_dim}, {dtype})".format(
            type(self).__name__, **self._kwargs
        )


class SyncBatchNorm(BatchNorm):
    """BatchNorm that MXNet computes over the samples on all devices; channels on axis 1.

    Here the statistics are those of each device alone: with more than one a warning says so.

    Args:
        in_channels: number of channels; 0: as the first input tells.
        num_devices: number of devices that a batch is split over; None: that of GPUs.
        momentum: how much of the running statistics an update keeps.
        epsilon: added to the variance.
        center: whether the offset `beta` is learned.
        scale: whether the scale `gamma` is learned; it is 1 otherwise.
        use_global_stats: whether training takes the running statistics, too.
        beta_initializer: of `beta`.
        gamma_initializer: of `gamma`.
        running_mean_initializer: of the running mean.
        running_variance_initializer: of the running variance.
    """

    def __init__(
        self,
        in_channels: int = 0,
        num_devices: int | None = None,
        momentum: float = 0.9,
        epsilon: float = 1e-5,
        center: bool = True,
        scale: bool = True,
        use_global_stats: bool = False,
        beta_initializer: str | Initializer | None = "zeros",
        gamma_initializer: str | Initializer | None = "ones",
        running_mean_initializer: str | Initializer | None = "zeros",
        running_variance_initializer: str | Initializer | None = "ones",
        **kwargs: Any,
    ) -> None:
        super().__init__(
            1,
            momentum,
            epsilon,
            center,
            scale,
            use_global_stats,
            beta_initializer,
            gamma_initializer,
            running_mean_initializer,
            running_variance_initializer,
            in_channels,
            **kwargs,
        )
        del self._kwargs["axis"]
        self._kwargs["ndev"] = self._get_num_devices() if num_devices is None else num_devices
        self._kwargs["key"] = self.prefix
        if self._kwargs["ndev"] > 1:
            warn_user(
                f"{self.prefix!r}: the statistics will be those of each device, not of all "
                f"{self._kwargs['ndev']} together",
            )

    def _get_num_devices(self) -> int:
        warn_user(f"{self.prefix!r}: num_devices is not given, all GPUs are meant")
        return max(num_gpus(), 1)

    def hybrid_forward(
        self,
        F: Any,
        x: Any,
        gamma: Any,
        beta: Any,
        running_mean: Any,
        running_var: Any,
    ) -> Any:
        return F.contrib.SyncBatchNorm(
            x, gamma, beta, running_mean, running_var, name="fwd", **self._kwargs
        )


class _PixelShuffle(HybridBlock):
    """``(n, f1 f2 ... c, d1, d2, ...)`` gives ``(n, c, f1 d1, f2 d2, ...)``."""

    def __init__(self, factors: Sequence[int]) -> None:
        super().__init__()
        self._factors = tuple(factors)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        factors, n = self._factors, len(self._factors)
        spatial = (0,) * n
        x = F.reshape(x, (0, -4, -1, math.prod(factors), *spatial))
        for i in range(n - 1):
            split = (-4, factors[i], math.prod(factors[i + 1 :]))
            x = F.reshape(x, (0, 0, *(0,) * i, *split, *spatial))
        pairs = (axis for i in range(n) for axis in (2 + n + i, 2 + i))
        return F.reshape(F.transpose(x, axes=(0, 1, *pairs)), (0, 0, *(-3,) * n))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._factors})"


def _factors(layer: object, factor: int | Sequence[int], dimensions: int) -> tuple[int, ...]:
    try:
        return (int(factor),) * dimensions  # type: ignore[arg-type]
    except TypeError:
        factors = tuple(int(f) for f in factor)  # type: ignore[union-attr]
    if len(factors) != dimensions:
        raise AssertedError(
            f"{type(layer).__name__}: factor={shown(factor)}: expected a number or {dimensions} "
            f"of them, got {len(factors)}"
        )
    return factors


class PixelShuffle1D(_PixelShuffle):
    """Move channels into space: ``(n, f c, w)`` → ``(n, c, f w)`` (arXiv:1609.05158).

    Args:
        factor: f.
    """

    def __init__(self, factor: int) -> None:
        super().__init__((int(factor),))
        self._factor = int(factor)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._factor})"


class PixelShuffle2D(_PixelShuffle):
    """Move channels into space: ``(n, f1 f2 c, h, w)`` → ``(n, c, f1 h, f2 w)``.

    Args:
        factor: f1 and f2, or one number for both.
    """

    def __init__(self, factor: int | Sequence[int]) -> None:
        super().__init__(_factors(self, factor, 2))


class PixelShuffle3D(_PixelShuffle):
    """Move channels into space: ``(n, f1 f2 f3 c, d, h, w)`` → ``(n, c, f1 d, f2 h, f3 w)``.

    Args:
        factor: f1, f2 and f3, or one number for all.
    """

    def __init__(self, factor: int | Sequence[int]) -> None:
        super().__init__(_factors(self, factor, 3))
