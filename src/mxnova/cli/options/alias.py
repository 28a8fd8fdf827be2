# SPDX-License-Identifier: Apache-2.0
"""Options of ``mxnova alias``."""

from __future__ import annotations

import click

from ..command import Argument, Command

command = Command(
    "alias",
    "alias:act",
    [
        Argument("what", "put a package `mxnet` that is mxnova into this environment, take it "
                 "away, or say what is there", type=click.Choice(["install", "remove", "status"])),
    ],
    ["mxnova alias install", "mxnova alias status"],
)  # fmt: skip
