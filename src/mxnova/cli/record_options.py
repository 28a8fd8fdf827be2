# SPDX-License-Identifier: Apache-2.0
"""The options of ``mxnova im2rec`` and ``mxnova rec2idx``."""

from __future__ import annotations

import argparse
from pathlib import Path

__all__ = ["add_im2rec", "add_rec2idx"]


def add_im2rec(parser: argparse.ArgumentParser) -> None:
    """The options of ``im2rec``: those of MXNet's."""
    parser.add_argument("prefix", help="of the files PREFIX.lst, PREFIX.rec and PREFIX.idx")
    parser.add_argument("root", help="folder of the images")
    lists = parser.add_argument_group("lists").add_argument
    lists("--list", action="store_true", help="write lists of images instead of records")
    lists("--exts", nargs="+", default=[".jpeg", ".jpg", ".png"], help="extensions of images")
    lists("--chunks", type=_positive, default=1, help="number of lists (default: 1)")
    lists("--train-ratio", type=_share, default=1.0, help="share in *_train.lst (default: 1)")
    lists("--test-ratio", type=_share, default=0.0, help="share in *_test.lst (default: 0)")
    lists("--recursive", action="store_true", help="folders too; each is a label of its own")
    lists("--no-shuffle", dest="shuffle", action="store_false", help="keep the order of names")
    made = parser.add_argument_group("records").add_argument
    made("--pass-through", action="store_true", help="keep the bytes of files")
    made("--resize", type=int, default=0, help="length of the shorter side (default: as it is)")
    made("--center-crop", action="store_true", help="cut out a square in the middle")
    made("--quality", type=int, default=95, help="of JPEG, 1 to 100; of PNG, 1 to 9 (default: 95)")
    made("--num-thread", type=_positive, default=1, help="processes that encode (default: 1)")
    made("--color", type=int, default=1, choices=(-1, 0, 1), help="1: BGR, 0: grey, -1: as stored")
    made("--encoding", default=".jpg", choices=(".jpg", ".png"), help="default: .jpg")
    made("--pack-label", action="store_true", help="keep all labels of an image")
    parser.set_defaults(act=_act_im2rec)


def add_rec2idx(parser: argparse.ArgumentParser) -> None:
    """The options of ``rec2idx``."""
    parser.add_argument("record", type=Path, help="a .rec file")
    parser.add_argument("index", type=Path, help="the .idx file to write")
    parser.set_defaults(act=_act_rec2idx)


def _positive(text: str) -> int:
    if (value := int(text)) < 1:
        raise ValueError("must be positive")
    return value


def _share(text: str) -> float:
    if not 0 <= (value := float(text)) <= 1:
        raise ValueError("must be from 0 to 1")
    return value


def _act_im2rec(options: argparse.Namespace) -> None:
    from .im2rec import im2rec

    im2rec(options)


def _act_rec2idx(options: argparse.Namespace) -> None:
    from .im2rec import rec2idx

    rec2idx(options)
