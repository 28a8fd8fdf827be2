# SPDX-License-Identifier: Apache-2.0
"""Options of ``mxnova export-onnx``."""

from __future__ import annotations

from ..command import FILE, PATH, Argument, Command, Option
from .shared import EPOCH

command = Command(
    "export-onnx",
    "export_onnx:export",
    [
        Argument("prefix", "files PREFIX-symbol.json and PREFIX-0000.params", type=PATH,
                 metavar="PREFIX"),
        EPOCH,
        Option("-s", "--shape", multiple=True, required=True, metavar="NAME=SIZES",
               help="Of an input, such as data=1,3,224,224; a word, as N: any size."),
        Option("--dtype", default="float32",
               help="Element type of the inputs (default: float32)."),
        Option("-o", "--output", type=FILE, metavar="FILE", help="Default: PREFIX.onnx."),
    ],
    [
        "mxnova export-onnx net -s data=N,2",
        "mxnova export-onnx net --epoch 1 -s data=1,2 -o one.onnx",
    ],
)  # fmt: skip
