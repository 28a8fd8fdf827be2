# SPDX-License-Identifier: Apache-2.0
"""Whether two results of a program agree."""

from __future__ import annotations

import math
from typing import Any

RTOL = {"float16": 1e-2, "float32": 2e-4, "float64": 1e-5}
# An exception of another class has to be caught by the same handlers.
CAUGHT = {"MXNetError", "ValueError", "TypeError", "IndexError", "KeyError", "AttributeError",
          "AssertionError", "NotImplementedError", "ZeroDivisionError", "StopIteration", "OSError",
          "RuntimeError"}  # fmt: skip


def differences(steps: list[str], wanted: list[Any], found: list[Any]) -> list[tuple[int, str]]:
    """(step, what differs) of one program.

    What follows a statement that failed is not compared, up to an empty step. A difference begins
    with its kind: "error", "value", "kind", or "accepted" where only MXNet refuses.
    """
    differ, compared = [], True
    for i, (step, a, b) in enumerate(zip(steps, wanted, found)):
        compared = compared or not step
        if compared and (text := _step(a, b)):
            differ.append((i, text))
        failed = a[0] == "error" or b[0] == "error"
        if failed and _is_statement(step):
            compared = False
    return differ


def _is_statement(step: str) -> bool:
    try:
        compile(step, "<step>", "eval")
    except SyntaxError:
        return True
    return "backward" in step


def _step(wanted: Any, found: Any) -> str:
    if wanted[0] == "error" and found[0] == "error":
        handler = next((c for c in wanted[1] if c in CAUGHT), None)
        return "" if handler is None or handler in found[1] else f"error: {wanted[1:]} {found[1:]}"
    if wanted[0] == "error":
        return f"accepted: {wanted[1:]} {found}"
    if wanted[0] != found[0]:
        return "" if _refused_types(wanted[1], found) else f"kind: {wanted} {found}"
    return "" if _same(wanted, found) else f"value: {wanted} {found}"


def _refused_types(wanted: Any, found: Any) -> bool:
    """Whether element types were refused where MXNet's kernel had no elements to refuse them of."""
    is_array = isinstance(wanted, list) and len(wanted) >= 4 and wanted[-4] == "array"
    return is_array and 0 in wanted[-2] and found[0] == "error" and " type " in found[-1]


def _same(a: Any, b: Any, rtol: float = 1e-5) -> bool:
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        if len(a) >= 4 and a[-4] == "array" and b[-4] == "array":
            return a[:-1] == b[:-1] and _close(a[-1], b[-1], RTOL.get(a[-3], 0.0))
        return all(_same(x, y, rtol) for x, y in zip(a, b))
    if isinstance(a, float) and isinstance(b, int | float):
        return _close([a], [b], 2e-4)
    return type(a) is type(b) and a == b


def _close(a: list[Any], b: list[Any], rtol: float) -> bool:
    if rtol == 0:
        return a == b
    finite = [abs(x) for x in a if math.isfinite(x)]
    atol = rtol * max([1.0, *finite]) / 10
    return all(_close_number(x, y, rtol, atol) for x, y in zip(a, b))


def _close_number(x: float, y: float, rtol: float, atol: float) -> bool:
    if math.isfinite(x) and math.isfinite(y):
        return abs(x - y) <= atol + rtol * abs(x)
    return x == y or (math.isnan(x) and math.isnan(y))
