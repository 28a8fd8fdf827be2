# SPDX-License-Identifier: Apache-2.0
"""What a pass is, and what it is told of the graph that it rewrites."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import torch
from torch import Tensor

from ...graph.symbol import Symbol
from ..program.program import Facts

__all__ = ["Pass", "Target"]


@dataclass
class Target:
    """What a graph is rewritten for; one for each run of a list of passes.

    Attributes:
        facts: of the graph's inputs.
        passes: names of the passes that run.
        constants: values of inputs that stay, by name.
        dtype: what products are computed in.
        mirrors: whether memory is worth more than time in training.
        images: how many images of a batch a thread takes at once, 0 where the batch stays together;
            None until a pass has decided that.
    """

    facts: Facts
    passes: frozenset[str]
    constants: Mapping[str, Tensor] = field(default_factory=dict)
    dtype: torch.dtype = torch.float32
    mirrors: bool = False
    images: int | None = None


@dataclass(frozen=True)
class Pass:
    """A graph rewrite. What comes out computes the same outputs of the same inputs.

    Attributes:
        name: by which ``MXNOVA_PASSES`` switches it off.
        requires: what must hold of nodes for it to change them; it holds for none of its own.
        ensures: what holds of the graph afterwards.
        apply: takes a symbol, which stays as it is, and gives one, itself where nothing changes.
    """

    name: str
    requires: str
    ensures: str
    apply: Callable[[Symbol, Target], Symbol]
