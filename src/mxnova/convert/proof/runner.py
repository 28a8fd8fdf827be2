# SPDX-License-Identifier: Apache-2.0
"""A model as a function of named arrays that also tells what its nodes give."""

from __future__ import annotations

import timeit
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping
from typing import Any

import numpy as np

from ...core.base.errors import MXNetError

__all__ = ["RUNS", "Array", "CannotRunError", "Runner", "Take", "given_name"]

Array = np.ndarray[Any, Any]
Take = Callable[[str, Array, float | None], None]
"""Is told what a node gives: MXNet's name of it, values, and seconds where they are known."""
RUNS = 3  # A predictor rewrites a network at the third run with the same parameters.


class CannotRunError(MXNetError):
    """The package that would run a model is not there, or lacks what the model needs."""


class Runner(ABC):
    """A model.

    Attributes:
        path: where it was read from.
        drifts: whether quantized layers cannot be run one by one, so that their rounding adds up.
    """

    path: str
    drifts = False

    @abstractmethod
    def outputs(self, feed: Mapping[str, Array]) -> list[Array]:
        """The outputs for these inputs, by MXNet's names."""

    def default_outputs(self, feed: Mapping[str, Array]) -> list[Array] | None:
        """Return the outputs with the runtime's default precision; None if `outputs` are these."""
        return None

    def release(self) -> None:  # noqa: B027 - of those that keep any
        """Frees memory that the last run has taken; the next one takes it again."""

    def seconds(self, feed: Mapping[str, Array]) -> float:
        """How long `outputs` takes at best, once the model has run."""
        return min(timeit.repeat(lambda: self.outputs(feed), number=1, repeat=RUNS))

    def nodes(self, feed: Mapping[str, Array], take: Take) -> None:  # noqa: B027 - of those that can
        """Tells `take` of what nodes give, in order, as far as the kind of file tells."""

    def quantized(self) -> set[str]:
        """Names of values that are real numbers rounded to integers."""
        return set()

    def run_on(
        self, feed: Mapping[str, Array], given: Mapping[str, Array], wanted: Collection[str]
    ) -> dict[str, Array] | None:
        """What nodes give where they read given values in place of what others give.

        None where the model cannot be cut so.

        Args:
            feed: the inputs.
            given: values by name.
            wanted: names of nodes to tell of; others may be fused.
        """
        return None


def given_name(name: str) -> str:
    """The input in place of a value, in a model that was cut."""
    return f"{name}:given"
