# SPDX-License-Identifier: Apache-2.0
"""Options of what a model's files may not say: names of scores, and how images are prepared."""

from __future__ import annotations

import argparse
from argparse import BooleanOptionalAction
from pathlib import Path

__all__ = ["add_preprocessing"]


def add_preprocessing(parser: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    """``--labels``, ``--size``, ``--mean``, ``--scale`` and ``--bgr``; None: what a model notes."""
    add = parser.add_argument
    add("--labels", type=Path, metavar="FILE", help="names of the scores, one a line")
    add("--size", metavar="HxW", help="images: resize to (default: what the input has)")
    add("--mean", help="images: subtract, one number or R,G,B")
    add("--scale", type=float, help="images: multiply after subtracting")
    add("--bgr", action=BooleanOptionalAction, default=None,
        help="images: channels in the order blue, green, red")  # fmt: skip
