# SPDX-License-Identifier: Apache-2.0
"""Options of ``mxnova check``."""

from __future__ import annotations

import click

from ..command import FILE, Argument, Command, Option
from .shared import JSON

command = Command(
    "check",
    "check:check",
    [
        Argument("paths", "scripts, or folders of scripts", nargs=-1, required=True, type=FILE,
                 metavar="SCRIPT|FOLDER..."),
        Option("--ignore", multiple=True, type=click.Choice(["missing", "deviation", "numpy"]),
               help="Kind of findings to leave out; repeatable."),
        JSON,
    ],
    [
        "mxnova check train.py",
        "mxnova check project/ --ignore numpy --json",
    ],
    failed=2,
    epilog="The scripts are parsed, not run. Kinds of findings: missing, names of MXNet that "
    "mxnova lacks; deviation, calls that behave differently here; numpy, names that NumPy "
    "2 removed and `mxnova run` restores. The exit status is 1 if there are findings and 2 "
    "if a file is not valid Python.",
)  # fmt: skip
