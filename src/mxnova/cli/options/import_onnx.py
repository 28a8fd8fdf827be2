# SPDX-License-Identifier: Apache-2.0
"""Options of ``mxnova import-onnx``."""

from __future__ import annotations

from ..command import FILE, PATH, Argument, Command, Option
from .shared import shape

command = Command(
    "import-onnx",
    "import_onnx:import_",
    [
        Argument("file", "ONNX file", type=FILE, metavar="FILE.onnx"),
        Argument("prefix", "prefix of the files to write, PREFIX-symbol.json and "
                 "PREFIX-0000.params", type=PATH, metavar="PREFIX"),
        shape("Shape of an input, in place of that in the file; a word such as N leaves a size "
              "open."),
        Option("--epoch", type=int, default=0, help="Number of the .params file (default: 0)."),
    ],
    ["mxnova import-onnx net.onnx imported -s data=1,2"],
)  # fmt: skip
