# SPDX-License-Identifier: Apache-2.0
"""Options of ``mxnova open``."""

from __future__ import annotations

from ..command import FILE, Command, Model, Option
from .shared import EPOCH, FORCE, JSON

command = Command(
    "open",
    "open:open_artefact",
    [
        Model("artefact", ", or .params of Gluon's zoo", metavar="ARTEFACT"),
        Option("-o", "--output", type=FILE, metavar="FOLDER",
               help="Write the model there as a checkpoint: network, parameters, labels, "
               "preprocessing and shapes."),
        Option("--prefix", help="Of the files' names in FOLDER (default: as they are called)."),
        EPOCH,
        FORCE,
        JSON,
    ],
    [
        "mxnova open model.tar.gz",
        "mxnova open model.tar.gz -o opened --prefix net",
    ],
    epilog="Archives are checked as a whole before anything is written; programs inside are "
    "listed, and never run.",
)  # fmt: skip
