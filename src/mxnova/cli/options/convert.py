# SPDX-License-Identifier: Apache-2.0
"""Options of ``mxnova convert``."""

from __future__ import annotations

from ..command import PATH, Argument, Command, Option
from .shared import SOURCE, WRITING

command = Command(
    "convert",
    "convert:convert",
    [
        SOURCE[0],
        Argument("target", "file to write; its ending selects the format", type=PATH,
                 metavar="TARGET"),
        *SOURCE[1:],
        Option("--to", metavar="KIND",
               help="Format: mxnet, params, safetensors, onnx, openvino, export, python or "
               "compiled (default: by the ending of TARGET)."),
        Option("--dtype", metavar="TYPE", help="Type for float32 arrays: float16 or bfloat16."),
        Option("--opset", type=int, metavar="N",
               help="Opset of an ONNX file, 13 to 21 (default: 13)."),
        *WRITING,
    ],
    [
        "mxnova convert net net.safetensors",
        "mxnova convert net net.onnx -s data=N,2",
        "mxnova convert net net.py --size 224x224 --mean 123.68,116.78,103.94",
        "mxnova convert net.onnx back --to mxnet",
    ],
    epilog="Endings: .onnx .safetensors .params .xml .pt2 .py .mxnova; with --to mxnet, TARGET is "
    "a prefix.",
)  # fmt: skip
