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
        Argument("paths", "scripts, and folders that hold some", nargs=-1, required=True, type=FILE,
                 metavar="SCRIPT|FOLDER..."),
        Option("--ignore", multiple=True, type=click.Choice(["missing", "deviation", "numpy"]),
               help="A kind of findings to leave out; repeatable."),
        JSON,
    ],
    [
        "mxnova check train.py",
        "mxnova check project/ --ignore numpy --json",
    ],
    failed=2,
    epilog="Nothing is run or imported of the scripts. Kinds: missing, names of MXNet that mxnova "
    "lacks; deviation, what does something else here; numpy, what NumPy 2 dropped, which `mxnova "
    "run` gives back. The status is 1 if something was found, 2 if a file is no Python.",
)  # fmt: skip
