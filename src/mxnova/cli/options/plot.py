# SPDX-License-Identifier: Apache-2.0
"""Options of ``mxnova plot``."""

from __future__ import annotations

from ..command import FILE, Command, Model, Option
from .shared import EPOCH, JSON, shape

command = Command(
    "plot",
    "plot:plot",
    [
        Model("model", ", or the JSON file of a symbol", metavar="MODEL"),
        EPOCH,
        shape("Shape of an input, such as data=N,3,224,224; a word such as N leaves a size open "
              "(default: the shape that the model's files state)."),
        Option("-o", "--output", type=FILE, metavar="FILE",
               help="Draw the network into this file instead of printing a table: .svg or .html; "
               ".dot, .pdf and .png need Graphviz."),
        Option("--weights/--no-weights", default=False, help="Also draw weights."),
        JSON,
    ],
    [
        "mxnova plot net -s data=N,2",
        "mxnova plot net-symbol.json -o net.html",
        "mxnova plot net -s data=1,2 --json",
    ],
    epilog="Without shapes, numbers of parameters are unknown. `?` marks a size that depends on "
    "an open one.",
)  # fmt: skip
