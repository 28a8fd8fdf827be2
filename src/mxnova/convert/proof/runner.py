# SPDX-License-Identifier: Apache-2.0
"""A model as a function of named arrays that also tells what its nodes give."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

__all__ = ["Array", "Run", "Runner"]

Array = np.ndarray[Any, Any]


@dataclass
class Run:
    """What a run gave.

    Attributes:
        outputs: in order.
        nodes: by MXNet's name of the node, in the order in which they ran.
        seconds: how long the outputs took.
    """

    outputs: list[Array]
    nodes: dict[str, Array] = field(default_factory=dict)
    seconds: float = 0.0


class Runner(ABC):
    """A model.

    Attributes:
        path: where it was read from.
    """

    path: str

    @abstractmethod
    def outputs(self, feed: Mapping[str, Array]) -> list[Array]:
        """The outputs for these inputs, by MXNet's names."""

    def nodes(self, feed: Mapping[str, Array]) -> dict[str, Array]:
        """What nodes give, as far as the kind of file tells."""
        return {}

    def quantized(self) -> set[str]:
        """Names of values that are real numbers rounded to integers."""
        return set()

    def run_on(
        self, feed: Mapping[str, Array], given: Mapping[str, Array], wanted: Collection[str]
    ) -> Run | None:
        """What outputs and nodes are where nodes read given values in place of what others give.

        None where the model cannot be cut so.

        Args:
            feed: the inputs.
            given: values by name.
            wanted: names of nodes to tell of; others may be fused.
        """
        return None

    def run(self, feed: Mapping[str, Array]) -> Run:
        """The outputs."""
        begin = time.perf_counter()
        outputs = self.outputs(feed)
        return Run(outputs, seconds=time.perf_counter() - begin)
