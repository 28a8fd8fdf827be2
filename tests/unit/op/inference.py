# SPDX-License-Identifier: Apache-2.0
"""What an operator infers from partly known arrays, as text that tables can hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from mxnova.core.base.shapes import PartialShape, Pause, shape_text
from mxnova.core.op.dtypes import dtype_name
from mxnova.core.op.infer import DTypes, Shapes
from mxnova.core.op.schema import Op, find


def inferred_shapes(
    name: str,
    attrs: Mapping[str, Any],
    inputs: Sequence[PartialShape],
    output: PartialShape = None,
) -> str:
    """``[2,?], unknown -> [2,3]``: all shapes of an operator, given some of them.

    Inputs that are missing at the end are unknown.
    """
    op = find(name).of(attrs)
    unknown = [None] * (len(op.inputs()) - len(inputs))
    facts = [*inputs, *unknown, *_outputs(op, output)]
    s = Shapes(op.name, op.inputs(), op.outputs(), facts)
    return _settled(lambda: op.infer_shape(s), s, shape_text)


def inferred_dtypes(
    name: str,
    attrs: Mapping[str, Any],
    inputs: Sequence[torch.dtype | None],
    output: torch.dtype | None = None,
) -> str:
    """``float32, int32 -> float32``: all types of an operator, given some of them."""
    op = find(name).of(attrs)
    facts = [*inputs, *_outputs(op, output)]
    t = DTypes(op.name, op.inputs(), op.outputs(), facts)
    return _settled(lambda: op.infer_dtype(t), t, dtype_name)


def _outputs(op: Op, first: Any) -> list[Any]:
    return [first if i == 0 else None for i, _ in enumerate(op.outputs())]


def _settled(rule: Callable[[], None], facts: Any, text: Callable[[Any], str]) -> str:
    for _ in range(3):
        try:
            rule()
        except Pause:
            continue
    sides = (facts.inputs, facts.outputs)
    return " -> ".join(", ".join(text(facts.known(n)) for n in names) for names in sides)
