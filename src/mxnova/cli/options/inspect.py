# SPDX-License-Identifier: Apache-2.0
"""Options of ``mxnova inspect``."""

from __future__ import annotations

from ..command import FILE, Argument, Command, Option
from .shared import EPOCH

command = Command(
    "inspect",
    "inspect:inspect",
    [
        Argument("files", ".params, symbol .json, .rec, .states, .safetensors, .onnx, .pt2 or "
                 ".mxnova file, prefix of a checkpoint, or folder of distributed checkpoints",
                 nargs=-1, required=True, type=FILE, metavar="FILE..."),
        EPOCH,
        Option("--stats/--no-stats", help="Also show minimum, maximum and mean of each array."),
        Option("--nodes/--no-nodes", help="Also show a table of the model's nodes."),
        Option("--json", is_flag=True,
               help="Print one JSON object per file, each on its own line."),
    ],
    [
        "mxnova inspect net-symbol.json net-0001.params",
        "mxnova inspect net --stats --nodes",
        "mxnova inspect net --json | python -m json.tool --json-lines",
    ],
)  # fmt: skip
