# SPDX-License-Identifier: Apache-2.0
"""Options of ``mxnova plot``."""

from __future__ import annotations

from ..command import FILE, Argument, Command, Option
from .shared import shape

command = Command(
    "plot",
    "plot:plot",
    [
        Argument("file", type=FILE, metavar="SYMBOL.json"),
        shape("Of an input, such as data=1,3,224,224."),
        Option("-o", "--output", type=FILE, metavar="FILE",
               help="Draw into a file (.pdf, .png, .svg, .dot) instead of printing a table."),
        Option("--weights/--no-weights", default=False, help="Draw weights, too."),
    ],
    [
        "mxnova plot net-symbol.json -s data=1,2",
    ],
)  # fmt: skip
