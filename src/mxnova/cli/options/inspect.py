# SPDX-License-Identifier: Apache-2.0
"""Options of ``mxnova inspect``."""

from __future__ import annotations

from ..command import FILE, Argument, Command, Option
from .shared import EPOCH

command = Command(
    "inspect",
    "inspect:inspect",
    [
        Argument("files", ".params, symbol .json, .rec, .states, .safetensors, .onnx, .pt2, "
                 ".mxnova, the prefix of a checkpoint, or a folder of checkpoints of many workers",
                 nargs=-1, required=True, type=FILE, metavar="FILE..."),
        EPOCH,
        Option("--stats/--no-stats", help="Also minimum, maximum and mean of arrays."),
        Option("--nodes/--no-nodes", help="Also a table of a model's nodes."),
        Option("--json", is_flag=True, help="One JSON object a file, each on a line."),
    ],
    [
        "mxnova inspect net-symbol.json net-0001.params",
        "mxnova inspect net --stats --nodes",
        "mxnova inspect net --json | python -m json.tool --json-lines",
    ],
)  # fmt: skip
