# SPDX-License-Identifier: Apache-2.0
"""Strides before activations instead of after them, in training passes.

What ResNet v1 adds up at three places is read by 1 x 1 convolutions with a stride of 2 only: one
position in four. The activation there need not see the others, and the readers' gradients are
added up for those that are read. Statistics of BatchNorm go over all positions, so that strides
move no further than that. On a GPU nothing moves: the gradient of what skips positions there takes
longer (0.45 ms for 64 images of 256 x 56 x 56 on an H200) than all that is saved.
"""

from __future__ import annotations

from collections.abc import Callable

from ...graph.node import Node
from ...graph.symbol import Symbol
from ...op.schema import Op, find
from ..fused.subsampling import Steps
from .definition import Pass, Target
from .matching import is_rectifier
from .stride_hoisting import Skipping, with_strides_moved

__all__ = ["PASS", "with_early_strides"]


def with_early_strides(symbol: Symbol, is_activation: Callable[[Node], bool]) -> Symbol:
    """`symbol` with activations of those positions that convolutions read.

    Args:
        symbol: a graph.
        is_activation: whether a node computes each position of its one input by itself.
    """
    skipping = Skipping(lambda node, readers: is_activation(node), is_activation, _pooling)
    return with_strides_moved(symbol, skipping)


def _pooling(steps: Steps) -> Op:
    """What skips positions and has a gradient: the mean of one."""
    return find("Pooling").of({"kernel": (1, 1), "stride": steps, "pool_type": "avg"})


def _moved(symbol: Symbol, target: Target) -> Symbol:
    return symbol if target.facts.on_gpu else with_early_strides(symbol, is_rectifier)


PASS = Pass(
    "stride_before_activation",
    requires="on the CPU, 1 x 1 convolutions alone read a rectifier, and skip positions",
    ensures="the rectifier sees the positions that are read",
    apply=_moved,
)
