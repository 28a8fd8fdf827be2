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
               help="Write the model to FOLDER as a checkpoint: network, parameters, labels, "
               "preprocessing and shapes."),
        Option("--prefix", help="Prefix of the files in FOLDER (default: that of the source)."),
        EPOCH,
        FORCE,
        JSON,
    ],
    [
        "mxnova open model.tar.gz",
        "mxnova open model.tar.gz -o opened --prefix net",
    ],
    epilog="Archives are checked as a whole before anything is written. Code in an archive is "
    "listed and never run.",
)  # fmt: skip
