# SPDX-License-Identifier: Apache-2.0
"""Options of ``mxnova import-onnx``."""

from __future__ import annotations

from ..command import FILE, PATH, Argument, Command, Option
from .shared import shape

command = Command(
    "import-onnx",
    "import_onnx:import_",
    [
        Argument("file", type=FILE, metavar="FILE.onnx"),
        Argument("prefix", "files PREFIX-symbol.json and PREFIX-0000.params to write", type=PATH,
                 metavar="PREFIX"),
        shape("Of an input, instead of the file's; a word, as N: any size."),
        Option("--epoch", type=int, default=0, help="Number of the .params file (default: 0)."),
    ],
    ["mxnova import-onnx net.onnx imported -s data=1,2"],
)  # fmt: skip
