# SPDX-License-Identifier: Apache-2.0
"""Options of ``mxnova export-onnx``."""

from __future__ import annotations

from ..command import FILE, Command, Model, Option
from .shared import EPOCH

command = Command(
    "export-onnx",
    "export_onnx:export",
    [
        Model("prefix", metavar="MODEL"),
        EPOCH,
        Option("-s", "--shape", multiple=True, required=True, metavar="NAME=SIZES",
               help="Of an input, such as data=1,3,224,224; a word, as N: any size."),
        Option("--dtype", default="float32",
               help="Element type of the inputs (default: float32)."),
        Option("-o", "--output", type=FILE, metavar="FILE", help="Default: MODEL.onnx."),
    ],
    [
        "mxnova export-onnx net -s data=N,2",
        "mxnova export-onnx net --epoch 1 -s data=1,2 -o one.onnx",
    ],
)  # fmt: skip
