# SPDX-License-Identifier: Apache-2.0
"""The lines of a ``forward``."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from .steps import Step

__all__ = ["Forward", "number", "parameter_name"]

_FIELD = re.compile(r"\{(\w+)\}")
_WIDEST = 88  # characters of a line, indentation apart

Output = tuple[Step | str, int]


class Forward:
    """How steps are said.

    Args:
        names: of the steps.
        numbers: texts of the numbers of each.
        functions: names of functions by source.
        values: texts of what is there before, by name of an input; all else is ``x``.
    """

    def __init__(
        self,
        names: Sequence[str],
        numbers: Sequence[Mapping[str, str]],
        functions: Mapping[str, str],
        values: Mapping[str, str] | None = None,
    ) -> None:
        self._names, self._numbers, self._functions = names, numbers, functions
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
                return [*found, f"return {text}"]
            is_read_once = after is not None and counts[id(step)] == 1
            if is_read_once and _nests(step, after, len(text) + 2 * len(self._names[place + 1])):
                self._values[id(step)] = text
                continue
            found.append(f"{self._names[place]} = {text}")
            self._values[id(step)] = self._names[place]
        shown = [self._value(source, number) for source, number in outputs]
        return [*found, f"return {', '.join(shown)}"]

    def _expression(self, place: int, step: Step) -> str:
        name, numbers = self._names[place], self._numbers[place]

        def text(match: re.Match[str]) -> str:
            key = match[1]
            if key == "m":
                return f"self.{name}"
            if key == "f":
                return self._functions[step.function or ""]
            if key.isdigit():
                return self._value(*step.reads[int(key)])
            return numbers[key] if key in numbers else f"self.{parameter_name(name, int(key[1:]))}"

        return _FIELD.sub(text, step.template)

    def _value(self, source: Step | str, number: int) -> str:
        if isinstance(source, str):
            return self._inputs.get(source, "x")
        text = self._values.get(id(source), "x")
        return f"{text}[{number}]" if source.has_several else text


def _nests(step: Step, after: Step | None, size: int) -> bool:
    """Whether a layer's call may stand inside of the next expression; `size`: of both."""
    if after is None or size + len(after.template) + len(" = self") > _WIDEST:
        return False
    is_plain = (step.layer is not None or step.is_block) and step.template == "{m}({0})"
    fits = after.layer is None or after.template == "{m}({0})"
    return is_plain and fits and any(s is step for s, _ in after.reads)


def parameter_name(name: str, place: int) -> str:
    """The attribute of a parameter that an expression reads."""
    return f"{name}_weight{place or ''}"


def number(value: Any) -> str:
    """A number, a truth value or a tuple of them as Python writes it."""
    if isinstance(value, float) and value != value:
        return 'float("nan")'
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return f'float("{value}")'
    return repr(value)
