# SPDX-License-Identifier: Apache-2.0
"""``mxnova completion``: what makes a shell complete mxnova's commands, options and files."""

from __future__ import annotations

import sys
from types import SimpleNamespace

from click.shell_completion import ShellComplete, get_completion_class

from .arguments import COMPLETION_VARIABLE, PROGRAM

__all__ = ["show_script"]


def show_script(options: SimpleNamespace) -> None:
    """Prints the script of a shell, `options.shell`."""
    kind = get_completion_class(options.shell) or ShellComplete
    shell = kind(PROGRAM, {}, "mxnova", COMPLETION_VARIABLE)
    sys.stdout.write(ShellComplete.source(shell) + "\n")  # Bash's own runs bash for its version
