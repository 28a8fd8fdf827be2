# SPDX-License-Identifier: Apache-2.0
"""Options of ``mxnova plot``."""

from __future__ import annotations

from ..command import FILE, Command, Model, Option
from .shared import EPOCH, JSON, shape

command = Command(
    "plot",
    "plot:plot",
    [
        Model("model", ", or the JSON of a symbol", metavar="MODEL"),
        EPOCH,
        shape("Of an input, such as data=1,3,224,224 (default: what the model's files tell)."),
        Option("-o", "--output", type=FILE, metavar="FILE",
               help="Draw into a file instead of printing a table: .svg or .html; .dot, .pdf and "
               ".png by Graphviz."),
        Option("--weights/--no-weights", default=False, help="Draw weights, too."),
        JSON,
    ],
    [
        "mxnova plot net -s data=1,2",
        "mxnova plot net-symbol.json -o net.html",
        "mxnova plot net -s data=1,2 --json",
    ],
    epilog="Without shapes there are no numbers of parameters.",
)  # fmt: skip
