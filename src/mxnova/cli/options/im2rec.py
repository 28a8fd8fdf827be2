# SPDX-License-Identifier: Apache-2.0
"""Options of ``mxnova im2rec``, with the names of MXNet's im2rec.py."""

from __future__ import annotations

from collections.abc import Iterator

import click

from ..command import PATH, Argument, Command, Count, Option


class _Im2rec(Command):
    """``--exts`` takes all words up to the next option, as MXNet's does."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, list(_with_exts_repeated(args)))


def _with_exts_repeated(args: list[str]) -> Iterator[str]:
    is_within = False
    for word in args:
        if word.startswith("-"):
            is_within = word == "--exts"
            if is_within:
                continue
        yield f"--exts={word}" if is_within else word


command = _Im2rec(
    "im2rec",
    "im2rec:im2rec",
    [
        Argument("prefix", "of the files PREFIX.lst, PREFIX.rec and PREFIX.idx", type=PATH,
                 metavar="PREFIX"),
        Argument("root", "folder of the images", type=PATH, metavar="ROOT"),
        Option("--list", is_flag=True, group="Lists",
               help="Write lists of images instead of records."),
        Option("--exts", multiple=True, default=[".jpeg", ".jpg", ".png"], group="Lists",
               metavar="EXTENSION...", help="Extensions of images."),
        Option("--chunks", type=Count(1), default=1, metavar="N", group="Lists",
               help="Number of lists (default: 1)."),
        Option("--train-ratio", type=click.FloatRange(0, 1), default=1.0, group="Lists",
               metavar="X", help="Share in *_train.lst (default: 1)."),
        Option("--test-ratio", type=click.FloatRange(0, 1), default=0.0, metavar="X", group="Lists",
               help="Share in *_test.lst (default: 0)."),
        Option("--recursive", is_flag=True, group="Lists",
               help="Folders too; each is a label of its own."),
        Option("--shuffle/--no-shuffle", default=True, group="Lists",
               help="Shuffle, or keep the order of names (default: shuffle)."),
        Option("--pass-through", is_flag=True, group="Records", help="Keep the bytes of files."),
        Option("--resize", type=int, default=0, metavar="N", group="Records",
               help="Length of the shorter side (default: as it is)."),
        Option("--center-crop", is_flag=True, group="Records",
               help="Cut out a square in the middle."),
        Option("--quality", type=int, default=95, metavar="N", group="Records",
               help="Of JPEG, 1 to 100; of PNG, 1 to 9 (default: 95)."),
        Option("--num-thread", type=Count(1), default=1, metavar="N", group="Records",
               help="Processes that encode (default: 1)."),
        Option("--color", type=click.IntRange(-1, 1), default=1, metavar="N", group="Records",
               help="1: BGR, 0: grey, -1: as stored."),
        Option("--encoding", type=click.Choice([".jpg", ".png"]), default=".jpg", group="Records",
               help="Default: .jpg."),
        Option("--pack-label", is_flag=True, group="Records",
               help="Keep all labels of an image."),
    ],
    [
        "mxnova im2rec train photos/ --list --recursive --train-ratio 0.9",
        "mxnova im2rec train photos/ --resize 256 --num-thread 2",
    ],
)  # fmt: skip
