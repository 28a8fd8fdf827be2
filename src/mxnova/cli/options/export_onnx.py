# SPDX-License-Identifier: Apache-2.0
"""Options of ``mxnova export-onnx``."""

from __future__ import annotations

from ..command import FILE, Command, Model, Option
from .shared import EPOCH, shape

command = Command(
    "export-onnx",
    "export_onnx:export",
    [
        Model("prefix", metavar="MODEL"),
        EPOCH,
        shape("Shape of an input, such as data=N,3,224,224; a word such as N leaves a size open; "
              "data:uint8=N,4 also states its dtype.",
              required=True),
        Option("--dtype", default="float32",
               help="Element type of the inputs (default: float32)."),
        Option("-o", "--output", type=FILE, metavar="FILE",
               help="File to write (default: MODEL.onnx)."),
    ],
    [
        "mxnova export-onnx net -s data=N,2",
        "mxnova export-onnx net --epoch 1 -s data=1,2 -o one.onnx",
    ],
)  # fmt: skip
