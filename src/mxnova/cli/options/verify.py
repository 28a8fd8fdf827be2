# SPDX-License-Identifier: Apache-2.0
"""Options of ``mxnova verify``."""

from __future__ import annotations

from ..command import Command, Model, Option
from .shared import EPOCH, JSON, PAGE, shape

command = Command(
    "verify",
    "verify:verify",
    [
        Model("a", ", .pt2, .xml, .py or .mxnova", metavar="A"),
        Model("b", explained="the same", metavar="B"),
        EPOCH,
        shape("Shape of an input, such as data=N,3,224,224; a word such as N leaves a size open; "
              "data:uint8=N,4 also states its dtype."),
        Option("--range", multiple=True, metavar="NAME=LOW,HIGH",
               help="Range of the random values of an input (default: -1,1); with ,int they are "
               "integers."),
        Option("-i", "--input", multiple=True, metavar="NAME=FILE",
               help="File to feed in place of random values: .npy, .npz or an image."),
        Option("--batch", default="1,3", metavar="SIZES",
               help="Values to try for open sizes (default: 1,3)."),
        Option("--tolerance", type=float, default=1e-5, metavar="X",
               help="Largest difference that counts as equal, relative to the largest value of an "
               "array (default: 1e-5)."),
        Option("--seed", type=int, default=0, help="Seed of the random values (default: 0)."),
        Option("--trust", is_flag=True,
               help="Load .py and .pt2 files that this installation did not write: loading them "
               "runs code of their authors (default: ask on a terminal, else refuse)."),
        JSON,
        PAGE,
    ],
    [
        "mxnova verify net net.onnx -s data=N,2",
        "mxnova verify net net.py -i data=x.npy --html report.html",
    ],
    failed=2,
    epilog="The exit status is 0 if they are equal, 1 if they differ, 2 if they cannot be "
    "compared.",
)  # fmt: skip
