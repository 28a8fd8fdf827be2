# SPDX-License-Identifier: Apache-2.0
"""Options of ``mxnova open``."""

from __future__ import annotations

import argparse
from pathlib import Path

__all__ = ["add_open"]


def add_open(parser: argparse.ArgumentParser) -> None:
    """``mxnova open``."""
    parser.epilog = (
        "Archives are checked as a whole before anything is written; programs inside are listed, "
        "and never run."
    )
    add = parser.add_argument
    add("artefact", metavar="ARTEFACT",
        help="SageMaker's model.tar.gz, .mar, .model, .zip, a folder, the prefix of a checkpoint, "
        "or .params of Gluon's zoo")  # fmt: skip
    add("-o", "--output", type=Path, metavar="FOLDER",
        help="write the model there as a checkpoint: network, parameters, labels, preprocessing "
        "and shapes")  # fmt: skip
    add("--prefix", help="of the files' names in FOLDER (default: as they are called)")
    add("--epoch", type=int, help="of the parameters (default: the newest)")
    add("--force", action="store_true", help="replace files that are there")
    add("--json", action="store_true", help="one JSON object")
    parser.set_defaults(act=_act_open)


def _act_open(options: argparse.Namespace) -> None:
    from .open import open_artefact

    open_artefact(options)
