# SPDX-License-Identifier: Apache-2.0
"""Options of the commands that turn models into others and compare them."""

from __future__ import annotations

import argparse
from pathlib import Path

__all__ = ["add_diff"]


def add_diff(parser: argparse.ArgumentParser) -> None:
    """``mxnova diff``."""
    parser.epilog = "The status is 0 if they are equal, 1 if they differ, 2 if that cannot be said."
    add = parser.add_argument
    add("a", type=Path, metavar="A", help=".params, .safetensors, or the prefix of a checkpoint")
    add("b", type=Path, metavar="B", help="the same")
    add("--epoch", type=int, help="of checkpoints (default: the only one)")
    add("--tolerance", type=float, default=0.0, metavar="X",
        help="let values differ by so much (default: 0)")  # fmt: skip
    add("--json", action="store_true", help="one JSON object")
    parser.set_defaults(act=_act_diff, failed=2)


def _act_diff(options: argparse.Namespace) -> int:
    from .diff import diff

    return diff(options)
