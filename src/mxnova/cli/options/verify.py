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
        shape("Of an input, such as data=1,3,224,224; a word, as N: any size."),
        Option("--range", multiple=True, metavar="NAME=LOW,HIGH",
               help="Random numbers of an input (default: from -1 to 1); 0,9,int: integers."),
        Option("-i", "--input", multiple=True, metavar="NAME=FILE",
               help="Feed .npy, .npz or an image in place of random numbers."),
        Option("--batch", default="1,3", metavar="SIZES",
               help="What sizes that are left open are, one after the other (default: 1,3)."),
        Option("--tolerance", type=float, default=1e-5, metavar="X",
               help="How far values may be apart, of the largest in an array (default: 1e-5)."),
        Option("--seed", type=int, default=0, help="Of random numbers (default: 0)."),
        JSON,
        PAGE,
    ],
    [
        "mxnova verify net net.onnx -s data=N,2",
        "mxnova verify net net.py -i data=x.npy --html report.html",
    ],
    failed=2,
    epilog="The status is 0 if they are equal, 1 if they differ, 2 if that cannot be said.",
)  # fmt: skip
