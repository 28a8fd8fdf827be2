# SPDX-License-Identifier: Apache-2.0
"""Options of ``mxnova download``."""

from __future__ import annotations

from types import SimpleNamespace

from ..command import PATH, Argument, Command, Option
from .shared import JSON


def _check(options: SimpleNamespace) -> str | None:
    return None if options.name or options.list else "which? mxnova download NAME, or --list"


command = Command(
    "download",
    "download:download",
    [
        Argument("name", "of a network or data set, as --list shows", nargs=-1, metavar="NAME ..."),
        Option("--list", is_flag=True, help="Show the names that there are."),
        Option("--root", type=PATH, metavar="DIR",
               help="Where to (default: models, or datasets/NAME, in MXNET_HOME)."),
        Option("--from", "places", multiple=True, metavar="PLACE",
               help="A server or folder to try first, or hf for Hugging Face's hub; repeatable "
               "(default: MXNOVA_MIRRORS)."),
        JSON,
    ],
    [
        "mxnova download --list",
        "mxnova download resnet18_v1 mnist",
        "mxnova download resnet18_v1 --from /mnt/weights --root models",
    ],
    check=_check,
    epilog="Files are checked by their checksums; those that are there are not fetched again.",
)  # fmt: skip
