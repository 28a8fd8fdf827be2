# SPDX-License-Identifier: Apache-2.0
"""The lines of a ``forward``."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from .steps import Label, Step

__all__ = ["Forward", "number"]

_FIELD = re.compile(r"\{(\w+)\}")
_WIDEST = 88  # characters of a line, indentation apart

Output = tuple[Step | str, int]


class Forward:
    """How steps are said.

    Args:
        labels: names of the steps.
        numbers: texts of the numbers of each.
        functions: names of functions by source.
        values: texts of what is there before, by name of an input; all else is ``x``.
    """

    def __init__(
        self,
        labels: Sequence[Label],
        numbers: Sequence[Mapping[str, str]],
        functions: Mapping[str, str],
        values: Mapping[str, str] | None = None,
    ) -> None:
        self._labels, self._numbers, self._functions = labels, numbers, functions
        self._inputs = values or {}
        self._values: dict[int, str] = {}  # by step

    def lines(self, steps: Sequence[Step], outputs: Sequence[Output]) -> list[str]:
        """The lines, which return `outputs`."""
        counts = Counter(id(source) for step in steps for source, _ in step.reads)
        counts.update(id(source) for source, _ in outputs for _ in range(2))
        is_last = len(outputs) == 1 and bool(steps) and outputs[0] == (steps[-1], 0)
        found: list[str] = []
        for place, step in enumerate(steps):
            text = self._expression(place, step)
            after = steps[place + 1] if place + 1 < len(steps) else None
            if is_last and after is None:
                return [*found, f"return {text}[0]" if step.has_several else f"return {text}"]
            is_read_once = after is not None and counts[id(step)] == 1
            if is_read_once and _nests(step, after, len(text) + 2 * len(self._name(place + 1))):
                self._values[id(step)] = text
                continue
            found.append(f"{self._name(place)} = {text}")
            self._values[id(step)] = self._name(place)
        shown = [self._value(source, number) for source, number in outputs]
        return [*found, f"return {', '.join(shown)}"]

    def _name(self, place: int) -> str:
        return self._labels[place].name

    def _expression(self, place: int, step: Step) -> str:
        label, numbers = self._labels[place], self._numbers[place]

        def text(match: re.Match[str]) -> str:
            key = match[1]
            if key == "m":
                return f"self.{label.name}"
            if key == "f":
                return self._functions[step.function or ""]
            if key.isdigit():
                return self._value(*step.reads[int(key)])
            return numbers[key] if key in numbers else f"self.{label.parameters[int(key[1:])]}"

        return _FIELD.sub(text, step.template)

    def _value(self, source: Step | str, number: int) -> str:
        if isinstance(source, str):
            return self._inputs.get(source, "x")
        text = self._values.get(id(source))
        if text is None:  # The input of a block is a single value.
            return "x"
        return f"{text}[{number}]" if source.has_several else text


def _nests(step: Step, after: Step | None, size: int) -> bool:
    """Whether a layer's call may stand inside of the next expression; `size`: of both."""
    if after is None or size + len(after.template) + len(" = self") > _WIDEST:
        return False
    is_plain = (step.layer is not None or step.is_block) and step.template == "{m}({0})"
    fits = after.layer is None or after.template == "{m}({0})"
    places = [i for i, (source, _) in enumerate(after.reads) if source is step]
    is_once = len(places) == 1 and after.template.count(f"{{{places[0]}}}") == 1
    return is_plain and fits and is_once


def number(value: Any) -> str:
    """A number, a truth value, a text or a tuple of them as Python writes it."""
    if isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, float) and value != value:
        return 'float("nan")'
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return f'float("{value}")'
    return repr(value)
