# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: D102 - Net documents the methods
"""Networks as Symbols of mxnova or MXNet."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.models.parameters import ANCHORS, is_auxiliary, parameters_of

__all__ = ["SymbolNet", "array_parameters"]


class SymbolNet:
    """A net whose values are Symbols of the package `mx`."""

    def __init__(self, mx: Any) -> None:
        self._sym = mx.sym

    def conv(
        self, x: Any, name: str, filters: int, kernel: int, stride: int, pad: int, groups: int = 1
    ) -> Any:
        return self._sym.Convolution(
            x,
            name=name,
            num_filter=filters,
            kernel=(kernel, kernel),
            stride=(stride, stride),
            pad=(pad, pad),
            num_group=groups,
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

    def concat(self, x: Any, y: Any) -> Any:
        return self._sym.concat(x, y, dim=1)

    def flat(self, x: Any) -> Any:
        return self._sym.flatten(x)

    def project(self, x: Any, name: str, units: int) -> Any:
        return self._sym.FullyConnected(x, name=name, num_hidden=units, flatten=False)

    def gelu(self, x: Any) -> Any:
        return self._sym.LeakyReLU(x, act_type="gelu")

    def layer_norm(self, x: Any, name: str) -> Any:
        return self._sym.LayerNorm(x, name=name, eps=1e-5)

    def attention(self, x: Any, heads: int) -> Any:
        # MXNet's kernels want the length first.
        x = self._sym.swapaxes(x, dim1=0, dim2=1)
        scores = self._sym.contrib.interleaved_matmul_selfatt_qk(x, heads=heads)
        weights = self._sym.softmax(scores)
        out = self._sym.contrib.interleaved_matmul_selfatt_valatt(x, weights, heads=heads)
        return self._sym.swapaxes(out, dim1=0, dim2=1)

    def recurrent(self, x: Any, name: str, units: int, layers: int) -> Any:
        x = self._sym.swapaxes(x, dim1=0, dim2=1)
        out = self._sym.RNN(x, name=name, mode="lstm", state_size=units, num_layers=layers)
        return self._sym.swapaxes(out, dim1=0, dim2=1)

    def multibox(self, features: list[Any], classes: int) -> Any:
        scores, places, anchors = [], [], []
        for i, x in enumerate(features):
            sizes = (0.1 + 0.2 * i, 0.2 + 0.2 * i)
            anchors.append(self._sym.contrib.MultiBoxPrior(x, sizes=sizes, ratios=(1, 2, 0.5)))
            for found, name, count in (
                (scores, f"class{i}", ANCHORS * (classes + 1)),
                (places, f"place{i}", ANCHORS * 4),
            ):
                y = self._sym.transpose(self.conv(x, name, count, 3, 1, 1), axes=(0, 2, 3, 1))
                found.append(self._sym.flatten(y))
        score = self._sym.reshape(self._sym.concat(*scores, dim=1), shape=(0, -1, classes + 1))
        likely = self._sym.softmax(self._sym.transpose(score, axes=(0, 2, 1)), axis=1)
        return self._sym.contrib.MultiBoxDetection(
            likely,
            self._sym.concat(*places, dim=1),
            self._sym.concat(*anchors, dim=1),
            nms_threshold=0.45,
            threshold=0.1,
            nms_topk=200,
        )


def array_parameters(mx: Any, network: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """(arguments, auxiliary states) of a network, as NDArrays."""
    arrays: dict[str, np.ndarray] = parameters_of(network)
    arguments = {n: mx.nd.array(a) for n, a in arrays.items() if not is_auxiliary(n)}
    auxiliary = {n: mx.nd.array(a) for n, a in arrays.items() if is_auxiliary(n)}
    return arguments, auxiliary
