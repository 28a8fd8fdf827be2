# SPDX-License-Identifier: Apache-2.0
"""Options of ``mxnova capi``."""

from __future__ import annotations

from pathlib import Path

import click

from ..command import FILE, Argument, Command, Option

command = Command(
    "capi",
    "capi:build_library",
    [
        Argument("what", "build the library and its headers", type=click.Choice(["build"])),
        Option("--out", type=FILE, default=Path("mxnet-capi"), metavar="DIR",
               help="Folder to write lib and include to (default: mxnet-capi)."),
    ],
    ["mxnova capi build --out mxnet-capi"],
)  # fmt: skip
