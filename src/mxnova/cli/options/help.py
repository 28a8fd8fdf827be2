# SPDX-License-Identifier: Apache-2.0
"""Options of ``mxnova help``."""

from __future__ import annotations

from ..command import COMMANDS, Argument, Command, Words

command = Command(
    "help",
    "help:show_help",
    [
        Argument("name", "command to explain (default: list all commands)", required=False,
                 type=Words(lambda: COMMANDS), metavar="[COMMAND]"),
    ],
    ["mxnova help", "mxnova help predict"],
)  # fmt: skip
