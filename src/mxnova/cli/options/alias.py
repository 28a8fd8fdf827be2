# SPDX-License-Identifier: Apache-2.0
"""Options of ``mxnova alias``."""

from __future__ import annotations

import click

from ..command import Argument, Command

command = Command(
    "alias",
    "alias:act",
    [
        Argument("what", "install or remove a package `mxnet` that imports mxnova, or show "
                 "whether it is installed", type=click.Choice(["install", "remove", "status"])),
    ],
    ["mxnova alias install", "mxnova alias status"],
)  # fmt: skip
