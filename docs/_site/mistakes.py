# SPDX-License-Identifier: Apache-2.0
"""The page of typical mistakes, from the table of tests/mistakes and what was recorded of it."""

from __future__ import annotations

import json
from pathlib import Path

from tests.mistakes import MISTAKES, clarity

__all__ = ["page"]

RECORDED = Path(__file__).resolve().parents[2] / "tests" / "data" / "mistakes.json"
PROGRAMS = ("mxnova", "mxnet", "pytorch")
INTRODUCTION = """\
# Typical mistakes

What mxnova says of {n} mistakes that people make, and how clear that is. A test pins the texts,
and compares them with MXNet {mxnet} and, for the {comparable} mistakes that can be made there,
too, with PyTorch {pytorch}: `tests/mistakes` has the code of each, `tests/data/mistakes.json`
what each program says.

The rule of clarity: a text gets one point each for naming the **argument**, what was **given**,
what was **expected**, and a **way out**; no error is no point. The same patterns decide for all
three programs; what counts is what the interpreter prints below the traceback, with the "Did you
mean" that Python adds for some. By it mxnova is clearer than PyTorch in {clearer} of {comparable},
equal in {equal} and less clear in {less}; against MXNet it is clearer in {than_mxnet} of {n}, equal
in {as_mxnet} and less clear in {below_mxnet}. {unchecked} are no errors, but clipped, as in MXNet,
unless `MXNOVA_CHECK=1` is set: they count as 0, and their lines have what is said with it, and the
points for that in brackets.

| mistake | mxnova says | mxnova | MXNet | PyTorch |
|---|---|---|---|---|
"""


def page() -> str:
    """The whole page."""
    recorded = json.loads(RECORDED.read_text(encoding="utf-8"))
    points = {name: _points(name, recorded) for name in MISTAKES}
    comparable = [p for name, p in points.items() if MISTAKES[name].torch]
    head = INTRODUCTION.format(
        n=len(points),
        comparable=len(comparable),
        mxnet=recorded["mxnet"]["version"],
        pytorch=recorded["pytorch"]["version"],
        clearer=sum(ours > theirs for ours, _, theirs in comparable),
        equal=sum(ours == theirs for ours, _, theirs in comparable),
        less=sum(ours < theirs for ours, _, theirs in comparable),
        than_mxnet=sum(ours > theirs for ours, theirs, _ in points.values()),
        as_mxnet=sum(ours == theirs for ours, theirs, _ in points.values()),
        below_mxnet=sum(ours < theirs for ours, theirs, _ in points.values()),
        unchecked=" and ".join(f"`{name}`" for name in recorded["mxnova"]["checked"]),
    )
    rows = [_row(name, recorded["mxnova"], points[name]) for name in MISTAKES]
    return head + "\n".join(rows) + "\n"


def _points(name: str, recorded: dict) -> list[int]:
    says = MISTAKES[name].says
    return [clarity(says, recorded[program]["told"].get(name, "")) for program in PROGRAMS]


def _row(name: str, ours: dict, points: list[int]) -> str:
    checked = ours["checked"].get(name, "")
    first = (checked or ours["told"][name]).partition("\n")[0]
    text = (first if len(first) <= 300 else f"{first[:297]}...").replace("`", "'")
    shown = text.replace("|", r"\|")
    torch = str(points[2]) if MISTAKES[name].torch else ""
    own = f"{points[0]} ({clarity(MISTAKES[name].says, checked)})" if checked else points[0]
    return f"| {name} | `{shown}` | {own} | {points[1]} | {torch} |"
