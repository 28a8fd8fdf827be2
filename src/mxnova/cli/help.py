# SPDX-License-Identifier: Apache-2.0
"""``mxnova help``: what ``mxnova COMMAND --help`` says."""

from __future__ import annotations

from types import SimpleNamespace

from .arguments import parse

__all__ = ["show_help"]


def show_help(options: SimpleNamespace) -> None:
    """Shows the help of a command, or the list of commands, and ends the program.

    Raises:
        SystemExit: always; with status 2 where there is no such command.
    """
    parse([options.name, "--help"] if options.name else ["--help"])
