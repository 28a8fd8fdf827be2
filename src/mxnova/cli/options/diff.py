# SPDX-License-Identifier: Apache-2.0
"""Options of ``mxnova diff``."""

from __future__ import annotations

from ..command import FILE, Argument, Command, Option
from .shared import EPOCH, JSON

command = Command(
    "diff",
    "diff:diff",
    [
        Argument("a", ".params, .safetensors or .onnx file, prefix of a checkpoint, archive or "
                 "folder (see open)", type=FILE,
                 metavar="A"),
        Argument("b", "the same", type=FILE, metavar="B"),
        EPOCH,
        Option("--tolerance", type=float, default=0.0, metavar="X",
               help="Largest difference that counts as equal (default: 0)."),
        JSON,
    ],
    [
        "mxnova diff net-0001.params net-0002.params",
        "mxnova diff net net.safetensors --tolerance 1e-6",
    ],
    failed=2,
    epilog="The exit status is 0 if they are equal, 1 if they differ, 2 if they cannot be "
    "compared.",
)  # fmt: skip
