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
    program: str = ""  # pattern of what stands somewhere in the program


DEVIATIONS = [
    _Deviation(
        "`mx.np.where` of arrays of which one has no elements and another one element",
        "value",
        r"^np\.where\(",
    ),
    _Deviation(
        "`SoftmaxOutput` of four axes without `multi_output` or `preserve_shape`, in inference",
        "value",
        r"is_train=False",
        r"sym\.SoftmaxOutput\(",
    ),
    _Deviation("`mx.np.deg2rad`, `rad2deg`", "error", r"^np\.(deg2rad|rad2deg)\("),
    _Deviation("`norm` of integers, ord 2", "value", r"\bnorm\(", r"'u?int\d"),
    _Deviation(
        "Executors without gradients: `FullyConnected` that is an output",
        "value",
        r"e\.forward\(|^made$",
        r"grad_req='null'",
    ),
    _Deviation("Arrays of a wrong type and a wrong shape", "error", r"^np\.polyval\("),
]


def row_of(steps: list[str], step: int, difference: str) -> str | None:
    """The row that a difference is listed in; None: in no row, so it is a defect."""
    for deviation in DEVIATIONS:
        if (
            difference.startswith(deviation.kind)
            and re.search(deviation.step, steps[step])
            and any(re.search(deviation.program, s) for s in steps)
        ):
            return deviation.row
    return None
