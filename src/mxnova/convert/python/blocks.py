# SPDX-License-Identifier: Apache-2.0
"""The parts of a network: what lies between values that all further computation comes from.

Such a value is where a network is cut. Between two of them lies one step, or a block: the branches
of a residual unit, say. Blocks of one form become one class.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from .graph import Steps
from .steps import Step

__all__ = ["Block", "common_words", "parts_of"]

_OFTEN = 3  # times that a layer with what follows it must be there to become a class
_LARGE = 3  # steps; smaller parts stay steps of the network


@dataclass(eq=False)
class Block:
    """Steps of one value that make one value, the last one's."""

    steps: list[Step]

    def form(self) -> Any:
        """What blocks of one class have in common."""
        places = {id(step): i for i, step in enumerate(self.steps)}
        wires = [tuple((places.get(id(s), -1), n) for s, n in step.reads) for step in self.steps]
        return tuple((step.form(), tuple(w)) for step, w in zip(self.steps, wires, strict=True))


def parts_of(graph: Steps) -> list[Step | Block]:
    """The steps of a network in order, in blocks where there are any."""
    segments, rest = _segments(graph)
    return [*_with_layers(_with_followers(segments)), *rest]


def _segments(graph: Steps) -> tuple[list[list[Step]], list[Step]]:
    """Steps between cuts, and those behind the last one."""
    found: list[list[Step]] = []
    rest: list[Step] = []
    cuts = _cuts(graph)
    for place, step in enumerate(graph.steps):
        rest.append(step)
        if place in cuts:
            found.append(rest)
            rest = []
    return found, rest


def _cuts(graph: Steps) -> set[int]:
    """Places behind which only the value of the step there is read, and nothing that was before."""
    last_read: dict[Any, int] = {}
    for place, step in enumerate(graph.steps):
        for source, number in step.reads:
            last_read[id(source) if isinstance(source, Step) else source, number] = place
    end = len(graph.steps)
    for source, number in graph.outputs:
        last_read[id(source) if isinstance(source, Step) else source, number] = end
    alive: set[Any] = {key for key in last_read if isinstance(key[0], str)}
    cuts = set()
    for place, step in enumerate(graph.steps):
        alive |= {key for key in last_read if key[0] == id(step)}
        alive = {key for key in alive if last_read[key] > place}
        if alive == {(id(step), 0)}:
            cuts.add(place)
    return cuts


def _with_followers(segments: Sequence[list[Step]]) -> list[list[Step]]:
    """Functions of one value that follow a block of the same prefix belong to it."""
    found: list[list[Step]] = []
    for segment in segments:
        before = found[-1] if found else []
        if (
            len(before) >= _LARGE
            and len(segment) == 1
            and segment[0].is_call
            and common_words(before) == common_words([*before, *segment])
        ):
            before.extend(segment)
        else:
            found.append(list(segment))
    return found


def common_words(steps: Iterable[Step]) -> list[str]:
    """The words that all names begin with."""
    words = [step.name.split("_") for step in steps]
    found = []
    for column in zip(*words, strict=False):
        if len(set(column)) > 1:
            break
        found.append(column[0])
    return found


def _with_layers(segments: Sequence[list[Step]]) -> Iterable[Step | Block]:
    """Blocks; of single steps, a layer and what follows it where that comes often."""
    units: list[list[Step]] = []
    for segment in segments:
        is_head = segment[0].layer is not None and segment[0].layer.kind.startswith("nn.Conv")
        after = bool(units) and _begins_unit(units[-1]) and len(segment) == 1
        if after and not is_head and _follows(segment[0]):
            units[-1].extend(segment)
        else:
            units.append(list(segment))
    counts = Counter(Block(unit).form() for unit in units if len(unit) > 1)
    for unit in units:
        is_rare = _is_chain(unit) and counts[Block(unit).form()] < _OFTEN
        if len(unit) < 2 or is_rare or _n_sources(unit) != 1:
            yield from unit
        else:
            yield Block(unit)


def _n_sources(unit: Sequence[Step]) -> int:
    """How many values steps read that others have made."""
    inside = {id(step) for step in unit}
    return len(
        {
            (id(s) if isinstance(s, Step) else s, n)
            for u in unit
            for s, n in u.reads
            if id(s) not in inside
        }
    )


def _begins_unit(unit: Sequence[Step]) -> bool:
    layer = unit[0].layer
    return layer is not None and layer.kind.startswith("nn.Conv") and _is_chain(unit)


def _follows(step: Step) -> bool:
    is_norm = step.layer is not None and step.layer.kind.startswith("nn.BatchNorm")
    return is_norm or (step.is_call and step.function is None and "pool" not in step.template)


def _is_chain(steps: Sequence[Step]) -> bool:
    return all(len(b.reads) == 1 and b.reads[0][0] is a for a, b in pairwise(steps))
