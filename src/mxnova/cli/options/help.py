# SPDX-License-Identifier: Apache-2.0
"""Options of ``mxnova help``."""

from __future__ import annotations

from ..command import COMMANDS, Argument, Command, Words

command = Command(
    "help",
    "help:show_help",
    [
        Argument("name", "of a command (default: a list of them)", required=False,
                 type=Words(lambda: COMMANDS), metavar="[COMMAND]"),
    ],
    ["mxnova help", "mxnova help predict"],
)  # fmt: skip
