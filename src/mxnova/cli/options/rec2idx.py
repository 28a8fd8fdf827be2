# SPDX-License-Identifier: Apache-2.0
"""Options of ``mxnova rec2idx``."""

from __future__ import annotations

from ..command import FILE, Argument, Command

command = Command(
    "rec2idx",
    "im2rec:rec2idx",
    [
        Argument("record", ".rec file", type=FILE, metavar="RECORD"),
        Argument("index", ".idx file to write", type=FILE, metavar="INDEX"),
    ],
    ["mxnova rec2idx train.rec train.idx"],
)
