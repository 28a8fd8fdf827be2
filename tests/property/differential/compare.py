# SPDX-License-Identifier: Apache-2.0
"""Whether two results of a program agree."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

RTOL = {"bfloat16": 4e-2, "float16": 1e-2, "float32": 2e-4, "float64": 1e-5}
# An exception of another class has to be caught by the same handlers.
CAUGHT = {"MXNetError", "ValueError", "TypeError", "IndexError", "KeyError", "AttributeError",
          "AssertionError", "NotImplementedError", "ZeroDivisionError", "StopIteration", "OSError",
          "RuntimeError"}  # fmt: skip
SLACK = 4  # MXNet's rounding may lead this many times as far as perturbed data


def differences(
    steps: list[str],
    wanted: list[Any],
    found: list[Any],
    perturbed: Sequence[list[Any]] = (),
) -> list[tuple[int, str]]:
    """(step, what differs) of one program.

    What follows a statement that failed is not compared, up to an empty step. A difference begins
    with its kind: "error", "value", "kind", or "accepted" where only MXNet refuses.

    Args:
        steps: of the program.
        wanted: what they gave on MXNet.
        found: what they gave on mxnova.
        perturbed: what they gave on mxnova from data that was rounded otherwise: how far numbers
            moved tells how far rounding may take them, beside that of float16 where it is used.
    """
    differ, compared = [], True
    types = " ".join(steps) if perturbed else ""
    coarsest = max([RTOL[name] for name in ("bfloat16", "float16") if name in types], default=0.0)
    for i, (step, a, b) in enumerate(zip(steps, wanted, found)):
        compared = compared or not step
        if compared and (text := _step(a, b, [n[i] for n in perturbed], coarsest)):
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


def _step(wanted: Any, found: Any, perturbed: list[Any], coarsest: float) -> str:
    if wanted[0] == "error" and found[0] == "error":
        handler = next((c for c in wanted[1] if c in CAUGHT), None)
        return "" if handler is None or handler in found[1] else f"error: {wanted[1:]} {found[1:]}"
    if wanted[0] == "error":
        return f"accepted: {wanted[1:]} {found}"
    if wanted[0] != found[0]:
        return "" if _refused_types(wanted[-1], found) else f"kind: {wanted} {found}"
    return "" if _same(wanted, found, perturbed, coarsest) else f"value: {wanted} {found}"


def _refused_types(wanted: Any, found: Any) -> bool:
    """Whether element types were refused where MXNet's kernel had no elements to refuse them of."""
    is_array = isinstance(wanted, list) and len(wanted) >= 4 and wanted[-4] == "array"
    return is_array and 0 in wanted[-2] and found[0] == "error" and " type " in found[-1]


def _same(a: Any, b: Any, perturbed: list[Any], coarsest: float) -> bool:
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        alike = [n for n in perturbed if isinstance(n, list) and len(n) == len(b)]
        if len(a) >= 4 and a[-4] == "array" and b[-4] == "array":
            slack = _movement(b[-1], [n[-1] for n in alike if n[:-1] == b[:-1]])
            return a[:-1] == b[:-1] and _close(a[-1], b[-1], _rtol(a[-3], coarsest), slack)
        return all(
            _same(x, y, [n[i] for n in alike], coarsest) for i, (x, y) in enumerate(zip(a, b))
        )
    if isinstance(a, float) and isinstance(b, int | float):
        others = [[n] for n in perturbed if isinstance(n, int | float)]
        return _close([a], [b], max(2e-4, coarsest), _movement([b], others))
    return type(a) is type(b) and a == b


def _rtol(dtype: str, coarsest: float) -> float:
    """For arrays of a type; of other floats, too, where they may come from float16."""
    return max(RTOL[dtype], coarsest) if dtype in RTOL else 0.0


def _movement(numbers: list[Any], perturbed: list[list[Any]]) -> float:
    moved = [abs(x - y) for other in perturbed for x, y in zip(numbers, other)]
    return max([m for m in moved if math.isfinite(m)], default=0.0)


def _close(a: list[Any], b: list[Any], rtol: float, slack: float) -> bool:
    if rtol == 0:
        return a == b
    finite = [abs(x) for x in a if math.isfinite(x)]
    atol = rtol * max([1.0, *finite]) / 10 + SLACK * slack
    return all(_close_number(x, y, rtol, atol) for x, y in zip(a, b))


def _close_number(x: float, y: float, rtol: float, atol: float) -> bool:
    if math.isfinite(x) and math.isfinite(y):
        return abs(x - y) <= atol + rtol * abs(x)
    return x == y or (math.isnan(x) and math.isnan(y))
