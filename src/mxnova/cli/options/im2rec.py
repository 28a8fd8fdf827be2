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
        Argument("prefix", "prefix of the files PREFIX.lst, PREFIX.rec and PREFIX.idx", type=PATH,
                 metavar="PREFIX"),
        Argument("root", "folder of the images", type=PATH, metavar="ROOT"),
        Option("--list", is_flag=True, group="Lists",
               help="Write lists of images instead of records."),
        Option("--exts", multiple=True, default=[".jpeg", ".jpg", ".png"], group="Lists",
               metavar="EXTENSION...", help="Extensions of image files."),
        Option("--chunks", type=Count(1), default=1, metavar="N", group="Lists",
               help="Number of lists to split into (default: 1)."),
        Option("--train-ratio", type=click.FloatRange(0, 1), default=1.0, group="Lists",
               metavar="X", help="Share of images in *_train.lst (default: 1)."),
        Option("--test-ratio", type=click.FloatRange(0, 1), default=0.0, metavar="X", group="Lists",
               help="Share of images in *_test.lst (default: 0)."),
        Option("--recursive", is_flag=True, group="Lists",
               help="Search folders too; each folder is a class."),
        Option("--shuffle/--no-shuffle", default=True, group="Lists",
               help="Shuffle the list, or sort it by name (default: shuffle)."),
        Option("--pass-through", is_flag=True, group="Records",
               help="Store files unchanged, without encoding them again."),
        Option("--resize", type=int, default=0, metavar="N", group="Records",
               help="Resize the shorter side to N pixels (default: keep the size)."),
        Option("--center-crop", is_flag=True, group="Records",
               help="Crop the central square."),
        Option("--quality", type=int, default=95, metavar="N", group="Records",
               help="Quality of JPEG, 1 to 100, or compression of PNG, 1 to 9 (default: 95)."),
        Option("--num-thread", type=Count(1), default=1, metavar="N", group="Records",
               help="Number of encoding processes (default: 1)."),
        Option("--color", type=click.IntRange(-1, 1), default=1, metavar="N", group="Records",
               help="Channels: 1 for BGR, 0 for gray, -1 for those of the file (default: 1)."),
        Option("--encoding", type=click.Choice([".jpg", ".png"]), default=".jpg", group="Records",
               help="Format of the encoded images (default: .jpg)."),
        Option("--pack-label", is_flag=True, group="Records",
               help="Store all labels of an image."),
    ],
    [
        "mxnova im2rec train photos/ --list --recursive --train-ratio 0.9",
        "mxnova im2rec train photos/ --resize 256 --num-thread 2",
    ],
)  # fmt: skip
