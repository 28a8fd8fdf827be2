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
        Argument("name", "network or data set, as --list shows", nargs=-1, metavar="NAME ..."),
        Option("--list", is_flag=True, help="List all names."),
        Option("--root", type=PATH, metavar="DIR",
               help="Folder to write to (default: models, or datasets/NAME, in MXNET_HOME)."),
        Option("--from", "places", multiple=True, metavar="PLACE",
               help="Server or folder to try first, or hf for Hugging Face's hub; repeatable "
               "(default: MXNOVA_MIRRORS)."),
        JSON,
    ],
    [
        "mxnova download --list",
        "mxnova download resnet18_v1 mnist",
        "mxnova download resnet18_v1 --from /mnt/weights --root models",
    ],
    check=_check,
    epilog="Checksums of all files are verified; files that exist are not downloaded again.",
)  # fmt: skip
