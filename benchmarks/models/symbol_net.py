# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: D102 - Net documents the methods
"""Networks as Symbols of mxnova or MXNet."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.models.parameters import is_auxiliary, parameters_of

__all__ = ["SymbolNet", "array_parameters"]


class SymbolNet:
    """A net whose values are Symbols of the package `mx`."""

    def __init__(self, mx: Any) -> None:
        self._sym = mx.sym

    def conv(self, x: Any, name: str, filters: int, kernel: int, stride: int, pad: int) -> Any:
        return self._sym.Convolution(
            x,
            name=name,
            num_filter=filters,
            kernel=(kernel, kernel),
            stride=(stride, stride),
            pad=(pad, pad),
            no_bias=True,
        )

    def batch_norm(self, x: Any, name: str) -> Any:
        return self._sym.BatchNorm(x, name=name, fix_gamma=False, eps=1e-5)

    def dense(self, x: Any, name: str, units: int) -> Any:
        return self._sym.FullyConnected(x, name=name, num_hidden=units)

    def relu(self, x: Any) -> Any:
        return self._sym.Activation(x, act_type="relu")

    def max_pool(self, x: Any, kernel: int, stride: int, pad: int) -> Any:
        sizes = {"kernel": (kernel, kernel), "stride": (stride, stride), "pad": (pad, pad)}
        return self._sym.Pooling(x, pool_type="max", **sizes)

    def global_pool(self, x: Any) -> Any:
        return self._sym.Pooling(x, pool_type="avg", global_pool=True, kernel=(1, 1))

    def add(self, x: Any, y: Any) -> Any:
        return x + y


def array_parameters(mx: Any, network: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """(arguments, auxiliary states) of a network, as NDArrays."""
    arrays: dict[str, np.ndarray] = parameters_of(network)
    arguments = {n: mx.nd.array(a) for n, a in arrays.items() if not is_auxiliary(n)}
    auxiliary = {n: mx.nd.array(a) for n, a in arrays.items() if is_auxiliary(n)}
    return arguments, auxiliary
