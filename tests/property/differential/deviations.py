# SPDX-License-Identifier: Apache-2.0
"""Differences of random programs that are meant, each with its row of docs/deviations.md."""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["DEVIATIONS", "row_of"]


class _Deviation(NamedTuple):
    row: str  # the beginning of the row
    kind: str  # of the difference: "value", "error" or "kind"
    step: str  # pattern of the step that differs
    program: tuple[str, ...] = ()  # patterns that each stand in some step of the program
    text: str = ""  # pattern of what the difference tells


DEVIATIONS = [
    _Deviation(
        "`mx.np.where` of arrays of which one has no elements and another one element",
        "value",
        r"^np\.where\(",
        text=r"\[(\d+, )*0(, \d+)*\], \[\]\]\]$",
    ),
    _Deviation(
        "`SoftmaxOutput` of four axes without `multi_output` or `preserve_shape`, in inference",
        "value",
        r"is_train=False|^made$",
        (r"sym\.SoftmaxOutput\(",),
        r"\[\d+, \d+, \d+, \d+\]",
    ),
    _Deviation("`mx.np.deg2rad`, `rad2deg`", "error", r"^np\.(deg2rad|rad2deg)\("),
    _Deviation("`norm` of integers, ord 2", "value", r"\bnorm\(", text=r"'u?int\d+'"),
    _Deviation(
        "Executors without gradients: `FullyConnected` that is an output",
        "value",
        r"e\.forward\(|^made$",
        (r"grad_req='null'", r"^s = sym\.Group\(", r"sym\.FullyConnected\("),
    ),
    _Deviation("Arrays of a wrong type and a wrong shape", "error", r"^np\.polyval\("),
]


def row_of(steps: list[str], step: int, difference: str) -> str | None:
    """The row that a difference is listed in; None: in no row, so it is a defect."""
    for deviation in DEVIATIONS:
        if (
            difference.startswith(deviation.kind)
            and re.search(deviation.step, steps[step])
            and re.search(deviation.text, difference)
            and all(any(re.search(p, s) for s in steps) for p in deviation.program)
        ):
            return deviation.row
    return None
